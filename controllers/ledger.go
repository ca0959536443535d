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

// ledgerKind is a kind whose attempts are recorded in a RequestLedger.
type ledgerKind interface {
	// ledgerSpec returns a spec with the subject of the ledger.
	ledgerSpec() v1alpha1.RequestLedgerSpec
	// judgeLedger decides whether the ledger is this object's.
	judgeLedger(input decide.LedgerInput) decide.LedgerVerdict
	// showLedger updates the status from a ledger, which is nil if the object holds none.
	showLedger(held *v1alpha1.RequestLedger)
	// shownLedger returns what the status of an object of the kind shows of its ledger.
	shownLedger(object client.Object) shownLedger
	// learned adds to a ledger's spec what the object has learned, through an attempt if there is one.
	learned(spec *v1alpha1.RequestLedgerSpec, by *v1alpha1.Request)
	// holder returns the object as the ledger's holder; empty if the ledger is shared.
	holder() v1alpha1.LedgerHolder
}

// holderOf returns an object as the holder of a ledger.
func holderOf(object client.Object) v1alpha1.LedgerHolder {
	return v1alpha1.LedgerHolder{
		Namespace: object.GetNamespace(), Name: object.GetName(), UID: string(object.GetUID()),
	}
}

// shownLedger is what a status shows of its ledger.
type shownLedger struct {
	at       **v1alpha1.LedgerReference
	requests []v1alpha1.Request
}

// objectLedger is the ledger of an object in one pass.
type objectLedger struct {
	*operate.Ledgers

	kind    ledgerKind
	subject Subject
	login   v1alpha1.CarrierLogin // under which the account's requests are recorded
	here    decide.Installation
	name    string
	ledger  *v1alpha1.RequestLedger // as last read or written; nil: there is none
	wrote   bool                    // whether this pass has written it
	former  *v1alpha1.RequestLedger // the ledger of the same subject and another login that the status names; nil for none
	receipt *v1alpha1.Request       // an attempt whose receipt only the status has; nil for none

	behindAtStart bool // whether it was older than a version seen before when the pass began; others must detect that
	fellBehind    bool // whether a step has found it to be older than a version seen before
}

var _ operate.Ledger = (*objectLedger)(nil)

// nameOf returns the ledger's name. Only the status has it if the service number is missing.
func (l *objectLedger) nameOf() string {
	spec := l.kind.ledgerSpec()
	spec.Login = l.login
	name := decide.LedgerName(&spec)
	if shown := *l.kind.shownLedger(l.subject).at; name == "" && shown != nil {
		name = shown.Name
	}
	return name
}

// read reads the ledger, and reports whether it lacks what the status or this process has seen.
func (l *objectLedger) read(ctx context.Context) (lost bool, err error) {
	status := l.kind.shownLedger(l.subject)
	shown, revision := *status.at, int64(0)
	if shown != nil && shown.Name == l.name {
		revision = shown.Revision
	}
	if l.ledger, lost, err = l.Get(ctx, l.name, revision); err != nil {
		return false, fmt.Errorf("look for what was sent for %s: %w", l.subject.GetName(), err)
	}
	l.behindAtStart = lost && l.isShared()
	l.receipt = l.receiptIn(status.requests)
	if shown == nil || shown.Name == l.name {
		return lost || shown != nil && !l.hasAll(status.requests), nil
	}
	before, err := l.readFormer(ctx, *shown)
	return lost || before, err
}

// readFormer reads the ledger that the status names for the object's previous subject or login, and
// reports whether that ledger has lost something.
func (l *objectLedger) readFormer(ctx context.Context, shown v1alpha1.LedgerReference) (lost bool, err error) {
	former, lost, err := l.GetFormer(ctx, shown.Name, shown.Revision)
	if err != nil {
		return false, fmt.Errorf("read the former ledger of this object: %w", err)
	}
	if l.hasSameSubject(former) {
		l.former = former
	}
	return lost, nil
}

// hasSameSubject reports whether the ledger of another login has this object's subject.
func (l *objectLedger) hasSameSubject(other *v1alpha1.RequestLedger) bool {
	if other == nil {
		return false
	}
	spec := l.kind.ledgerSpec()
	spec.Login = other.Spec.Login
	return decide.LedgerName(&spec) == other.Name
}

