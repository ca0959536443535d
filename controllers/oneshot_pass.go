// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/status"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// oneShotPass is one pass over an object that makes one request.
type oneShotPass struct {
	*pass

	shot   oneShot
	number v1alpha1.CarrierID // the number of its service; "": none, or not known
	hold   *decide.Verdict    // why the request cannot be sent yet; nil when it can
}

// gather collects the inputs that do not change within a pass.
func (p *oneShotPass) gather(ctx context.Context) error {
	if err := p.gatherAccount(ctx); err != nil {
		return err
	}
	return p.gatherNumber(ctx)
}

// gatherNumber takes the service number from the spec, or from the BroadbandService that the spec
// names.
func (p *oneShotPass) gatherNumber(ctx context.Context) error {
	own, ref := p.shot.subject.NamedService()
	if own == "" && ref == nil {
		return nil // the kind has no service
	}
	var named *v1alpha1.BroadbandService
	if own == "" {
		service := &v1alpha1.BroadbandService{}
		err := p.Get(ctx, client.ObjectKey{Namespace: p.subject.GetNamespace(), Name: ref.Name}, service)
		switch {
		case err == nil:
			named = service
		case !apierrors.IsNotFound(err):
			return fmt.Errorf("read BroadbandService %s: %w", ref.Name, err)
		}
	}
	p.number, p.hold = services.NumberOf(p.account.Object, own, ref, named)
	return nil
}

func (p *oneShotPass) judge(input decide.Input) decide.Decision {
	return oneshots.Decide(*p.taskInput(input))
}

func (p *oneShotPass) taskInput(input decide.Input) *oneshots.Input {
	task := decide.Task{Operation: p.shot.operation, Body: p.shot.body(p.number)}
	shot := &oneshots.Input{Input: input, ServiceID: p.number, BlockedBy: p.hold, TTL: p.shot.subject.KeptFor()}
	if test, is := p.subject.(*v1alpha1.DiagnosticTest); is {
		shot.Test = test
	}
	if p.shot.approval != nil {
		shot.Approval, task.Changes = p.shot.approval()
	}
	if p.shot.found != nil {
		shot.Summary = p.shot.found()
	}
	if p.shot.holdsUntil != nil {
		shot.ValidUntil = p.shot.holdsUntil()
	}
	shot.Task = task
	return shot
}

func (*oneShotPass) show(decide.Decision) {}

// performRead does nothing, because most one-shots have no reads.
func (*oneShotPass) performRead(context.Context, decide.Step) (time.Duration, error) { return 0, nil }

func (p *oneShotPass) body(v1alpha1.Request, v1alpha1.Contact) []byte { return p.shot.body(p.number) }

// finish takes over the carrier's response. A service in the response is ours if the request was
// sent for it, whatever its BroadbandService shows now.
func (p *oneShotPass) finish(request *v1alpha1.Request, body []byte) {
	ours := func(serviceID v1alpha1.CarrierID) bool {
		return request.BodyHash == decide.BodyHash(p.shot.body(serviceID)) || request.BodyHash == "" && serviceID == p.number
	}
	if why := p.shot.finish(request, body, ours); why != nil {
		request.Phase, request.Error = why.Phase, why.Error
	}
}

func (*oneShotPass) reached(*v1alpha1.Request, v1alpha1.ValueSource, time.Time) {}

func (*oneShotPass) takenBack(*v1alpha1.Request, time.Time) {}

func (*oneShotPass) refused(*v1alpha1.Request) {}

// finalize releases a deleted object. It does not call the carrier; a new object is a new request.
func (p *oneShotPass) finalize(ctx context.Context) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(p.subject, v1alpha1.Finalizer) {
		p.Protocol.Memory.Forget(p.subject.GetUID())
		return ctrl.Result{}, nil
	}
	if err := p.begin(ctx); err != nil {
		return p.failed(ctx, err)
	}
	if p.verdict != nil && p.hasOpenAttempt() {
		return p.record(ctx, p.decide(), 0) // the object stalls if its ledger may not be written (R30)
	}
	if err := p.recordResponses(ctx); err != nil {
		return p.failed(ctx, err)
	}
	input := p.input()
	departure := oneshots.Finalize(input)
	if !departure.WaitUntil.IsZero() {
		return status.Exit(input.Now, departure.WaitUntil), nil
	}
	if err := p.abandonOpen(ctx); err != nil {
		return p.failed(ctx, err)
	}
	if departure.Warning != "" {
		p.Protocol.Events.Eventf(p.subject, nil, corev1.EventTypeWarning, eventRequestContinues, "Delete",
			"%s", departure.Warning)
	}
	if err := p.Protocol.RemoveFinalizer(ctx, p.subject); err != nil {
		return p.failed(ctx, err)
	}
	p.Protocol.Memory.Forget(p.subject.GetUID())
	return ctrl.Result{}, nil
}

// hasOpenAttempt reports whether the ledger has an open attempt of the object.
func (p *oneShotPass) hasOpenAttempt() bool {
	return slices.ContainsFunc(p.subject.OpenRequests(), func(open *v1alpha1.Request) bool {
		return p.ledger.held().IsOpen(open.AttemptID)
	})
}

// recordResponses records what this process knows of the requests in progress.
func (p *oneShotPass) recordResponses(ctx context.Context) error {
	for _, open := range p.subject.OpenRequests() {
		if err := p.Protocol.RecordResponse(ctx, p.scope(), open.AttemptID); err != nil {
			return fmt.Errorf("record the outcome of attempt %s: %w", open.AttemptID, err)
		}
	}
	return nil
}

// abandonOpen ends the open attempts of a deleted object in the ledger, because their outcome will
// not be tracked.
func (p *oneShotPass) abandonOpen(ctx context.Context) error {
	for _, open := range p.subject.OpenRequests() {
		if !p.ledger.held().IsOpen(open.AttemptID) {
			continue
		}
		given := oneshots.Abandon(open)
		fact := operate.Decided(given, func(*v1alpha1.Request) {})
		if err := p.Protocol.Record(ctx, p.scope(), open.AttemptID, fact); err != nil {
			return fmt.Errorf("abandon attempt %s of %s: %w", open.AttemptID, p.subject.GetName(), err)
		}
	}
	return nil
}

// expire deletes an object after its ttlAfterFinished. The operator deletes users' objects only
// here. An object that has changed since the decision is kept.
func (p *oneShotPass) expire(ctx context.Context) (ctrl.Result, error) {
	uid, version := p.subject.GetUID(), p.subject.GetResourceVersion()
	judged := client.Preconditions{UID: &uid, ResourceVersion: &version}
	err := client.IgnoreNotFound(p.Delete(ctx, p.subject, judged))
	if err != nil {
		return retryAfter(fmt.Errorf("delete %s after its ttlAfterFinished: %w", p.subject.GetName(), err))
	}
	return ctrl.Result{}, nil
}
