// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/accounts"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/status"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// loginPause is the wait before a login that failed during a call is tried again. The account's
// controller is notified at once and finds the cause.
const loginPause = 15 * time.Second

// maxSteps limits the steps of one pass. A service needs at most one step of each kind between two
// waits: an answer in memory, a resolution, four readings, and a request of each lane with its
// outcome.
const maxSteps = 16

// pass is one pass over one object: gather, judge, act, record.
type pass struct {
	*Operator
	kind

	subject   Subject
	written   runtime.Object // the object as recorded
	account   decide.Account
	here      decide.Installation
	session   *accounts.Lease  // nil while the account cannot be used
	ledger    *objectLedger    // nil: the kind has none, or its name is not known
	read      *decide.Readings // what was read before the step; nil: there was none
	annotated Subject          // whose annotations count; nil: the subject's
	verdict   *decide.Verdict  // overrides the decision, because of what is recorded elsewhere
}

// kind has the parts of a pass that are specific to a kind.
type kind interface {
	gather(ctx context.Context) error                                  // the other inputs of the decision
	judge(input decide.Input) decide.Decision                          // what to do
	show(decision decide.Decision)                                     // the status except for the conditions
	take(ctx context.Context, step decide.Step) (time.Duration, error) // a step that only this kind has
	body(request v1alpha1.Request, contact v1alpha1.Contact) []byte    // the body of a request
	outcomes
}

// marking is a kind whose objects get the finalizer before they send.
type marking interface{ marks() }

// answeredAtOnce is a kind whose POST is answered with the result: nothing is polled.
type answeredAtOnce interface{ answeredAtOnce() }

// outcomes handles the outcomes of a kind's requests.
type outcomes interface {
	finish(request *v1alpha1.Request, body []byte)                                 // the carrier's result
	reached(request *v1alpha1.Request, source v1alpha1.ValueSource, now time.Time) // settled without a result
	takenBack(request *v1alpha1.Request, now time.Time)                            // the settlement was withdrawn
	refused(request *v1alpha1.Request)                                             // the carrier refused it
}

// run takes an object as far as possible now.
func (p *pass) run(ctx context.Context) (ctrl.Result, error) {
	if err := p.begin(ctx); err != nil {
		return p.failed(ctx, err)
	}
	for range maxSteps {
		decision := p.decide()
		wait, err := p.perform(ctx, decision)
		if err != nil {
			return p.failed(ctx, err)
		}
		if _, resting := decision.Step.(decide.Rest); resting || wait > 0 {
			return p.record(ctx, decision, wait)
		}
	}
	return ctrl.Result{}, fmt.Errorf("%s took more than %d steps in one pass", p.subject.GetName(), maxSteps)
}

// begin collects the inputs of a pass.
func (p *pass) begin(ctx context.Context) (err error) {
	p.noteWritten()
	if p.here, err = p.Marker.Look(ctx); err != nil {
		return err
	}
	return p.gather(ctx)
}

// again is the exit after an error. A conflict means that there is a newer version, and is not a
// failure.
func (p *pass) again(err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: decide.CacheLag}, nil
	}
	return ctrl.Result{}, err
}

// record writes the status if anything about it changed, and returns when to look again: the one
// exit of a pass. A pass that waits for its turn in the rate limit, or for seconds, writes nothing,
// unless the status was never written before.
func (p *pass) record(ctx context.Context, decision decide.Decision, wait time.Duration) (ctrl.Result, error) {
	now, lookAt := p.Protocol.Now(), decision.LookAt
	if wait > 0 {
		lookAt = now.Add(wait)
	}
	_, observed := p.subject.Describes()
	says := *observed <= 0 || wait == 0 && !decision.Transient
	if err := p.keepLearned(ctx); err != nil {
		return p.failed(ctx, err)
	}
	p.describe(decision)
	if p.changed() && says {
		if err := p.Protocol.WriteStatus(ctx, p.subject); err != nil {
			return p.failed(ctx, fmt.Errorf("update the status: %w", err))
		}
		p.announceUnused(decision)
		p.noteWritten()
	}
	return status.Exit(now, p.caughtUp(now, lookAt)), nil
}

// caughtUp returns when to look again if the cache shows an older copy than this process has
// written. The decision was based on that copy and may be wrong, and our own write triggers no
// pass. The pause grows with the time that the cache is behind: after a restore of etcd it may be
// behind forever.
func (p *pass) caughtUp(now, lookAt time.Time) time.Time {
	behind := p.Protocol.Memory.Behind(p.subject, now)
	if again := now.Add(max(behind, decide.CacheLag)); behind > 0 && (lookAt.IsZero() || again.Before(lookAt)) {
		return again
	}
	return lookAt
}

