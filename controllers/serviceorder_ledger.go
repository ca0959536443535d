// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// orderLedger is the ledger of an order in one pass.
type orderLedger struct {
	*operate.Ledgers

	order  *v1alpha1.ServiceOrder
	name   string
	ledger *v1alpha1.RequestLedger // as it was read or written last; nil: there is none
	now    func() metav1.Time
}

var _ operate.Ledger = (*orderLedger)(nil)

// gatherLedger reads the ledger of the customerReference, makes sure that it is this object's, and
// has the status show what it says.
func (p *orderPass) gatherLedger(ctx context.Context) error {
	name, now := p.ledgerName(), func() metav1.Time { return metav1.NewTime(p.Protocol.Now()) }
	if name == "" {
		decide.ProjectOrder(p.order, nil, now()) // neither sent, nor about to be
		return nil
	}
	p.ledger = &orderLedger{Ledgers: p.of.Ledgers, order: p.order, name: name, now: now}
	lost, err := p.ledger.read(ctx)
	if errors.Is(err, operate.ErrLedgerDamaged) {
		p.ledger, p.verdict = nil, new(decide.DamagedLedger(err))
		return nil
	}
	if err == nil && p.account.Object != nil {
		err = p.judgeLedger(ctx, lost)
	}
	if err != nil {
		return err
	}
	decide.ProjectOrder(p.order, p.ledger.own(), p.ledger.now())
	return nil
}

// ledgerName: without its account, only the status knows the ledger of an order.
func (p *orderPass) ledgerName() string {
	switch shown := p.order.Status.Ledger; {
	case p.account.Object != nil:
		return operate.OrderLedger(p.account.Object.IdentityName(), p.order.Spec.CustomerReference)
	case shown != nil:
		return shown.Name
	}
	return ""
}

// judgeLedger makes sure that the ledger is this object's.
func (p *orderPass) judgeLedger(ctx context.Context, lost bool) (err error) {
	view := decide.LedgerView{OrderView: p.orderView(p.view()), Lost: lost}
	if held := p.ledger.ledger; held != nil && held.Spec.Holder.UID != string(p.order.UID) {
		if view.HolderLives, err = p.holderLives(ctx, held.Spec.Holder); err != nil {
			return err
		}
	}
	judged := decide.JudgeLedger(view)
	p.verdict = judged.Verdict
	if judged.Lost != nil && judged.Lost.AttemptID == "" {
		judged.Lost.AttemptID = p.Protocol.NewID() // for resolve to name
	}
	return p.ledger.act(ctx, judged)
}

// holderLives says whether the object that holds a ledger is there. "Forbidden ... or an error is
// not 'gone'" (R2).
func (p *orderPass) holderLives(ctx context.Context, holder v1alpha1.LedgerHolder) (bool, error) {
	var order v1alpha1.ServiceOrder
	err := p.Protocol.Live.Get(ctx, client.ObjectKey{Namespace: holder.Namespace, Name: holder.Name}, &order)
	switch {
	case apierrors.IsNotFound(err):
		return false, nil
	case apierrors.IsForbidden(err):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("look for ServiceOrder %s/%s, the holder: %w", holder.Namespace, holder.Name, err)
	}
	return string(order.UID) == holder.UID, nil
}

// read reads the ledger, and says whether it has lost what the status, or this process, has seen
// of it.
func (l *orderLedger) read(ctx context.Context) (lost bool, err error) {
	shown, revision := l.order.Status.Ledger, int64(0)
	if shown != nil && shown.Name == l.name {
		revision = shown.Revision
	}
	if l.ledger, lost, err = l.Get(ctx, l.name, revision); err != nil {
		return false, fmt.Errorf("look for what was sent for customerReference %q: %w", l.order.Spec.CustomerReference, err)
	}
	if shown == nil || shown.Name == l.name {
		return lost || shown != nil && !l.ledger.Knows(l.order.Status.Request), nil
	}
	_, before, err := l.Get(ctx, shown.Name, shown.Revision) // of the customerReference that it had before
	if err != nil {
		return false, fmt.Errorf("look for what this object has sent before: %w", err)
	}
	return lost || before, nil
}

// act takes the ledger over, or writes into it that something was lost.
func (l *orderLedger) act(ctx context.Context, judged decide.LedgerVerdict) error {
	switch {
	case judged.Lost != nil:
		return l.Open(ctx, *judged.Lost)
	case judged.Take:
		return l.write(ctx, l.hold)
	}
	return nil
}

// own is the ledger, where this object holds it.
func (l *orderLedger) own() *v1alpha1.RequestLedger {
	if l.ledger == nil || l.ledger.Spec.Holder.UID != string(l.order.UID) {
		return nil
	}
	return l.ledger
}

