// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// EventText says in an Event what became of a request: first what it was about, its ids last.
func EventText(request *v1alpha1.Request) string {
	words := fmt.Sprintf("%s %s", request.Operation, becameOf(request.Phase))
	if changes := request.Changes(); len(changes) > 0 {
		words += ": " + describe(changes)
	}
	if request.Error != nil {
		words += ": " + request.Error.Message
	}
	words += " (attempt " + request.AttemptID
	if request.Location != "" {
		words += " at " + request.Location
	}
	return words + ")"
}

// LogFields say in one line of the log what a request is: its attempt, what it changes at what price,
// what was approved, and where it stands.
func LogFields(request *v1alpha1.Request) []any {
	fields := []any{"operation", request.Operation, "attempt", request.AttemptID, "phase", request.Phase}
	for _, field := range []struct{ name, value string }{
		{"changes", describe(request.Changes())},
		{"approved", request.ApprovedHash},
		{"location", request.Location},
	} {
		if field.value != "" {
			fields = append(fields, field.name, field.value)
		}
	}
	if request.Error != nil {
		fields = append(fields, "reason", request.Error.Message)
	}
	return fields
}

func becameOf(phase v1alpha1.RequestPhase) string {
	return map[v1alpha1.RequestPhase]string{
		v1alpha1.PhaseSubmitting:     "was sent, and its response was lost",
		v1alpha1.PhaseInProgress:     "was accepted by the carrier",
		v1alpha1.PhaseSucceeded:      "succeeded",
		v1alpha1.PhaseFailed:         "failed",
		v1alpha1.PhaseRejected:       "was refused",
		v1alpha1.PhaseNotSent:        "was not sent",
		v1alpha1.PhaseNotProcessed:   "was not processed by the carrier",
		v1alpha1.PhaseNotAccepted:    "was not accepted",
		v1alpha1.PhaseOutcomeUnknown: "has an unknown outcome",
		v1alpha1.PhaseAbandoned:      "was given up",
		v1alpha1.PhaseLateAcceptance: "was accepted after it had been given up",
		v1alpha1.PhaseRepeated:       "was sent again",
	}[phase]
}
