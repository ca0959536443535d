// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"maps"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// forgedAhead is how far the revision in a forged status is ahead of the ledger.
const forgedAhead = 1000

// rollBackStatus restores the status that the object had before its current one.
func (r *run) rollBackStatus(ctx context.Context) {
	subject := r.stored(ctx)
	if subject == nil {
		return
	}
	older := r.plan.Scenario.Empty()
	if !r.previous(ctx, subject, older) {
		return
	}
	older.SetResourceVersion(subject.GetResourceVersion())
	must(r.store.Client().Status().Update(ctx, older))
	r.noteRestore()
}

// forgeStatus raises the ledger revision in the status far above that of the ledger.
func (r *run) forgeStatus(ctx context.Context) {
	subject := r.stored(ctx)
	if subject == nil {
		return
	}
	seen := ledgerSeen(subject)
	if seen == nil {
		return
	}
	seen.Revision += forgedAhead
	must(r.store.Client().Status().Update(ctx, subject))
	r.noteRestore()
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

// deleteLedger force-deletes the ledger.
func (r *run) deleteLedger(ctx context.Context) {
	if ledger := r.ledger(ctx); ledger != nil {
		r.dropLedger(ctx, ledger)
		r.noteRestore()
	}
}

// rollBackLedger restores the ledger to the version before its newest write.
func (r *run) rollBackLedger(ctx context.Context) {
	ledger, older := r.ledger(ctx), &v1alpha1.RequestLedger{}
	if ledger == nil || !r.previous(ctx, ledger, older) {
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

func (r *run) dropLedger(ctx context.Context, ledger *v1alpha1.RequestLedger) {
	r.removeByForce(ctx, ledger)
	r.ledgerLostAt = len(r.effects)
}

func (r *run) replaceLedger(ctx context.Context, ledger, by *v1alpha1.RequestLedger) {
	r.dropLedger(ctx, ledger)
	by.SetResourceVersion("")
	by.SetUID("")
	must(r.store.Client().Create(ctx, by))
	r.noteRestore()
}

// upgradeLedger writes the ledger as a newer version of the operator would.
func (r *run) upgradeLedger(ctx context.Context) {
	if ledger := r.ledger(ctx); ledger != nil {
		ledger.Spec.Schema++
		ledger.Spec.Revision++
		must(r.store.Client().Update(ctx, ledger))
		r.interfered = true
	}
}

// forceDelete removes the object's finalizers and deletes it.
func (r *run) forceDelete(ctx context.Context) {
	if subject := r.stored(ctx); subject != nil {
		r.removeByForce(ctx, subject)
		r.removed = true
	}
}

// noteRestore notes that the recorded state was replaced, not reached by a transition.
func (r *run) noteRestore() {
	r.statusLost, r.version, r.seen, r.ledgerPhases = true, r.store.Version(), r.subject(), r.readLedgerPhases()
	for _, ledger := range r.ledgerPhases {
		maps.Copy(r.phases, ledger)
	}
	r.neverShown = r.seen != nil && ledgerSeen(r.seen) == nil
	if r.seen == nil {
		return
	}
	for contract := range carrier.Contracts() {
		if request := r.seen.Record().RequestOf(v1alpha1.Operation(contract.Operation)); request != nil {
			r.phases[request.AttemptID] = request.Phase
		}
	}
}

func (r *run) removeByForce(ctx context.Context, object client.Object) {
	object.SetFinalizers(nil)
	must(client.IgnoreNotFound(r.store.Client().Update(ctx, object)))
	must(client.IgnoreNotFound(r.store.Client().Delete(ctx, object)))
}

// stored returns the object as stored in the API server, or nil if it is gone.
func (r *run) stored(ctx context.Context) Subject {
	object := r.plan.Scenario.Empty()
	if r.store.Client().Get(ctx, r.name, object) != nil {
		return nil
	}
	return object
}

// ledger returns the object's ledger, or nil.
func (r *run) ledger(ctx context.Context) *v1alpha1.RequestLedger {
	subject := r.stored(ctx)
	if subject == nil {
		return nil
	}
	return ledgerOf(ctx, r.store.Client(), subject)
}

// previous reads an object as it was before its newest write. It reports whether it existed then.
func (r *run) previous(ctx context.Context, object, into client.Object) bool {
	versions := r.store.Versions(object)
	if len(versions) < 2 {
		return false
	}
	return r.store.AsOf(versions[len(versions)-2]).Get(ctx, client.ObjectKeyFromObject(object), into) == nil
}