// hasAll reports whether the ledger has all attempts that a status shows. A shared ledger drops ended
// attempts of an object for those of others.
func (l *objectLedger) hasAll(shown []v1alpha1.Request) bool {
	return !slices.ContainsFunc(shown, func(request v1alpha1.Request) bool {
		dropped := l.ledger.MayHaveDropped(&request) && l.isShared()
		return !dropped && !l.ledger.Knows(&request)
	})
}

// receiptIn returns an attempt whose Location is in the status but not in the ledger; nil for none.
func (l *objectLedger) receiptIn(shown []v1alpha1.Request) *v1alpha1.Request {
	at := slices.IndexFunc(shown, func(request v1alpha1.Request) bool { return l.ledger.LacksReceipt(&request) })
	if at < 0 {
		return nil
	}
	return shown[at].DeepCopy()
}

// apply carries out a verdict: it records in the ledger that something was lost, takes over the
// ledger, or does nothing.
func (l *objectLedger) apply(ctx context.Context, judged decide.LedgerVerdict) error {
	switch {
	case judged.Lost != nil:
		l.behindAtStart = false
		return l.Open(ctx, *judged.Lost)
	case judged.TakeOver:
		next := l.next()
		l.setHolder(next)
		return l.put(ctx, next)
	}
	return nil
}

// own returns the ledger if this object holds it.
func (l *objectLedger) own() *v1alpha1.RequestLedger {
	if l == nil || l.ledger == nil || l.ledger.Spec.Holder.UID != l.kind.holder().UID {
		return nil
	}
	return l.ledger
}

// held returns the ledger as last read or written; nil: there is none.
func (l *objectLedger) held() *v1alpha1.RequestLedger {
	if l == nil {
		return nil
	}
	return l.ledger
}

// show writes the ledger's name and revision to the status, or removes them if this object does not
// hold the ledger.
func (l *objectLedger) show() {
	if l == nil {
		return
	}
	at := l.kind.shownLedger(l.subject).at
	if l.isShared() && !l.wrote && *at != nil && (*at).Name == l.name {
		return // writes by other objects do not concern this one
	}
	*at = nil
	if own := l.own(); own != nil {
		*at = &v1alpha1.LedgerReference{Name: l.name, Revision: own.Spec.Revision}
	}
}

// checkFellBehind fails if a step has found the ledger to be older than a version seen before. The
// next pass handles this first (R5).
func (l *objectLedger) checkFellBehind() error {
	if l == nil || !l.fellBehind {
		return nil
	}
	return fmt.Errorf("continue with %s: %w", l.subject.GetName(), operate.Behind(l.name))
}

// isShared reports whether each object has its own attempts in the ledger, next to those of others.
func (l *objectLedger) isShared() bool { return l.kind.holder() == (v1alpha1.LedgerHolder{}) }

// Open writes an intent, and makes this object the ledger's holder.
func (l *objectLedger) Open(ctx context.Context, intent v1alpha1.Request) error {
	next := l.next()
	l.setHolder(next)
	next.Spec.Cluster = l.here.Cluster
	intent.UID = string(l.subject.GetUID()) // an attempt that stands for a loss has none
	next.Open(intent)
	l.kind.learned(&next.Spec, &intent)
	return l.put(ctx, next)
}

// Record writes the outcome of an attempt, and what the object has learned from it, whether or not
// the object still holds the ledger (R16).
func (l *objectLedger) Record(ctx context.Context, attempt v1alpha1.Request) error {
	if attempt.EndedBy == v1alpha1.EndedByCarrier && l.ledger.IsFinal(attempt.AttemptID) {
		l.kind.showLedger(l.ledger) // its result is read again; only the status has it
		return nil
	}
	next := l.next()
	next.Put(attempt)
	l.kind.learned(&next.Spec, &attempt)
	return l.put(ctx, next)
}

// SetReference writes the ledger's name and revision to a status. The revision is the newest seen,
// because the object has seen all of the ledger.
func (l *objectLedger) SetReference(status operate.Subject) {
	at, revision := l.kind.shownLedger(status).at, int64(0)
	if l.ledger != nil {
		revision = l.ledger.Spec.Revision
	}
	if shown := *at; shown != nil && shown.Name == l.name {
		revision = max(revision, shown.Revision)
	}
	*at = &v1alpha1.LedgerReference{Name: l.name, Revision: revision}
}

