// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// EventText describes the outcome of a request for an Event: first its changes, at the end its ids.
func EventText(request *v1alpha1.Request) string {
	words := fmt.Sprintf("%s %s", request.Operation, phaseText(request.Phase))
	if changes := request.Changes(); len(changes) > 0 {
		words += ": " + DescribeChanges(changes)
	}
	if request.Error != nil {
		words += ": " + request.Error.Message
	}
	words += detailText(request) + " (attempt " + request.AttemptID
	if request.Location != "" {
		words += " at " + request.Location
	}
	return words + ")"
}

// AttemptsText lists attempts with their phases.
func AttemptsText(attempts []v1alpha1.Request) string {
	words := make([]string, 0, len(attempts))
	for i := range attempts {
		words = append(words, fmt.Sprintf("%s attempt %s is %s",
			attempts[i].Operation, attempts[i].AttemptID, attempts[i].Phase))
	}
	return strings.Join(words, ", ")
}

// LogFields describes a request in one log line: its object, its attempt, its changes and their
// prices, what was approved, by which persons, and its phase.
func LogFields(subject metav1.Object, request *v1alpha1.Request) []any {
	object := fmt.Sprintf("%s %s/%s", v1alpha1.ShortName(subject), subject.GetNamespace(), subject.GetName())
	fields := []any{
		"object", object, "operation", request.Operation, "attempt", request.AttemptID, "phase", request.Phase,
	}
	for _, field := range []struct{ name, value string }{
		{"changes", DescribeChanges(request.Changes())},
		{"approved", request.ApprovedHash},
		{"location", request.Location},
	} {
		if field.value != "" {
			fields = append(fields, field.name, field.value)
		}
	}
	for _, detail := range detailsOf(request) {
		fields = append(fields, detail.what+"By", detail.by)
	}
	if request.Error != nil {
		fields = append(fields, "reason", request.Error.Message)
	}
	return fields
}

// detail is a person's action on a request, and who that person was.
type detail struct{ what, by string }

// detailsOf returns who approved, retried and resolved a request, as far as that is known.
func detailsOf(request *v1alpha1.Request) []detail {
	all := []detail{
		{"approved", request.ApprovedBy}, {"retried", request.RetriedBy}, {"resolved", ResolverOf(request.ResolvedBy)},
	}
	return slices.DeleteFunc(all, func(one detail) bool { return one.by == "" })
}

// detailText returns the details of a request as text.
func detailText(request *v1alpha1.Request) string {
	var words strings.Builder
	for _, detail := range detailsOf(request) {
		fmt.Fprintf(&words, ", %s by %s", detail.what, detail.by)
	}
	return words.String()
}

// ResolverOf returns who resolved a request; "" if nobody did.
func ResolverOf(resolution *v1alpha1.Resolution) string {
	if resolution == nil {
		return ""
	}
	return resolution.By
}

func phaseText(phase v1alpha1.RequestPhase) string {
	return map[v1alpha1.RequestPhase]string{
		v1alpha1.PhaseSubmitting:     "was sent, but its response was lost",
		v1alpha1.PhaseInProgress:     "was accepted by the carrier",
		v1alpha1.PhaseSucceeded:      "succeeded",
		v1alpha1.PhaseFailed:         "failed",
		v1alpha1.PhaseRejected:       "was refused",
		v1alpha1.PhaseNotSent:        "was not sent",
		v1alpha1.PhaseNotProcessed:   "was not processed by the carrier",
		v1alpha1.PhaseNotAccepted:    "was not accepted",
		v1alpha1.PhaseOutcomeUnknown: "has an unknown outcome",
		v1alpha1.PhaseAbandoned:      "was abandoned",
		v1alpha1.PhaseLateAcceptance: "was accepted by the carrier, which became known only after the attempt had ended",
		v1alpha1.PhaseRepeated:       "was sent again",
	}[phase]
}
