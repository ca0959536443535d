// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// minReportedSkew is the minimum by which a recorded time must be ahead of the clock to be
// reported: the clocks of several machines always differ slightly.
const minReportedSkew = time.Minute

// Clock is how a process evaluates recorded times.
type Clock struct {
	Now         time.Time
	FutureTimes FutureTimes
}

// past returns a recorded time or, if that was in the future, the time at which this process
// first saw it (R19). Otherwise, if a fast clock has written the time, a wait measured from it
// would be too long.
func (c Clock) past(at metav1.Time) time.Time {
	if seen, ahead := c.FutureTimes[at.UTC()]; ahead {
		return seen
	}
	if at.After(c.Now) {
		return c.Now
	}
	return at.Time
}

// Before reports whether one recorded time is before another. If both are in the future, only their
// order is known.
func (c Clock) Before(a, b metav1.Time) bool {
	isAhead := c.past(a).Before(a.Time)
	return a.Before(&b) && (isAhead || a.Time.Before(c.past(b)))
}

// Past returns a recorded time or, if that was in the future, the time at which this process
// first saw it: see [Clock].
func (in *Input) Past(at metav1.Time) time.Time {
	return Clock{Now: in.Now, FutureTimes: in.Memory.FutureTimes}.past(at)
}

// FindFutureTimes returns the recorded times that are in the future, or were when this process
// first saw them. It also returns a message if one of them is new and well ahead; otherwise "".
func FindFutureTimes(in *Input) (ahead FutureTimes, report string) {
	for _, at := range recordedTimes(in) {
		seen, known := in.Memory.FutureTimes[at.UTC()]
		if !known && !at.After(in.Now) {
			continue
		}
		if !known {
			seen = in.Now
		}
		if !known && at.After(in.Now.Add(minReportedSkew)) {
			report = aheadReport(at, in.Now)
		}
		if ahead == nil {
			ahead = FutureTimes{}
		}
		ahead[at.UTC()] = seen
	}
	return ahead, report
}

func aheadReport(at metav1.Time, now time.Time) string {
	return fmt.Sprintf("a recorded time is in the future (%s; it is now %s) and is treated as the present: "+
		"check the clocks of this manager and of the one that recorded the time",
		at.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
}

func recordedTimes(in *Input) []metav1.Time {
	var times []metav1.Time
	note := func(request *v1alpha1.Request) {
		if request != nil {
			times = append(times, request.SubmittedAt, request.FinishedAt, request.LostSince)
		}
	}
	for contract := range carrier.Contracts() {
		operation := v1alpha1.Operation(contract.Operation)
		note(in.Subject.Record().RequestOf(operation))
		note(in.Ledger.ReachedLast(operation))
	}
	if last := in.Subject.Record().NewestError(); last != nil {
		times = append(times, last.At)
	}
	if baseline := in.Ledger.Baseline(); baseline != nil {
		times = append(times, baseline.Since)
	}
	if subject, has := in.Subject.(timed); has {
		times = append(times, subject.RecordedTimes()...)
	}
	return times
}

// timed is a subject that records other times in addition to those of its requests.
type timed interface{ RecordedTimes() []metav1.Time }

// FutureTimes maps each recorded time that was in the future when a process first saw it to the
// time at which it was first seen. An entry is kept as long as its time is recorded.
type FutureTimes map[time.Time]time.Time

// Earlier returns the earlier of two times; zero means never.
func Earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Today is the day in the account's time zone, in which the carrier's dates are given.
func Today(in *Input) string { return DayIn(TimeZone(in), in.Now) }

// DayIn returns the day of a time in a time zone.
func DayIn(zone *time.Location, at time.Time) string { return at.In(zone).Format(time.DateOnly) }

// DayOf returns the day that the carrier means by a text. A date, or any text that is not a
// date-time, is returned unchanged. A date-time at midnight in its own offset is a date written
// as a date-time, so its own day is returned. Any other date-time is converted to the time zone.
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

// DateInPast returns the verdict on a date in the past. The message does not name the current
// day, because each new process would otherwise update it.
func DateInPast(in *Input, field, date string) Verdict {
	return Verdict{Stuck, v1alpha1.ReasonDateInPast, fmt.Sprintf(
		"%s %s is in the past in the account's time zone (%s): declare today or a later date",
		field, date, cmp.Or(zoneOf(in.Account.Object), "UTC"))}
}
