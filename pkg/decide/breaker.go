// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// soon is the longest wait that is not recorded: it would be over before anybody reads it.
const soon = 30 * time.Second

// breakerClosed holds back a chargeable request after a lost response.
func breakerClosed(in *Input, want DesiredChange) *Decision {
	breaker := in.Account.Breaker
	switch {
	case !want.costs() || breaker.LostAt.IsZero() || breaker.Answered && !in.Now.Before(breaker.Until):
		return nil
	case !breaker.Answered && !in.Now.Before(breaker.ProbeAt):
		return &Decision{Step: Probe{}, Verdict: breaker.open(in)}
	}
	decision := RequeueAt(&Decision{Step: Rest{}, Verdict: breaker.open(in)}, breaker.nextChange())
	decision.Transient = breaker.ProbeError == nil && breaker.Until.Before(in.Now.Add(soon))
	return decision
}

// nextChange returns when the state may have changed.
func (b Breaker) nextChange() time.Time {
	if b.Answered {
		return b.Until
	}
	return b.ProbeAt
}

func (b Breaker) open(in *Input) Verdict {
	until := ", and resume, one at a time, at " + FormatTime(in, b.Until)
	if b.ProbeError != nil {
		until = " until it does; the read is repeated at least every 30 s"
	}
	return Verdict{Working, v1alpha1.ReasonBreakerOpen, Bounded(fmt.Sprintf(
		"the response to %s was lost at %s%s: chargeable requests wait%s",
		b.LostRequest, FormatTime(in, b.LostAt), b.probeFailure(), until), MaxMessage)}
}

func (b Breaker) probeFailure() string {
	if b.ProbeError == nil {
		return ""
	}
	return fmt.Sprintf(", and the carrier has not answered a read since (%s)", b.ProbeError)
}

// CarrierAspect reports whether the carrier of an account answers; nil while that is unknown.
func CarrierAspect(account *v1alpha1.CarrierAccount, known Breaker) *Aspect {
	switch {
	case known.ProbeError != nil:
		view := &Input{Account: Account{Object: account}}
		return &Aspect{
			Type: v1alpha1.ConditionCarrier, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonCarrierUnavailable,
			Message: Bounded(fmt.Sprintf("the response to %s was lost at %s%s", known.LostRequest,
				FormatTime(view, known.LostAt), known.probeFailure()), MaxMessage),
		}
	case known.AnsweredAt.IsZero():
		return nil
	}
	return &Aspect{
		Type: v1alpha1.ConditionCarrier, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAnswering,
		Message: "the carrier answers",
	}
}
