// SPDX-License-Identifier: Apache-2.0

package requestledger

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Kind has the functions by which the attempts of an object are recorded in a RequestLedger.
type Kind struct {
	// Holder is the object as the ledger's holder; empty if the ledger is shared.
	Holder v1alpha1.LedgerHolder
	// Spec returns a spec with the subject of the ledger.
	Spec func() v1alpha1.RequestLedgerSpec
	// Judge decides whether the ledger is this object's.
	Judge func(decide.LedgerInput) decide.LedgerVerdict
	// Show updates the status from a ledger, which is nil if the object holds none.
	Show func(*v1alpha1.RequestLedger)
	// Learned adds to a ledger's spec what the object has learned, through an attempt if there is one;
	// nil: it learns nothing that a ledger keeps.
	Learned func(spec *v1alpha1.RequestLedgerSpec, by *v1alpha1.Request)
}

// Shown is what a status shows of its ledger.
type Shown struct {
	At       **v1alpha1.LedgerReference // points into the status
	Requests []v1alpha1.Request
}

// ShownBy returns what the status of an object shows of its ledger; nothing if its kind has none.
func ShownBy(object client.Object) Shown {
	switch object := object.(type) {
	case *v1alpha1.BroadbandService:
		return Shown{&object.Status.Ledger, object.Status.Requests}
	case *v1alpha1.ServiceOrder:
		return Shown{&object.Status.Ledger, requestsOf(&object.Status.TaskStatus)}
	case *v1alpha1.DiagnosticTest:
		return Shown{&object.Status.Ledger, requestsOf(&object.Status.TaskStatus)}
	}
	return Shown{At: new(*v1alpha1.LedgerReference)}
}

func requestsOf(status *v1alpha1.TaskStatus) []v1alpha1.Request {
	if status.Request == nil {
		return nil
	}
	return []v1alpha1.Request{*status.Request}
}

// HolderOf returns an object as the holder of a ledger.
func HolderOf(object client.Object) v1alpha1.LedgerHolder {
	return v1alpha1.LedgerHolder{
		Namespace: object.GetNamespace(), Name: object.GetName(), UID: string(object.GetUID()),
	}
}

// Ledger records the attempts of an object. The status of the object only shows them.
type Ledger struct {
	Kind

	Name    string
	Receipt *v1alpha1.Request       // an attempt whose receipt is only in the status; nil if there is none
	Former  *v1alpha1.RequestLedger // the ledger of the same subject and another login that the status names; nil for none

	ledgers *Store
	subject client.Object
	login   v1alpha1.CarrierLogin   // under which the account's requests are recorded
	cluster string                  // the UID of the cluster
	ledger  *v1alpha1.RequestLedger // as last read or written; nil: there is none
	wrote   bool                    // whether this pass has written it

	behindAtStart bool // whether it was older than a version seen before when the pass began; others must detect that
	fellBehind    bool // whether a step has found it to be older than a version seen before
}

// Of returns the ledger of an object, which is not read yet. Its Name is empty if no request was sent,
// and none is about to be sent.
func (l *Store) Of(subject client.Object, kind Kind, login v1alpha1.CarrierLogin, here decide.Installation) *Ledger {
	of := &Ledger{Kind: kind, ledgers: l, subject: subject, login: login, cluster: here.Cluster}
	of.Name = of.nameOf()
	return of
}

// Beside returns the ledger for another object whose attempts are in it.
func (l *Ledger) Beside(subject client.Object, kind Kind) *Ledger {
	return &Ledger{
		Kind: kind, Name: l.Name, ledgers: l.ledgers, subject: subject, login: l.login, cluster: l.cluster, ledger: l.ledger,
	}
}

// Follow takes over what a ledger beside this one has last read or written.
func (l *Ledger) Follow(beside *Ledger) { l.ledger = beside.ledger }

// nameOf returns the ledger's name. Only the status has it if the service number is missing.
func (l *Ledger) nameOf() string {
	spec := l.Spec()
	spec.Login = l.login
	name := decide.LedgerName(&spec)
	if shown := *ShownBy(l.subject).At; name == "" && shown != nil {
		name = shown.Name
	}
	return name
}

// Read reads the ledger, and reports whether it lacks what the status or this process has seen.
func (l *Ledger) Read(ctx context.Context) (lost bool, err error) {
	status := ShownBy(l.subject)
	shown, revision := *status.At, int64(0)
	if shown != nil && shown.Name == l.Name {
		revision = shown.Revision
	}
	if l.ledger, lost, err = l.ledgers.Get(ctx, l.Name, revision); err != nil {
		return false, fmt.Errorf("look for what was sent for %s: %w", l.subject.GetName(), err)
	}
	l.behindAtStart = lost && l.isShared()
	l.Receipt = l.receiptIn(status.Requests)
	if shown == nil || shown.Name == l.Name {
		return lost || shown != nil && !l.hasAll(status.Requests), nil
	}
	before, err := l.readFormer(ctx, *shown)
	return lost || before, err
}

