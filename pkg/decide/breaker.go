// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Breaker is what a process knows about the availability of an account's carrier. After a lost
// response it holds back chargeable requests until the carrier has answered a read and the pause is
// over. The zero value holds back nothing.
type Breaker struct {
	Lost       string    // the request whose response was lost last, such as "PlanChange of bbs/site"
	LostAt     time.Time // when that was noticed; zero: no response is known to be lost
	Until      time.Time // no chargeable request is sent before this time
	Heard      bool      // whether the carrier has answered since then
	HeardAt    time.Time // when the carrier last answered; zero: never
	ProbeAt    time.Time // when a free read is sent, unless the carrier has answered
	ProbeError error     // the error of the last free read; nil: none has failed since
}

// soon is the longest wait that is not recorded: it would be over before anybody reads it.
const soon = 30 * time.Second

// breakerClosed holds back a chargeable request after a lost response.
func breakerClosed(in *Input, want desiredChange) *Decision {
	breaker := in.Account.Breaker
	switch {
	case !want.costs() || breaker.LostAt.IsZero() || breaker.Heard && !in.Now.Before(breaker.Until):
		return nil
	case !breaker.Heard && !in.Now.Before(breaker.ProbeAt):
		return &Decision{Step: Probe{}, Verdict: breaker.open(in)}
	}
	decision := lookAgain(&Decision{Step: Rest{}, Verdict: breaker.open(in)}, breaker.nextLook())
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
	goesOn := "and continue one at a time from " + clock(in, b.Until)
	if b.ProbeError != nil {
		goesOn = "until it does; it is asked again every 30 s at the latest"
	}
	return Verdict{Working, v1alpha1.ReasonBreakerOpen, bounded(fmt.Sprintf(
		"the carrier's answer to %s was lost at %s%s: requests that cost wait, %s",
		b.Lost, clock(in, b.LostAt), b.silence(), goesOn), maxMessage)}
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
			Message: bounded(fmt.Sprintf("the carrier's answer to %s was lost at %s%s", known.Lost,
				clock(view, known.LostAt), known.silence()), maxMessage),
		}
	case known.HeardAt.IsZero():
		return nil
	}
	return &Aspect{
		Type: v1alpha1.ConditionCarrier, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAnswering,
		Message: "the carrier answers",
	}
}
