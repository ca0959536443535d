// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
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

// Notification is a fact that the carrier has reported and that no read of its API shows.
type Notification struct {
	Event      carrier.EventName
	Reason     string // as the carrier reported it
	Unverified bool   // it was not signed

	Appointment carrier.EventAppointment // the one that a notification of a cancelled appointment is about
}

// NoticeOf returns a notification as it is shown in a status.
func NoticeOf(notification Notification, now time.Time) *v1alpha1.Notice {
	return &v1alpha1.Notice{
		Event: string(notification.Event), Reason: Bounded(notification.Reason, MaxMessage),
		Unverified: notification.Unverified, At: v1alpha1.WholeSeconds(now),
	}
}

// IsNews reports whether a notification adds to the recorded one: a signed notification may confirm
// an unsigned one.
func IsNews(known *v1alpha1.Notice, notification Notification) bool {
	return known == nil || known.Unverified && !notification.Unverified
}

// UnsignedNote returns a note for a fact that only an unsigned notification reports.
func UnsignedNote(notice *v1alpha1.Notice) string {
	if !notice.Unverified {
		return ""
	}
	return " (from an unsigned notification: confirm it with the carrier)"
}

// ReasonGiven returns the reason that a notification names.
func ReasonGiven(notice *v1alpha1.Notice) string {
	return cmp.Or(notice.Reason, "the carrier gave no reason")
}

// NoticeText describes a notice in one sentence.
func NoticeText(notice *v1alpha1.Notice) string {
	return "the carrier sent " + notice.Event + UnsignedNote(notice) + ": " + ReasonGiven(notice)
}

// AmbiguousRejection describes a rejection that is not recorded, because its customerReference does
// not say which order it is about. The number is the one that it has; "" for none.
func AmbiguousRejection(notification Notification, number v1alpha1.CarrierID, reference string) string {
	why := "it has no order number, and the carrier has accepted more than one order with this reference"
	if number != "" {
		why = fmt.Sprintf("its number is %s, which is not the number of this order", number)
	}
	return fmt.Sprintf("%s. It has the customerReference %q, but is not recorded, because %s: ask the carrier which "+
		"order it has rejected", NoticeText(NoticeOf(notification, time.Time{})), reference, why)
}
