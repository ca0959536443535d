// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// An attempt that is sent again says what became of the last one. CarrierUnavailable leads to the
// condition of the account, so it is only the reason for what the carrier has caused.
func TestWhatIsSentAgainSaysWhatBecameOfTheLastAttempt(t *testing.T) {
	t.Parallel()
	const change, query = v1alpha1.OperationPlanChange, v1alpha1.OperationHealth
	const unavailable, progressing = v1alpha1.ReasonCarrierUnavailable, v1alpha1.ReasonProgressing
	refused := &v1alpha1.RequestError{HTTPStatus: 429, Code: "too.many.requests", Message: "no"}
	for name, row := range map[string]struct {
		operation v1alpha1.Operation
		phase     v1alpha1.RequestPhase
		why       *v1alpha1.RequestError
		reason    string
		says      string
	}{
		"no connection": {change, v1alpha1.PhaseNotSent, Because("no"), unavailable, "PlanChange was not sent (no): it"},
		"the gate was closed": {
			change, v1alpha1.PhaseNotSent, GateClosed(errors.New("the CarrierAccount has changed")), progressing,
			"PlanChange was not sent (the CarrierAccount has changed): it",
		},
		"never posted": {
			change, v1alpha1.PhaseNotSent, &v1alpha1.RequestError{Code: codeNotPosted, Message: "no"}, progressing,
			"PlanChange was not sent (no): it",
		},
		"429":          {change, v1alpha1.PhaseNotProcessed, refused, unavailable, "not processed by the carrier (no): it"},
		"not accepted": {change, v1alpha1.PhaseNotAccepted, Because("resolved"), progressing, "not accepted (resolved): it"},
		"a query":      {query, v1alpha1.PhaseNotProcessed, refused, unavailable, "Health did not succeed (no): it"},
	} {
		now := metav1.NewTime(time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC))
		service := &v1alpha1.BroadbandService{}
		service.PutRequest(v1alpha1.Request{Operation: row.operation, Phase: row.phase, Error: row.why, FinishedAt: now})
		held := backoffIsRunning(&Input{Subject: service, Now: now.Time}, DesiredChange{Operation: row.operation})
		if held == nil || held.Verdict.Reason != row.reason || !strings.Contains(held.Verdict.Message, row.says) {
			t.Errorf("%s: %+v", name, held)
		}
	}
}
