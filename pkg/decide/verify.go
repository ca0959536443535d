// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// verifyAfter returns the delays after a plan change was sent at which health is read to find out
// whether the carrier accepted it.
func verifyAfter() [3]time.Duration {
	return [3]time.Duration{2 * time.Minute, 10 * time.Minute, 30 * time.Minute}
}

// serviceEvidence determines the outcome of a service's requests from health, from the
// cancellation, and by repeating a request if that is harmless.
type serviceEvidence struct{ *ServiceInput }

// verify decides about a request that may or may not have reached the carrier. Class Converge is
// sent again, and class Verify is read. Class Charge can be proven by health if the plan differed
// before. In any other case a person has to decide.
func (s serviceEvidence) verify(open *v1alpha1.Request) *Decision {
	in := s.ServiceInput
	switch {
	case ClassOf(open.Operation, open.Target) == carrier.ClassConverge:
		return converge(&in.Input, open, func() *Decision { return repeatHeld(in, open) })
	case open.Operation.AltersCancellation():
		return verifyCancellation(in, open)
	case proven(in, open):
		return resolveSucceeded(WriterRule, open, v1alpha1.SourceHealth)
	case !provable(open) || healthSupported(in) != nil || disproven(in, open):
		return resolveTo(open, v1alpha1.PhaseOutcomeUnknown, whyUnknown(open))
	}
	return awaitProof(in, open)
}

// proof: "a later interval read that equals still settles it".
func (s serviceEvidence) proof(open *v1alpha1.Request) *Decision {
	in := s.ServiceInput
	switch {
	case proven(in, open):
		return resolveSucceeded(WriterRule, open, v1alpha1.SourceHealth)
	case open.Operation.AltersCancellation() && readSince(in, in.past(open.SubmittedAt).Add(settleTime)):
		return shownByCancellation(in, open)
	}
	return nil
}

// openModification returns a decision as long as a modification has not ended.
func openModification(in *ServiceInput) *Decision {
	return untilEnded(&in.Input, in.Service.OpenRequest(), serviceEvidence{in})
}

// openCancellation returns a decision as long as a reschedule or abort has not ended.
func openCancellation(in *ServiceInput) *Decision {
	return untilEnded(&in.Input, in.Service.OpenCancellation(), serviceEvidence{in})
}

// provable: "only where the plan known before the attempt differed from the target"; a plan change
// with ntdOption is class Never.
func provable(open *v1alpha1.Request) bool {
	return ClassOf(open.Operation, open.Target) == carrier.ClassCharge &&
		open.Before.Plan != "" && open.Before.Plan != open.Target.Plan
}

// proven reports whether a health request sent after the attempt shows its target.
func proven(in *ServiceInput, open *v1alpha1.Request) bool {
	reading := &in.Memory.Readings.Health
	return provable(open) && (reading.State == ReadingAnswered || reading.State == ReadingTaken) &&
		reading.AskedAt.After(in.past(open.SubmittedAt)) && reading.Health.Plan == open.Target.Plan
}

// disproven reports that the last reading was made and did not prove the change. A difference is no
// proof of failure, it only ends the wait.
func disproven(in *ServiceInput, open *v1alpha1.Request) bool {
	times := verifyTimes(&in.Input, open)
	reading := &in.Memory.Readings.Health
	return reading.ended() && !reading.AskedAt.Before(times[len(times)-1])
}

// verifyTimes returns the three times at which health is read. If a Location was lost, all three
// are the end of its grace period.
func verifyTimes(in *Input, open *v1alpha1.Request) [3]time.Time {
	var times [3]time.Time
	for i, after := range verifyAfter() {
		times[i] = in.past(open.SubmittedAt).Add(after)
		if open.Phase == v1alpha1.PhaseInProgress {
			times[i] = in.past(open.LostSince).Add(handleGrace)
		}
	}
	return times
}

// awaitProof reads health at the next of the three times.
func awaitProof(in *ServiceInput, open *v1alpha1.Request) *Decision {
	step, at := readingStep(&in.Input, TopicHealth, control(in.Subject, v1alpha1.AnnotationReconcile),
		func() (bool, time.Time) { return dueAmong(verifyTimes(&in.Input, open), in) })
	times := verifyTimes(&in.Input, open)
	return &Decision{Step: step, LookAt: at, Verdict: Verdict{Working, v1alpha1.ReasonProgressing, fmt.Sprintf(
		"%s: the service's health is read at %s, which may show it; to resolve it by hand: %s",
		notKnown(&in.Input, open, whyUnknown(open)), clocks(&in.Input, times[:]), resolveHint(&in.Input, open))}}
}

// dueAmong reports whether one of the times has come since health was last requested, and otherwise
// when the next one comes.
func dueAmong(times [3]time.Time, in *ServiceInput) (bool, time.Time) {
	for _, at := range times {
		if at.After(in.Memory.Readings.Health.AskedAt) {
			return !in.Now.Before(at), at
		}
	}
	return false, time.Time{}
}

func whyUnknown(open *v1alpha1.Request) *v1alpha1.RequestError {
	switch {
	case open.Phase == v1alpha1.PhaseInProgress:
		return &v1alpha1.RequestError{Code: v1alpha1.ReasonHandleLost, Message: fmt.Sprintf(
			"the carrier has not known its Location %s since %s", open.Location, open.LostSince.UTC().Format(time.RFC3339))}
	case open.Error != nil:
		return open.Error
	}
	return &v1alpha1.RequestError{Message: "the process that sent it ended before it wrote down the answer"}
}
