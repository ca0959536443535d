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
func breakerClosed(v *View, w wish) *Decision {
	breaker := v.Account.Breaker
	switch {
	case !w.costs() || breaker.LostAt.IsZero() || breaker.Heard && !v.Now.Before(breaker.Until):
		return nil
	case !breaker.Heard && !v.Now.Before(breaker.ProbeAt):
		return &Decision{Step: Probe{}, Verdict: breaker.open(v)}
	}
	decision := lookAgain(&Decision{Step: Rest{}, Verdict: breaker.open(v)}, breaker.nextLook())
	decision.Brief = breaker.ProbeError == nil && breaker.Until.Before(v.Now.Add(soon))
	return decision
}

// nextLook is when there may be news.
func (b Breaker) nextLook() time.Time {
	if b.Heard {
		return b.Until
	}
	return b.ProbeAt
}

func (b Breaker) open(v *View) Verdict {
	goesOn := "and go on one at a time from " + clock(v, b.Until)
	if b.ProbeError != nil {
		goesOn = "until it does; it is asked again every 30 s at the latest"
	}
	return Verdict{Working, v1alpha1.ReasonBreakerOpen, bounded(fmt.Sprintf(
		"the carrier's answer to %s was lost at %s%s: requests that cost wait, %s",
		b.Lost, clock(v, b.LostAt), b.silence(), goesOn), maxMessage)}
}

func (b Breaker) silence() string {
	if b.ProbeError == nil {
		return ""
	}
	return fmt.Sprintf(", and it has not answered a read since (%s)", b.ProbeError)
}

// CarrierFacet says of an account whether its carrier answers; nil while that is not known.
func CarrierFacet(account *v1alpha1.CarrierAccount, known Breaker) *Facet {
	switch {
	case known.ProbeError != nil:
		view := &View{Account: Account{Object: account}}
		return &Facet{
			Type: v1alpha1.ConditionCarrier, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonCarrierUnavailable,
			Message: bounded(fmt.Sprintf("the carrier's answer to %s was lost at %s%s", known.Lost,
				clock(view, known.LostAt), known.silence()), maxMessage),
		}
	case known.HeardAt.IsZero():
		return nil
	}
	return &Facet{
		Type: v1alpha1.ConditionCarrier, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAnswering,
		Message: "the carrier answers",
	}
}
