// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Breaker is what a process knows of an account's carrier. It holds back what costs from a lost
// answer until the carrier has answered a read and the pause is over; the zero value holds back
// nothing.
type Breaker struct {
	Lost       string    // the request whose answer was lost last, such as "PlanChange of bbs/site"
	LostAt     time.Time // when that was known; zero: none is known to be lost
	Until      time.Time // before which nothing that costs is sent
	Heard      bool      // whether the carrier has answered since
	HeardAt    time.Time // when it answered last; zero: it never has
	ProbeAt    time.Time // when it is asked a free question, unless it has answered
	ProbeError error     // how the last free question failed; nil: none has since
}

// soon is a wait of which nothing is written: it is over before anybody has read that.
const soon = 30 * time.Second

// breakerClosed holds back what costs after an answer was lost.
func breakerClosed(in *Input, want desiredChange) *Decision {
	breaker := in.Account.Breaker
	switch {
	case !want.costs() || breaker.LostAt.IsZero() || breaker.Heard && !in.Now.Before(breaker.Until):
		return nil
	case !breaker.Heard && !in.Now.Before(breaker.ProbeAt):
		return &Decision{Step: Probe{}, Verdict: breaker.open(in)}
	}
	decision := lookAgain(&Decision{Step: Rest{}, Verdict: breaker.open(in)}, breaker.nextLook())
	decision.Brief = breaker.ProbeError == nil && breaker.Until.Before(in.Now.Add(soon))
	return decision
}

// nextLook is when there may be news.
func (b Breaker) nextLook() time.Time {
	if b.Heard {
		return b.Until
	}
	return b.ProbeAt
}

func (b Breaker) open(in *Input) Verdict {
	goesOn := "and go on one at a time from " + clock(in, b.Until)
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

// CarrierAspect says of an account whether its carrier answers; nil while that is not known.
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
