// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// soon is the longest wait that is not recorded: a shorter wait ends before anybody reads about it.
const soon = 30 * time.Second

// breakerIsOpen holds back a chargeable request after a lost response.
func breakerIsOpen(in *Input, want DesiredChange) *Decision {
	breaker := in.Account.Breaker
	switch {
	case breaker.holdsNever() && ClassOf(want.Operation, want.Target) == carrier.ClassNever:
		return RequeueAt(RestWorking(v1alpha1.ReasonBreakerOpen, breaker.unprovenText(in)), in.Now.Add(time.Minute))
	case !want.costs() || breaker.LostAt.IsZero() || breaker.Answered && !in.Now.Before(breaker.Until):
		return nil
	case !breaker.Answered && !in.Now.Before(breaker.ProbeAt):
		return &Decision{Step: Probe{}, Verdict: breaker.open(in)}
	}
	decision := RequeueAt(RestOn(breaker.open(in)), breaker.nextChange())
	decision.Transient = breaker.ProbeError == nil && breaker.Until.Before(in.Now.Add(soon))
	return decision
}

func (b Breaker) holdsNever() bool { return b.Unproven.Count >= MostUnproven }

func (b Breaker) unprovenText(in *Input) string {
	return Bounded(fmt.Sprintf("the responses to %d requests in a row do not show whether the carrier has accepted them "+
		"(the last is %s at %s, the one before it %s): no order, aggregation conversion, diagnostic test or change with an "+
		"NTD option is sent until the outcome of one of them is known, or the carrier accepts another request. Ask the "+
		"carrier and resolve them",
		b.Unproven.Count, b.Unproven.Last, FormatTime(in, b.Unproven.At), b.Unproven.Before), MaxMessage)
}

func (b Breaker) nextChange() time.Time {
	if b.Answered {
		return b.Until
	}
	return b.ProbeAt
}

func (b Breaker) open(in *Input) Verdict {
	unanswered, until := "", ", and resume, one at a time, at "+FormatTime(in, b.Until)
	if b.ProbeError != nil {
		unanswered = fmt.Sprintf(", and the carrier has not answered a read since (%s)", b.ProbeError)
		until = " until it does; the read is repeated at least every 30 s"
	}
	return Verdict{Working, v1alpha1.ReasonBreakerOpen, Bounded(fmt.Sprintf(
		"the response to %s was lost at %s%s: chargeable requests wait%s",
		b.LostRequest, FormatTime(in, b.LostAt), unanswered, until), MaxMessage)}
}

// CarrierAspect reports whether the carrier of an account answers; nil while that is unknown.
func CarrierAspect(account *v1alpha1.CarrierAccount, known Breaker) *Aspect {
	switch {
	case known.Silence != nil:
		return new(NewAspect(v1alpha1.ConditionCarrier, metav1.ConditionFalse, v1alpha1.ReasonCarrierUnavailable,
			silenceText(&Input{Account: Account{Object: account}}, known)))
	case known.holdsNever():
		return new(NewAspect(v1alpha1.ConditionCarrier, metav1.ConditionFalse, v1alpha1.ReasonBreakerOpen,
			known.unprovenText(&Input{Account: Account{Object: account}})))
	case known.AnsweredAt.IsZero():
		return nil
	}
	return new(NewAspect(v1alpha1.ConditionCarrier, metav1.ConditionTrue, v1alpha1.ReasonAnswering, "the carrier answers"))
}

// silenceText describes a carrier that does not answer. The text does not change while the carrier
// stays silent, so it is written only once.
func silenceText(view *Input, known Breaker) string {
	const longest = MaxMessage / 2 // of the error, so that the end of the text is not cut off
	since, last := FormatTime(view, known.Silence.Since), "it has never answered this process"
	text := fmt.Sprintf("the carrier has answered no call since %s", since)
	if known.Silence.Lost != "" {
		text = fmt.Sprintf("the response to %s was lost at %s, and the carrier has not answered a read since",
			known.Silence.Lost, since)
	}
	if !known.AnsweredAt.IsZero() {
		last = "it last answered at " + FormatTime(view, known.AnsweredAt)
	}
	return Bounded(fmt.Sprintf("%s (%s); %s", text, Bounded(known.Silence.Err.Error(), longest), last), MaxMessage)
}
