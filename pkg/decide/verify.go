// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// verifyAfter are the times after a plan change was sent at which health is read
// to find out whether the carrier took it.
func verifyAfter() [3]time.Duration {
	return [3]time.Duration{2 * time.Minute, 10 * time.Minute, 30 * time.Minute}
}

// serviceWitness knows of a service's requests by health, by the cancellation, and by
// asking again where that is harmless.
type serviceWitness struct{ *ServiceView }

// verify judges a request that may or may not be with the carrier. Class Converge is
// asked for again; class Verify is read; class Charge can be proven by health where the
// plan differed before; all else is a person's.
func (s serviceWitness) verify(open *v1alpha1.Request) *Decision {
	v := s.ServiceView
	switch {
	case ClassOf(open.Operation, open.Target) == carrier.ClassConverge:
		return converge(&v.View, open, func() *Decision { return repeatHeld(v, open) })
	case open.Operation.AltersCancellation():
		return verifyCancellation(v, open)
	case proven(v, open):
		return settleSucceeded(WriterRule, open, v1alpha1.SourceHealth)
	case !provable(open) || healthSupported(v) != nil || disproven(v, open):
		return settle(open, v1alpha1.PhaseOutcomeUnknown, whyUnknown(open))
	}
	return awaitProof(v, open)
}

// proof: "a later interval read that equals still settles it".
func (s serviceWitness) proof(open *v1alpha1.Request) *Decision {
	v := s.ServiceView
	switch {
	case proven(v, open):
		return settleSucceeded(WriterRule, open, v1alpha1.SourceHealth)
	case open.Operation.AltersCancellation() && readSince(v, v.past(open.SubmittedAt).Add(settleTime)):
		return shownByCancellation(v, open)
	}
	return nil
}

// openModification answers as long as a modification has not ended.
func openModification(v *ServiceView) *Decision {
	return untilEnded(&v.View, v.Service.OpenRequest(), serviceWitness{v})
}

// openCancellation answers as long as a reschedule or abort has not ended.
func openCancellation(v *ServiceView) *Decision {
	return untilEnded(&v.View, v.Service.OpenCancellation(), serviceWitness{v})
}

// provable: "only where the plan known before the attempt differed from the
// target"; a plan change with ntdOption is class Never.
func provable(open *v1alpha1.Request) bool {
	return ClassOf(open.Operation, open.Target) == carrier.ClassCharge &&
		open.Before.Plan != "" && open.Before.Plan != open.Target.Plan
}

// proven says whether a health request asked after the attempt shows its target.
func proven(v *ServiceView, open *v1alpha1.Request) bool {
	reading := &v.Memory.Readings.Health
	return provable(open) && (reading.State == ReadingAnswered || reading.State == ReadingTaken) &&
		reading.AskedAt.After(v.past(open.SubmittedAt)) && reading.Health.Plan == open.Target.Plan
}

// disproven says that the last reading has been made and showed nothing. It is not
// called for a reading that proves: inequality proves nothing, it only ends the wait.
func disproven(v *ServiceView, open *v1alpha1.Request) bool {
	times := verifyTimes(&v.View, open)
	reading := &v.Memory.Readings.Health
	return reading.ended() && !reading.AskedAt.Before(times[len(times)-1])
}

// verifyTimes are the three times at which health is read. A Location that was lost
// is proven from the end of its day of grace, all at once.
func verifyTimes(v *View, open *v1alpha1.Request) [3]time.Time {
	var times [3]time.Time
	for i, after := range verifyAfter() {
		times[i] = v.past(open.SubmittedAt).Add(after)
		if open.Phase == v1alpha1.PhaseInProgress {
			times[i] = v.past(open.LostSince).Add(handleGrace)
		}
	}
	return times
}

// awaitProof reads health at the next of the three times.
func awaitProof(v *ServiceView, open *v1alpha1.Request) *Decision {
	step, at := readingStep(&v.View, TopicHealth, control(v.Subject, v1alpha1.AnnotationReconcile),
		func() (bool, time.Time) { return dueAmong(verifyTimes(&v.View, open), v) })
	times := verifyTimes(&v.View, open)
	return &Decision{Step: step, LookAt: at, Verdict: Verdict{Working, v1alpha1.ReasonProgressing, fmt.Sprintf(
		"%s: the service's health is read at %s, which may show it; to settle it by hand: %s",
		notKnown(&v.View, open, whyUnknown(open)), clocks(&v.View, times[:]), resolveHint(&v.View, open))}}
}

// dueAmong says whether one of the times has come since health was last asked for,
// and else when the next one comes.
func dueAmong(times [3]time.Time, v *ServiceView) (bool, time.Time) {
	for _, at := range times {
		if at.After(v.Memory.Readings.Health.AskedAt) {
			return !v.Now.Before(at), at
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
