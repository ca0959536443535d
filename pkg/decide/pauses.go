// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// sentAgainAt returns when a new attempt may be sent after one that did not reach the carrier.
func sentAgainAt(in *Input, last *v1alpha1.Request) time.Time {
	ended := in.Past(last.FinishedAt)
	if last.Error == nil || last.Error.Code != codeGateClosed {
		return Later(ended.Add(Backoff(int(last.Attempt))), in.Memory.NotBefore)
	}
	ended = Later(ended, in.Memory.Gate.ClosedAt) // recorded times are truncated to seconds
	return Later(ended.Add(gatePause(int(last.Attempt))), in.Memory.NotBefore)
}

// gatePause is the wait after a closed gate. The cause is usually over after a second (R12).
func gatePause(n int) time.Duration {
	const base, longest = time.Second, time.Minute
	return doubling(n, base, longest)
}

// Backoff is the wait before the n-th attempt after a failure, with n starting at 1: it doubles
// from 5 s up to 5 min.
func Backoff(n int) time.Duration { return doubling(n, shortestBackoff, 5*time.Minute) }

const shortestBackoff = 5 * time.Second

// doubling returns the n-th of a series of pauses, with n starting at 1: it starts with the
// shortest and doubles up to the longest.
func doubling(n int, shortest, longest time.Duration) time.Duration {
	return min(shortest<<min(max(n-1, 0), 20), longest)
}

// AutoRetryAt returns when a rejected request may be retried automatically: after a pause, if
// another request was in progress or the carrier did not find the service. A zero time means
// never, as for every request of class Never.
func AutoRetryAt(in *Input, request *v1alpha1.Request) time.Time {
	never := ClassOf(request.Operation, request.Target) == carrier.ClassNever
	switch {
	case never || request.Phase != v1alpha1.PhaseRejected:
	case AnotherInProgress(request):
		return in.Past(request.FinishedAt).Add(InProgressPause(int(request.Attempt)))
	case ReasonOf(request.Error) == v1alpha1.ReasonNotFoundOrForbidden:
		return in.Past(request.FinishedAt).Add(doubling(int(request.Attempt), ForbiddenPause, forbiddenMost))
	}
	return time.Time{}
}

// ForbiddenPause and forbiddenMost are the minimum and maximum time between attempts to which the
// carrier responded with 403 or 404. Repeating such a request more often does not make it
// succeed.
const (
	ForbiddenPause = 10 * time.Minute
	forbiddenMost  = 24 * time.Hour
)

// InProgressPause is the wait after the n-th response that shows somebody else's request in progress,
// with n starting at 1.
func InProgressPause(n int) time.Duration {
	return doubling(n, shortestInProgressPause, 30*time.Minute)
}

const shortestInProgressPause = 5 * time.Minute

// repeatAfter is the wait before a request of class Converge is repeated, so that the carrier has
// probably finished the first one. Such a request sets a value, so a second one changes nothing
// more.
const repeatAfter = 15 * time.Minute

// QueryPause returns the wait after the n-th query in a row that did not reach the carrier, with n
// starting at 1.
func QueryPause(n int) time.Duration { return doubling(n, shortestBackoff, longestReadingPause) }

// NextPoll returns the first polling time of a request after the given time. Without a notification
// or a Retry-After, it is a pure function of the submission time, the operation's curve and the
// object's UID, so a restart changes nothing and causes no extra call.
func NextPoll(in *Input, open *v1alpha1.Request, after time.Time) time.Time {
	curve := curveOf(carrier.Operation(open.Operation), &in.Account)
	if IsReadAgain(open) {
		curve.learned = nil
	}
	look := curve.next(polledFrom(in, open), string(in.Subject.GetUID()), after)
	if in.Memory.NotifiedAt.After(after) { // a hint to poll now, but not before the minimum pause
		look = Earlier(look, Later(in.Memory.NotifiedAt, after.Add(curve.shortest)))
	}
	return curve.spaced(in, look, after)
}

// nextReadingPoll returns when an open reading is polled next. If it was requested again although
// nothing had changed, the first pause grows with the time for which the topic has been failing,
// so that an attempt takes few polls.
func nextReadingPoll(in *Input, reading *Reading) time.Time {
	curve := curveOf(reading.Handle.Operation, &in.Account)
	if reading.Again {
		curve.learned = nil
	}
	if since := reading.FailingSince; reading.Again {
		curve.first = max(curve.first, min(reading.RequestedAt.Sub(since)/4, longestFirstPoll))
		curve.longest = max(curve.longest, 2*curve.first)
	}
	look := curve.next(reading.RequestedAt, string(in.Subject.GetUID()), reading.LastPoll)
	return curve.spaced(in, look, reading.LastPoll)
}

