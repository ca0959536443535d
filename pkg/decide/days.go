// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// today is the day in the account's time zone, "in which the carrier reads dates".
func today(v *View) string { return dayIn(zone(v), v.Now) }

func dayIn(zone *time.Location, at time.Time) string { return at.In(zone).Format(time.DateOnly) }

// zone is the account's time zone; UTC where it names none.
func zone(v *View) *time.Location {
	named, err := time.LoadLocation(zoneOf(v))
	if err != nil {
		return time.UTC // the account is not ready with such a zone: nothing is sent by its days
	}
	return named
}

// zoneOf is the name of the account's time zone; "" for UTC, and while the account does not exist.
func zoneOf(v *View) string {
	if v.Account.Object == nil {
		return ""
	}
	return v.Account.Object.Spec.TimeZone
}

// dateInPast does not say which day it is: each new process would write that anew.
func dateInPast(v *View, field, date string) Verdict {
	return Verdict{Stuck, v1alpha1.ReasonDateInPast, fmt.Sprintf(
		"%s %s is in the past in the account's time zone, %s: declare today or a later day",
		field, date, orElse(zoneOf(v), "UTC"))}
}
