// SPDX-License-Identifier: Apache-2.0

// Package pass reconciles an object of any kind in the same way: gather, judge, act, record.
//
//	fetch ─► gather an Input ─► Decide of the kind ─► perform its Step ─┐
//	             ▲                                                    │ until there is
//	             └────────────────────────────────────────────────────┘ nothing to do now
//	                                                                  ▼
//	                                            one status write, one ctrl.Result
//
// A [Kind] has the functions that differ between the kinds.
package pass

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
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/controllers/internal/sessions"
	"github.com/broadband-operator/broadband-operator/controllers/internal/status"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Pass is one pass over one object: gather, judge, act, record.
type Pass struct {
	*Operator

	Subject   Subject
	Account   decide.Account
	Here      decide.Installation
	Session   *sessions.Lease       // nil while the account cannot be used
	Ledger    *requestledger.Ledger // nil: the kind has none, or its name is not known
	Annotated Subject               // whose annotations count; nil: the subject's
	Verdict   *decide.Verdict       // overrides the decision, because of what is recorded elsewhere

	kind    Kind
	written runtime.Object   // the object as recorded
	read    *decide.Readings // what was read before the step; nil: there was none
	kept    bool             // whether the status stays as it is, because the ledger that would confirm it is not read
}

// New returns a pass over an object.
func New(operator *Operator, subject Subject, kind Kind) *Pass {
	return &Pass{Operator: operator, Subject: subject, kind: kind}
}

// RetryAfter ends a pass after an error. A conflict is not a failure: there is a newer version.
// Nor is the deletion or replacement of the object: the next pass evaluates the new one.
func RetryAfter(err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) || errors.Is(err, operate.ErrGone) {
		return ctrl.Result{RequeueAfter: decide.CacheLag}, nil
	}
	return ctrl.Result{}, err
}

// Decide evaluates the object in its current state.
func (p *Pass) Decide() decide.Decision {
	p.kept = false
	if p.Verdict != nil {
		return decide.Overruled(p.Subject, *p.Verdict)
	}
	input := p.Input()
	decision := p.kind.Judge(p, input)
	unconfirmed := p.isUnconfirmed(&input, decision)
	p.kept = unconfirmed && p.isSettled()
	if unconfirmed || p.Account.Unproven && !decide.IsRest(decision.Step) {
		return *p.notReady(&input, decision.RequeueAt)
	}
	return decision
}

// isUnconfirmed reports whether a decision that the object is done, or waits for a person, lacks
// the confirmation of the ledger, which is not read for an unproven account.
func (p *Pass) isUnconfirmed(input *decide.Input, decision decide.Decision) bool {
	claims := decision.Verdict.State == decide.Settled || decision.Verdict.State == decide.Stuck
	return p.Account.Unproven && claims && decision.Verdict.Reason != decide.AccountIsNotReady(input).Verdict.Reason
}

// isSettled reports whether the status shows that the object, as it is declared now, is done or waits
// for a person.
func (p *Pass) isSettled() bool {
	conditions, _ := p.Subject.Describes()
	ready := decide.ReadyIn(*conditions)
	done := ready.Status == metav1.ConditionTrue || meta.IsStatusConditionTrue(*conditions, v1alpha1.ConditionStalled)
	return done && ready.ObservedGeneration == p.Subject.GetGeneration()
}

// notReady is the decision of a pass whose account is not proven. The next pass is due at the given
// time at the latest.
func (p *Pass) notReady(input *decide.Input, due time.Time) *decide.Decision {
	held := decide.AccountIsNotReady(input)
	decision := decide.Overruled(p.Subject, held.Verdict)
	decision.RequeueAt, decision.Transient = decide.Earlier(held.RequeueAt, due), held.Transient
	return &decision
}

// Input returns what the next decision is based on. It also notes when something is seen for the
// first time, and reports recorded times in the future. To only read what is remembered of an
// object, use [operate.Memory.View].
func (p *Pass) Input() decide.Input {
	now := p.Protocol.Now()
	if p.Session != nil {
		p.Account.Breaker, p.Account.Extensions = p.Session.Breaker(), p.Session.Extensions()
		p.Account.PollTimes = p.Session.PollTimes()
	}
	input := decide.Input{
		Subject: p.Subject, Ledger: p.Ledger.Current(), Account: p.Account, Now: now, Elapsed: p.Protocol.Elapsed(),
		Submit: p.Submit, Memory: p.Protocol.Memory.Recall(p.Subject.GetUID(), p.Subject.Record().OpenRequests(), now),
		Installation: p.installation(),
	}
	p.Protocol.NoteFutureTimes(&input, p.Subject)
	return input
}

// describe updates the status from a decision.
func (p *Pass) describe(decision decide.Decision) {
	if p.kept {
		return
	}
	now := p.Protocol.Now()
	conditions, observed := p.Subject.Describes()
	target := status.Object{Conditions: conditions, Generation: p.Subject.GetGeneration()}
	status.Describe(target, decision.Verdict, now)
	status.DescribeAspects(target, decision.Aspects, now)
	*observed = p.Subject.GetGeneration()
	*p.Subject.Record().Controls() = decision.Handled
	p.show(decision)
	p.Ledger.ShowReference()
}

