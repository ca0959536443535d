// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/status"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// kindService names the kind in records.
const kindService = "BroadbandService"

// leave lets a deleted service go. Nobody is called: what is under way goes on at the
// carrier, and a record keeps what a new object for the service must know.
func (p *servicePass) leave(ctx context.Context) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(p.service, v1alpha1.Finalizer) {
		p.Protocol.Memory.Forget(p.service.UID)
		return ctrl.Result{}, nil
	}
	view := p.view()
	for _, open := range p.service.OpenRequests() {
		if view.Memory.Attempts[open.AttemptID].Receipt == nil {
			continue
		}
		if err := p.Protocol.RecordAnswer(ctx, p.job(), open.AttemptID); err != nil {
			return p.again(err)
		}
	}
	departure := decide.Leave(p.service, view.Memory, view.Now)
	if !departure.WaitUntil.IsZero() {
		return status.Exit(view.Now, departure.WaitUntil), nil
	}
	if err := p.keep(ctx, departure); err != nil {
		return p.again(err)
	}
	if departure.Warning != "" {
		p.Protocol.Events.Eventf(p.service, nil, corev1.EventTypeWarning, "RequestInFlight", "Delete",
			"%s", departure.Warning)
	}
	if err := p.Protocol.Release(ctx, p.service); err != nil {
		return p.again(err)
	}
	p.Protocol.Memory.Forget(p.service.UID)
	return ctrl.Result{}, nil
}

// keep writes the record of a deleted service, over what an older one says that is older.
func (p *servicePass) keep(ctx context.Context, departure decide.Departure) error {
	if len(departure.Keep) == 0 || p.service.ServiceNumber() == 0 {
		return nil
	}
	first := departure.Keep[0]
	held, err := p.of.Orphans.Get(ctx, kindService, first.Identity, p.service.ServiceNumber())
	if err != nil {
		return fmt.Errorf("delete BroadbandService %s: %w", p.service.Name, err)
	}
	if held != nil && held.BaseURL == first.BaseURL {
		departure.Keep, departure.Values = decide.Merge(departure.Keep, held.Requests, departure.Values, held.Carrier)
	}
	err = p.of.Orphans.Put(ctx, operate.Orphan{
		Kind: kindService, Identity: first.Identity, BaseURL: first.BaseURL,
		ServiceID: p.service.ServiceNumber(), Object: p.service.Namespace + "/" + p.service.Name,
		Requests: departure.Keep, Carrier: departure.Values,
	})
	if err != nil {
		return fmt.Errorf("delete BroadbandService %s: %w", p.service.Name, err)
	}
	return nil
}

// adopt takes up what another object of the same service knew, before anything is
// compared: one that was deleted, or one that comes after this one and managed the service
// while this one could not. Status first, then the finalizer, and the record goes last.
func (p *servicePass) adopt(ctx context.Context) error {
	if !p.mayAdopt() {
		return nil
	}
	account := p.account.Object
	orphan, err := p.of.Orphans.Get(ctx, kindService, account.IdentityName(), p.service.ServiceNumber())
	if err != nil {
		return fmt.Errorf("adopt what is known of the service: %w", err)
	}
	if orphan != nil && orphan.BaseURL != account.Spec.BaseURL {
		verdict := decide.ElsewhereVerdict(orphan.BaseURL, account.Spec.BaseURL, orphan.Object)
		p.verdict = &verdict
		return nil
	}
	before := len(p.service.Status.Requests)
	if err := p.takeOver(ctx); err != nil {
		return err
	}
	if orphan == nil && len(p.service.Status.Requests) == before {
		p.sought(true)
		return nil
	}
	return p.recordAdopted(ctx, orphan)
}

// takeOver takes up what the objects after this one have done for the service.
func (p *servicePass) takeOver(ctx context.Context) error {
	for i := range p.juniors {
		junior := &p.juniors[i]
		if len(junior.Status.Requests) == 0 || !p.mayHaveMissed() {
			continue
		}
		same, err := p.sameIdentity(ctx, junior)
		if err != nil {
			return err
		}
		if same && junior.Status.Requests[0].BaseURL == p.account.Object.Spec.BaseURL {
			departure := decide.Leave(junior, decide.Memory{}, p.Protocol.Now())
			decide.Adopt(p.service, departure.Keep, departure.Values)
		}
	}
	return nil
}

// recordAdopted writes down what was taken up, and drops the record of it. Until all of
// that is done nothing was taken up: the next pass looks again, whatever went wrong.
func (p *servicePass) recordAdopted(ctx context.Context, orphan *operate.Orphan) error {
	done := false
	defer func() { p.sought(done) }()
	if orphan != nil {
		decide.Adopt(p.service, orphan.Requests, orphan.Carrier)
	}
	p.sought(true) // for the judgement that is written with it
	p.describe(p.decide())
	if err := p.Status().Update(ctx, p.service); err != nil {
		return fmt.Errorf("adopt what is known of the service: %w", err)
	}
	p.noteWritten()
	if err := p.Protocol.Hold(ctx, p.service); err != nil {
		return fmt.Errorf("adopt what is known of the service: %w", err)
	}
	if orphan != nil {
		if err := p.of.Orphans.Drop(ctx, *orphan); err != nil {
			return fmt.Errorf("adopt what is known of the service: %w", err)
		}
	}
	done = true
	return nil
}

// mayHaveMissed: one that holds requests of its own has missed nothing, unless it was a
// Conflict until now.
func (p *servicePass) mayHaveMissed() bool {
	own := len(p.service.Status.Requests) > 0 || controllerutil.ContainsFinalizer(p.service, v1alpha1.Finalizer)
	ready := meta.FindStatusCondition(p.service.Status.Conditions, v1alpha1.ConditionReady)
	return !own || ready != nil && ready.Reason == v1alpha1.ReasonConflict
}

// sought remembers whether no record is waiting for this object.
func (p *servicePass) sought(done bool) {
	p.Protocol.Memory.Note(p.service.UID, p.Protocol.Now(), func(memory *decide.Memory) { memory.RecordSought = done })
}

// mayAdopt: an object that has sent nothing itself, or that had to stand back for another
// which may have sent since, and for which this process has not looked before.
func (p *servicePass) mayAdopt() bool {
	if p.rival != "" {
		p.sought(false)
	}
	known := p.service.ServiceNumber() != 0 && p.account.Object != nil && p.rival == ""
	return known && !p.view().Memory.RecordSought
}
