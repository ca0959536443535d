// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// ledgered is a kind whose attempts are on record in a RequestLedger.
type ledgered interface {
	// ledgerSpec says what the ledger is about.
	ledgerSpec() v1alpha1.RequestLedgerSpec
	// judgeLedger says whether the ledger is this object's.
	judgeLedger(input decide.LedgerInput) decide.LedgerVerdict
	// showLedger has the status say what a ledger says; nil where the object holds none.
	showLedger(held *v1alpha1.RequestLedger)
	// shownLedger is what the status of an object of the kind says of its ledger.
	shownLedger(object client.Object) shownLedger
	// learned adds what the object has learned, by an attempt where there is one.
	learned(spec *v1alpha1.RequestLedgerSpec, by *v1alpha1.Request)
	// holder is the object as the ledger's holder; none where each object has its own attempts in it.
	holder() v1alpha1.LedgerHolder
}

// holding is an object as the holder of a ledger.
func holding(object client.Object) v1alpha1.LedgerHolder {
	return v1alpha1.LedgerHolder{
		Namespace: object.GetNamespace(), Name: object.GetName(), UID: string(object.GetUID()),
	}
}

// shownLedger is what a status says of its ledger.
type shownLedger struct {
	at       **v1alpha1.LedgerReference
	requests []v1alpha1.Request
}

// objectLedger is the ledger of an object in one pass.
type objectLedger struct {
	*operate.Ledgers

	kind    ledgered
	subject Subject
	account *v1alpha1.CarrierAccount // nil: there is none
	here    decide.Installation
	name    string
	ledger  *v1alpha1.RequestLedger // as it was read or written last; nil: there is none
	wrote   bool                    // whether this pass has written it
	renamed bool                    // whether the status names that of another identity
	receipt *v1alpha1.Request       // what the status alone has of an attempt; nil for none
	lost    bool                    // whether a step has found it behind what this process has seen of it
	behind  bool                    // whether it was so when the pass began, and others have yet to find that out
}

var _ operate.Ledger = (*objectLedger)(nil)

// nameOf: without its account, or the number of its service, only the status knows the ledger of an
// object.
func (l *objectLedger) nameOf() string {
	spec, name := l.kind.ledgerSpec(), ""
	if l.account != nil {
		spec.Identity = l.account.IdentityName()
		name = operate.LedgerName(&spec)
	}
	if shown := *l.kind.shownLedger(l.subject).at; name == "" && shown != nil {
		name = shown.Name
	}
	return name
}

// read reads the ledger, and says whether it has lost what the status, or this process, has seen
// of it.
func (l *objectLedger) read(ctx context.Context) (lost bool, err error) {
	status := l.kind.shownLedger(l.subject)
	shown, revision := *status.at, int64(0)
	if shown != nil && shown.Name == l.name {
		revision = shown.Revision
	}
	if l.ledger, lost, err = l.Get(ctx, l.name, revision); err != nil {
		return false, fmt.Errorf("look for what was sent for %s: %w", l.subject.GetName(), err)
	}
	l.behind = lost && l.isShared()
	l.receipt = l.receiptIn(status.requests)
	if shown == nil || shown.Name == l.name {
		return lost || shown != nil && !l.knows(status.requests), nil
	}
	before, err := l.readFormer(ctx, *shown)
	return lost || before, err
}

// readFormer reads the ledger that the status names, of what the object was about before, and says
// whether that has lost something, or is this object's under another name.
func (l *objectLedger) readFormer(ctx context.Context, shown v1alpha1.LedgerReference) (lost bool, err error) {
	former, lost, err := l.Get(ctx, shown.Name, shown.Revision)
	if err != nil {
		return false, fmt.Errorf("look for what this object has sent before: %w", err)
	}
	l.renamed = l.isAboutTheSame(former)
	return lost || l.renamed, nil
}

// isAboutTheSame says whether the ledger of another identity is about what this object is about: "a
// status ... whose ledger ... has another name" (R5). To the carrier both may be one client.
func (l *objectLedger) isAboutTheSame(other *v1alpha1.RequestLedger) bool {
	if other == nil {
		return false
	}
	spec := l.kind.ledgerSpec()
	spec.Identity = other.Spec.Identity
	return operate.LedgerName(&spec) == other.Name
}

// knows says whether the ledger has all of the attempts that a status shows.
func (l *objectLedger) knows(shown []v1alpha1.Request) bool {
	return !slices.ContainsFunc(shown, func(request v1alpha1.Request) bool { return !l.ledger.Knows(&request) })
}

// act takes the ledger over, or writes into it that something was lost.
func (l *objectLedger) act(ctx context.Context, judged decide.LedgerVerdict) error {
	switch {
	case judged.Lost != nil:
		l.behind = false
		return l.Open(ctx, *judged.Lost)
	case judged.Take:
		next := l.next()
		l.hold(next)
		return l.put(ctx, next)
	}
	return nil
}

// own is the ledger, where this object holds it.
func (l *objectLedger) own() *v1alpha1.RequestLedger {
	if l == nil || l.ledger == nil || l.ledger.Spec.Holder.UID != l.kind.holder().UID {
		return nil
	}
	return l.ledger
}

// held is the ledger as it was read or written last; nil: there is none.
func (l *objectLedger) held() *v1alpha1.RequestLedger {
	if l == nil {
		return nil
	}
	return l.ledger
}

