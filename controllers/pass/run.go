// SPDX-License-Identifier: Apache-2.0

package pass

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/sessions"
	"github.com/broadband-operator/broadband-operator/controllers/internal/status"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// MaxSteps limits the steps of one pass. Between two waits, a service needs at most these steps: a
// response in memory, a resolution, four readings, and a request of each lane with its outcome.
const MaxSteps = 16

// ErrTooManySteps ends a pass that still has something to do after MaxSteps steps.
var ErrTooManySteps = fmt.Errorf("a pass took more than %d steps", MaxSteps)

// loginPause is the wait before a login that failed during a call is tried again. The account's
// controller is notified immediately and finds the cause.
const loginPause = 15 * time.Second

// longestCacheLag is the time after which a cache that is behind may be behind forever, because etcd
// was restored from a backup.
const longestCacheLag = time.Minute

// Run takes an object as far as possible now.
func (p *Pass) Run(ctx context.Context) (ctrl.Result, error) {
	if p.IsLagging(p.Subject) {
		now := p.Protocol.Now()
		return status.Exit(now, p.RequeueAt(p.Subject, now, time.Time{})), nil
	}
	if err := p.Begin(ctx); err != nil {
		return p.Failed(ctx, err)
	}
	if p.kind.Begun != nil {
		p.kind.Begun(p)
	}
	for range MaxSteps {
		decision := p.Decide()
		wait, err := p.Perform(ctx, decision)
		if err != nil {
			return p.Failed(ctx, err)
		}
		if _, resting := decision.Step.(decide.Rest); resting || wait > 0 {
			return p.Record(ctx, decision, wait)
		}
	}
	return p.Failed(ctx, ErrTooManySteps)
}

// Begin collects the inputs of a pass.
func (p *Pass) Begin(ctx context.Context) (err error) {
	p.noteWritten()
	if p.Here, err = p.Marker.Installation(ctx); err != nil {
		return err
	}
	if p.Here.Policies, err = p.Policies.Current(ctx); err != nil {
		return fmt.Errorf("check the admission policies: %w", err)
	}
	return p.kind.Gather(ctx, p)
}

// Perform performs the one step of a decision. A wait above zero is the time after which to try
// again, because the step could not be performed now. After an error the object may be in use:
// see UnrecordedResponses in package ledgers.
func (p *Pass) Perform(ctx context.Context, decision decide.Decision) (time.Duration, error) {
	defer p.Session.Release()
	p.read = nil // the readings of an earlier step are already recorded or kept
	wait, err := p.step(ctx, decision)
	if _, login := errors.AsType[*sessions.LoginError](err); login {
		return loginPause, nil
	}
	if err != nil {
		return 0, err
	}
	p.noteWritten()
	return wait, p.Ledger.CheckFellBehind()
}

func (p *Pass) step(ctx context.Context, decision decide.Decision) (wait time.Duration, err error) {
	switch step := decision.Step.(type) {
	case decide.Rest:
	case decide.Submit:
		p.show(decision)
		wait, err = p.submit(ctx, step)
	case decide.SubmitQuery:
		wait, err = p.Protocol.SubmitQuery(ctx, p.Scope(), operate.Submission{
			Request: step.Request, Body: p.kind.Body(step.Request, v1alpha1.Contact{}),
			Consume:        func() { consume(p.Subject.Record().Controls(), decide.Submit(step)) },
			FinalizerFirst: step.FinalizerFirst,
		})
	case decide.Poll:
		wait, err = p.Protocol.Poll(ctx, p.Scope(), step.AttemptID, p.finish)
	case decide.RecordResponse:
		err = p.Protocol.RecordResponse(ctx, p.Scope(), step.AttemptID)
	case decide.Resolve:
		err = p.resolve(ctx, step, decision.Handled)
	case decide.Probe:
		wait, err = p.probe(ctx)
	case decide.ReadContact:
		_, _ = p.readContact(ctx, step.Source) //nolint:errcheck // remembered: the next decision reports it
	case decide.StartReading, decide.ContinueReading:
		wait, err = p.performRead(ctx, step)
	}
	return wait, err
}

