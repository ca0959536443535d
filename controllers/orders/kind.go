// SPDX-License-Identifier: Apache-2.0

package orders

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
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/orders"
)

// order is an object in one pass, with what was gathered for it.
type order struct {
	object *v1alpha1.ServiceOrder // including the facts of this pass

	qualification    *carrier.Qualification
	qualificationErr error

	learns bool // whether a reading in memory is not recorded yet
}

// newPass returns a pass over an order.
func newPass(operator *pass.Operator, object *v1alpha1.ServiceOrder) *pass.Pass {
	o := &order{object: object}
	return pass.New(operator, object, pass.Kind{
		Gather: o.gather, Judge: o.judge, Show: o.show, Read: o.read, Body: o.body,
		Finish: o.finish, Reached: o.reached, Begun: o.dismissRejection, Recorded: o.markRecorded,
		Synchronous: true,
	})
}

func (o *order) gather(ctx context.Context, p *pass.Pass) error {
	if err := p.GatherAccount(ctx); err != nil {
		return err
	}
	if err := p.GatherLedger(ctx, o.ledger(p)); err != nil {
		return err
	}
	o.learn(p)
	return o.gatherQualification(ctx, p)
}

// dismissRejection removes a rejection that a person has found to be false.
func (o *order) dismissRejection(p *pass.Pass) {
	if holdsLedger(p) {
		input := o.input(p.Input())
		orders.Confirm(&input)
	}
}

// holdsLedger reports whether the order is evaluated, and is the holder of its ledger.
func holdsLedger(p *pass.Pass) bool { return p.Verdict == nil && p.Ledger.Own() != nil }

// learn shows in the status what was read and is not recorded yet. The ledger is written before the
// status, which shows only what the ledger has: see [orders.Project].
func (o *order) learn(p *pass.Pass) {
	o.learns = false
	if holdsLedger(p) {
		input := o.input(p.Input())
		o.learns = orders.Learn(&input)
	}
}

// markRecorded marks what was read as recorded. From then on, another process may know more.
func (o *order) markRecorded(p *pass.Pass) {
	o.learns = false
	p.Protocol.Memory.Change(o.object.UID, p.Protocol.Now(), func(memory *decide.Memory) {
		memory.Readings.Order.MarkRecorded()
	})
}

func (o *order) input(input decide.Input) orders.Input {
	return orders.Input{
		Input: input, Order: o.object, Qualification: o.qualification, QualificationErr: o.qualificationErr,
	}
}

func (o *order) judge(_ *pass.Pass, input decide.Input) decide.Decision {
	return orders.Decide(o.input(input))
}

func (o *order) show(p *pass.Pass, decision decide.Decision) {
	input := o.input(p.Input())
	orders.Show(&input, decision.Pending)
}

// read reads the order at the carrier, where the carrier has the extension OrderRead.
func (o *order) read(ctx context.Context, p *pass.Pass, step decide.Step) (time.Duration, error) {
	start, ok := step.(decide.StartReading)
	if !ok {
		return 0, nil
	}
	wait, err := p.Protocol.Ask(ctx, p.Session, operate.Question{
		UID: o.object.UID, Generation: o.object.Generation, OrderID: o.object.Status.OrderID.Number(),
		Topic: start.Topic, Token: start.Token, Again: start.Again,
	})
	o.learn(p)
	return wait, err
}

func (o *order) body(request v1alpha1.Request, contact v1alpha1.Contact) []byte {
	return orders.Body(&o.object.Spec, request.Target.RemoteOrderID, contact)
}

// finish records the order that the carrier's response describes.
func (o *order) finish(_ *pass.Pass, request *v1alpha1.Request, body []byte) {
	orders.Accepted(o.object, request, body)
}

// reached records the number of an order that a person found accepted by the carrier, if the
// resolution names it.
func (o *order) reached(request *v1alpha1.Request, _ v1alpha1.ValueSource, _ time.Time) {
	orders.Named(o.object, request)
}