// show has the status name the ledger.
func (l *objectLedger) show() {
	if l == nil {
		return
	}
	at := l.kind.shownLedger(l.subject).at
	if l.isShared() && !l.wrote && *at != nil && (*at).Name == l.name {
		return // what others write into it is no news of this object
	}
	*at = nil
	if own := l.own(); own != nil {
		*at = &v1alpha1.LedgerReference{Name: l.name, Revision: own.Spec.Revision}
	}
}

// Open writes an intent, and makes the ledger this object's.
func (l *objectLedger) Open(ctx context.Context, intent v1alpha1.Request) error {
	next := l.next()
	l.hold(next)
	next.Spec.Cluster = l.here.Cluster
	next.Spec.Identity, next.Spec.BaseURL = intent.Identity, intent.BaseURL
	intent.UID = string(l.subject.GetUID()) // one that stands for what was lost comes by itself
	next.Open(intent)
	l.kind.learned(&next.Spec, &intent)
	return l.put(ctx, next)
}

// Record writes what became of an attempt, and what the object has learned by it: "Outcomes are
// written by whoever has them, holder or not" (R16).
func (l *objectLedger) Record(ctx context.Context, attempt v1alpha1.Request) error {
	if attempt.EndedBy == v1alpha1.EndedByCarrier && l.ledger.IsFinal(attempt.AttemptID) {
		l.kind.showLedger(l.ledger) // its result is read again, which the status alone has
		return nil
	}
	next := l.next()
	next.Put(attempt)
	l.kind.learned(&next.Spec, &attempt)
	return l.put(ctx, next)
}

// Late writes that the carrier has taken an attempt that is not open any more.
func (l *objectLedger) Late(ctx context.Context, late v1alpha1.Request) (news bool, err error) {
	if l.ledger == nil {
		return true, nil // nobody would be there to resolve it
	}
	next := l.next()
	late.UID = cmp.Or(next.Spec.Holder.UID, string(l.subject.GetUID())) // who is asked what becomes of it
	late.Identity, late.BaseURL = next.Spec.Identity, next.Spec.BaseURL
	if !next.AcceptLate(late) {
		return false, nil
	}
	err = l.put(ctx, next)
	return err == nil, err
}

// hold makes the ledger this object's, and what is under way with it.
func (l *objectLedger) hold(ledger *v1alpha1.RequestLedger) {
	holder := l.kind.holder()
	if ledger.Spec.Holder == holder {
		return
	}
	ledger.Spec.Holder = holder
	for i := range ledger.Spec.Open {
		open := &ledger.Spec.Open[i]
		open.UID, open.Generation, open.TakenOver = string(l.subject.GetUID()), l.subject.GetGeneration(), true
	}
}

// next is the ledger, to be changed; a new one where there is none.
func (l *objectLedger) next() *v1alpha1.RequestLedger { return l.current().DeepCopy() }

// current is the ledger as it is; a new one where there is none.
func (l *objectLedger) current() *v1alpha1.RequestLedger {
	if l.ledger != nil {
		return l.ledger
	}
	spec := l.kind.ledgerSpec()
	spec.Cluster = l.here.Cluster
	if l.account != nil {
		spec.Identity, spec.BaseURL = l.account.IdentityName(), l.account.Spec.BaseURL
	}
	return newLedger(l.name, spec)
}

// newLedger is a ledger that is to be created, with the finalizer that keeps it.
func newLedger(name string, spec v1alpha1.RequestLedgerSpec) *v1alpha1.RequestLedger {
	spec.Schema = v1alpha1.LedgerSchema
	return &v1alpha1.RequestLedger{
		ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: []string{v1alpha1.FinalizerMemory}},
		Spec:       spec,
	}
}

// put writes the ledger as it is to be, and has the status show it.
func (l *objectLedger) put(ctx context.Context, next *v1alpha1.RequestLedger) error {
	write := l.Write
	if l.lost || l.behind {
		write = l.Amend
	}
	if err := write(ctx, next); err != nil {
		return fmt.Errorf("record what is sent for %s: %w", l.subject.GetName(), err)
	}
	l.ledger, l.wrote = next, true
	l.kind.showLedger(l.ledger)
	return nil
}

// Stands fails unless the ledger is as the intent left it, and no status has seen a newer one: a
// ledger that was restored from before an attempt looks as if nothing had been sent.
func (l *objectLedger) Stands(ctx context.Context, live operate.Subject) error {
	if l.isBehind(l.kind.shownLedger(live)) {
		return operate.ErrLedgerChanged
	}
	return l.Unchanged(ctx, l.ledger)
}

// isBehind says whether a status has seen more than the ledger that was written. Another manager may
// show the very attempt that is about to be sent.
func (l *objectLedger) isBehind(status shownLedger) bool {
	shown := *status.at
	if shown == nil || shown.Name != l.name {
		return false
	}
	return operate.Plausible(shown.Revision) > l.ledger.Spec.Revision ||
		shown.Revision == l.ledger.Spec.Revision && !l.knows(status.requests)
}

// Reload shows the object what is on record now. A ledger that is gone is made again of what this
// process knows of it.
func (l *objectLedger) Reload(ctx context.Context) error {
	live, lost, err := l.Latest(ctx, l.name)
	if err != nil {
		return err
	}
	if live == nil && l.ledger != nil {
		live, lost = l.ledger, false
		live.ResourceVersion, live.UID = "", ""
	}
	l.ledger, l.lost = live, lost
	l.kind.showLedger(l.ledger) // whoever holds it by now: what became of an attempt is still to be recorded
	return nil
}