// show has the status name the ledger.
func (l *orderLedger) show() {
	l.order.Status.Ledger = nil
	if own := l.own(); own != nil {
		l.order.Status.Ledger = &v1alpha1.LedgerReference{Name: l.name, Revision: own.Spec.Revision}
	}
}

// Open writes an intent, and makes the ledger this object's.
func (l *orderLedger) Open(ctx context.Context, intent v1alpha1.Request) error {
	return l.write(ctx, func(ledger *v1alpha1.RequestLedger) {
		l.hold(ledger)
		ledger.Spec.Identity, ledger.Spec.BaseURL = intent.Identity, intent.BaseURL
		ledger.Open(intent)
	})
}

// Record writes what became of an attempt, and what the carrier said of the order: "Outcomes are
// written by whoever has them, holder or not" (R16).
func (l *orderLedger) Record(ctx context.Context, attempt v1alpha1.Request) error {
	return l.write(ctx, func(ledger *v1alpha1.RequestLedger) {
		ledger.Put(attempt)
		if attempt.Phase == v1alpha1.PhaseSucceeded {
			ledger.Spec.Known.Order = l.order.Status.OrderFacts.DeepCopy()
		}
	})
}

// Late writes that the carrier has taken an attempt that is not open any more.
func (l *orderLedger) Late(ctx context.Context, attemptID string, handle carrier.Handle) (news bool, err error) {
	late := v1alpha1.Request{
		Operation: v1alpha1.OperationOrderCreate, AttemptID: attemptID, Location: handle.Path(),
		APIVersion: int32(handle.Version), //nolint:gosec // it is between 1 and 8
	}
	if l.ledger == nil {
		return false, nil
	}
	next := l.ledger.DeepCopy()
	late.Identity, late.BaseURL = next.Spec.Identity, next.Spec.BaseURL
	if !next.AcceptLate(late) {
		return false, nil
	}
	err = l.put(ctx, next)
	return err == nil, err
}

func (l *orderLedger) hold(ledger *v1alpha1.RequestLedger) {
	ledger.Spec.Holder = v1alpha1.LedgerHolder{
		Namespace: l.order.Namespace, Name: l.order.Name, UID: string(l.order.UID),
	}
}

// write changes the ledger that was read, or makes it.
func (l *orderLedger) write(ctx context.Context, change func(*v1alpha1.RequestLedger)) error {
	next := l.ledger.DeepCopy()
	if next == nil {
		next = &v1alpha1.RequestLedger{
			ObjectMeta: metav1.ObjectMeta{Name: l.name, Finalizers: []string{v1alpha1.FinalizerMemory}},
			Spec: v1alpha1.RequestLedgerSpec{
				Schema: v1alpha1.LedgerSchema,
				Order:  &v1alpha1.LedgerOrder{CustomerReference: l.order.Spec.CustomerReference},
			},
		}
	}
	change(next)
	return l.put(ctx, next)
}

// put writes the ledger as it is to be.
func (l *orderLedger) put(ctx context.Context, next *v1alpha1.RequestLedger) error {
	if err := l.Write(ctx, next); err != nil {
		return fmt.Errorf("record what is sent for customerReference %q: %w", l.order.Spec.CustomerReference, err)
	}
	l.ledger = next
	return nil
}

// Stands fails unless the ledger is as the intent left it, and no status has seen a newer one: a
// ledger that was restored from before an attempt looks as if nothing had been sent.
func (l *orderLedger) Stands(ctx context.Context, live operate.Subject) error {
	if order, is := live.(*v1alpha1.ServiceOrder); is && l.isBehind(order) {
		return operate.ErrLedgerChanged
	}
	return l.Unchanged(ctx, l.ledger)
}

// isBehind says whether a status has seen more than the ledger that was written. Another manager may
// show the very attempt that is about to be sent.
func (l *orderLedger) isBehind(order *v1alpha1.ServiceOrder) bool {
	shown := order.Status.Ledger
	if shown == nil || shown.Name != l.name {
		return false
	}
	return shown.Revision > l.ledger.Spec.Revision ||
		shown.Revision == l.ledger.Spec.Revision && !l.ledger.Knows(order.Status.Request)
}

// Reload shows the object what is on record now. A ledger that is gone is made again of what this
// process knows of it.
func (l *orderLedger) Reload(ctx context.Context) error {
	live, err := l.Newest(ctx, l.name)
	if err != nil {
		return err
	}
	if live == nil && l.ledger != nil {
		live = l.ledger
		live.ResourceVersion, live.UID = "", ""
	}
	l.ledger = live
	decide.ProjectOrder(l.order, l.ledger, l.now())
	return nil
}
