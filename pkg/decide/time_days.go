// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Today is the day in the account's time zone, which is the one of the carrier's dates.
func Today(in *Input) string { return DayIn(TimeZone(in), in.Now) }

// DayIn returns the day of a time in a time zone.
func DayIn(zone *time.Location, at time.Time) string { return at.In(zone).Format(time.DateOnly) }

// DayOf returns the day that the carrier means with a text. A date, or any text that is no date-time,
// is returned unchanged. A date-time at midnight of its own offset is that day: it is how a date is
// written as a date-time. Any other date-time is the day in the time zone.
func DayOf(text string, zone *time.Location) string {
	at, known := carrier.Timestamp(text).Time()
	switch {
	case !known || len(text) == len(time.DateOnly):
		return text
	case isMidnight(at):
		return at.Format(time.DateOnly)
	}
	return DayIn(zone, at)
}

// isMidnight reports whether a time is the first moment of a day at its own offset.
func isMidnight(at time.Time) bool {
	hour, minute, second := at.Clock()
	return hour == 0 && minute == 0 && second == 0 && at.Nanosecond() == 0
}

// TimeZone returns the time zone of the subject's account.
func TimeZone(in *Input) *time.Location { return Zone(in.Account.Object) }

// Zone is the time zone of an account, in which the carrier reads and writes days; the default is
// UTC.
func Zone(account *v1alpha1.CarrierAccount) *time.Location {
	named, err := time.LoadLocation(zoneOf(account))
	if err != nil {
		return time.UTC // an account with an invalid zone is not ready: no request is sent with its days
	}
	return named
}

// zoneOf returns the name of an account's time zone; "" for UTC, or if the account does not exist.
func zoneOf(account *v1alpha1.CarrierAccount) string {
	if account == nil {
		return ""
	}
	return account.Spec.TimeZone
}

// DateInPast returns the verdict on a date in the past. It does not name the current day, because
// otherwise each new process would update the message.
func DateInPast(in *Input, field, date string) Verdict {
	return Verdict{Stuck, v1alpha1.ReasonDateInPast, fmt.Sprintf(
		"%s %s is in the past in the account's time zone (%s): declare today or a later date",
		field, date, cmp.Or(zoneOf(in.Account.Object), "UTC"))}
}