// longestFirstPoll is the longest time before the first poll of a reading. The result is usually
// there by then, and still recent enough for a request to be based on it.
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
// If it is known how long requests of the operation take, it begins with the learned times.
type curve struct {
	shortest, first, longest, least, usual time.Duration

	learned []time.Duration // the learned polling times, since the submission
}

// longestOverdue is the longest pause between two polls of a query that takes longer than usual.
const longestOverdue = time.Hour

// spaced returns a polling time that respects the pause requested by the carrier and the minimum
// after the last poll. No fibre quote is polled within 5 s of a start, because the previous
// process may have just polled it.
func (c curve) spaced(in *Input, look, last time.Time) time.Time {
	return Later(Later(look, in.Memory.NotBefore), last.Add(min(c.shortest, c.least)))
}

func curveOf(operation carrier.Operation, account *Account) curve {
	contract, _ := carrier.ContractOf(operation)
	var polling v1alpha1.Polling
	if account.Object != nil {
		polling = account.Object.Spec.Polling
	}
	shortest := max(polling.Min.Or(contract.Poll.Min), time.Second)
	if operation == carrier.FibreBuildCharge { // the carrier's own limit (spec §8)
		shortest = max(shortest, contract.Poll.Min)
	}
	longest := max(polling.Max.Or(contract.Poll.Max), shortest)
	first := min(max(contract.Poll.First, shortest), longest)
	c := curve{
		shortest: shortest, first: first, longest: longest, least: contract.Poll.Min,
		learned: account.PollTimes[operation],
	}
	if contract.Repeat == carrier.ClassQuery { // nobody waits hours for the response to a query
		c.usual = contract.Poll.Usual
	}
	return c
}

// NextLook returns the first point after a given time of a [curve] that does not belong to an
// operation.
func NextLook(first, longest time.Duration, start time.Time, uid string, after time.Time) time.Time {
	return curve{first: first, longest: longest}.next(start, uid, after)
}

