// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// A service that was cancelled for another date than the declared one has ended, but not as declared.
func TestAServiceCancelledForAnotherDateIsNotShownAsDeclared(t *testing.T) {
	t.Parallel()
	for declared, want := range map[v1alpha1.Date]struct{ synced, says string }{
		"2026-03-01": {"True/InSync", "an unknown day, as declared; nothing else"},
		"2026-08-31": {
			"False/NotEligibleForCancellation",
			"an unknown day: its cancellation was for 2026-03-01, and can no longer be moved to 2026-08-31; nothing else",
		},
	} {
		decision := services.Decide(settled(ending(declared), endsOn(carrier.CancellationCompleted, "2026-03-01")))
		at := slices.IndexFunc(decision.Aspects, func(a decide.Aspect) bool {
			return a.Type == v1alpha1.ConditionCancellationSynced
		})
		synced := string(decision.Aspects[at].Status) + "/" + decision.Aspects[at].Reason
		if synced != want.synced || !strings.Contains(decision.Verdict.Message, want.says) {
			t.Errorf("declared for %s: %s, and Ready says %q", declared, synced, decision.Verdict.Message)
		}
	}
}

// Nothing is left to compare, so a new process does not read it again.
func TestAServiceCancelledForAnotherDateIsReadOnceForItsGeneration(t *testing.T) {
	t.Parallel()
	view := settled(ending("2026-08-31"), endsOn(carrier.CancellationCompleted, "2026-03-01"))
	services.UpdateState(&view)
	view.Memory.Readings.Cancellation = decide.Reading{}
	if decision := services.Decide(view); !decide.IsRest(decision.Step) || decision.Verdict.State != decide.Settled {
		t.Errorf("%+v: %+v", decision.Step, decision.Verdict)
	}
}