// ledger returns how the attempts at an order are recorded.
func (o *order) ledger(p *pass.Pass) requestledger.Kind {
	return requestledger.Kind{
		Holder: requestledger.HolderOf(o.object),
		Spec: func() v1alpha1.RequestLedgerSpec {
			return v1alpha1.RequestLedgerSpec{
				Order: &v1alpha1.LedgerOrder{CustomerReference: o.object.Spec.CustomerReference},
			}
		},
		Judge: func(input decide.LedgerInput) decide.LedgerVerdict { return orders.JudgeLedger(input, o.object) },
		Show: func(own *v1alpha1.RequestLedger) {
			orders.Project(o.object, own, metav1.NewTime(p.Protocol.Now()))
		},
		Learned: o.learned,
	}
}

// learned records the carrier's response to an accepted order, which most carriers cannot return
// again, and what reads have shown since then. The record is removed if the order may be sent
// again, because the next attempt gets another order number.
func (o *order) learned(spec *v1alpha1.RequestLedgerSpec, by *v1alpha1.Request) {
	newest := o.object.Status.Request
	switch {
	case by == nil && o.learns && newest != nil && !decide.MayOrderAgain(newest.Phase):
		spec.Known.Order = o.object.Status.OrderFacts.DeepCopy()
	case by == nil:
	case by.Phase == v1alpha1.PhaseSucceeded:
		spec.Known.Order = o.object.Status.OrderFacts.DeepCopy()
	case decide.MayOrderAgain(by.Phase):
		spec.Known.Order = nil
	}
}

// gatherQualification reads the result of the qualification if the order still has to be checked
// against it. A resolution of the last attempt may make that necessary in this pass. The
// ConfigMap belongs to the user, and is read directly from the API server, so that the operator
// does not list all ConfigMaps of a cluster.
func (o *order) gatherQualification(ctx context.Context, p *pass.Pass) error {
	ref, request := o.object.Spec.QualificationResultRef, o.object.Status.Request
	if ref == nil || request != nil && !decide.MayOrderAgain(request.Phase) && !o.isResolvedAsNotAccepted(request) {
		return nil
	}
	var result corev1.ConfigMap
	err := p.Protocol.Live.Get(ctx, client.ObjectKey{Namespace: o.object.Namespace, Name: ref.Name}, &result)
	switch {
	case apierrors.IsNotFound(err):
		o.qualificationErr = fmt.Errorf(
			"ConfigMap %s does not exist in this namespace: create it; it is read again in a minute", ref.Name)
		return nil
	case err != nil:
		return fmt.Errorf("read ConfigMap %s: %w", ref.Name, err)
	}
	text := result.BinaryData[ref.Key]
	if plain, ok := result.Data[ref.Key]; ok {
		text = []byte(plain)
	}
	if len(text) == 0 {
		o.qualificationErr = fmt.Errorf(
			"ConfigMap %s has no key %s, or the key is empty: add it; it is read again in a minute", ref.Name, ref.Key)
		return nil
	}
	qualification, err := carrier.DecodeQualification(identifierWord(p), text)
	if err != nil {
		o.qualificationErr = fmt.Errorf("key %s of ConfigMap %s is not a qualification result (%w): correct it; "+
			"it is read again in a minute", ref.Key, ref.Name, err)
		return nil
	}
	o.qualification = &qualification
	return nil
}

// isResolvedAsNotAccepted reports whether a person resolves an attempt as not accepted, so that the
// order may be sent again.
func (o *order) isResolvedAsNotAccepted(request *v1alpha1.Request) bool {
	resolved, _ := decide.ParseResolution(decide.Control(o.object, v1alpha1.AnnotationResolve))
	return resolved.AttemptID == request.AttemptID && resolved.Outcome == decide.ResolvedNotAccepted
}

// identifierWord returns the carrier's own word in identifiers, which also occurs in the document.
func identifierWord(p *pass.Pass) string {
	if p.Account.Object == nil {
		return ""
	}
	return p.Account.Object.Spec.IdentifierWord
}
