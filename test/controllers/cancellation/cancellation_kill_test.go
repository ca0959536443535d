// SPDX-License-Identifier: Apache-2.0

package cancellation_test

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// killedAlteration is a scenario that runs once in full, and then is killed at each of its effects.
type killedAlteration struct {
	edits []fixture.Edit
	done  simulator.Cancellation
	least int // minimum number of effects
}

var _ = DescribeTable("An operator that is killed between any two effects still completes a cancellation",
	func(ctx SpecContext, scenario killedAlteration) {
		tell := func(cut world.CrashPoint) (*world.World, *world.Process, int64) {
			w := world.New(ctx, fixture.Plane)
			w.Login(ctx)
			line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
			Expect(w.Create(ctx, w.Service(site, line, scenario.edits...))).To(Succeed())
			process := w.Start(cut)
			if _, err := process.ReconcileAccount(ctx); err == nil {
				process.Drive(ctx, site)
			}
			return w, process, line
		}
		_, whole, _ := tell(world.CrashPoint{})
		effects := whole.Seam.Effects()
		Expect(len(effects)).To(BeNumerically(">=", scenario.least))
		for _, cut := range world.CrashPoints(effects) {
			By("killing it " + cut.String())
			w, _, line := tell(cut)
			expectTakenOver(ctx, w, line, scenario.done)
		}
		AddReportEntry("kill points", len(world.CrashPoints(effects)))
	},
	Entry("by a reschedule", killedAlteration{
		edits: []fixture.Edit{fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate)},
		done:  *cancellationAs(fixture.StateRequested, fixture.WantedDate), least: 9,
	}),
	Entry("by an abort", killedAlteration{
		edits: []fixture.Edit{fixture.WithoutPlan, fixture.WithoutEnd},
		done:  *cancellationAs(stateAborted, fixture.PendingDate), least: 9,
	}),
	Entry("by a reschedule during a plan change", killedAlteration{
		edits: []fixture.Edit{fixture.EndOn(fixture.WantedDate)},
		done:  *cancellationAs(fixture.StateRequested, fixture.WantedDate), least: 15,
	}),
)

// expectTakenOver starts another process, and expects that it completes what a killed one began.
func expectTakenOver(ctx context.Context, w *world.World, line int64, done simulator.Cancellation) {
	GinkgoHelper()
	successor := w.Start(world.CrashPoint{})
	_, err := successor.ReconcileAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
	service := successor.Drive(ctx, site)
	Expect(service.OpenCancellation()).To(BeNil(), "class Verify finds out by itself")
	if world.Ready(service).Reason == v1alpha1.ReasonOutcomeUnknown { // of the plan change
		service = fixture.ExpectResolved(ctx, w, successor, line)
	}
	fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
	expectAtCarrier(w, line, done.Status, done.RequestDate)
	repeats := 0
	for _, request := range service.Status.Requests {
		repeats += int(request.Repeats)
	}
	Expect(fixture.Alterations(w, line)).To(And(BeNumerically(">=", 1), BeNumerically("<=", 1+repeats)))
	processed := w.Carrier.Submissions(simulator.OpCancellationReschedule, line).Processed +
		w.Carrier.Submissions(simulator.OpCancellationAbort, line).Processed
	Expect(processed).To(Equal(1), "a read comes before each repeat")
	Expect(w.Posts(line)).To(BeNumerically("<=", 1))
}
