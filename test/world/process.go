// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
	"k8s.io/apimachinery/pkg/util/uuid"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
)

// Process is one process of the operator. Its memory ends with it.
type Process struct {
	Seam        *Seam
	world       *World
	reconcilers controllers.Reconcilers
}

// minTimeout is longer than any response takes on a busy machine. With production's limits,
// seconds of real time, the machine's speed would decide what the carrier is asked.
func (w *World) minTimeout() time.Duration {
	if w.ProductionTimeouts {
		return 0
	}
	return 5 * time.Minute
}

// Start starts a process. It ends at the crash point, if one is set.
func (w *World) Start(at CrashPoint, edits ...func(*controllers.Options)) *Process {
	seam := &Seam{crashPoint: at}
	options := controllers.Options{
		AllowInsecure: true, Submit: true, UserAgent: "test", MinTimeout: w.minTimeout(),
		Now: w.Clock.Now, NewID: func() string { return string(uuid.NewUUID()) }, Wrap: seam.Transport,
	}
	if options.Marker = w.Marker; w.Marker != "" {
		options.Namespaces = []string{w.Namespace}
	}
	for _, edit := range edits {
		edit(&options)
	}
	cluster := seamClient{Client: w.Plane.Operator, cache: w.Client, seam: seam}
	live := seamReader{Reader: w.Plane.Live, seam: seam}
	return &Process{Seam: seam, world: w, reconcilers: controllers.New(cluster, live, w.Events, options)}
}

// In returns the same process for another world's namespace.
func (p *Process) In(other *World) *Process {
	return &Process{Seam: p.Seam, world: other, reconcilers: p.reconcilers}
}

// CheckPolicies checks the admission policies, as a manager does every minute.
func (p *Process) CheckPolicies(ctx context.Context) error {
	return p.reconcilers.Operator.Policies.Check(ctx)
}

// ReconcileAccount runs one pass over the account, which must leave it valid.
func (p *Process) ReconcileAccount(ctx context.Context) (ctrl.Result, error) {
	ginkgo.GinkgoHelper()
	return p.ReconcileAccountOf(ctx, AccountName)
}

// ReconcileAccountOf is ReconcileAccount for the account with the given name.
func (p *Process) ReconcileAccountOf(ctx context.Context, name string) (ctrl.Result, error) {
	ginkgo.GinkgoHelper()
	return p.reconcile(ctx, p.reconcilers.Accounts, "CarrierAccount", name)
}

// Reconcile runs one pass over a service, which must leave it valid.
func (p *Process) Reconcile(ctx context.Context, name string) (ctrl.Result, error) {
	ginkgo.GinkgoHelper()
	return p.reconcile(ctx, p.reconcilers.Services, "BroadbandService", name)
}

// ReconcileLedger runs one pass over a ledger.
func (p *Process) ReconcileLedger(ctx context.Context, name string) error {
	ginkgo.GinkgoHelper()
	_, err := p.run(func() (ctrl.Result, error) {
		return p.reconcilers.Ledgers.Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKey{Name: name}})
	})
	return err
}

// ShrinkLedgers shrinks the ledgers that ended long ago.
func (p *Process) ShrinkLedgers(ctx context.Context) error {
	return p.reconcilers.Ledgers.Shrink(ctx)
}

func (p *Process) request(name string) ctrl.Request {
	return ctrl.Request{NamespacedName: client.ObjectKey{Namespace: p.world.Namespace, Name: name}}
}

// reconcile runs one pass over an object, which must leave it valid.
func (p *Process) reconcile(
	ctx context.Context, with reconcile.Reconciler, kind, name string,
) (ctrl.Result, error) {
	ginkgo.GinkgoHelper()
	result, err := p.run(func() (ctrl.Result, error) { return with.Reconcile(ctx, p.request(name)) })
	p.world.expectValid(ctx, kind, name)
	return result, err
}

// run runs a pass that may end the process, and that must not leak secrets.
func (p *Process) run(pass func() (ctrl.Result, error)) (result ctrl.Result, err error) {
	ginkgo.GinkgoHelper()
	defer func() { p.world.expectNoSecrets(err) }()
	defer func() {
		if cause := recover(); cause != nil {
			end, isKilled := cause.(processEnded)
			if !isKilled {
				panic(cause)
			}
			err = fmt.Errorf("%w at %s", errProcessEnded, end.at.What)
		}
	}()
	return pass()
}

// horizon is the longest time to the next pass that a drive waits for. If the next pass is later,
// the object counts as settled. The horizon is longer than any wait of a request, and shorter than
// the interval of daily readings.
const horizon = 45 * time.Minute

// Drive runs passes over a service, and advances the clock by the time that each pass asks for. It
// ends when none is due within the horizon or the process is dead. A dead process returns no
// service. Errors are retried after a second, as a work queue would, with a pass over the account
// in between.
func (p *Process) Drive(ctx context.Context, name string) *v1alpha1.BroadbandService {
	ginkgo.GinkgoHelper()
	if !p.drive(ctx, func() (ctrl.Result, error) { return p.Reconcile(ctx, name) }, nil) {
		return nil
	}
	return lookUp[v1alpha1.BroadbandService](ctx, p.world, name)
}

// drive runs passes until none is due within the horizon, or the object is settled although it will
// be reconciled again. It reports whether the process survived.
func (p *Process) drive(ctx context.Context, pass func() (ctrl.Result, error), isSettled func() bool) bool {
	ginkgo.GinkgoHelper()
	const most = 400
	var lastErr error // the error of the newest pass that failed
	for range most {
		result, err := pass()
		switch {
		case p.Seam.Dead():
			return false
		case err != nil:
			p.world.Clock.Advance(time.Second)
			_, accountErr := p.ReconcileAccount(ctx)
			lastErr = errors.Join(err, accountErr)
		case result.RequeueAfter == 0 || result.RequeueAfter > horizon || isSettled != nil && isSettled():
			return true
		default:
			p.world.Clock.Advance(result.RequeueAfter)
		}
	}
	ginkgo.Fail(fmt.Sprintf(
		"after %d passes the object is still not settled: a hot loop; the last error was: %v", most, lastErr))
	return false
}
