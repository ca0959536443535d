// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

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

// UnsignedNote returns a note for what is only known from an unsigned notification.
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