// Record writes the status if it changed, and returns when the next pass is due. It is the regular
// exit of a pass.
func (p *Pass) Record(ctx context.Context, decision decide.Decision, wait time.Duration) (ctrl.Result, error) {
	now, lookAt := p.Protocol.Now(), decision.RequeueAt
	if wait > 0 {
		p.keepRead() // the readings are not written now, and would otherwise be made again
		lookAt = now.Add(wait)
	}
	writes := p.mustWrite(decision, wait)
	if err := p.recordLearned(ctx); err != nil {
		return p.Failed(ctx, err)
	}
	p.describe(decision)
	recorded := !p.changed()
	if !recorded && writes {
		if err := p.Protocol.WriteStatus(ctx, p.Subject); err != nil {
			return p.Failed(ctx, fmt.Errorf("update the status: %w", err))
		}
		p.announceUnused(decision)
		p.noteWritten()
		recorded = true
	}
	if recorded && p.kind.Recorded != nil {
		p.kind.Recorded(p)
	}
	return status.Exit(now, p.RequeueAt(p.Subject, now, lookAt)), nil
}

// Release removes the finalizer of a deleted object, and emits a Warning Event about what is left at
// the carrier, unless the warning is "".
func (p *Pass) Release(ctx context.Context, reason, warning string) (ctrl.Result, error) {
	if warning != "" {
		p.Protocol.Events.Eventf(p.Subject, nil, corev1.EventTypeWarning, reason, "Delete", "%s", warning)
	}
	if err := p.Protocol.RemoveFinalizer(ctx, p.Subject); err != nil {
		return p.Failed(ctx, err)
	}
	p.Protocol.Memory.Forget(p.Subject.GetUID())
	return ctrl.Result{}, nil
}

// mustWrite reports whether a change of the status is written now. A pass that waits for its turn in
// the rate limit, or for only a few seconds, writes nothing, unless the recorded status lacks what has
// to be shown meanwhile: the wait can take minutes.
func (p *Pass) mustWrite(decision decide.Decision, wait time.Duration) bool {
	return wait == 0 && !decision.Transient || p.isIncomplete()
}

// IsLagging reports whether the cache does not show yet what this process has written. A pass
// over the older copy would repeat work that the newer copy shows as done, and its writes would
// conflict.
func (o *Operator) IsLagging(object client.Object) bool {
	behind := o.Protocol.Memory.Behind(object, o.Protocol.Now())
	return behind > 0 && behind < longestCacheLag
}

// isIncomplete reports whether the recorded status was never written, or lacks an open request.
func (p *Pass) isIncomplete() bool {
	held, isSubject := p.written.(Subject)
	if !isSubject {
		return false
	}
	_, observed := held.Describes()
	return *observed <= 0 || !equality.Semantic.DeepEqual(held.Record().OpenRequests(), p.Subject.Record().OpenRequests())
}

// RequeueAt returns when the next pass is due: soon if the cache shows an older copy than this
// process has written, otherwise as decided. The decision was based on the older copy and may be
// wrong, and our own write triggers no pass. The pause grows with the time that the cache is
// behind, because after a restore of etcd the cache may be behind forever.
func (o *Operator) RequeueAt(object client.Object, now, lookAt time.Time) time.Time {
	behind := o.Protocol.Memory.Behind(object, now)
	if again := now.Add(max(behind, decide.CacheLag)); behind > 0 && (lookAt.IsZero() || again.Before(lookAt)) {
		return again
	}
	return lookAt
}

// announceUnused emits an Event for each control annotation that has no effect, unless the recorded
// conditions already describe it.
func (p *Pass) announceUnused(decision decide.Decision) {
	held, isSubject := p.written.(Subject)
	if !isSubject {
		return
	}
	conditions, _ := held.Describes()
	for _, unused := range decision.Unused {
		isReported := func(condition metav1.Condition) bool { return strings.Contains(condition.Message, unused) }
		if !slices.ContainsFunc(*conditions, isReported) {
			p.Protocol.Events.Eventf(p.Subject, nil, corev1.EventTypeWarning, eventAnnotationUnused, "Reconcile", "%s", unused)
		}
	}
}
