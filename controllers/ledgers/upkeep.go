// SPDX-License-Identifier: Apache-2.0

package ledgers

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// shrinkEvery is the interval at which the ledgers are looked through.
const shrinkEvery = 24 * time.Hour

// ShrinkDaily calls Shrink each day until ctx ends.
func (r *Reconciler) ShrinkDaily(ctx context.Context) error {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if err := r.Shrink(ctx); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "cannot shrink the RequestLedgers that ended long ago")
		}
	}, shrinkEvery)
	return nil
}

// Shrink shrinks the ledgers of orders and services that ended long ago and that no object uses.
// Ledgers are never deleted, because they prevent second requests. Unshrunk, they would fill etcd
// and the memory of every manager.
func (r *Reconciler) Shrink(ctx context.Context) error {
	here, err := r.Marker.Installation(ctx)
	if err != nil {
		return err
	}
	var ledgers v1alpha1.RequestLedgerList
	if err = r.List(ctx, &ledgers, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list RequestLedgers: %w", err)
	}
	tested, err := r.testedLedgers(ctx)
	if err != nil {
		return err
	}
	for i := range ledgers.Items {
		ledger := &ledgers.Items[i]
		if ledger.Spec.Cluster != here.Cluster || !decide.MayShrink(ledger, r.Protocol.Now()) || tested[ledger.Name] {
			continue
		}
		if err := r.shrink(ctx, ledger.DeepCopy()); err != nil {
			return err
		}
	}
	return nil
}

// testedLedgers returns the names of the ledgers that DiagnosticTests use.
func (r *Reconciler) testedLedgers(ctx context.Context) (map[string]bool, error) {
	var tests v1alpha1.DiagnosticTestList
	if err := r.List(ctx, &tests, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("list DiagnosticTests: %w", err)
	}
	used := map[string]bool{}
	for i := range tests.Items {
		if ledger := tests.Items[i].Status.Ledger; ledger != nil {
			used[ledger.Name] = true
		}
	}
	return used, nil
}

// shrink shrinks a ledger if no object uses it. A busy ledger is shrunk on another day.
func (r *Reconciler) shrink(ctx context.Context, ledger *v1alpha1.RequestLedger) error {
	if !r.Watches(ledger.Spec.Holder.Namespace) || !decide.Shrink(ledger) {
		return nil
	}
	exists, err := r.holderExists(ctx, ledger)
	if err != nil || exists {
		return err
	}
	return r.writeShrunk(ctx, ledger)
}

// writeShrunk writes a shrunk ledger, unless the ledger has lost something: the write would raise
// its revision, and so hide the loss.
func (r *Reconciler) writeShrunk(ctx context.Context, ledger *v1alpha1.RequestLedger) error {
	live, lost, err := r.Ledgers.GetLive(ctx, ledger.Name)
	if err != nil || lost || live == nil || live.ResourceVersion != ledger.ResourceVersion {
		return err
	}
	if err := r.Ledgers.Write(ctx, ledger); err != nil && !apierrors.IsConflict(err) {
		return fmt.Errorf("shrink RequestLedger %s: %w", ledger.Name, err)
	}
	return nil
}

// holderExists reports whether the holder of a ledger may exist, as the API server shows it.
func (r *Reconciler) holderExists(ctx context.Context, ledger *v1alpha1.RequestLedger) (bool, error) {
	_, holder, err := readHolder(ctx, r.Protocol.Live, &ledger.Spec)
	if holder == nil {
		return false, nil
	}
	at := keyOf(ledger.Spec.Holder)
	exists, err := apiserver.MayExist(err, at.Name)
	if err != nil {
		err = fmt.Errorf("look for the holder %s of RequestLedger %s: %w", at, ledger.Name, err)
	}
	return exists, err
}

// UnrecordedResponses records the carrier's responses that no pass has been able to record. It does
// not rely on passes, because the objects may be deleted. It uses the object and the ledger of the
// pass that failed to record a response. That pass uses neither of them after the failure.
type UnrecordedResponses struct {
	*pass.Operator

	swept time.Time // when the existing ledgers were last listed
}

var _ manager.LeaderElectionRunnable = (*UnrecordedResponses)(nil)

// recordEvery is the wait before responses that could not be recorded are tried again.
const recordEvery = 10 * time.Second

// sweepLedgersEvery is the interval at which the existing ledgers are listed.
const sweepLedgersEvery = 10 * time.Minute

// Start tries repeatedly until the process ends.
func (r *UnrecordedResponses) Start(ctx context.Context) error {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if err := r.Record(ctx); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "cannot record the carrier's responses")
		}
		if err := r.Sweep(ctx); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "cannot list the RequestLedgers")
		}
	}, recordEvery)
	return nil
}

// Record tries once to record all unrecorded responses.
func (r *UnrecordedResponses) Record(ctx context.Context) error {
	return r.Protocol.RecordUnrecorded(ctx)
}

// Sweep regularly drops what this process has seen of deleted objects and ledgers (R28).
func (r *UnrecordedResponses) Sweep(ctx context.Context) error {
	now := r.Protocol.Now()
	r.Protocol.Memory.Sweep(now)
	if now.Sub(r.swept) < sweepLedgersEvery {
		return nil
	}
	var ledgers v1alpha1.RequestLedgerList
	if err := r.List(ctx, &ledgers, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list RequestLedgers: %w", err)
	}
	there := make(map[string]bool, len(ledgers.Items))
	for i := range ledgers.Items {
		there[ledgers.Items[i].Name] = true
	}
	r.Ledgers.Sweep(func(name string) bool { return there[name] }, now)
	r.swept = now
	return nil
}

// NeedLeaderElection returns false, because the process that has a response records it, even if it
// no longer leads.
func (*UnrecordedResponses) NeedLeaderElection() bool { return false }