// decide evaluates the object in its current state.
func (p *pass) decide() decide.Decision {
	if p.verdict != nil {
		return decide.Decision{Step: decide.Rest{}, Verdict: *p.verdict, Handled: *p.subject.Controls()}
	}
	return p.judge(p.input())
}

func (p *pass) input() decide.Input {
	now := p.Protocol.Now()
	if p.session != nil {
		p.account.Breaker = p.session.Breaker()
	}
	input := decide.Input{
		Subject: p.subject, Ledger: p.ledger.held(), Account: p.account, Now: now, Elapsed: p.Protocol.Elapsed(),
		Submit: p.Submit, Memory: p.Protocol.Memory.Recall(p.subject.GetUID(), p.subject.OpenRequests(), now),
		Installation: p.installation(),
	}
	p.Protocol.NoteAhead(&input, p.subject)
	return input
}

// describe updates the status from a decision.
func (p *pass) describe(decision decide.Decision) {
	now := p.Protocol.Now()
	conditions, observed := p.subject.Describes()
	target := status.Object{Conditions: conditions, Generation: p.subject.GetGeneration()}
	status.Describe(target, decision.Verdict, now)
	status.DescribeAspects(target, decision.Aspects, now)
	*observed = p.subject.GetGeneration()
	*p.subject.Controls() = decision.Handled
	p.show(decision)
	p.ledger.show()
}

// describeMeanwhile is describe during a step. A resolution that arrives only now is not marked as
// handled by this write: it gets a step of its own.
func (p *pass) describeMeanwhile() {
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

// perform performs the one step of a decision. A wait above zero is the time after which to try
// again, because the step could not be performed now.
func (p *pass) perform(ctx context.Context, decision decide.Decision) (time.Duration, error) {
	defer p.session.Release()
	wait, err := p.step(ctx, decision)
	if _, login := errors.AsType[*accounts.LoginError](err); login {
		return loginPause, nil
	}
	p.noteWritten()
	if err == nil {
		err = p.ledger.whole()
	}
	return wait, err
}

func (p *pass) step(ctx context.Context, decision decide.Decision) (wait time.Duration, err error) {
	switch step := decision.Step.(type) {
	case decide.Rest:
	case decide.Submit:
		p.show(decision)
		wait, err = p.submit(ctx, step)
	case decide.SubmitQuery:
		wait, err = p.Protocol.SubmitQuery(ctx, p.scope(), operate.Submission{
			Request: step.Request, Body: p.body(step.Request, v1alpha1.Contact{}), Hold: step.Hold,
			Consume: func() { consume(p.subject.Controls(), decide.Submit(step)) },
		})
	case decide.Follow:
		wait, err = p.Protocol.Follow(ctx, p.scope(), step.AttemptID, p.finish)
	case decide.RecordAnswer:
		err = p.Protocol.RecordAnswer(ctx, p.scope(), step.AttemptID)
	case decide.Resolve:
		err = p.resolve(ctx, step, decision.Handled)
	case decide.Probe:
		wait, err = p.probe(ctx)
	case decide.Ask, decide.Collect:
		wait, err = p.take(ctx, step)
	}
	return wait, err
}

// scope returns this object as the protocol sees it. The readings so far are in the status of this
// pass; after the step they may be older than the step's result.
func (p *pass) scope() operate.Scope {
	p.Protocol.Memory.Note(p.subject.GetUID(), p.Protocol.Now(), func(memory *decide.Memory) {
		p.read = new(memory.Readings)
		memory.Readings.Taken()
	})
	scope := operate.Scope{
		Subject: p.subject, Account: p.account.Object, Carrier: p.session, Refused: p.refused,
		Describe: p.describeMeanwhile, Spending: p.spends(),
	}
	if p.ledger != nil {
		scope.Ledger = p.ledger
	}
	_, scope.Marks = p.kind.(marking)
	if _, answered := p.kind.(answeredAtOnce); answered {
		scope.Finish = p.finish
	}
	return scope
}

// settled returns a function that applies the effect of a settled attempt, and marks the resolution
// as handled.
func (p *pass) settled(step decide.Resolve, handled v1alpha1.Handled) func(*v1alpha1.Request) {
	return func(request *v1alpha1.Request) {
		p.subject.Controls().Resolve = handled.Resolve
		if request.Phase == v1alpha1.PhaseSucceeded {
			p.reached(request, step.Source, p.Protocol.Now())
		} else if step.From == v1alpha1.PhaseSucceeded {
			p.takenBack(request, p.Protocol.Now())
		}
	}
}
