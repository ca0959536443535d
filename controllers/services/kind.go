// SPDX-License-Identifier: Apache-2.0

package services

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// service is an object in one pass, with what was gathered for it.
type service struct {
	object *v1alpha1.BroadbandService // including the facts of this pass
	orders Orders                     // nil: there are no orders
	order  *services.Order            // the order that orderRef names, if it exists
}

// Orders reads the ServiceOrders that services come from.
type Orders interface {
	// Order returns what a service takes over from an order; nil if there is no such order.
	Order(ctx context.Context, key client.ObjectKey, account string) (*services.Order, error)
}

// kindOf returns the functions by which a pass handles a service.
func kindOf(object *v1alpha1.BroadbandService, orders Orders) pass.Kind {
	s := &service{object: object, orders: orders}
	return pass.Kind{
		Gather: s.gather, Judge: s.judge, Show: s.show, Read: s.read, Body: s.body,
		Finish: s.finish, Reached: s.reached, Withdrawn: s.withdrawn, Refused: s.refused,
	}
}

func (s *service) gather(ctx context.Context, p *pass.Pass) error {
	if err := p.GatherAccount(ctx); err != nil {
		return err
	}
	if err := s.gatherOrder(ctx); err != nil {
		return err
	}
	if err := p.GatherLedger(ctx, s.ledger(p)); err != nil {
		return err
	}
	s.gatherOrigin(p)
	return nil
}

// gatherOrder reads the service's order, and takes the service's number from it.
func (s *service) gatherOrder(ctx context.Context) error {
	if ref := s.object.Spec.OrderRef; ref != nil && s.orders != nil {
		key := client.ObjectKey{Namespace: s.object.Namespace, Name: ref.Name}
		order, err := s.orders.Order(ctx, key, s.object.AccountName())
		if err != nil {
			return err
		}
		s.order = order
	}
	services.TakeNumber(s.object, s.order)
	return nil
}

// gatherOrigin drops state that was read with another login, because a deleted account may have been
// created again with a different one. While the ledger blocks the service, the status stays unchanged.
func (s *service) gatherOrigin(p *pass.Pass) {
	if p.Account.Object == nil || p.Account.Unproven {
		return
	}
	here := p.Account.Memory()
	p.Protocol.Memory.Change(s.object.UID, p.Protocol.Now(), func(memory *decide.Memory) {
		memory.ForgetUnlessFrom(here)
	})
	if p.Verdict == nil && decide.ForgetStateUnlessFrom(&s.object.Status, here) {
		services.Project(s.object, p.Ledger.Own(), s.clock(p))
	}
}

func (s *service) judge(_ *pass.Pass, input decide.Input) decide.Decision {
	return services.Decide(services.Input{Input: input, Service: s.object, Order: s.order})
}

// show also records in the status where its values come from.
func (s *service) show(p *pass.Pass, decision decide.Decision) {
	s.object.Status.Pending = decision.Pending
	s.object.Status.Change = services.ChangeColumn(s.object)
	if p.Account.Object != nil && !p.Account.Unproven && p.Verdict == nil {
		decide.RecordOrigin(&s.object.Status, p.Account.Memory())
	}
}

func (s *service) read(ctx context.Context, p *pass.Pass, step decide.Step) (time.Duration, error) {
	switch step := step.(type) {
	case decide.StartReading:
		wait, err := p.Protocol.Ask(ctx, p.Session, s.question(p, step))
		s.noteServiceRead(p)
		return wait, err
	case decide.ContinueReading:
		question := s.question(p, decide.StartReading{Topic: step.Topic})
		readings := p.Protocol.Memory.View(s.object.UID).Readings
		return p.Protocol.Collect(ctx, p.Session, question, *readings.Of(step.Topic))
	case decide.Rest, decide.Submit, decide.SubmitQuery, decide.Probe, decide.ReadContact, decide.Poll,
		decide.RecordResponse, decide.Resolve:
	}
	return 0, nil
}

// noteServiceRead notes a refusal of the carrier to describe a service that it otherwise shows.
func (s *service) noteServiceRead(p *pass.Pass) {
	readings := p.Protocol.Memory.View(s.object.UID).Readings
	if refusal := decide.ServiceReadRefused(&readings); refusal != nil {
		p.Session.NoteExtension(v1alpha1.ExtensionServiceRead, refusal)
	}
}

func (s *service) question(p *pass.Pass, step decide.StartReading) operate.Question {
	return operate.Question{
		UID: s.object.UID, Generation: s.object.Generation, ServiceID: s.object.ServiceNumber().Number(),
		Version: decide.ReadVersion(p.Account.Object, step.Topic), Topic: step.Topic, Token: step.Token, Again: step.Again,
	}
}

func (s *service) body(request v1alpha1.Request, contact v1alpha1.Contact) []byte {
	return services.Body(request.Operation, s.object.ServiceNumber(), request.Target, contact)
}

func (s *service) finish(p *pass.Pass, request *v1alpha1.Request, body []byte) {
	days := decide.Zone(p.Account.Object)
	if why := services.Finish(s.object, request, body, p.Protocol.Now(), days); why != nil {
		request.Phase, request.Error = why.Phase, why.Error
	}
}

func (s *service) reached(request *v1alpha1.Request, source v1alpha1.ValueSource, now time.Time) {
	if source == v1alpha1.SourceDeclared {
		services.ApplyResolution(s.object, request, now)
		return
	}
	services.ApplyTarget(s.object, request, source, now)
}

func (s *service) withdrawn(request *v1alpha1.Request, now time.Time) {
	services.RevertResolution(s.object, request, now)
}

// refused drops a known cancellation if the carrier reports that none was requested.
func (s *service) refused(request *v1alpha1.Request) {
	if services.NotRequested(request) && s.object.Status.Carrier != nil {
		s.object.Status.Carrier.Cancellation = nil
	}
}

// ledger returns how the requests of a service are recorded. The ledger also has values that no
// read returns, and the plan that the service was changed to.
func (s *service) ledger(p *pass.Pass) requestledger.Kind {
	return requestledger.Kind{
		Holder: requestledger.HolderOf(s.object),
		Spec: func() v1alpha1.RequestLedgerSpec {
			return v1alpha1.RequestLedgerSpec{Service: &v1alpha1.LedgerService{ID: s.object.ServiceNumber()}}
		},
		Judge: services.JudgeLedger,
		Show:  func(own *v1alpha1.RequestLedger) { services.Project(s.object, own, s.clock(p)) },
		Learned: func(spec *v1alpha1.RequestLedgerSpec, by *v1alpha1.Request) {
			services.Remember(spec, s.object, by)
		},
	}
}

// clock returns the clock by which this process evaluates the recorded times of the service.
func (s *service) clock(p *pass.Pass) decide.Clock {
	return decide.Clock{Now: p.Protocol.Now(), FutureTimes: p.Protocol.Memory.View(s.object.UID).FutureTimes}
}
