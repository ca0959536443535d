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

// process is one run of the operator. What it keeps in memory ends with it.
type process struct {
	*port

	run         *run
	inPass      bool
	stopped     chan struct{} // closed when it goes on, after it was stopped in favor of the other one
	ended       chan struct{} // closed when the pass that it takes beside the other one has ended
	again       bool          // it is told of the object once more than there is reason to
	told        bool          // it was told of the object while it looked at it
	toldLogin   bool          // the same of the account
	due         time.Time     // when it looks at the object next; zero: never
	login       time.Time     // the same for the account
	doubts      time.Time     // when it looks at the object again, because it was called less settled
	reconcilers controllers.Reconcilers
}

// start begins a process, which looks at everything at once.
func (r *run) start() *process {
	r.started++
	p := &process{run: r, due: now(), login: now()}
	p.port = &port{scene: r, store: r.store, carrier: r.carrier, marker: r.marker}
	p.reconcilers = p.operator(r.started, r.world.Events)
	return p
}

// operator is what runs in a process: the production controllers, behind its port.
func (p *port) operator(number int, events *world.Recorder) controllers.Reconcilers {
	drawn, began := 0, now()
	return controllers.New(p.cluster(), p.live(), events, controllers.Options{
		AllowInsecure: true, Submit: true, UserAgent: "prove", Now: p.clock, Marker: p.marker,
		NewID: func() string {
			drawn++
			id := fmt.Sprintf("p%d-%d", number, drawn)
			if p.sender == "" {
				p.sender = id // the first that it draws
			}
			return id
		},
		Sign: sign, Elapsed: func() time.Duration { return now().Sub(began) - p.asleep },
		Wrap: func(http.RoundTripper) http.RoundTripper { return p },
	})
}

// reconcilerOf is what looks at objects of a kind.
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

// next is when a process looks at something next; zero: never.
func (p *process) next() time.Time {
	var next time.Time
	for _, at := range []time.Time{p.due, p.login, p.doubts} {
		if next.IsZero() || !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	return next
}

// pass has a process look at the account and the object, if it is time.
func (p *process) pass(ctx context.Context) {
	p.inPass = true
	defer func() { p.inPass = false }()
	if isDue(p.login) {
		key := client.ObjectKey{Namespace: p.run.world.Namespace, Name: world.AccountName}
		result, err := p.alive(ctx, p.reconcilers.Accounts, key)
		p.login = after(result, err)
	}
	if p.dead || !isDue(p.due) && !isDue(p.doubts) {
		return
	}
	if isDue(p.doubts) {
		p.doubts = time.Time{}
	}
	result, err := p.alive(ctx, reconcilerOf(p.reconcilers, p.run.plan.Story.Kind), p.run.name)
	p.due = after(result, err)
	if err != nil {
		p.login = now() // it may be the account's
	}
	if p.toldLogin {
		p.login, p.toldLogin = now(), false
	}
	if p.again || p.told {
		p.due, p.again, p.told = now(), false, false
	}
}

func isDue(at time.Time) bool { return !at.IsZero() && !now().Before(at) }

// after is when a work queue comes back to what was looked at.
func after(result ctrl.Result, err error) time.Time {
	switch {
	case err != nil:
		return now().Add(time.Second)
	case result.RequeueAfter > 0:
		return now().Add(result.RequeueAfter)
	}
	return time.Time{}
}

// alive runs a pass of a process that may end in it. Any other panic is a defect.
func (p *port) alive(
	ctx context.Context, reconciler reconcile.Reconciler, key client.ObjectKey,
) (result ctrl.Result, err error) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		if _, is := cause.(killed); !is {
			p.scene.panics(fmt.Sprintf("%v\n%s", cause, debug.Stack()))
		}
		p.dead, err = true, errKilled
	}()
	return reconciler.Reconcile(ctx, ctrl.Request{NamespacedName: key})
}