// next returns the first point of the curve after a given time. The pauses are stretched by up to a
// quarter, depending on the UID, so that requests sent together are not polled together.
func (c curve) next(start time.Time, uid string, after time.Time) time.Time {
	stretch := 1 + float64(fraction(uid))/4
	gap, point := c.first, start
	if len(c.learned) > 0 {
		elapsed := c.nextLearned(float64(fraction(uid)), after.Sub(start))
		point = start.Add(elapsed)
		if point.After(after) {
			return point
		}
		gap = min(max(gap, elapsed/2), c.longest)
	}
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

// nextLearned returns the first learned time above elapsed, or the last one if there is none. The
// times are stretched by up to a sixteenth, and keep the shortest and the longest pause.
func (c curve) nextLearned(spread float64, elapsed time.Duration) (at time.Duration) {
	for _, learned := range c.learned {
		stretched := time.Duration(float64(learned) * (1 + spread/16))
		for at < stretched && at <= elapsed {
			at = min(max(stretched, at+c.shortest), at+c.longest)
		}
	}
	return at
}

// longestAt returns the longest pause that applies at this time after the start, and whether it
// applies from then on.
func (c curve) longestAt(elapsed time.Duration) (longest time.Duration, last bool) {
	if c.usual == 0 || elapsed < c.usual {
		return c.longest, c.usual == 0
	}
	return max(c.longest, longestOverdue), true
}

// NextAtInterval returns the first multiple of an interval after a given time, shifted by the
// UID. It is a pure function of UID and interval, so a restart adds no reading.
func NextAtInterval(uid string, interval time.Duration, after time.Time) time.Time {
	offset := time.Duration(fraction(uid) * float32(interval))
	return nextMultiple(time.Unix(0, 0).Add(offset), interval, after)
}

// nextMultiple returns the first of start, start+step, start+2*step, … after a given time.
func nextMultiple(start time.Time, step time.Duration, after time.Time) time.Time {
	if start.After(after) {
		return start
	}
	passed := after.Sub(start) % step
	return after.Add(step - passed)
}

// fraction spreads ids evenly over [0, 1).
func fraction(id string) float32 {
	sum := sha256.Sum256([]byte(id))
	return float32(binary.BigEndian.Uint32(sum[:])>>8) / (1 << 24)
}

// AgainAt returns when a reading that keeps failing is attempted again; a time in the past if it
// need not wait. The pauses grow up to longestReadingPause. They start again from the shortest if
// something has changed that may let the reading succeed.
func AgainAt(in *Input, topic Topic, token string) time.Time {
	reading := in.Memory.Readings.Of(topic)
	shortest, pause := readingPauses(reading)
	if isReadAnew(in, topic, token) {
		pause = min(pause, shortest)
	}
	return lastCallOf(reading).Add(pause)
}

// longestReadingPause limits the pause between two attempts at a reading that keeps failing for
// any reason: about 15 attempts in the first day, and four in each later day.
const longestReadingPause = 6 * time.Hour

// readingPauses returns the shortest pause before a reading is attempted again, and the present one. A
// reading that failed has a shortest pause of its own: [ReadingPause].
func readingPauses(reading *Reading) (shortest, pause time.Duration) {
	switch {
	case reading.State == ReadingFailed: // the pause is as long as the reading has been failing
		pause = min(reading.LastPoll.Sub(reading.FailingSince), longestReadingPause)
	case !reading.Answered():
	case reading.Empty > 0:
		shortest, pause = shortestBackoff, doubling(reading.Empty, shortestBackoff, longestReadingPause)
	case reading.Cancellation.InProgress: // a 202, which may still show the cancellation as it was before
		shortest = shortestInProgressPause
		pause = doubling(reading.Modified, shortest, longestReadingPause)
	}
	return shortest, pause
}

// lastCallOf returns when the newest call for a reading was made.
func lastCallOf(reading *Reading) time.Time { return Later(reading.RequestedAt, reading.LastPoll) }

// isReadAnew reports whether something has changed since a reading was requested: an annotation
// asks for it, the object was edited, the carrier sent a notification, a request of ours ended, or
// the account became ready or its carrier answers again. A carrier that alternates between silence
// and answers does not count: it may answer some calls and never this one.
func isReadAnew(in *Input, topic Topic, token string) bool {
	reading := in.Memory.Readings.Of(topic)
	asked, edited := token != "" && token != reading.Token, in.Subject.GetGeneration() > reading.Generation
	notified := !NotifiedReadAt(in, topic).IsZero()
	ended := lastEnd(in, func(*v1alpha1.Request) bool { return true }).After(reading.RequestedAt)
	changed := !in.Account.Breaker.Flapping && !accountChanged(in).Before(lastCallOf(reading).Truncate(StatusPrecision))
	return asked || edited || notified || ended || changed
}

// accountChanged returns when the account became ready or its carrier began to respond, whichever
// was later; zero if neither happened.
func accountChanged(in *Input) (at time.Time) {
	if in.Account.Object == nil {
		return at
	}
	for _, condition := range in.Account.Object.Status.Conditions {
		counts := condition.Type == v1alpha1.ConditionReady || condition.Type == v1alpha1.ConditionCarrier
		if counts && condition.Status == metav1.ConditionTrue && !condition.LastTransitionTime.After(in.Now) {
			at = Later(at, in.Past(condition.LastTransitionTime))
		}
	}
	return at
}

// ReadingPause returns the wait after the n-th failure of a reading in a row, with n starting at 1:
// ten minutes if the carrier does not show the service, five or more if another request is in
// progress there, otherwise a growing pause, up to ten minutes if the carrier refused the reading.
func ReadingPause(n int, err error) time.Duration {
	switch {
	case carrier.ClassOf(err) == carrier.NotFoundOrForbidden:
		return ForbiddenPause
	case isInProgressError(err):
		return InProgressPause(n)
	case carrier.ClassOf(err) == carrier.Refused:
		return doubling(n, shortestBackoff, ForbiddenPause)
	}
	return Backoff(n)
}

// NotifiedReadAt returns when to read a topic because of a notification; zero if there was none, or
// if the topic has been read since.
func NotifiedReadAt(in *Input, topic Topic) time.Time {
	read := in.Memory.Readings.Of(topic).RequestedAt
	notification := notifiedOf(topic, &in.Memory)
	if !notification.After(read) {
		return time.Time{}
	}
	return Later(notification, read.Add(notifiedPause))
}

// notifiedPause is the minimum time between two readings caused by notifications.
const notifiedPause = time.Minute

// notifiedOf returns when the last notification about a topic arrived; zero if none did.
func notifiedOf(topic Topic, memory *Memory) time.Time {
	switch topic {
	case TopicCancellation:
		return memory.CancellationNotifiedAt
	case TopicService, TopicOrder:
		return memory.NotifiedAt
	case TopicHealth, TopicDisruptions, TopicOptions, TopicTestTypes:
	}
	return time.Time{}
}
