// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// servicePass is one pass over one service.
type servicePass struct {
	*pass

	orders  Orders                     // nil: there are no orders
	service *v1alpha1.BroadbandService // including the facts of this pass
	order   *services.Order            // the order that orderRef names, if it exists
}

// Orders reads the ServiceOrders that services come from.
type Orders interface {
	// Order returns what a service takes over from an order; nil if there is no such order.
	Order(ctx context.Context, key client.ObjectKey, account string) (*services.Order, error)
}

// gather collects the inputs that do not change within a pass.
func (p *servicePass) gather(ctx context.Context) error {
	if err := p.gatherAccount(ctx); err != nil {
		return err
	}
	if err := p.gatherOrder(ctx); err != nil {
		return err
	}
	if err := p.gatherLedger(ctx, p); err != nil {
		return err
	}
	p.gatherOrigin()
	return nil
}

// gatherOrder reads the service's order, and takes the service's number from it.
func (p *servicePass) gatherOrder(ctx context.Context) error {
	if ref := p.service.Spec.OrderRef; ref != nil && p.orders != nil {
		key := client.ObjectKey{Namespace: p.service.Namespace, Name: ref.Name}
		order, err := p.orders.Order(ctx, key, p.service.AccountName())
		if err != nil {
			return fmt.Errorf("read ServiceOrder %s: %w", ref.Name, err)
		}
		p.order = order
	}
	services.TakeNumber(p.service, p.order)
	return nil
}

// gatherOrigin drops state that was read with another login, because a deleted account may have been
// created again with a different one. While the ledger blocks the service, the status stays unchanged.
func (p *servicePass) gatherOrigin() {
	if p.account.Object == nil || p.account.Unproven {
		return
	}
	here := p.account.Memory()
	p.Protocol.Memory.Change(p.service.UID, p.Protocol.Now(), func(memory *decide.Memory) {
		memory.ForgetUnlessFrom(here)
	})
	if p.verdict == nil && decide.ForgetStateUnlessFrom(&p.service.Status, here) {
		p.showLedger(p.ledger.own())
	}
}

func (p *servicePass) judge(input decide.Input) decide.Decision {
	return services.Decide(services.Input{Input: input, Service: p.service, Order: p.order})
}

func (p *servicePass) show(decision decide.Decision) {
	p.service.Status.Pending = decision.Pending
	p.service.Status.Change = services.ChangeColumn(p.service)
	p.nameOrigin()
}

// nameOrigin records in the status where its values come from.
func (p *servicePass) nameOrigin() {
	if p.account.Object != nil && !p.account.Unproven && p.verdict == nil {
		decide.RecordOrigin(&p.service.Status, p.account.Memory())
	}
}

// performRead performs the reads. The other steps are the same for every kind.
func (p *servicePass) performRead(ctx context.Context, step decide.Step) (time.Duration, error) {
	switch step := step.(type) {
	case decide.StartReading:
		wait, err := p.Protocol.Ask(ctx, p.session, p.question(step))
		p.noteServiceRead()
		return wait, err
	case decide.ContinueReading:
		question := p.question(decide.StartReading{Topic: step.Topic})
		readings := p.Protocol.Memory.View(p.service.UID).Readings
		return p.Protocol.Collect(ctx, p.session, question, *readings.Of(step.Topic))
	case decide.Rest, decide.Submit, decide.SubmitQuery, decide.Probe, decide.ReadContact, decide.Poll,
		decide.RecordResponse, decide.Resolve:
	}
	return 0, nil
}

// noteServiceRead notes a refusal of the carrier to describe a service that it otherwise shows.
func (p *servicePass) noteServiceRead() {
	readings := p.Protocol.Memory.View(p.service.UID).Readings
	if refusal := decide.ServiceReadRefused(&readings); refusal != nil {
		p.session.NoteExtension(v1alpha1.ExtensionServiceRead, refusal)
	}
}

func (p *servicePass) question(step decide.StartReading) operate.Question {
	return operate.Question{
		UID: p.service.UID, Generation: p.service.Generation, ServiceID: p.service.ServiceNumber().Number(),
		Version: decide.ReadVersion(p.account.Object, step.Topic), Topic: step.Topic, Token: step.Token, Again: step.Again,
	}
}

func (p *servicePass) body(request v1alpha1.Request, contact v1alpha1.Contact) []byte {
	return services.Body(request.Operation, p.service.ServiceNumber(), request.Target, contact)
}

func (p *servicePass) finish(request *v1alpha1.Request, body []byte) {
	days := decide.Zone(p.account.Object)
	if why := services.Finish(p.service, request, body, p.Protocol.Now(), days); why != nil {
		request.Phase, request.Error = why.Phase, why.Error
	}
}

func (p *servicePass) reached(request *v1alpha1.Request, source v1alpha1.ValueSource, now time.Time) {
	if source == v1alpha1.SourceDeclared {
		services.ApplyResolution(p.service, request, now)
		return
	}
	services.ApplyTarget(p.service, request, source, now)
}

func (p *servicePass) takenBack(request *v1alpha1.Request, now time.Time) {
	services.RevertResolution(p.service, request, now)
}

// refused drops a known cancellation if the carrier reports that none was requested.
func (p *servicePass) refused(request *v1alpha1.Request) {
	if services.NotRequested(request) && p.service.Status.Carrier != nil {
		p.service.Status.Carrier.Cancellation = nil
	}
}

var _ ledgerKind = (*servicePass)(nil)

func (p *servicePass) ledgerSpec() v1alpha1.RequestLedgerSpec {
	return v1alpha1.RequestLedgerSpec{Service: &v1alpha1.LedgerService{ID: p.service.ServiceNumber()}}
}

func (*servicePass) judgeLedger(input decide.LedgerInput) decide.LedgerVerdict {
	return services.JudgeLedger(input)
}

func (p *servicePass) showLedger(own *v1alpha1.RequestLedger) {
	services.Project(p.service, own, p.clock())
}

// clock returns the clock by which this process evaluates the recorded times of the service.
func (p *servicePass) clock() decide.Clock {
	return decide.Clock{Now: p.Protocol.Now(), FutureTimes: p.Protocol.Memory.View(p.service.UID).FutureTimes}
}

func (*servicePass) shownLedger(object client.Object) shownLedger {
	service, is := object.(*v1alpha1.BroadbandService)
	if !is {
		return shownLedger{at: new(*v1alpha1.LedgerReference)}
	}
	return shownLedger{at: &service.Status.Ledger, requests: service.Status.Requests}
}

// learned records what no read returns, and the plan that the service was changed to.
func (p *servicePass) learned(spec *v1alpha1.RequestLedgerSpec, by *v1alpha1.Request) {
	services.Remember(spec, p.service, by)
}

func (p *servicePass) holder() v1alpha1.LedgerHolder { return holderOf(p.service) }