// OtherAttemptAt returns the id of another attempt that has a path as its Location; "" for none.
func (l *objectLedger) OtherAttemptAt(attempt *v1alpha1.Request, location string) string {
	return l.ledger.OtherAttemptAt(attempt, location)
}

// Late records that the carrier has accepted an attempt that is no longer open.
func (l *objectLedger) Late(ctx context.Context, late v1alpha1.Request) (news bool, err error) {
	if l.ledger == nil {
		return true, nil // there would be no object to resolve it
	}
	next := l.next()
	late.UID = cmp.Or(next.Spec.Holder.UID, string(l.subject.GetUID())) // the object that a person resolves
	late.Login = next.Spec.Login
	if !next.AcceptLate(late) {
		return false, nil
	}
	err = l.put(ctx, next)
	return err == nil, err
}

// setHolder makes this object the holder of the ledger.
func (l *objectLedger) setHolder(ledger *v1alpha1.RequestLedger) {
	if holder := l.kind.holder(); ledger.Spec.Holder != holder {
		ledger.TakeOver(holder, l.subject.GetGeneration())
	}
}

// next returns a copy of the ledger to change; a new one if there is none.
func (l *objectLedger) next() *v1alpha1.RequestLedger { return l.current().DeepCopy() }

// current returns the ledger; a new one if there is none.
func (l *objectLedger) current() *v1alpha1.RequestLedger {
	if l.ledger != nil {
		return l.ledger
	}
	spec := l.kind.ledgerSpec()
	spec.Cluster, spec.Login = l.here.Cluster, l.login
	return newLedger(l.name, spec)
}

// newLedger returns a ledger to create, with the finalizer that protects it.
func newLedger(name string, spec v1alpha1.RequestLedgerSpec) *v1alpha1.RequestLedger {
	spec.Schema = v1alpha1.LedgerSchema
	return &v1alpha1.RequestLedger{
		ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: []string{v1alpha1.FinalizerMemory}},
		Spec:       spec,
	}
}

// put writes the changed ledger, and updates the status from it.
func (l *objectLedger) put(ctx context.Context, next *v1alpha1.RequestLedger) error {
	write := l.Write
	if l.fellBehind || l.behindAtStart {
		write = l.Amend
	}
	if err := write(ctx, next); err != nil {
		return fmt.Errorf("record what is sent for %s: %w", l.subject.GetName(), err)
	}
	l.ledger, l.wrote = next, true
	l.kind.showLedger(l.ledger)
	return nil
}

// Verify fails if the ledger changed after the intent, or if a status has seen a newer ledger,
// because a ledger restored to its state before an attempt does not show that the attempt was sent.
func (l *objectLedger) Verify(ctx context.Context, live operate.Subject) error {
	if l.lacks(l.kind.shownLedger(live)) {
		return operate.ErrLedgerChanged
	}
	return l.Unchanged(ctx, l.ledger)
}

// lacks reports whether a status has seen more than the ledger that this pass has written. The
// very attempt that is about to be sent does not count, because another manager may have read it
// from the ledger.
func (l *objectLedger) lacks(status shownLedger) bool {
	shown := *status.at
	if shown == nil || shown.Name != l.name {
		return false
	}
	return operate.Plausible(shown.Revision) > l.ledger.Spec.Revision ||
		shown.Revision == l.ledger.Spec.Revision && !l.hasAll(status.requests)
}

// Reload makes the object show what is recorded now. A deleted ledger is replaced by the copy in
// memory, which the next write creates again.
func (l *objectLedger) Reload(ctx context.Context) error {
	live, lost, err := l.GetLive(ctx, l.name)
	if err != nil {
		return err
	}
	if live == nil && l.ledger != nil {
		live, lost = l.ledger, false
		live.ResourceVersion, live.UID = "", ""
	}
	l.ledger, l.fellBehind = live, lost
	l.kind.showLedger(l.ledger) // for any holder: the outcome of an attempt must still be recorded
	return nil
}
