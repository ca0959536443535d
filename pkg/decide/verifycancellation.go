// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// settleTime is the pause between a reschedule or abort whose response was lost and the reading
// that is expected to show its outcome.
const settleTime = 15 * time.Second

// verifyCancellation decides about a reschedule or abort that may or may not have reached the
// carrier: "read the cancellation by service id first; done if as wanted; send again only while
// requestedOn is the one seen before the attempt; another requestedOn: Abandoned".
func verifyCancellation(in *ServiceInput, open *v1alpha1.Request) *Decision {
	at := in.past(open.SubmittedAt).Add(settleTime)
	if !readSince(in, at) {
		step, next := readingStep(&in.Input, TopicCancellation, control(in.Subject, v1alpha1.AnnotationReconcile),
			func() (bool, time.Time) { return !in.Now.Before(at), at })
		return &Decision{Step: step, LookAt: next, Verdict: Verdict{Working, v1alpha1.ReasonProgressing, fmt.Sprintf(
			"%s: the cancellation is read at %s, which shows it; to resolve it by hand: %s",
			notKnown(&in.Input, open, whyUnknown(open)), clock(&in.Input, at), resolveHint(&in.Input, open))}}
	}
	if settled := shownByCancellation(in, open); settled != nil {
		return settled
	}
	if open.Repeats >= maxRepeats {
		return resolveTo(open, v1alpha1.PhaseOutcomeUnknown, whyUnknown(open))
	}
	return repeat(open, func() *Decision { return repeatHeld(in, open) })
}

// readSince reports whether this process read the recorded cancellation at or after a time.
func readSince(in *ServiceInput, at time.Time) bool {
	reading := &in.Memory.Readings.Cancellation
	read := reading.State == ReadingAnswered || reading.State == ReadingTaken
	return read && knownCancellation(in) != nil && !reading.AskedAt.Before(at)
}

// shownByCancellation resolves a request from the known cancellation; nil if that proves nothing.
func shownByCancellation(in *ServiceInput, open *v1alpha1.Request) *Decision {
	known := knownCancellation(in)
	switch {
	case known == nil:
		return nil
	case AsWanted(open, known):
		return resolveSucceeded(WriterRule, open, "")
	case known.RequestedOn != open.Before.RequestedOn:
		return resolveTo(open, v1alpha1.PhaseAbandoned, because("another cancellation has been requested since"))
	}
	return nil
}
