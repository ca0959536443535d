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

// EndedLedgers shrinks the ledgers of orders and services that ended long ago. A ledger is never
// deleted, because it prevents a second request, so ledgers would fill etcd and the memory of every
// manager otherwise.
type EndedLedgers struct{ *pass.Operator }

var _ manager.LeaderElectionRunnable = (*EndedLedgers)(nil)

// shrinkEvery is the interval at which the ledgers are looked through.
const shrinkEvery = 24 * time.Hour

// Start shrinks ledgers until ctx ends.
func (e *EndedLedgers) Start(ctx context.Context) error {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if err := e.Shrink(ctx); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "cannot shrink the RequestLedgers that ended long ago")
		}
	}, shrinkEvery)
	return nil
}

// NeedLeaderElection returns true.
func (*EndedLedgers) NeedLeaderElection() bool { return true }

// Shrink shrinks every ledger that ended long ago and that no object uses.
func (e *EndedLedgers) Shrink(ctx context.Context) error {
	here, err := e.Marker.Installation(ctx)
	if err != nil {
		return err
	}
	var ledgers v1alpha1.RequestLedgerList
	if err = e.List(ctx, &ledgers, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list RequestLedgers: %w", err)
	}
	tested, err := e.testedLedgers(ctx)
	if err != nil {
		return err
	}
	for i := range ledgers.Items {
		ledger := &ledgers.Items[i]
		if ledger.Spec.Cluster != here.Cluster || !decide.MayShrink(ledger, e.Protocol.Now()) || tested[ledger.Name] {
			continue
		}
		if err := e.shrink(ctx, ledger.DeepCopy()); err != nil {
			return err
		}
	}
	return nil
}

// testedLedgers returns the names of the ledgers that DiagnosticTests use.
func (e *EndedLedgers) testedLedgers(ctx context.Context) (map[string]bool, error) {
	var tests v1alpha1.DiagnosticTestList
	if err := e.List(ctx, &tests, client.UnsafeDisableDeepCopy); err != nil {
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

// shrink shrinks a ledger if no object uses it. One that is being written is shrunk another day.
func (e *EndedLedgers) shrink(ctx context.Context, ledger *v1alpha1.RequestLedger) error {
	if !e.Watches(ledger.Spec.Holder.Namespace) || !decide.Shrink(ledger) {
		return nil
	}
	exists, err := e.holderExists(ctx, ledger)
	if err != nil || exists {
		return err
	}
	return e.write(ctx, ledger)
}

// write writes a ledger that was shrunk, unless it has lost something: it must still show that, and
// writing it would raise its revision.
func (e *EndedLedgers) write(ctx context.Context, ledger *v1alpha1.RequestLedger) error {
	live, lost, err := e.Ledgers.GetLive(ctx, ledger.Name)
	if err != nil || lost || live == nil || live.ResourceVersion != ledger.ResourceVersion {
		return err
	}
	if err := e.Ledgers.Write(ctx, ledger); err != nil && !apierrors.IsConflict(err) {
		return fmt.Errorf("shrink RequestLedger %s: %w", ledger.Name, err)
	}
	return nil
}

// holderExists reports whether the holder of a ledger may exist, as the API server shows it.
func (e *EndedLedgers) holderExists(ctx context.Context, ledger *v1alpha1.RequestLedger) (bool, error) {
	kind, at, err := readHolder(ctx, e.Protocol.Live, ledger)
	if kind == "" {
		return false, nil
	}
	exists, err := apiserver.MayExist(err, at.Name)
	if err != nil {
		return false, fmt.Errorf("look for the holder %s of RequestLedger %s: %w", at, ledger.Name, err)
	}
	return exists, nil
}
