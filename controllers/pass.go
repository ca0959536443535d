// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/accounts"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/status"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// pass is one pass over one object: gather, judge, act, record.
type pass struct {
	*Operator

	kind      kind
	subject   Subject
	written   runtime.Object // the object as recorded
	account   decide.Account
	here      decide.Installation
	session   *accounts.Lease  // nil while the account cannot be used
	ledger    *objectLedger    // nil: the kind has none, or its name is not known
	read      *decide.Readings // what was read before the step; nil: there was none
	annotated Subject          // whose annotations count; nil: the subject's
	verdict   *decide.Verdict  // overrides the decision, because of what is recorded elsewhere
	kept      bool             // whether the status stays as it is, because the ledger that would confirm it is not read

	addsFinalizer bool   // whether the object gets the finalizer before it sends, even with a ledger
	synchronous   bool   // whether a POST returns the result, so that nothing is polled
	onBegun       func() // called before the first step, but not if only a notification is recorded; nil: no call
	onRecorded    func() // called when the status is recorded; nil: no call
}

// kind has the parts of a pass that are specific to a kind.
type kind interface {
	gather(ctx context.Context) error                                         // the other inputs of the decision
	judge(input decide.Input) decide.Decision                                 // what to do
	show(decision decide.Decision)                                            // the status except for the conditions
	performRead(ctx context.Context, step decide.Step) (time.Duration, error) // a step that only this kind has
	body(request v1alpha1.Request, contact v1alpha1.Contact) []byte           // the body of a request
	outcomes
}

// outcomes handles the outcomes of a kind's requests.
type outcomes interface {
	finish(request *v1alpha1.Request, body []byte)                                 // the carrier's result
	reached(request *v1alpha1.Request, source v1alpha1.ValueSource, now time.Time) // settled without a result
	takenBack(request *v1alpha1.Request, now time.Time)                            // the settlement was withdrawn
	refused(request *v1alpha1.Request)                                             // the carrier refused it
}

// retryAfter is the exit after an error. A conflict means that there is a newer version, and is not
// a failure. Nor is an object that was deleted or replaced: the next pass evaluates the new one.
func retryAfter(err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) || errors.Is(err, operate.ErrGone) {
		return ctrl.Result{RequeueAfter: decide.CacheLag}, nil
	}
	return ctrl.Result{}, err
}

// decide evaluates the object in its current state.
func (p *pass) decide() decide.Decision {
	p.kept = false
	if p.verdict != nil {
		return decide.Overruled(p.subject, *p.verdict)
	}
	input := p.input()
	decision := p.kind.judge(input)
	unconfirmed := p.isUnconfirmed(&input, decision)
	p.kept = unconfirmed && p.isSettled()
	if unconfirmed || p.account.Unproven && !decide.IsRest(decision.Step) {
		return *p.notReady(&input, decision.RequeueAt)
	}
	return decision
}

// isUnconfirmed reports whether a decision says that the object is done, or waits for a person,
// although only the ledger, which is not read for an unproven account, could confirm it.
func (p *pass) isUnconfirmed(input *decide.Input, decision decide.Decision) bool {
	claims := decision.Verdict.State == decide.Settled || decision.Verdict.State == decide.Stuck
	return p.account.Unproven && claims && decision.Verdict.Reason != decide.AccountReady(input).Verdict.Reason
}

// isSettled reports whether the status shows that the object, as it is declared now, is done or waits
// for a person.
func (p *pass) isSettled() bool {
	conditions, _ := p.subject.Describes()
	ready := decide.ReadyIn(*conditions)
	done := ready.Status == metav1.ConditionTrue || meta.IsStatusConditionTrue(*conditions, v1alpha1.ConditionStalled)
	return done && ready.ObservedGeneration == p.subject.GetGeneration()
}

// notReady is the decision of a pass for an account that is not proven, which is due again at a
// time of its own.
func (p *pass) notReady(input *decide.Input, due time.Time) *decide.Decision {
	held := decide.AccountReady(input)
	decision := decide.Overruled(p.subject, held.Verdict)
	decision.RequeueAt, decision.Transient = decide.Earlier(held.RequeueAt, due), held.Transient
	return &decision
}

