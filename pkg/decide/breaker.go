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
	case !want.costs() || breaker.LostAt.IsZero() || breaker.Heard && !in.Now.Before(breaker.Until):
		return nil
	case !breaker.Heard && !in.Now.Before(breaker.ProbeAt):
		return &Decision{Step: Probe{}, Verdict: breaker.open(in)}
	}
	decision := LookAgain(&Decision{Step: Rest{}, Verdict: breaker.open(in)}, breaker.nextLook())
	decision.Transient = breaker.ProbeError == nil && breaker.Until.Before(in.Now.Add(soon))
	return decision
}

// nextLook returns when the state may have changed.
func (b Breaker) nextLook() time.Time {
	if b.Heard {
		return b.Until
	}
	return b.ProbeAt
}

func (b Breaker) open(in *Input) Verdict {
	goesOn := "and continue one at a time from " + FormatTime(in, b.Until)
	if b.ProbeError != nil {
		goesOn = "until it does; it is asked again every 30 s at the latest"
	}
	return Verdict{Working, v1alpha1.ReasonBreakerOpen, Bounded(fmt.Sprintf(
		"the carrier's answer to %s was lost at %s%s: requests that cost wait, %s",
		b.Lost, FormatTime(in, b.LostAt), b.silence(), goesOn), MaxMessage)}
}

func (b Breaker) silence() string {
	if b.ProbeError == nil {
		return ""
	}
	return fmt.Sprintf(", and it has not answered a read since (%s)", b.ProbeError)
}

// CarrierAspect reports whether the carrier of an account answers; nil while that is unknown.
func CarrierAspect(account *v1alpha1.CarrierAccount, known Breaker) *Aspect {
	switch {
	case known.ProbeError != nil:
		view := &Input{Account: Account{Object: account}}
		return &Aspect{
			Type: v1alpha1.ConditionCarrier, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonCarrierUnavailable,
			Message: Bounded(fmt.Sprintf("the carrier's answer to %s was lost at %s%s", known.Lost,
				FormatTime(view, known.LostAt), known.silence()), MaxMessage),
		}
	case known.HeardAt.IsZero():
		return nil
	}
	return &Aspect{
		Type: v1alpha1.ConditionCarrier, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAnswering,
		Message: "the carrier answers",
	}
}
