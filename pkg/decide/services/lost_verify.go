// SPDX-License-Identifier: Apache-2.0

package services

import (
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// evidence determines the outcome of a service's requests from its description, its health and its
// cancellation, and by repeating a request if that is harmless.
type evidence struct{ *Input }

// Verify decides about a request that may or may not have reached the carrier. The description of
// the service can prove the outcome of any modification. Without it, a request of class Converge is
// sent again, and for class Verify the cancellation is read. For class Charge, health can prove the
// outcome if the plan was different before. In any other case a person has to decide.
func (s evidence) Verify(open *v1alpha1.Request) *decide.Decision {
	in := s.Input
	if decision := verifyByDescription(in, open); decision != nil {
		return decision
	}
	switch {
	case isReclaimed(in, open):
		return decide.ResolveSucceeded(decide.WriterRule, open, "")
	case decide.ClassOf(open.Operation, open.Target) == carrier.ClassConverge:
		return decide.Converge(&in.Input, open, func() *decide.Decision { return repeatHeld(in, open) })
	case open.Operation.AltersCancellation():
		return verifyCancellation(in, open)
	case isProvenByHealth(in, open):
		return decide.ResolveSucceeded(decide.WriterRule, open, v1alpha1.SourceHealth)
	case isProvableByDescription(in, open), !isProvableByHealth(open), lastHealthIsRead(in, open),
		decide.CheckSupported(&in.Input, carrier.Health) != nil:
		return decide.ResolveBy(decide.WriterRule, open, v1alpha1.PhaseOutcomeUnknown, decide.WhyUnknown(open))
	}
	return awaitProof(in, open)
}

// verifyByDescription ends a request if the description of the service proves its success.
// Otherwise it waits for the next description; nil if none will be read for the request.
func verifyByDescription(in *Input, open *v1alpha1.Request) *decide.Decision {
	if isProvenByDescription(in, open) {
		return decide.ResolveSucceeded(decide.WriterRule, open, v1alpha1.SourceChangeResult)
	}
	next := nextDescription(in, open)
	willBeRead := !next.IsZero() || !in.Memory.Readings.Service.Ended()
	if isProvableByDescription(in, open) && willBeRead {
		return awaitEvidence(in, open, decide.TopicService, theDescription, next)
	}
	return nil
}

// Proof resolves an unknown outcome from a later reading that shows the target.
func (s evidence) Proof(open *v1alpha1.Request) *decide.Decision {
	in := s.Input
	switch {
	case isProvenByDescription(in, open):
		return decide.ResolveSucceeded(decide.WriterRule, open, v1alpha1.SourceChangeResult)
	case isProvenByHealth(in, open):
		return decide.ResolveSucceeded(decide.WriterRule, open, v1alpha1.SourceHealth)
	case isReclaimed(in, open):
		return decide.ResolveSucceeded(decide.WriterRule, open, "")
	case open.Operation.AltersCancellation() && !isChanging(in) &&
		readSince(in, in.Past(open.SubmittedAt).Add(showsAfter)):
		return shownByCancellation(in, open)
	}
	return nil
}

// isReclaimed reports whether a reclaim has reached its target: the service was cancelled when it was
// sent, and the carrier does not show it as cancelled any more.
func isReclaimed(in *Input, open *v1alpha1.Request) bool {
	known := in.Service.LastKnown().Cancellation
	return open.Operation == v1alpha1.OperationReclaim && !isChanging(in) && known != nil && !known.Cancelled &&
		readSince(in, in.Past(open.SubmittedAt).Add(showsAfter))
}

// isProvableByHealth reports whether health can show that a plan change was carried out: the
// previous plan is known and differs. A plan change with ntdOption is of class Never.
func isProvableByHealth(open *v1alpha1.Request) bool {
	return decide.ClassOf(open.Operation, open.Target) == carrier.ClassCharge &&
		open.Before.Plan != "" && open.Before.Plan != open.Target.Plan
}

// isProvenByHealth reports whether a health request sent after the attempt shows its target.
func isProvenByHealth(in *Input, open *v1alpha1.Request) bool {
	reading := &in.Memory.Readings.Health
	return isProvableByHealth(open) && reading.Answered() &&
		reading.RequestedAt.After(in.Past(open.SubmittedAt)) && reading.Health.Plan == open.Target.Plan
}

// lastHealthIsRead reports whether the last reading was made. It is called only if that reading
// did not prove the change. A different plan does not prove failure; it only ends the wait.
func lastHealthIsRead(in *Input, open *v1alpha1.Request) bool {
	times := verifyTimes(&in.Input, open)
	reading := &in.Memory.Readings.Health
	return reading.Ended() && !reading.RequestedAt.Before(times[len(times)-1])
}

// verifyTimes returns the three times at which health is read to find out whether the carrier
// accepted a plan change. If a Location was lost, all three are the end of its grace period.
func verifyTimes(in *decide.Input, open *v1alpha1.Request) [3]time.Time {
	var times [3]time.Time
	for i, after := range []time.Duration{2 * time.Minute, 10 * time.Minute, 30 * time.Minute} {
		times[i] = in.Past(open.SubmittedAt).Add(after)
		if open.Phase == v1alpha1.PhaseInProgress {
			times[i] = in.Past(open.LostSince).Add(decide.HandleGrace)
		}
	}
	return times
}

func awaitProof(in *Input, open *v1alpha1.Request) *decide.Decision {
	times, token := verifyTimes(&in.Input, open), decide.Control(in.Subject, v1alpha1.AnnotationReconcile)
	step, at := decide.NeededReadingStep(&in.Input, decide.TopicHealth, token,
		func() (bool, time.Time) { return dueAmong(times, in) })
	return proofAwaited(in, open, step, at, "the service's health is read at "+decide.FormatTimes(&in.Input, times[:]))
}

// dueAmong returns the first of the times that is after the last health request, and reports
// whether it has come. If there is no such time, it returns zero.
func dueAmong(times [3]time.Time, in *Input) (bool, time.Time) {
	for _, at := range times {
		if at.After(in.Memory.Readings.Health.RequestedAt) {
			return !in.Now.Before(at), at
		}
	}
	return false, time.Time{}
}

// verifyCancellation decides, from a reading of the cancellation, about a reschedule or abort
// that may not have reached the carrier. The request is sent again only while the cancellation is
// the one seen before it. The request is abandoned if another cancellation has been requested
// since, or if it is no longer wanted.
func verifyCancellation(in *Input, open *v1alpha1.Request) *decide.Decision {
	if !in.Now.Before(in.Past(open.SubmittedAt).Add(showsWithin)) && givesNoCancellation(in, open) {
		return decide.ResolveBy(decide.WriterRule, open, v1alpha1.PhaseOutcomeUnknown, decide.WhyUnknown(open))
	}
	if at := outcomeReadAt(in, open); !readSince(in, at) {
		return awaitEvidence(in, open, decide.TopicCancellation, theCancellation, at)
	}
	if ended := shownByCancellation(in, open); ended != nil {
		return ended
	}
	if open.Repeats >= decide.MaxRepeats || isChanging(in) {
		return decide.ResolveBy(decide.WriterRule, open, v1alpha1.PhaseOutcomeUnknown, decide.WhyUnknown(open))
	}
	return decide.Repeat(open, func() *decide.Decision { return repeatHeld(in, open) })
}

// givesNoCancellation reports whether the carrier still responds to the read of the cancellation
// without showing it, at a time when the request is expected to show. A service that is hidden
// for a moment may be shown again.
func givesNoCancellation(in *Input, open *v1alpha1.Request) bool {
	reading := &in.Memory.Readings.Cancellation
	momentary := carrier.ClassOf(reading.Err) == carrier.NotFoundOrForbidden && reading.Alike <= 1
	return (reading.Refused() || carrier.IsNotShownYet(reading.Err)) && !momentary &&
		!reading.RequestedAt.Before(outcomeReadAt(in, open))
}

// shownByCancellation resolves a request from the newest reading of the cancellation; nil if the
// reading proves nothing.
func shownByCancellation(in *Input, open *v1alpha1.Request) *decide.Decision {
	shown := cancellationState(in.Memory.Readings.Cancellation.Cancellation, decide.TimeZone(&in.Input))
	switch {
	case isChanging(in) && open.Operation == v1alpha1.OperationCancellationAbort:
		return nil // an abort in progress looks like one that is done
	case asWanted(open, &shown):
		return decide.ResolveSucceeded(decide.WriterRule, open, "")
	case isChanging(in):
		return nil
	case shown.RequestedOn != open.Before.RequestedOn:
		return decide.ResolveBy(decide.WriterRule, open, v1alpha1.PhaseAbandoned,
			decide.Because("another cancellation has been requested since then"))
	}
	return nil
}

func outcomeReadAt(in *Input, open *v1alpha1.Request) time.Time {
	sent, read := in.Past(open.SubmittedAt), in.Memory.Readings.Cancellation.RequestedAt
	first := sent.Add(showsAfter)
	if !isChanging(in) || read.Before(first) || !read.Before(sent.Add(showsWithin)) {
		return first
	}
	return decide.NextLook(showsAfter, longestShowPause, sent, string(in.Subject.GetUID()), read)
}

// A reschedule or abort whose response was lost is expected to show in the cancellation after
// showsAfter. While the carrier reports that a change of the cancellation is in progress, it is
// read again after growing pauses of up to longestShowPause, until showsWithin after the request.
const (
	showsAfter       = 15 * time.Second
	longestShowPause = 5 * time.Minute
	showsWithin      = 30 * time.Minute
)

func asWanted(request *v1alpha1.Request, known *v1alpha1.CancellationState) bool {
	if request.Operation == v1alpha1.OperationCancellationReschedule {
		return known.RequestDate == request.Target.Date && (isAlterable(known) || isFinal(known))
	}
	return !isAlterable(known) && !isFinal(known)
}
