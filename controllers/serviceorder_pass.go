// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/status"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// orderPass is one pass over one order.
type orderPass struct {
	*pass

	of    *ServiceOrderReconciler
	order *v1alpha1.ServiceOrder // as it stands, facts of this pass included
	claim *operate.Claim         // what is on record of its customerReference; nil: nothing, or it was not looked for

	qualification    *carrier.Qualification
	qualificationErr error
}

// gather brings together what does not change within a pass, and takes up what is on
// record of the customerReference.
func (p *orderPass) gather(ctx context.Context) error {
	if err := p.gatherAccount(ctx); err != nil {
		return err
	}
	if err := p.gatherClaim(ctx); err != nil {
		return err
	}
	if err := p.gatherQualification(ctx); err != nil {
		return err
	}
	if request := p.order.Status.Request; request != nil && !decide.Freed(request.Phase) {
		return p.Protocol.Hold(ctx, p.order) // "put back if missing"
	}
	return nil
}

func (p *orderPass) orderView(view decide.View) decide.OrderView {
	return decide.OrderView{
		View: view, Order: p.order, Qualification: p.qualification, QualificationErr: p.qualificationErr,
	}
}

func (p *orderPass) judge(view decide.View) decide.Decision {
	return decide.ServiceOrder(p.orderView(view))
}

func (p *orderPass) show(decision decide.Decision) {
	view := p.orderView(p.view())
	decide.ShowOrder(&view, decision.Pending)
}

// take: an order is never asked after, "the documented API has no read of an order".
func (p *orderPass) take(context.Context, decide.Step) (time.Duration, error) { return 0, nil }

func (p *orderPass) body(_ v1alpha1.Request, contact v1alpha1.Contact) []byte {
	return decide.OrderBody(&p.order.Spec, contact)
}

// finish takes over the order that the carrier answered with.
func (p *orderPass) finish(request *v1alpha1.Request, body []byte) {
	decide.OrderAccepted(p.order, request, body)
}

// reached: a person says that the carrier took the order, and as which.
func (p *orderPass) reached(request *v1alpha1.Request, _ v1alpha1.ValueSource, _ time.Time) {
	decide.OrderNamed(p.order, request)
}

func (p *orderPass) refused(*v1alpha1.Request) {}

// leave lets a deleted order go. Nobody is called, and neither account nor Secret is
// needed: the claim keeps the memory.
func (p *orderPass) leave(ctx context.Context) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(p.order, v1alpha1.Finalizer) {
		p.Protocol.Memory.Forget(p.order.UID)
		return ctrl.Result{}, nil
	}
	view := p.view()
	if request := p.order.Status.Request; request != nil && view.Memory.Attempts[request.AttemptID].Receipt != nil {
		if err := p.Protocol.RecordAnswer(ctx, p.job(), request.AttemptID); err != nil {
			return p.again(err)
		}
	}
	departure := decide.LeaveOrder(p.order, view.Memory, view.Now)
	if !departure.WaitUntil.IsZero() {
		return status.Exit(view.Now, departure.WaitUntil), nil
	}
	if request := p.order.Status.Request; request != nil {
		if err := p.keep(ctx, *request); err != nil {
			return p.again(err)
		}
	}
	if departure.Warning != "" {
		p.Protocol.Events.Eventf(p.order, nil, corev1.EventTypeWarning, "OrderGoesOn", "Delete", "%s", departure.Warning)
	}
	if err := p.Protocol.Release(ctx, p.order); err != nil {
		return p.again(err)
	}
	p.Protocol.Memory.Forget(p.order.UID)
	return ctrl.Result{}, nil
}
