// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/ports"
	"github.com/broadband-operator/broadband-operator/test/world"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// lane is one run: a contestant, with a carrier and a namespace of its own.
type lane struct {
	*arena
	scenario

	contestant        string
	first             int64 // the ID of the first service
	world             *world.World
	listen, manage    string // the addresses of the carrier
	carrier, changing *process
	watcher           *watcher
	editedAt          []time.Time // the last edit of each service
	before            snapshot
	result            result
}

func newLane(a *arena, of scenario, contestant string) *lane {
	const idsOfALane = 1_000_000
	a.lanes++
	return &lane{
		arena: a, scenario: of, contestant: contestant, first: int64(a.lanes) * idsOfALane,
		editedAt: make([]time.Time, of.Services),
	}
}

// prepare starts the carrier and the contestant, and brings all services in sync.
func (l *lane) prepare(ctx context.Context) error {
	if err := errors.Join(l.reserve(ctx, &l.listen), l.reserve(ctx, &l.manage)); err != nil {
		return err
	}
	l.world = world.WithCarrierAt(ctx, l.plane, "http://"+l.listen, nil)
	l.watcher = newWatcher(ctx, l.cluster, l.world.Namespace)
	// The first change of a service differs from all later ones: it waits for an approval, and learns
	// how the carrier's health names the plan.
	return inTurn(ctx, l.startCarrier, l.start, l.createAll, l.await(0, l.Services, 1),
		l.declare(world.PlanFast, 0, l.Services), l.await(0, l.Services, prepared), l.pace, l.forget, l.limitAccount)
}

// forget replaces the operator, which has learned how long requests take at a carrier that responds at
// once. The others learn nothing.
func (l *lane) forget(ctx context.Context) error {
	if l.contestant != product {
		return nil
	}
	return errors.Join(l.changing.kill(), l.start(ctx))
}

// createAll creates the account and all services.
func (l *lane) createAll(ctx context.Context) error {
	account := l.world.Account(func(account *v1alpha1.CarrierAccount) {
		account.Spec.RateLimit = v1alpha1.RateLimit{RequestsPerSecond: unlimited, Burst: unlimited}
	})
	if err := errors.Join(l.world.Create(ctx, l.world.Secret()), l.world.Create(ctx, account)); err != nil {
		return err
	}
	return l.each(0, l.Services, func(number int) error { return l.world.Create(ctx, l.service(number)) })
}

func (*lane) reserve(ctx context.Context, into *string) (err error) {
	*into, err = ports.Reserve(ctx)
	return err
}

func (l *lane) service(number int) *v1alpha1.BroadbandService {
	return l.world.Service(name(number), l.first+int64(number), func(s *v1alpha1.BroadbandService) {
		s.Spec.Plan.Name = world.PlanSlow
	})
}

func name(number int) string { return fmt.Sprintf("site-%06d", number) }

func (l *lane) startCarrier(ctx context.Context) error {
	seed := world.Seed()
	for number := range l.Services {
		seed.Services = append(seed.Services, simulator.Service{
			ID: l.first + int64(number), Client: l.world.ClientName, Plan: world.PlanSlow, Term: 12,
		})
	}
	file, err := l.writeSettings("carrier-"+l.contestant, carrierSettings{
		Seed: seed, Listen: l.listen, Management: l.manage, RoundTrip: roundTrips, Times: l.times,
	})
	if err != nil {
		return err
	}
	if l.carrier, err = launch(ctx, l.logOf("carrier-"), l.self, roleCarrier, file); err != nil {
		return err
	}
	return until(ctx, time.Minute, func() bool { _, err := l.calls(ctx); return err == nil })
}

func (l *lane) logOf(prefix string) string {
	return filepath.Join(l.folder, prefix+l.contestant+".log")
}

// start starts the contestant.
func (l *lane) start(ctx context.Context) error {
	command := []string{
		l.manager, "--kubeconfig=" + l.kubeconfig(product), "--namespaces=" + l.world.Namespace,
		"--allow-insecure-carrier", "--approval-checked-elsewhere", // the control plane has no policies
		"--health-probe-bind-address=0", "--events-bind-address=0", "--log-level=error",
	}
	if l.contestant != product {
		file, err := l.writeSettings(l.contestant, clientSettings{
			Kubeconfig: l.kubeconfig(l.contestant), Namespace: l.world.Namespace,
			Origin: l.world.URL, TokenURL: l.world.TokenURL(), ClientName: l.world.ClientName, Key: string(l.world.KeyPEM),
			Rate: l.Rate, Priced: l.Approval == v1alpha1.ApprovalOnCost, RoundTrip: roundTrips, Times: l.times,
		})
		if err != nil {
			return err
		}
		command = []string{l.self, l.contestant, file}
	}
	var err error
	l.changing, err = launch(ctx, l.logOf(""), command...)
	return err
}

// stop ends the processes of the lane.
func (l *lane) stop() error {
	var failed []error
	for _, one := range []*process{l.changing, l.carrier} {
		if one != nil {
			failed = append(failed, one.kill())
		}
	}
	return errors.Join(failed...)
}

// restart kills the contestant, and starts it again.
func (l *lane) restart(ctx context.Context) error { return inTurn(ctx, l.halt, l.start) }

// halt kills the contestant.
func (l *lane) halt(context.Context) error {
	used, err := l.changing.usage()
	l.result.own.add(used)
	return errors.Join(err, l.changing.kill())
}

// pace lets the carrier take its time from now on.
func (l *lane) pace(ctx context.Context) error {
	return l.management(ctx, http.MethodPost, paceURL, nil, nil)
}

// limitAccount gives the account the rate and the approval of the scenario, once the services are in
// sync.
func (l *lane) limitAccount(ctx context.Context) error {
	return l.patchAccount(ctx, fmt.Sprintf(
		`{"spec":{"approval":%q,"rateLimit":{"requestsPerSecond":%d,"burst":%[2]d}}}`, l.Approval, l.Rate))
}

func (l *lane) patchAccount(ctx context.Context, patch string) error {
	account := l.world.Account()
	return l.world.Patch(ctx, account, client.RawPatch(types.MergePatchType, []byte(patch)))
}

// each calls a function for each service of a range, several at a time.
func (*lane) each(from, to int, do func(number int) error) error {
	const atOnce = 16
	var group errgroup.Group
	group.SetLimit(atOnce)
	for number := from; number < to; number++ {
		group.Go(func() error { return do(number) })
	}
	return group.Wait() //nolint:wrapcheck // the functions say what they do
}

// The generations of a service: after the change that prepares it, and after the one that is measured.
const prepared, edited = 2, 3

// edit makes the changes that are measured, of a range of services.
func (l *lane) edit(from, to int) step { return l.declare(world.PlanCheap, from, to) }

// declare declares another plan for a range of services, and keeps when it did that last.
func (l *lane) declare(plan string, from, to int) step {
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"plan":{"name":"`+plan+`"}}}`))
	return func(ctx context.Context) error {
		return l.each(from, to, func(number int) error {
			l.editedAt[number] = now()
			return l.world.Patch(ctx, l.service(number), patch)
		})
	}
}

// await waits until a range of services is ready at a generation.
func (l *lane) await(from, to int, generation int64) step {
	goals := make([]goal, 0, to-from)
	for number := from; number < to; number++ {
		goals = append(goals, goal{name(number), generation})
	}
	return func(ctx context.Context) error {
		return l.watcher.await(ctx, goals, func() error { return errors.Join(l.changing.check(), l.carrier.check()) })
	}
}
