// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/orders"
)

// orderPass is one pass over one order.
type orderPass struct {
	*pass

	order *v1alpha1.ServiceOrder // including the facts of this pass

	qualification    *carrier.Qualification
	qualificationErr error

	learns bool // whether a reading in memory is not recorded yet
}

// gather collects the inputs that do not change within a pass.
func (p *orderPass) gather(ctx context.Context) error {
	if err := p.gatherAccount(ctx); err != nil {
		return err
	}
	if err := p.gatherLedger(ctx, p); err != nil {
		return err
	}
	p.learn()
	return p.gatherQualification(ctx)
}

// dismissRejection removes a rejection that a person has found to be false.
func (p *orderPass) dismissRejection() {
	if p.holdsLedger() {
		input := p.orderInput(p.input())
		orders.Confirm(&input)
	}
}

// holdsLedger reports whether the order is evaluated, and its ledger is its own.
func (p *orderPass) holdsLedger() bool { return p.verdict == nil && p.ledger.own() != nil }

// learn shows in the status what was read and is not recorded yet. The ledger is written before the
// status, which shows only what the ledger has: see [orders.Project].
func (p *orderPass) learn() {
	p.learns = false
	if p.holdsLedger() {
		input := p.orderInput(p.input())
		p.learns = orders.Learn(&input)
	}
}

// markRecorded marks what was read as recorded. From then on, another process may know more.
func (p *orderPass) markRecorded() {
	p.learns = false
	p.Protocol.Memory.Change(p.order.UID, p.Protocol.Now(), func(memory *decide.Memory) {
		memory.Readings.Order.MarkRecorded()
	})
}

// gatherQualification reads the result of the qualification if the order still has to be checked
// against it, or may have to be in this pass, because a person resolves its last attempt. The
// ConfigMap belongs to the user, and is read directly from the API server, so that the operator does
// not list all ConfigMaps of a cluster.
func (p *orderPass) gatherQualification(ctx context.Context) error {
	ref, request := p.order.Spec.QualificationResultRef, p.order.Status.Request
	if ref == nil || request != nil && !decide.MayOrderAgain(request.Phase) && !p.isResolvedAsNotAccepted(request) {
		return nil
	}
	var result corev1.ConfigMap
	err := p.Protocol.Live.Get(ctx, client.ObjectKey{Namespace: p.order.Namespace, Name: ref.Name}, &result)
	switch {
	case apierrors.IsNotFound(err):
		p.qualificationErr = fmt.Errorf(
			"ConfigMap %s does not exist in this namespace: create it; it is read again in a minute", ref.Name)
		return nil
	case err != nil:
		return fmt.Errorf("read ConfigMap %s: %w", ref.Name, err)
	}
	text := result.BinaryData[ref.Key]
	if held, found := result.Data[ref.Key]; found {
		text = []byte(held)
	}
	if len(text) == 0 {
		p.qualificationErr = fmt.Errorf(
			"ConfigMap %s has no key %s, or the key is empty: add it; it is read again in a minute", ref.Name, ref.Key)
		return nil
	}
	qualification, err := carrier.DecodeQualification(p.identifierWord(), text)
	if err != nil {
		p.qualificationErr = fmt.Errorf("key %s of ConfigMap %s is not a qualification result (%w): correct it; "+
			"it is read again in a minute", ref.Key, ref.Name, err)
		return nil
	}
	p.qualification = &qualification
	return nil
}

// isResolvedAsNotAccepted reports whether a person resolves an attempt as not accepted, so that the
// order may be sent again.
func (p *orderPass) isResolvedAsNotAccepted(request *v1alpha1.Request) bool {
	resolved, _ := decide.ParseResolution(decide.Control(p.order, v1alpha1.AnnotationResolve))
	return resolved.AttemptID == request.AttemptID && resolved.Outcome == decide.ResolvedNotAccepted
}

// identifierWord returns the carrier's own word in identifiers, which also occurs in the document.
func (p *orderPass) identifierWord() string {
	if p.account.Object == nil {
		return ""
	}
	return p.account.Object.Spec.IdentifierWord
}

func (p *orderPass) orderInput(input decide.Input) orders.Input {
	return orders.Input{
		Input: input, Order: p.order, Qualification: p.qualification, QualificationErr: p.qualificationErr,
	}
}

func (p *orderPass) judge(input decide.Input) decide.Decision {
	return orders.Decide(p.orderInput(input))
}

func (p *orderPass) show(decision decide.Decision) {
	input := p.orderInput(p.input())
	orders.Show(&input, decision.Pending)
}

// performRead reads the order at the carrier, where the carrier has the extension OrderRead.
func (p *orderPass) performRead(ctx context.Context, step decide.Step) (time.Duration, error) {
	start, is := step.(decide.StartReading)
	if !is {
		return 0, nil
	}
	wait, err := p.Protocol.Ask(ctx, p.session, operate.Question{
		UID: p.order.UID, Generation: p.order.Generation, OrderID: p.order.Status.OrderID.Number(),
		Topic: start.Topic, Token: start.Token, Again: start.Again,
	})
	p.learn()
	return wait, err
}

func (p *orderPass) body(request v1alpha1.Request, contact v1alpha1.Contact) []byte {
	return orders.Body(&p.order.Spec, request.Target.RemoteOrderID, contact)
}

// finish records the order that the carrier's response describes.
func (p *orderPass) finish(request *v1alpha1.Request, body []byte) {
	orders.Accepted(p.order, request, body)
}

// reached records the number of an order that a person found accepted by the carrier, if the
// resolution names it.
func (p *orderPass) reached(request *v1alpha1.Request, _ v1alpha1.ValueSource, _ time.Time) {
	orders.Named(p.order, request)
}

func (*orderPass) takenBack(*v1alpha1.Request, time.Time) {}

func (p *orderPass) refused(*v1alpha1.Request) {}

var _ ledgerKind = (*orderPass)(nil)

func (p *orderPass) ledgerSpec() v1alpha1.RequestLedgerSpec {
	return v1alpha1.RequestLedgerSpec{Order: &v1alpha1.LedgerOrder{CustomerReference: p.order.Spec.CustomerReference}}
}

func (p *orderPass) judgeLedger(input decide.LedgerInput) decide.LedgerVerdict {
	return orders.JudgeLedger(input, p.order)
}

func (p *orderPass) showLedger(own *v1alpha1.RequestLedger) {
	orders.Project(p.order, own, metav1.NewTime(p.Protocol.Now()))
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

// learned records the carrier's response to an accepted order, which most carriers cannot return
// again, and what reads have shown since then. The record is removed if the order may be sent
// again, because the next attempt gets another order number.
func (p *orderPass) learned(spec *v1alpha1.RequestLedgerSpec, by *v1alpha1.Request) {
	newest := p.order.Status.Request
	switch {
	case by == nil && p.learns && newest != nil && !decide.MayOrderAgain(newest.Phase):
		spec.Known.Order = p.order.Status.OrderFacts.DeepCopy()
	case by == nil:
	case by.Phase == v1alpha1.PhaseSucceeded:
		spec.Known.Order = p.order.Status.OrderFacts.DeepCopy()
	case decide.MayOrderAgain(by.Phase):
		spec.Known.Order = nil
	}
}

func (p *orderPass) holder() v1alpha1.LedgerHolder { return holderOf(p.order) }