// readFormer reads the ledger that the status names for the object's previous subject or login, and
// reports whether that ledger has lost something.
func (l *Ledger) readFormer(ctx context.Context, shown v1alpha1.LedgerReference) (lost bool, err error) {
	former, lost, err := l.ledgers.GetFormer(ctx, shown.Name, shown.Revision)
	if err != nil {
		return false, fmt.Errorf("read the former ledger of this object: %w", err)
	}
	if l.hasSameSubject(former) {
		l.Former = former
	}
	return lost, nil
}

// hasSameSubject reports whether the ledger of another login has this object's subject.
func (l *Ledger) hasSameSubject(other *v1alpha1.RequestLedger) bool {
	if other == nil {
		return false
	}
	spec := l.Spec()
	spec.Login = other.Spec.Login
	return decide.LedgerName(&spec) == other.Name
}

// hasAll reports whether the ledger has all attempts that a status shows. A shared ledger drops ended
// attempts of an object for those of others.
func (l *Ledger) hasAll(shown []v1alpha1.Request) bool {
	return !slices.ContainsFunc(shown, func(request v1alpha1.Request) bool {
		dropped := l.ledger.MayHaveDropped(&request) && l.isShared()
		return !dropped && !l.ledger.Knows(&request)
	})
}

// receiptIn returns an attempt whose Location is in the status but not in the ledger; nil for none.
func (l *Ledger) receiptIn(shown []v1alpha1.Request) *v1alpha1.Request {
	at := slices.IndexFunc(shown, func(request v1alpha1.Request) bool { return l.ledger.LacksReceipt(&request) })
	if at < 0 {
		return nil
	}
	return shown[at].DeepCopy()
}

