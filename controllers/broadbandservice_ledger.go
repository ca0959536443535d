// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

var _ ledgered = (*servicePass)(nil)

func (p *servicePass) ledgerSpec() v1alpha1.RequestLedgerSpec {
	return v1alpha1.RequestLedgerSpec{Service: &v1alpha1.LedgerService{ID: p.service.ServiceNumber()}}
}

func (*servicePass) judgeLedger(input decide.LedgerInput) decide.LedgerVerdict {
	return decide.JudgeServiceLedger(input)
}

func (p *servicePass) showLedger(own *v1alpha1.RequestLedger) {
	decide.ProjectService(p.service, own, p.clock())
}

// clock returns the clock by which this process evaluates the recorded times of the service.
func (p *servicePass) clock() decide.Clock {
	clock := decide.Clock{Now: p.Protocol.Now()}
	p.Protocol.Memory.Note(p.service.UID, clock.Now, func(memory *decide.Memory) { clock.Ahead = memory.Ahead })
	return clock
}

func (*servicePass) shownLedger(object client.Object) shownLedger {
	service, is := object.(*v1alpha1.BroadbandService)
	if !is {
		return shownLedger{at: new(*v1alpha1.LedgerReference)}
	}
	return shownLedger{at: &service.Status.Ledger, requests: service.Status.Requests}
}

// learned records what no read returns, and the plan that the service was changed to.
func (p *servicePass) learned(spec *v1alpha1.RequestLedgerSpec, _ *v1alpha1.Request) {
	decide.RememberService(spec, p.service)
}

func (p *servicePass) holder() v1alpha1.LedgerHolder { return holding(p.service) }
