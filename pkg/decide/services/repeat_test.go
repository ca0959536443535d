// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/internal/decidetest"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// A 422 after a lost response may be the result of the first attempt.
func TestARejectedRepeatProvesNothing(t *testing.T) {
	t.Parallel()
	for _, repeated := range []struct {
		operation v1alpha1.Operation
		want      v1alpha1.RequestPhase
	}{
		{v1alpha1.OperationDSLStabilityProfileChange, v1alpha1.PhaseOutcomeUnknown},
		{v1alpha1.OperationReclaim, v1alpha1.PhaseOutcomeUnknown},
		{v1alpha1.OperationCancellationReschedule, v1alpha1.PhaseSubmitting}, // a read will show the outcome
		{v1alpha1.OperationCancellationAbort, v1alpha1.PhaseSubmitting},
	} {
		request := v1alpha1.Request{
			Operation: repeated.operation, Phase: v1alpha1.PhaseRejected, Repeats: 1,
			Error: &v1alpha1.RequestError{HTTPStatus: 422, Code: "constraints.some.rule"},
		}
		if got := decide.PhaseOfRejectedRepeat(&request); got != repeated.want {
			t.Errorf("%s is %s, want %s", repeated.operation, got, repeated.want)
		}
	}
}

// A repeat does not take over the unknown outcome of the attempt before it.
func TestARepeatStartsWithoutThePreviousOutcome(t *testing.T) {
	t.Parallel()
	view := settled(with(v1alpha1.PhaseInProgress, func(r *v1alpha1.Request) {
		r.Operation = v1alpha1.OperationDSLStabilityProfileChange
		r.Target = v1alpha1.RequestTarget{DSLStabilityProfile: "Stable"}
		r.Location, r.LostSince = "/api/connect/requests/1", metav1.NewTime(r.SubmittedAt.Add(time.Minute))
	}), at(25*time.Hour))
	submit, is := services.Decide(view).Step.(decide.Submit)
	if !is {
		t.Fatalf("%s: what was lost for a day is not asked for again", decidetest.StepName(services.Decide(view).Step))
	}
	again := submit.Request
	if again.Attempt != 2 || again.Repeats != 1 || again.Location != "" || !again.LostSince.IsZero() {
		t.Errorf("the repeat is attempt %d, with %d repeats, Location %q, lost since %s",
			again.Attempt, again.Repeats, again.Location, again.LostSince)
	}
}

// A repeat of an approved request is sent only while the approval stands.
func TestARepeatWaitsIfItsApprovalWasWithdrawn(t *testing.T) {
	t.Parallel()
	approvedAs := func(hash string) func(*services.Input) {
		return with(v1alpha1.PhaseInProgress, func(r *v1alpha1.Request) {
			r.Operation = v1alpha1.OperationDSLStabilityProfileChange
			r.Target = v1alpha1.RequestTarget{DSLStabilityProfile: "Stable"}
			r.Location, r.LostSince = "/api/connect/requests/1", metav1.NewTime(r.SubmittedAt.Add(time.Minute))
			r.ApprovedHash = hash
		})
	}
	none := func(*services.Input) {}
	for name, test := range map[string]struct {
		approved, stands func(*services.Input)
		sent             bool
	}{
		"it needed no approval":      {approvedAs(""), none, true},
		"the approval stands":        {approvedAs(shownHash), annotated(v1alpha1.AnnotationApprove, shownHash), true},
		"the approval was withdrawn": {approvedAs(shownHash), none, false},
		"something else is approved": {approvedAs(shownHash), annotated(v1alpha1.AnnotationApprove, "p0"), false},
	} {
		decision := services.Decide(settled(test.approved, test.stands, at(25*time.Hour)))
		verdict := decision.Verdict
		waits := verdict.Reason == v1alpha1.ReasonAwaitingApproval &&
			strings.HasPrefix(verdict.Message, "the approval "+shownHash+" was withdrawn")
		if _, sent := decision.Step.(decide.Submit); sent != test.sent || waits == test.sent {
			t.Errorf("%s: %s, %s (%s)", name, decidetest.StepName(decision.Step), verdict.Reason, verdict.Message)
		}
	}
}