// input returns what the next decision is based on. It also starts the times of what is seen for the
// first time, and reports recorded times in the future. To only read what is remembered of an
// object, use [operate.Memory.View].
func (p *pass) input() decide.Input {
	now := p.Protocol.Now()
	if p.session != nil {
		p.account.Breaker, p.account.Extensions = p.session.Breaker(), p.session.Extensions()
	}
	input := decide.Input{
		Subject: p.subject, Ledger: p.ledger.held(), Account: p.account, Now: now, Elapsed: p.Protocol.Elapsed(),
		Submit: p.Submit, Memory: p.Protocol.Memory.Recall(p.subject.GetUID(), p.subject.OpenRequests(), now),
		Installation: p.installation(),
	}
	p.Protocol.NoteFutureTimes(&input, p.subject)
	return input
}

// describe updates the status from a decision.
func (p *pass) describe(decision decide.Decision) {
	if p.kept {
		return
	}
	now := p.Protocol.Now()
	conditions, observed := p.subject.Describes()
	target := status.Object{Conditions: conditions, Generation: p.subject.GetGeneration()}
	status.Describe(target, decision.Verdict, now)
	status.DescribeAspects(target, decision.Aspects, now)
	*observed = p.subject.GetGeneration()
	*p.subject.Controls() = decision.Handled
	p.kind.show(decision)
	p.ledger.show()
}

// describeDuringStep does the same as describe, during a step. A resolution that arrives only now
// is not marked as handled by this write, because it gets a step of its own.
func (p *pass) describeDuringStep() {
	decision := p.decide()
	if _, resolves := decision.Step.(decide.Resolve); resolves {
		decision.Handled.Resolve = p.subject.Controls().Resolve
	}
	p.describe(decision)
}

func (p *pass) changed() bool {
	return !equality.Semantic.DeepEqual(operate.AsShown(p.written), operate.AsShown(p.subject))
}

// noteWritten remembers the recorded object after a step has written it.
func (p *pass) noteWritten() {
	held, isSubject := p.written.(Subject)
	if isSubject && held.GetResourceVersion() == p.subject.GetResourceVersion() {
		return
	}
	if isSubject {
		p.announce(held, p.subject)
	}
	p.written = p.subject.DeepCopyObject()
}

// scope returns this object as the protocol sees it. It also marks the readings so far as recorded,
// because they are in the status of this pass, and after the step they may be older than the step's
// result.
func (p *pass) scope() operate.Scope {
	p.Protocol.Memory.Change(p.subject.GetUID(), p.Protocol.Now(), func(memory *decide.Memory) {
		p.read = new(memory.Readings)
		memory.Readings.MarkRecorded()
	})
	scope := operate.Scope{
		Subject: p.subject, Account: p.account.Object, Carrier: p.session, Refused: p.kind.refused,
		Describe: p.describeDuringStep, Spending: p.spendingCounter(), Finalizer: p.addsFinalizer,
		Policies: p.here.Policies,
	}
	if p.ledger != nil {
		scope.Ledger = p.ledger
	}
	if p.synchronous {
		scope.Finish = p.kind.finish
	}
	return scope
}

// settled returns a function that applies the effect of a settled attempt, and marks the resolution
// as handled.
func (p *pass) settled(step decide.Resolve, handled v1alpha1.Handled) func(*v1alpha1.Request) {
	return func(request *v1alpha1.Request) {
		p.subject.Controls().Resolve = handled.Resolve
		if request.Phase == v1alpha1.PhaseSucceeded {
			p.kind.reached(request, step.Source, p.Protocol.Now())
		} else if step.From == v1alpha1.PhaseSucceeded {
			p.kind.takenBack(request, p.Protocol.Now())
		}
	}
}

// lacksLedger reports whether sending for an object would have to create a ledger.
func (p *pass) lacksLedger() bool { return p.ledger != nil && p.ledger.ledger == nil }

// installation returns what the marker means for an object.
func (p *pass) installation() decide.Installation {
	here := p.here
	here.MarkerGone = here.MarkerGone && p.lacksLedger()
	return here
}

// spendingCounter returns the counter for an object's requests; nil if its account has no
// chargeLimit.
func (p *pass) spendingCounter() operate.Spending {
	if account := p.account.Object; account != nil && account.Spec.ChargeLimit != nil {
		return &spending{Operator: p.Operator, account: account, login: p.account.Memory()}
	}
	return nil
}