// Apply carries out a verdict: it records in the ledger that something was lost, takes over the
// ledger, or does nothing.
func (l *Ledger) Apply(ctx context.Context, judged decide.LedgerVerdict) error {
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

// Own returns the ledger if this object holds it.
func (l *Ledger) Own() *v1alpha1.RequestLedger {
	if l == nil || l.ledger == nil || l.ledger.Spec.Holder.UID != l.Holder.UID {
		return nil
	}
	return l.ledger
}

// Current returns the ledger as last read or written; nil: there is none.
func (l *Ledger) Current() *v1alpha1.RequestLedger {
	if l == nil {
		return nil
	}
	return l.ledger
}

// ShowReference writes the ledger's name and revision to the status, or removes them if this object
// does not hold the ledger.
func (l *Ledger) ShowReference() {
	if l == nil {
		return
	}
	at := ShownBy(l.subject).At
	if l.isShared() && !l.wrote && *at != nil && (*at).Name == l.Name {
		return // writes by other objects do not concern this one
	}
	*at = nil
	if own := l.Own(); own != nil {
		*at = &v1alpha1.LedgerReference{Name: l.Name, Revision: own.Spec.Revision}
	}
}

// CheckFellBehind fails if a step has found the ledger to be older than a version seen before. The
// next pass handles this first (R5).
func (l *Ledger) CheckFellBehind() error {
	if l == nil || !l.fellBehind {
		return nil
	}
	return fmt.Errorf("continue with %s: %w", l.subject.GetName(), conflict(l.Name, errBehind))
}

// isShared reports whether each object has its own attempts in the ledger, next to those of others.
func (l *Ledger) isShared() bool { return l.Holder == (v1alpha1.LedgerHolder{}) }

// Open writes an intent, and makes this object the ledger's holder.
func (l *Ledger) Open(ctx context.Context, intent v1alpha1.Request) error {
	next := l.next()
	l.setHolder(next)
	next.Spec.Cluster = l.cluster
	intent.UID = string(l.subject.GetUID()) // an attempt that stands for a loss has none
	next.Open(intent)
	l.learn(&next.Spec, &intent)
	return l.put(ctx, next)
}

// Record writes the outcome of an attempt, and what the object has learned from it, whether or not
// the object still holds the ledger (R16).
func (l *Ledger) Record(ctx context.Context, attempt v1alpha1.Request) error {
	if attempt.EndedBy == v1alpha1.EndedByCarrier && l.ledger.IsFinal(attempt.AttemptID) {
		l.Show(l.ledger) // its result is read again; only the status has it
		return nil
	}
	next := l.next()
	next.Put(attempt)
	l.learn(&next.Spec, &attempt)
	return l.put(ctx, next)
}

// SetReference writes the ledger's name and revision to a status. The revision is the newest seen,
// because the object has seen all of the ledger.
func (l *Ledger) SetReference(status client.Object) {
	at, revision := ShownBy(status).At, int64(0)
	if l.ledger != nil {
		revision = l.ledger.Spec.Revision
	}
	if shown := *at; shown != nil && shown.Name == l.Name {
		revision = max(revision, shown.Revision)
	}
	*at = &v1alpha1.LedgerReference{Name: l.Name, Revision: revision}
}

// Late records that the carrier has accepted an attempt that is no longer open.
func (l *Ledger) Late(ctx context.Context, late v1alpha1.Request) (news bool, err error) {
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

// learn adds to a ledger's spec what the object has learned, from an attempt unless by is nil.
func (l *Ledger) learn(spec *v1alpha1.RequestLedgerSpec, by *v1alpha1.Request) {
	if l.Learned != nil {
		l.Learned(spec, by)
	}
}

// RecordLearned records what the object has learned without an attempt. Values that cannot be
// read again would otherwise be lost with the status.
func (l *Ledger) RecordLearned(ctx context.Context) error {
	next := l.next()
	l.learn(&next.Spec, nil)
	if equality.Semantic.DeepEqual(l.orNew().Spec, next.Spec) {
		return nil
	}
	l.setHolder(next)
	return l.put(ctx, next)
}

// setHolder makes this object the holder of the ledger.
func (l *Ledger) setHolder(ledger *v1alpha1.RequestLedger) {
	if holder := l.Holder; ledger.Spec.Holder != holder {
		ledger.TakeOver(holder, l.subject.GetGeneration())
	}
}

// next returns a copy of the ledger to change; a new one if there is none.
func (l *Ledger) next() *v1alpha1.RequestLedger { return l.orNew().DeepCopy() }

// orNew returns the ledger; a new one if there is none.
func (l *Ledger) orNew() *v1alpha1.RequestLedger {
	if l.ledger != nil {
		return l.ledger
	}
	spec := l.Spec()
	spec.Cluster, spec.Login = l.cluster, l.login
	return New(l.Name, spec)
}

// New returns a ledger to create, with the finalizer that protects it.
func New(name string, spec v1alpha1.RequestLedgerSpec) *v1alpha1.RequestLedger {
	spec.Schema = v1alpha1.LedgerSchema
	return &v1alpha1.RequestLedger{
		ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: []string{v1alpha1.FinalizerMemory}},
		Spec:       spec,
	}
}

// put writes the changed ledger, and updates the status from it.
func (l *Ledger) put(ctx context.Context, next *v1alpha1.RequestLedger) error {
	write := l.ledgers.Write
	if l.fellBehind || l.behindAtStart {
		write = l.ledgers.Amend
	}
	if err := write(ctx, next); err != nil {
		return fmt.Errorf("record what is sent for %s: %w", l.subject.GetName(), err)
	}
	l.ledger, l.wrote = next, true
	l.Show(l.ledger)
	return nil
}

// Verify fails if the ledger changed after the intent, or if a status has seen a newer ledger,
// because a ledger restored to its state before an attempt does not show that the attempt was sent.
func (l *Ledger) Verify(ctx context.Context, live client.Object) error {
	if l.lacks(ShownBy(live)) {
		return ErrChanged
	}
	return l.ledgers.Unchanged(ctx, l.ledger)
}

// lacks reports whether a status has seen more than the ledger that this pass has written. The
// very attempt that is about to be sent does not count, because another manager may have read it
// from the ledger.
func (l *Ledger) lacks(status Shown) bool {
	shown := *status.At
	if shown == nil || shown.Name != l.Name {
		return false
	}
	return Plausible(shown.Revision) > l.ledger.Spec.Revision ||
		shown.Revision == l.ledger.Spec.Revision && !l.hasAll(status.Requests)
}

// Reload makes the object show what is recorded now. A deleted ledger is replaced by the copy in
// memory, which the next write creates again.
func (l *Ledger) Reload(ctx context.Context) error {
	live, lost, err := l.ledgers.GetLive(ctx, l.Name)
	if err != nil {
		return err
	}
	if live == nil && l.ledger != nil {
		live, lost = l.ledger, false
		live.ResourceVersion, live.UID = "", ""
	}
	l.ledger, l.fellBehind = live, lost
	l.Show(l.ledger) // for any holder: the outcome of an attempt must still be recorded
	return nil
}
