// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// orderTakes is how long the carrier of these tests needs for an order.
const orderTakes = 48 * time.Hour

// followed is a world whose orders are read.
type followed struct {
	*world.World

	process *world.Process
}

// beginFollowed makes a world whose carrier has the extension OrderRead, unless an edit removes it,
// with an account that uses it.
func beginFollowed(ctx SpecContext, edits ...func(*simulator.Seed)) *followed {
	GinkgoHelper()
	edits = append([]func(*simulator.Seed){func(seed *simulator.Seed) {
		seed.Extensions = []string{simulator.ExtensionOrderRead}
		seed.Delays[string(simulator.OpOrderCreate)] = simulator.Duration(orderTakes)
	}}, edits...)
	w := world.New(ctx, fixture.Plane, edits...)
	w.Login(ctx, func(a *v1alpha1.CarrierAccount) {
		a.Spec.Extensions = []v1alpha1.Extension{v1alpha1.ExtensionOrderRead}
	})
	f := &followed{World: w}
	f.restart(ctx)
	return f
}

func (f *followed) restart(ctx context.Context) {
	GinkgoHelper()
	f.process = f.Start(world.CrashPoint{})
	_, err := f.process.ReconcileAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
}

// place creates an order that the carrier accepts.
func (f *followed) place(ctx context.Context) *v1alpha1.ServiceOrder {
	GinkgoHelper()
	Expect(f.Create(ctx, f.Order(site, fixture.Reference))).To(Succeed())
	f.pass(ctx)
	order := f.ReadOrder(ctx, site)
	fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
	return order
}

// pass runs the passes over the order that are due within seconds, and returns how long it is until
// the next one is due; zero if none is.
func (f *followed) pass(ctx context.Context) time.Duration {
	GinkgoHelper()
	for range 20 {
		result, err := f.process.ReconcileOrder(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		if result.RequeueAfter == 0 || result.RequeueAfter > 10*time.Second {
			return result.RequeueAfter
		}
		f.Clock.Advance(result.RequeueAfter) // a turn in the rate limit
	}
	Fail("the order never rests")
	return 0
}

// follow runs each pass over the order when it is due, for a time or until none is due.
func (f *followed) follow(ctx context.Context, during time.Duration) *v1alpha1.ServiceOrder {
	GinkgoHelper()
	end := f.Clock.Now().Add(during)
	for next := f.pass(ctx); next > 0 && !f.Clock.Now().Add(next).After(end); next = f.pass(ctx) {
		f.Clock.Advance(next)
	}
	return f.ReadOrder(ctx, site)
}

// looks counts the reads of the order.
func (f *followed) looks() int {
	count := 0
	for _, call := range f.Carrier.Calls() {
		if call.Method == http.MethodGet && call.Operation != simulator.OpToken &&
			call.Path == fmt.Sprintf("/api/connect/orders/%s", fixture.AcceptedOrder(f.World)) {
			count++
		}
	}
	return count
}

func (f *followed) extensions(ctx context.Context) metav1.Condition {
	GinkgoHelper()
	_, err := f.process.ReconcileAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
	return world.Condition(f.ReadAccount(ctx).Status.Conditions, v1alpha1.ConditionExtensions)
}
