// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// A person who pastes the command of a message must not find that it has no effect.
func TestEachOutcomeThatAMessageNamesIsPossible(t *testing.T) {
	t.Parallel()
	in := &Input{Subject: &v1alpha1.ServiceOrder{}}
	for contract := range carrier.Contracts() {
		open := &v1alpha1.Request{
			AttemptID: "a-1", Operation: v1alpha1.Operation(contract.Operation), Phase: v1alpha1.PhaseOutcomeUnknown,
			APIVersion: 8,
		}
		hint := ResolveHint(in, open)
		for _, outcome := range outcomesOf(open.Operation) {
			if !strings.Contains(hint, outcome) {
				t.Errorf("%s: %q is not in the message: %s", open.Operation, outcome, hint)
			}
			stated := strings.NewReplacer("<request id>", "998877", "<order number>", "998877").Replace(outcome)
			if why := WhyImpossible(open, "a-1="+stated); why != "" {
				t.Errorf("%s: the message names %q: %s", open.Operation, outcome, why)
			}
		}
		accepts := strings.Contains(hint, "="+resolvedAccepted)
		if possible := WhyImpossible(open, "a-1=Accepted:998877") == ""; possible != accepts {
			t.Errorf("%s: Accepted is possible: %v, and the message is: %s", open.Operation, possible, hint)
		}
	}
}

// A cancellation is read under the service's id: with a request number of the carrier, another
// service's cancellation would be polled.
func TestAnImpossibleOutcomeIsExplained(t *testing.T) {
	t.Parallel()
	const (
		unknown, late = v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseLateAcceptance
		order         = v1alpha1.OperationOrderCreate
	)
	for _, row := range []struct {
		operation v1alpha1.Operation
		phase     v1alpha1.RequestPhase
		outcome   string
		why       string
	}{
		{v1alpha1.OperationAppointmentCancel, unknown, "Accepted:1", "gives AppointmentCancel no request id"},
		{v1alpha1.OperationCancellationAbort, unknown, "Accepted:1", "state NotAccepted, Succeeded or Ab"},
		{v1alpha1.OperationCancellationReschedule, unknown, "Accepted:1", "no request id"},
		{order, unknown, "Accepted:abc", "an order number is a number"},
		{v1alpha1.OperationPlanChange, unknown, "Accepted:../1", "a request id of PlanChange like this"},
		{order, late, "NotAccepted", "the carrier itself has confirmed"},
		{order, late, "Abandoned", ""},
		{order, unknown, "NotAccepted", ""},
	} {
		request := &v1alpha1.Request{Operation: row.operation, Phase: row.phase, APIVersion: 8}
		got := WhyImpossible(request, "a-1="+row.outcome)
		if got != "" != (row.why != "") || !strings.Contains(got, row.why) {
			t.Errorf("%s %s: %q, want %q", row.operation, row.outcome, got, row.why)
		}
	}
}
