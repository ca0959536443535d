// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"context"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// fleetWorld is a world with services, orders and tests in the states that people see.
type fleetWorld struct {
	*world.World

	process *world.Process
	lines   map[string]int64
}

// firstLine is the number of the first service. It is so large that all numbers have the same
// width.
const firstLine = int64(2_000_000_001)

type edit = func(*v1alpha1.BroadbandService)

func startFleet(ctx context.Context, edits ...func(*v1alpha1.CarrierAccount)) *fleetWorld {
	GinkgoHelper()
	w := world.New(ctx, plane)
	w.Login(ctx, edits...)
	process := w.Start(world.CrashPoint{})
	_, err := process.ReconcileAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
	return &fleetWorld{World: w, process: process, lines: make(map[string]int64)}
}

// line adds a service on a line with DSL to the carrier's records, where every value can be changed.
func (f *fleetWorld) line(name string, edits ...func(*simulator.Service)) int64 {
	GinkgoHelper()
	f.lines[name] = firstLine + int64(len(f.lines))
	return f.Line(slices.Concat([]func(*simulator.Service){func(service *simulator.Service) {
		service.ID, service.TechnologyType = f.lines[name], "FTTN"
	}}, edits)...)
}

// add creates a service and drives it as far as it goes by itself.
func (f *fleetWorld) add(ctx context.Context, name string, edits ...edit) {
	GinkgoHelper()
	Expect(f.Create(ctx, f.Service(name, f.line(name), edits...))).To(Succeed())
	f.process.Drive(ctx, name)
}

func asksAlways(s *v1alpha1.BroadbandService) { s.Spec.Approval = v1alpha1.ApprovalAlways }

func withPlan(name string) edit {
	return func(s *v1alpha1.BroadbandService) { s.Spec.Plan = &v1alpha1.Plan{Name: name, Term: 12} }
}

// withNTD declares a plan that comes with a device.
func withNTD(option string) edit {
	return func(s *v1alpha1.BroadbandService) {
		s.Spec.Plan = &v1alpha1.Plan{
			Name: world.PlanGiga, Term: 12, NTDOption: option,
			Contact: &v1alpha1.Contact{Name: canaryName, Phone: canaryPhone, Email: canaryEmail},
		}
	}
}

func withSLA(name string) edit {
	return func(s *v1alpha1.BroadbandService) { s.Spec.RestorationSLA = name }
}

func asksUnknown(s *v1alpha1.BroadbandService) { s.Spec.UnknownValues = v1alpha1.UnknownAsk }

func withLabel(key, value string) edit {
	return func(s *v1alpha1.BroadbandService) { s.Labels = map[string]string{key: value} }
}

// drive lets the operator continue with a service after the plugin has written it. The reconcilers
// read from a cache, which learns of another client's write a moment later.
func (f *fleetWorld) drive(ctx context.Context, name string) *v1alpha1.BroadbandService {
	GinkgoHelper()
	f.awaitCached(ctx, name)
	return f.process.Drive(ctx, name)
}

func (f *fleetWorld) awaitCached(ctx context.Context, name string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		live := &v1alpha1.BroadbandService{}
		g.Expect(plane.Live.Get(ctx, client.ObjectKey{Namespace: f.Namespace, Name: name}, live)).To(Succeed())
		cached := &v1alpha1.BroadbandService{}
		g.Expect(f.Get(ctx, client.ObjectKeyFromObject(live), cached)).To(Succeed())
		g.Expect(cached.ResourceVersion).To(Equal(live.ResourceVersion))
	}).WithTimeout(time.Minute).Should(Succeed())
}

// loseNext makes the carrier lose its next response to an operation.
func (f *fleetWorld) loseNext(operation string, processed bool) {
	GinkgoHelper()
	lost := simulator.Fault{Kind: simulator.FaultReset, Processed: processed}
	Expect(f.Carrier.FailNext("POST "+operation, lost)).To(Succeed())
}

// mixed is a fleet with an object in each state that needs a person, and some in others.
func mixed(ctx context.Context) *fleetWorld {
	GinkgoHelper()
	f := startFleet(ctx)
	f.add(ctx, "site-changed")
	f.add(ctx, "site-in-sync", withPlan(world.PlanSlow))
	f.add(ctx, "site-asks-plan", asksAlways, withLabel("area", "north"))
	f.add(ctx, "site-asks-unknown", asksUnknown, withSLA(world.SLAFast), withPlan(world.PlanSlow),
		withLabel("area", "north"))
	f.add(ctx, "site-mistyped", withPlan("Home 1OO/20"))
	f.loseNext("PlanChange", false)
	f.add(ctx, "site-unknown-outcome", withNTD("4_PORT_RESIDENTIAL"))
	Expect(f.Create(ctx, f.Service("site-nobody-knows", 4711))).To(Succeed())
	for range 3 {
		_, err := f.process.Reconcile(ctx, "site-nobody-knows")
		Expect(err).NotTo(HaveOccurred())
	}
	Expect(f.Create(ctx, f.Order("site-ordered", "SITE-015", func(order *v1alpha1.ServiceOrder) {
		order.Spec.Approval = v1alpha1.ApprovalAlways
	}))).To(Succeed())
	f.process.DriveOrder(ctx, "site-ordered")
	return f
}

// Personal data that no output may contain.
const (
	canaryName  = "Canary Person"
	canaryPhone = "0400 111 222"
	canaryEmail = "canary@example.com"
)
