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
	order *v1alpha1.ServiceOrder // including the facts of this pass

	qualification    *carrier.Qualification
	qualificationErr error
}

// gather collects the inputs that do not change within a pass.
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

// take does nothing: an order is never polled, "the documented API has no read of an order".
func (p *orderPass) take(context.Context, decide.Step) (time.Duration, error) { return 0, nil }

func (p *orderPass) body(request v1alpha1.Request, contact v1alpha1.Contact) []byte {
	return decide.OrderBody(&p.order.Spec, request.Target.RemoteOrderID, contact)
}

// finish takes over the order from the carrier's answer.
func (p *orderPass) finish(request *v1alpha1.Request, body []byte) {
	decide.OrderAccepted(p.order, request, body)
}

// reached records that, according to a person, the carrier accepted the order, and its number.
func (p *orderPass) reached(request *v1alpha1.Request, _ v1alpha1.ValueSource, _ time.Time) {
	decide.OrderNamed(p.order, request)
}

func (*orderPass) takenBack(*v1alpha1.Request, time.Time) {}

func (p *orderPass) refused(*v1alpha1.Request) {}
