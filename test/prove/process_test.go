// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// process is one process of the operator. Its memory ends with it.
type process struct {
	*port

	run                  *run
	inPass               bool
	stopped              chan struct{} // closed when it resumes, after it was stopped in favor of the other one
	passEnded            chan struct{} // closed when the pass that it runs beside the other one has ended
	redelivered          bool          // it gets the same watch event once more
	changedInPass        bool          // the object changed during its pass
	accountChangedInPass bool          // the account changed during its pass
	due                  time.Time     // the next pass over the object; zero: never
	login                time.Time     // the next pass over the account
	recheck              time.Time     // another pass over the object, because it became less settled
	reconcilers          controllers.Reconcilers
}

// start starts a process, which reconciles everything immediately.
func (r *run) start() *process {
	r.started++
	p := &process{run: r, due: now(), login: now()}
	p.port = &port{env: r, store: r.store, carrier: r.carrier, marker: r.marker}
	p.reconcilers = p.operator(r.started, r.world.Events)
	return p
}

// operator returns what runs in a process: the production controllers behind its port.
func (p *port) operator(number int, events *world.Recorder) controllers.Reconcilers {
	drawn, began := 0, now()
	return controllers.New(p.cluster(), p.live(), events, controllers.Options{
		AllowInsecure: true, Submit: true, UserAgent: "prove", Now: p.clock, Marker: p.marker,
		NewID: func() string {
			drawn++
			id := fmt.Sprintf("p%d-%d", number, drawn)
			if p.sender == "" {
				p.sender = id // the first id that it draws
			}
			return id
		},
		Sign: sign, Elapsed: func() time.Duration { return now().Sub(began) - p.asleep },
		Wrap: func(http.RoundTripper) http.RoundTripper { return p },
	})
}

// reconcilerOf returns the reconciler of a kind.
func reconcilerOf(all controllers.Reconcilers, kind string) reconcile.Reconciler {
	switch kind {
	case kindAccount:
		return all.Accounts
	case kindService:
		return all.Services
	case kindOrder:
		return all.Orders
	case kindAppointment:
		return all.Appointments
	default:
		return all.OneShots[kind]
	}
}

// next returns when the next pass of a process is due; zero: never.
func (p *process) next() time.Time {
	var next time.Time
	for _, at := range []time.Time{p.due, p.login, p.recheck} {
		if next.IsZero() || !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	return next
}

// pass reconciles the account and the object if they are due.
func (p *process) pass(ctx context.Context) {
	p.inPass = true
	defer func() { p.inPass = false }()
	if isDue(p.login) {
		key := client.ObjectKey{Namespace: p.run.world.Namespace, Name: world.AccountName}
		result, err := p.reconcile(ctx, p.reconcilers.Accounts, key)
		p.login = nextPass(result, err)
	}
	if p.dead || !isDue(p.due) && !isDue(p.recheck) {
		return
	}
	if isDue(p.recheck) {
		p.recheck = time.Time{}
	}
	result, err := p.reconcileObject(ctx)
	p.due = nextPass(result, err)
	if err != nil {
		p.login = now() // the account may be the reason
	}
	if p.accountChangedInPass {
		p.login, p.accountChangedInPass = now(), false
	}
	if p.redelivered || p.changedInPass {
		p.due, p.redelivered, p.changedInPass = now(), false, false
	}
}

// reconcileObject runs a pass over the object, which must not read the same again and again.
func (p *process) reconcileObject(ctx context.Context) (ctrl.Result, error) {
	p.beginPass()
	result, err := p.reconcile(ctx, reconcilerOf(p.reconcilers, p.run.plan.Scenario.Kind), p.run.name)
	if why := p.readsAgain(); why != "" {
		p.run.report(11, why)
	}
	return result, err
}

func isDue(at time.Time) bool { return !at.IsZero() && !now().Before(at) }

// nextPass returns when a work queue reconciles the object again.
func nextPass(result ctrl.Result, err error) time.Time {
	switch {
	case err != nil:
		return now().Add(time.Second)
	case result.RequeueAfter > 0:
		return now().Add(result.RequeueAfter)
	}
	return time.Time{}
}

// reconcile runs a pass that may end the process. Any other panic is a bug.
func (p *port) reconcile(
	ctx context.Context, reconciler reconcile.Reconciler, key client.ObjectKey,
) (result ctrl.Result, err error) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		if _, is := cause.(processEnded); !is {
			p.env.reportPanic(fmt.Sprintf("%v\n%s", cause, debug.Stack()))
		}
		p.dead, err = true, errProcessEnded
	}()
	return reconciler.Reconcile(ctx, ctrl.Request{NamespacedName: key})
}
