// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// MaxRepeats is how often a request of class Verify or Converge is repeated.
const MaxRepeats = 2

// Converge handles the lost response to a request of class Converge: the same request is sent
// again. Once the repeats are used up, a person has to decide.
func Converge(in *Input, open *v1alpha1.Request, held func() *Decision) *Decision {
	// The clock that wrote the time may have been slow. A repeat must not come too early, so the
	// same wait also applies from when this process first saw the attempt (R19).
	due := in.Past(open.SubmittedAt).Add(repeatAfter)
	at := Later(due, in.Memory.Attempts[open.AttemptID].FirstSeen.Add(repeatAfter))
	switch {
	case open.Repeats >= MaxRepeats:
		return ResolveBy(WriterRule, open, v1alpha1.PhaseOutcomeUnknown, WhyUnknown(open))
	case in.Now.Before(due):
		return awaitRepeat(in, open, at)
	}
	if decision := held(); decision != nil {
		return decision
	}
	if in.Now.Before(at) {
		return awaitRepeat(in, open, at)
	}
	return Repeat(open, held)
}

func awaitRepeat(in *Input, open *v1alpha1.Request, at time.Time) *Decision {
	return RequeueAt(RestWorking(v1alpha1.ReasonProgressing, fmt.Sprintf(
		"%s: the request is safe to repeat and is sent again at %s, if it is still wanted then; to resolve it by hand: %s",
		DescribeUnknown(in, open, WhyUnknown(open)), FormatTime(in, at), ResolveHint(in, open))), at)
}

// Repeat sends the same request again, unless it is held back: a repeat is a new POST, which the
// operator must still want to send (R33). It is built from the recorded target, which R33 ensures
// is still the declared one.
func Repeat(open *v1alpha1.Request, held func() *Decision) *Decision {
	if decision := held(); decision != nil {
		return decision
	}
	intent := *open.DeepCopy()
	intent.Phase, intent.Location, intent.Candidate = v1alpha1.PhaseSubmitting, "", ""
	intent.CarrierStatus, intent.ErrorDetail, intent.ResolvedBy = "", "", nil
	intent.Attempt, intent.Repeats = open.Attempt+1, open.Repeats+1
	intent.Error, intent.FinishedAt.Time, intent.LostSince.Time = nil, time.Time{}, time.Time{}
	decision := RestWorking(v1alpha1.ReasonProgressing, fmt.Sprintf(
		"%s is sent again (repeat %d of %d): the response to attempt %s was lost",
		open.Operation, intent.Repeats, MaxRepeats, open.AttemptID))
	decision.Step = Submit{Request: intent}
	return decision
}

// EndUnreached ends an attempt that did not reach the carrier. If it was a repeat, the repeat is
// not counted and the outcome of the previous attempt stays open. An intent has no error. If there
// is an error, the attempt was already ended, and it must not be counted twice.
func EndUnreached(request *v1alpha1.Request, phase v1alpha1.RequestPhase, why *v1alpha1.RequestError) {
	if request.Phase == v1alpha1.PhaseSubmitting && request.Error != nil {
		return
	}
	request.Phase, request.Error = phase, why
	if request.Repeats > 0 {
		request.Phase, request.Repeats = v1alpha1.PhaseSubmitting, request.Repeats-1
	}
}
