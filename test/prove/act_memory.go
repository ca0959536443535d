// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"maps"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// forgedBy is how far the revision in a forged status is ahead of the ledger.
const forgedBy = 1000

// putBack restores the status that the object had before its current one.
func (r *run) putBack(ctx context.Context) {
	subject := r.plain(ctx)
	if subject == nil {
		return
	}
	older := r.plan.Scenario.Empty()
	if !r.before(ctx, subject, older) {
		return
	}
	older.SetResourceVersion(subject.GetResourceVersion())
	must(r.store.Client().Status().Update(ctx, older))
	r.loseMemory()
}

// forge writes a ledger revision into the status that is ahead of the ledger.
func (r *run) forge(ctx context.Context) {
	subject := r.plain(ctx)
	if subject == nil {
		return
	}
	seen := ledgerSeen(subject)
	if seen == nil {
		return
	}
	seen.Revision += forgedBy
	must(r.store.Client().Status().Update(ctx, subject))
	r.loseMemory()
}

// ledgerSeen returns the ledger reference in a status, or nil.
func ledgerSeen(subject Subject) *v1alpha1.LedgerReference {
	switch object := subject.(type) {
	case *v1alpha1.BroadbandService:
		return object.Status.Ledger
	case *v1alpha1.ServiceOrder:
		return object.Status.Ledger
	case *v1alpha1.DiagnosticTest:
		return object.Status.Ledger
	}
	return nil
}

// dropLedger force-deletes the ledger.
func (r *run) dropLedger(ctx context.Context) {
	if ledger := r.ledger(ctx); ledger != nil {
		r.forceAway(ctx, ledger)
		r.loseMemory()
	}
}

// rollBackLedger restores the ledger to the version before its newest write.
func (r *run) rollBackLedger(ctx context.Context) {
	ledger, older := r.ledger(ctx), &v1alpha1.RequestLedger{}
	if ledger == nil || !r.before(ctx, ledger, older) {
		return
	}
	r.replaceLedger(ctx, ledger, older)
}

// emptyLedger replaces the ledger with an empty one, as a restore would.
func (r *run) emptyLedger(ctx context.Context) {
	ledger := r.ledger(ctx)
	if ledger == nil {
		return
	}
	empty := ledger.DeepCopy()
	empty.Spec.Open, empty.Spec.Ended, empty.Spec.Last, empty.Spec.Revision, empty.Spec.Sequence = nil, nil, nil, 1, 0
	empty.Spec.Known, empty.Spec.Baseline = v1alpha1.KnownToLedger{}, nil
	r.replaceLedger(ctx, ledger, empty)
}

func (r *run) replaceLedger(ctx context.Context, ledger, by *v1alpha1.RequestLedger) {
	r.forceAway(ctx, ledger)
	by.SetResourceVersion("")
	by.SetUID("")
	must(r.store.Client().Create(ctx, by))
	r.loseMemory()
}

// outdate writes the ledger as a newer version of the operator would.
func (r *run) outdate(ctx context.Context) {
	if ledger := r.ledger(ctx); ledger != nil {
		ledger.Spec.Schema++
		ledger.Spec.Revision++
		must(r.store.Client().Update(ctx, ledger))
		r.meddled = true
	}
}

// forceOff removes the object's finalizers and deletes it.
func (r *run) forceOff(ctx context.Context) {
	if subject := r.plain(ctx); subject != nil {
		r.forceAway(ctx, subject)
		r.removed = true
	}
}

// loseMemory notes that the recorded state was replaced, not reached by a transition.
func (r *run) loseMemory() {
	r.wiped, r.version, r.seen, r.books = true, r.store.Version(), r.subject(), r.readBooks()
	for _, ledger := range r.books {
		maps.Copy(r.phases, ledger)
	}
	r.unshown = r.seen != nil && ledgerSeen(r.seen) == nil
	if r.seen == nil {
		return
	}
	for _, contract := range carrier.Contracts() {
		if request := r.seen.RequestOf(v1alpha1.Operation(contract.Operation)); request != nil {
			r.phases[request.AttemptID] = request.Phase
		}
	}
}

func (r *run) forceAway(ctx context.Context, object client.Object) {
	object.SetFinalizers(nil)
	must(client.IgnoreNotFound(r.store.Client().Update(ctx, object)))
	must(client.IgnoreNotFound(r.store.Client().Delete(ctx, object)))
}

// plain returns the object as stored in the API server, or nil if it is gone.
func (r *run) plain(ctx context.Context) Subject {
	object := r.plan.Scenario.Empty()
	if r.store.Client().Get(ctx, r.name, object) != nil {
		return nil
	}
	return object
}

// ledger returns the object's ledger, or nil.
func (r *run) ledger(ctx context.Context) *v1alpha1.RequestLedger {
	subject := r.plain(ctx)
	if subject == nil {
		return nil
	}
	return ledgerOf(ctx, r.store.Client(), subject)
}

// before reads an object as it was before its newest write. It reports whether it existed then.
func (r *run) before(ctx context.Context, object, into client.Object) bool {
	versions := r.store.Versions(object)
	if len(versions) < 2 {
		return false
	}
	return r.store.AsOf(versions[len(versions)-2]).Get(ctx, client.ObjectKeyFromObject(object), into) == nil
}