// describeDuringStep does the same as describe, during a step. This write does not mark a
// resolution that arrived meanwhile as handled, because it gets its own step.
func (p *Pass) describeDuringStep() {
	decision := p.Decide()
	if _, resolves := decision.Step.(decide.Resolve); resolves {
		decision.Handled.Resolve = p.Subject.Record().Controls().Resolve
	}
	p.describe(decision)
}

func (p *Pass) changed() bool {
	return !equality.Semantic.DeepEqual(operate.AsShown(p.written), operate.AsShown(p.Subject))
}

// noteWritten remembers the recorded object after a step has written it.
func (p *Pass) noteWritten() {
	held, isSubject := p.written.(Subject)
	if isSubject && held.GetResourceVersion() == p.Subject.GetResourceVersion() {
		return
	}
	if isSubject {
		p.announce(held, p.Subject)
	}
	p.written = p.Subject.DeepCopyObject()
}

// Scope returns this object as the protocol sees it. It also marks the readings so far as recorded,
// because they are in the status of this pass, and after the step they may be older than the step's
// result.
func (p *Pass) Scope() operate.Scope {
	p.Protocol.Memory.Change(p.Subject.GetUID(), p.Protocol.Now(), func(memory *decide.Memory) {
		p.read = new(memory.Readings)
		memory.Readings.MarkRecorded()
	})
	scope := operate.Scope{
		Subject: p.Subject, Account: p.Account.Object, Carrier: p.Session, Refused: p.kind.Refused,
		Describe: p.describeDuringStep, Spending: p.spending(), Finalizer: p.kind.AddsFinalizer,
		Policies: p.Here.Policies, Ledger: p.Ledger,
	}
	if p.kind.Synchronous {
		scope.Finish = p.finish
	}
	return scope
}

// settled returns a function that applies the effect of a settled attempt, and marks the resolution
// as handled.
func (p *Pass) settled(step decide.Resolve, handled v1alpha1.Handled) func(*v1alpha1.Request) {
	return func(request *v1alpha1.Request) {
		p.Subject.Record().Controls().Resolve = handled.Resolve
		succeeded, now := request.Phase == v1alpha1.PhaseSucceeded, p.Protocol.Now()
		switch {
		case succeeded && p.kind.Reached != nil:
			p.kind.Reached(request, step.Source, now)
		case !succeeded && step.From == v1alpha1.PhaseSucceeded && p.kind.Withdrawn != nil:
			p.kind.Withdrawn(request, now)
		}
	}
}

// lacksLedger reports whether sending for an object would have to create a ledger.
func (p *Pass) lacksLedger() bool { return p.Ledger != nil && p.Ledger.Current() == nil }

// installation returns what the marker means for an object.
func (p *Pass) installation() decide.Installation {
	here := p.Here
	here.MarkerGone = here.MarkerGone && p.lacksLedger()
	return here
}

// spending returns the counter for an object's requests; nil if its account has no chargeLimit.
func (p *Pass) spending() *operate.Spending {
	if account := p.Account.Object; account != nil && account.Spec.ChargeLimit != nil {
		return &operate.Spending{Protocol: p.Protocol, Logins: p.Logins, Account: account, Login: p.Account.Memory()}
	}
	return nil
}

// Kind has the functions by which a pass handles an object of one kind. Optional functions may be
// nil.
type Kind struct {
	// Gather collects the inputs of the decision that do not change within the pass.
	Gather func(context.Context, *Pass) error
	// Judge decides what to do.
	Judge func(*Pass, decide.Input) decide.Decision
	// Show updates the status except for the conditions. Optional.
	Show func(*Pass, decide.Decision)
	// Read performs a step that only this kind has, and that reads from the carrier. Optional.
	Read func(context.Context, *Pass, decide.Step) (time.Duration, error)
	// Body returns the body of a request.
	Body func(v1alpha1.Request, v1alpha1.Contact) []byte

	// Finish takes over the carrier's result of a request. Optional.
	Finish func(*Pass, *v1alpha1.Request, []byte)
	// Reached takes over the effect of a request that has succeeded by a resolution, without a result.
	// Optional.
	Reached func(request *v1alpha1.Request, source v1alpha1.ValueSource, now time.Time)
	// Withdrawn takes back what Reached has taken over. Optional.
	Withdrawn func(request *v1alpha1.Request, now time.Time)
	// Refused notes that the carrier has refused a request. Optional.
	Refused func(*v1alpha1.Request)

	// Begun is called before the first step of a pass, but not if only a notification is recorded.
	// Optional.
	Begun func(*Pass)
	// Recorded is called when the status is recorded. Optional.
	Recorded func(*Pass)

	AddsFinalizer bool // whether the object gets the finalizer before it sends, even with a ledger
	Synchronous   bool // whether a POST returns the result, so that nothing is polled
}

func (p *Pass) show(decision decide.Decision) {
	if p.kind.Show != nil {
		p.kind.Show(p, decision)
	}
}

func (p *Pass) performRead(ctx context.Context, step decide.Step) (time.Duration, error) {
	if p.kind.Read == nil {
		return 0, nil
	}
	return p.kind.Read(ctx, p, step)
}

func (p *Pass) finish(request *v1alpha1.Request, body []byte) {
	if p.kind.Finish != nil {
		p.kind.Finish(p, request, body)
	}
}
