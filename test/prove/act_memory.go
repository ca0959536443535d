// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"maps"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// forgedBy is by how much a forged status is ahead of its ledger.
const forgedBy = 1000

// putBack has a restore show the status that the object had before the one that it has.
func (r *run) putBack(ctx context.Context) {
	subject := r.plain(ctx)
	if subject == nil {
		return
	}
	older := r.plan.Story.Empty()
	if !r.before(ctx, subject, older) {
		return
	}
	older.SetResourceVersion(subject.GetResourceVersion())
	must(r.store.Client().Status().Update(ctx, older))
	r.loseMemory()
}

// forge has somebody write into the status that its ledger is further than it is.
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

// ledgerSeen is the ledger as a status has seen it; nil for none.
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

// dropLedger has somebody force the ledger away.
func (r *run) dropLedger(ctx context.Context) {
	if ledger := r.ledger(ctx); ledger != nil {
		r.forceAway(ctx, ledger)
		r.loseMemory()
	}
}

// rollBackLedger has a restore put the ledger back as it was before its newest write.
func (r *run) rollBackLedger(ctx context.Context) {
	ledger, older := r.ledger(ctx), &v1alpha1.RequestLedger{}
	if ledger == nil || !r.before(ctx, ledger, older) {
		return
	}
	r.replaceLedger(ctx, ledger, older)
}

// emptyLedger has a restore put a ledger in its place that knows of nothing.
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

// outdate has a newer version of the operator write the ledger.
func (r *run) outdate(ctx context.Context) {
	if ledger := r.ledger(ctx); ledger != nil {
		ledger.Spec.Schema++
		ledger.Spec.Revision++
		must(r.store.Client().Update(ctx, ledger))
		r.meddled = true
	}
}

// forceOff has somebody force the finalizers of the object off, and delete it.
func (r *run) forceOff(ctx context.Context) {
	if subject := r.plain(ctx); subject != nil {
		r.forceAway(ctx, subject)
		r.removed = true
	}
}

// loseMemory notes that what is on record is not what was: nobody went from one to the other.
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

// plain is the object as the API server has it; nil when it is gone.
func (r *run) plain(ctx context.Context) Subject {
	object := r.plan.Story.Empty()
	if r.store.Client().Get(ctx, r.name, object) != nil {
		return nil
	}
	return object
}

// ledger is the ledger of the object; nil for none.
func (r *run) ledger(ctx context.Context) *v1alpha1.RequestLedger {
	subject := r.plain(ctx)
	if subject == nil {
		return nil
	}
	return ledgerOf(ctx, r.store.Client(), subject)
}

// before reads an object as it was before its newest write, and says whether there was one.
func (r *run) before(ctx context.Context, object, into client.Object) bool {
	versions := r.store.Versions(object)
	if len(versions) < 2 {
		return false
	}
	return r.store.AsOf(versions[len(versions)-2]).Get(ctx, client.ObjectKeyFromObject(object), into) == nil
}
