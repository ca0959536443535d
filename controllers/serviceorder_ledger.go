// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

var _ ledgered = (*orderPass)(nil)

func (p *orderPass) ledgerSpec() v1alpha1.RequestLedgerSpec {
	return v1alpha1.RequestLedgerSpec{Order: &v1alpha1.LedgerOrder{CustomerReference: p.order.Spec.CustomerReference}}
}

func (p *orderPass) judgeLedger(input decide.LedgerInput) decide.LedgerVerdict {
	return decide.JudgeOrderLedger(input, p.order)
}

func (p *orderPass) showLedger(own *v1alpha1.RequestLedger) {
	decide.ProjectOrder(p.order, own, metav1.NewTime(p.Protocol.Now()))
}

func (*orderPass) shownLedger(object client.Object) shownLedger {
	order, is := object.(*v1alpha1.ServiceOrder)
	if !is {
		return shownLedger{at: new(*v1alpha1.LedgerReference)}
	}
	shown := shownLedger{at: &order.Status.Ledger}
	if order.Status.Request != nil {
		shown.requests = []v1alpha1.Request{*order.Status.Request}
	}
	return shown
}

// learned records the carrier's answer to an accepted order, because no read returns it. It is
// removed if the order may be sent again: the next attempt gets another order number.
func (p *orderPass) learned(spec *v1alpha1.RequestLedgerSpec, by *v1alpha1.Request) {
	switch {
	case by == nil:
	case by.Phase == v1alpha1.PhaseSucceeded:
		spec.Known.Order = p.order.Status.OrderFacts.DeepCopy()
	case decide.Freed(by.Phase):
		spec.Known.Order = nil
	}
}

func (p *orderPass) holder() v1alpha1.LedgerHolder { return holding(p.order) }
