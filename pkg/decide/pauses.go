// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// nextPoll returns the first polling time of a request after the given time. Without a notification
// or a Retry-After, it is a pure function of the submission time, the operation's curve and the
// object's UID, so a restart changes nothing and causes no extra call.
func nextPoll(in *Input, open *v1alpha1.Request, after time.Time) time.Time {
	curve := curveOf(carrier.Operation(open.Operation), in.Account.Object)
	look := curve.next(polledFrom(in, open), string(in.Subject.GetUID()), after)
	if in.Memory.NotifiedAt.After(after) { // a hint to poll now, but not before the minimum pause
		look = Earlier(look, Later(in.Memory.NotifiedAt, after.Add(curve.shortest)))
	}
	return curve.spaced(in, look, after)
}

// NextPollOf returns when a request in progress is polled next, judging by its status alone. A
// process may also know of a notification or a Retry-After.
func NextPollOf(in *Input, open *v1alpha1.Request) time.Time { return nextPoll(in, open, in.Now) }

// nextReadingPoll returns when an open reading is polled next. If it was requested again although
// nothing had changed, the first pause is longer the longer the topic has been failing, so that an
// attempt takes few polls.
func nextReadingPoll(in *Input, reading *Reading) time.Time {
	curve := curveOf(reading.Handle.Operation, in.Account.Object)
	if since := reading.FailingSince; reading.Again {
		curve.first = max(curve.first, min(reading.RequestedAt.Sub(since)/4, longestFirstPoll))
		curve.longest = max(curve.longest, 2*curve.first)
	}
	look := curve.next(reading.RequestedAt, string(in.Subject.GetUID()), reading.LastPoll)
	return curve.spaced(in, look, reading.LastPoll)
}

// longestFirstPoll is the longest time before the first poll of a reading. The result is usually
// there by then, and a request can still be based on it.
const longestFirstPoll = 150 * time.Second

// polledFrom returns when the polling of a request begins. The result of a request that ended
// long ago is available, so it is read as soon as this process notices that it is missing.
func polledFrom(in *Input, open *v1alpha1.Request) time.Time {
	if IsReadAgain(open) {
		return Later(in.Past(open.FinishedAt), in.Memory.Attempts[open.AttemptID].FirstSeen)
	}
	return in.Past(open.SubmittedAt)
}

// FailuresShown is how many polls in a row must be inconclusive before the status reports it. A
// single one is not worth reporting.
const FailuresShown = 3

// curve is the growing time between two polls: each pause is 1.5 times the previous one, from first
// up to longest, and none is below shortest. A late poll may be followed by a shorter pause, but
// not below least, the carrier's minimum. After the usual duration of a query, the pauses grow
// further, up to an hour.
type curve struct{ shortest, first, longest, least, usual time.Duration }

// longestOverdue is the longest pause between two polls of a query that takes longer than usual.
const longestOverdue = time.Hour

// spaced returns a polling time that keeps the pause that the carrier has asked for, and the
// minimum after the last poll. No fibre quote is polled within 5 s of a start, because the previous
// process may have polled it just now.
func (c curve) spaced(in *Input, look, last time.Time) time.Time {
	return Later(Later(look, in.Memory.NotBefore), last.Add(min(c.shortest, c.least)))
}

func curveOf(operation carrier.Operation, account *v1alpha1.CarrierAccount) curve {
	contract, _ := carrier.ContractOf(operation)
	var polling v1alpha1.Polling
	if account != nil {
		polling = account.Spec.Polling
	}
	shortest := max(polling.Min.Or(contract.Poll.Min), time.Second)
	if operation == carrier.FibreBuildCharge { // the carrier's own limit (spec §8)
		shortest = max(shortest, contract.Poll.Min)
	}
	longest := max(polling.Max.Or(contract.Poll.Max), shortest)
	first := min(max(contract.Poll.First, shortest), longest)
	c := curve{shortest: shortest, first: first, longest: longest, least: contract.Poll.Min}
	if contract.Repeat == carrier.ClassQuery { // it changes nothing, so nobody waits for it for hours
		c.usual = contract.Poll.Usual
	}
	return c
}

// NextLook returns the first point after a given time of a curve that does not belong to an
// operation: see [curve].
func NextLook(first, longest time.Duration, start time.Time, uid string, after time.Time) time.Time {
	return curve{first: first, longest: longest}.next(start, uid, after)
}

// next returns the first point of the curve after a given time. The pauses are stretched by up to a
// quarter, depending on the UID, so that requests sent together are not polled together.
func (c curve) next(start time.Time, uid string, after time.Time) time.Time {
	stretch := 1 + float64(fraction(uid))/4
	gap, point := c.first, start
	for {
		point = point.Add(time.Duration(float64(gap) * stretch))
		if point.After(after) {
			return point
		}
		longest, last := c.longestAt(point.Sub(start))
		if last && gap >= longest {
			return nextMultiple(point, time.Duration(float64(longest)*stretch), after)
		}
		gap = min(gap*3/2, longest)
	}
}

// longestAt returns the longest pause that applies this long after the start, and whether it applies
// for ever.
func (c curve) longestAt(elapsed time.Duration) (longest time.Duration, last bool) {
	if c.usual == 0 || elapsed < c.usual {
		return c.longest, c.usual == 0
	}
	return max(c.longest, longestOverdue), true
}
