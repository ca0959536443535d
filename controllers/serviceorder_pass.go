// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// orderPass is one pass over one order.
type orderPass struct {
	*pass

	of    *ServiceOrderReconciler
	order *v1alpha1.ServiceOrder // as it stands, facts of this pass included

	qualification    *carrier.Qualification
	qualificationErr error
}

// gather brings together what does not change within a pass.
func (p *orderPass) gather(ctx context.Context) error {
	if err := p.gatherAccount(ctx); err != nil {
		return err
	}
	if err := p.gatherLedger(ctx, p); err != nil {
		return err
	}
	return p.gatherQualification(ctx)
}

func (p *orderPass) orderInput(input decide.Input) decide.OrderInput {
	return decide.OrderInput{
		Input: input, Order: p.order, Qualification: p.qualification, QualificationErr: p.qualificationErr,
	}
}

func (*orderPass) answeredAtOnce() {}

func (p *orderPass) judge(input decide.Input) decide.Decision {
	return decide.ServiceOrder(p.orderInput(input))
}

func (p *orderPass) show(decision decide.Decision) {
	input := p.orderInput(p.input())
	decide.ShowOrder(&input, decision.Pending)
}

// take: an order is never asked after, "the documented API has no read of an order".
func (p *orderPass) take(context.Context, decide.Step) (time.Duration, error) { return 0, nil }

func (p *orderPass) body(request v1alpha1.Request, contact v1alpha1.Contact) []byte {
	return decide.OrderBody(&p.order.Spec, request.Target.RemoteOrderID, contact)
}

// finish takes over the order that the carrier answered with.
func (p *orderPass) finish(request *v1alpha1.Request, body []byte) {
	decide.OrderAccepted(p.order, request, body)
}

// reached: a person says that the carrier took the order, and as which.
func (p *orderPass) reached(request *v1alpha1.Request, _ v1alpha1.ValueSource, _ time.Time) {
	decide.OrderNamed(p.order, request)
}

func (*orderPass) takenBack(*v1alpha1.Request, time.Time) {}

func (p *orderPass) refused(*v1alpha1.Request) {}
