// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// ReadingPause returns the wait after the n-th failure of a reading in a row, with n starting at 1:
// ten minutes if the carrier does not let us see the service, five or more if it has another
// request in progress, otherwise a growing pause, up to ten minutes if the carrier has refused it.
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

// longestReadingPause limits the pause between two attempts at a reading that keeps failing, in
// whatever way: about 15 attempts in the first day, and four in each day after it.
const longestReadingPause = 6 * time.Hour

// AgainAt returns when a reading that keeps failing is attempted again; a time in the past if nothing
// has to be waited for. The pauses grow up to longestReadingPause. They start again from the shortest
// if something has changed that may let the reading succeed.
func AgainAt(in *Input, topic Topic, token string) time.Time {
	reading := in.Memory.Readings.Of(topic)
	shortest, pause := readingPauses(reading)
	if isReadAnew(in, topic, token) {
		pause = min(pause, shortest)
	}
	return lastCallOf(reading).Add(pause)
}

// readingPauses returns the shortest pause before a reading is attempted again, and the present one. A
// reading that failed has a shortest pause of its own: [ReadingPause].
func readingPauses(reading *Reading) (shortest, pause time.Duration) {
	switch {
	case reading.State == ReadingFailed: // as long as it has been failing
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

// isReadAnew reports whether something has changed since a reading was requested: an annotation asks
// for it, the object was edited, the carrier sent a notification, a request of ours ended, or the
// account became ready or its carrier answers again. A carrier that is silent and answers in turns
// changes nothing: it may answer some calls and never this one.
func isReadAnew(in *Input, topic Topic, token string) bool {
	reading := in.Memory.Readings.Of(topic)
	asked, edited := token != "" && token != reading.Token, in.Subject.GetGeneration() > reading.Generation
	notified := !NotifiedReadAt(in, topic).IsZero()
	ended := lastEnd(in, func(*v1alpha1.Request) bool { return true }).After(reading.RequestedAt)
	changed := !in.Account.Breaker.Flapping && !accountChanged(in).Before(lastCallOf(reading).Truncate(StatusPrecision))
	return asked || edited || notified || ended || changed
}

// accountChanged returns when the account became ready, or its carrier began to answer, whichever was
// later; zero if neither is so.
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

// QueryPause returns the wait after the n-th query in a row that did not reach the carrier, with n
// starting at 1.
func QueryPause(n int) time.Duration { return doubling(n, shortestBackoff, longestReadingPause) }
