// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"
	"strings"

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
	words += saidWords(request) + " (attempt " + request.AttemptID
	if request.Location != "" {
		words += " at " + request.Location
	}
	return words + ")"
}

// LogFields say in one line of the log what a request is: its attempt, what it changes at what price,
// what was approved, who said what, and where it stands.
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
	for _, said := range saidOf(request) {
		fields = append(fields, said.what+"By", said.by)
	}
	if request.Error != nil {
		fields = append(fields, "reason", request.Error.Message)
	}
	return fields
}

// said is what somebody has said of a request, and who.
type said struct{ what, by string }

// saidOf is who approved a request, asked for it by a retry, and settled it, as far as that is known.
func saidOf(request *v1alpha1.Request) []said {
	all := []said{
		{"approved", request.ApprovedBy}, {"retried", request.RetriedBy}, {"resolved", resolverOf(request.ResolvedBy)},
	}
	return slices.DeleteFunc(all, func(one said) bool { return one.by == "" })
}

// saidWords are the same in words.
func saidWords(request *v1alpha1.Request) string {
	var words strings.Builder
	for _, said := range saidOf(request) {
		fmt.Fprintf(&words, ", %s by %s", said.what, said.by)
	}
	return words.String()
}

// resolverOf is who settled a request; "" for nobody.
func resolverOf(resolution *v1alpha1.Resolution) string {
	if resolution == nil {
		return ""
	}
	return resolution.By
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
