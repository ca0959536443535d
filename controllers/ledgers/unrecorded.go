// SPDX-License-Identifier: Apache-2.0

package ledgers

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
)

// UnrecordedResponses records the carrier's responses that no pass has been able to record. It does
// not rely on passes, because the objects may be deleted. It takes over the object and the ledger of
// the pass that failed to record a response: once its step has failed, a pass uses neither of them.
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
