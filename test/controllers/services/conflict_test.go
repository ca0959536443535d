// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"encoding/json"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A service that objects of two namespaces declare", func() {
	It("is managed by one of them, for one login", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		other, otherProcess := fixture.InAnotherNamespace(ctx, w)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		Expect(w.Create(ctx, other.Service("theirs", line))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)

		refused := otherProcess.Drive(ctx, "theirs")
		fixture.ExpectReady(refused, metav1.ConditionFalse, v1alpha1.ReasonConflict)
		Expect(world.Ready(refused).Message).To(ContainSubstring(w.Namespace + "/" + site))
		Expect(refused.Status.Carrier).To(BeNil())
		Expect(w.Posts(line)).To(Equal(1))

		By("deleting the one that manages it")
		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		fixture.ExpectReady(otherProcess.Drive(ctx, "theirs"), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	// The number is that of docs/security-cases.md.
	It("shows the object in conflict only the other's name, and nothing of its requests (74)",
		func(ctx SpecContext) {
			w, process := fixture.Begin(ctx)
			other, otherProcess := fixture.InAnotherNamespace(ctx, w)
			line := w.Line()
			Expect(w.Carrier.FailNext("POST PlanChange", simulator.Fault{
				Kind: simulator.FaultBody, Status: 422, Body: `{"httpStatusCode":422,"type":"business.rule",` +
					`"code":"theirs.alone","message":"their words","apiSubErrors":[]}`,
			})).To(Succeed())
			Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
			refused := process.Drive(ctx, site)
			Expect(world.Ready(refused).Message).To(ContainSubstring("their words"))
			w.Edit(ctx, site, fixture.WithPlan(world.PlanCheap, 12))
			shown := fixture.DriveUntilAccepted(ctx, w, process)

			late := other.Service("late", line, fixture.WithPlan(world.PlanFast, 24))
			Expect(other.Create(ctx, late)).To(Succeed())
			_, err := otherProcess.Reconcile(ctx, "late")
			Expect(err).NotTo(HaveOccurred())
			late = other.Read(ctx, "late")
			fixture.ExpectReady(late, metav1.ConditionFalse, v1alpha1.ReasonConflict)
			status, err := json.Marshal(late.Status)
			Expect(err).NotTo(HaveOccurred())
			for _, private := range []string{
				"theirs.alone", "their words", world.PlanCheap, shown.OpenRequest().AttemptID, fixture.AcceptedPlanChange(w, line),
			} {
				Expect(string(status)).NotTo(ContainSubstring(private))
			}
		})

	It("is managed by both if the logins differ", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		other, otherProcess := fixture.InAnotherNamespace(ctx, w, fixture.AsAnotherLogin)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		Expect(w.Create(ctx, other.Service(site, line))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		fixture.ExpectReady(otherProcess.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1), "the second finds the plan as it wants it")
	})
})

var _ = DescribeTable("Two objects of one service whose processes do not see each other send one request in total",
	func(ctx SpecContext, first, meets string) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service("elder", line, fixture.Suspended(true)))).To(Succeed())
		Expect(w.Create(ctx, w.Service("younger", line, fixture.Suspended(true)))).To(Succeed())
		blind := map[string]*world.Process{"elder": w.Start(world.CrashPoint{}), "younger": w.Start(world.CrashPoint{})}
		second := map[string]string{"elder": "younger", "younger": "elder"}
		for name, of := range blind {
			of.Seam.Unlisted = second[name]
			of.Drive(ctx, name)
			w.Edit(ctx, name, fixture.Suspended(false))
		}

		By("running one pass in the middle of the other")
		met := false
		blind[first].Seam.Fault = func(e world.Effect) error {
			if met || !strings.Contains(e.What, meets) {
				return nil
			}
			met = true
			_, err := blind[second[first]].Reconcile(ctx, second[first])
			Expect(err).NotTo(HaveOccurred())
			return nil
		}
		for range 10 {
			_, err := blind[first].Reconcile(ctx, first)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(2 * time.Second)
		}
		Expect(met).To(BeTrue())
		Expect(w.Posts(line)).To(BeNumerically("<=", 1))

		By("running both with current caches")
		reconcileBoth(ctx, w, process, time.Hour)
		Expect(w.Posts(line)).To(Equal(1))
		expectOneReady(ctx, w)
	},
	Entry("when the younger one's pass comes before the elder one's intent", "elder", "create service-"),
	Entry("when the younger one's pass comes after the elder one's intent", "elder", "plan-changes/request"),
	Entry("when the elder one's pass comes before the younger one's intent", "younger", "create service-"),
	Entry("when the elder one's pass comes after the younger one's intent", "younger", "plan-changes/request"),
)

// expectOneReady expects that one of a pair manages the service, whichever had the first intent,
// and that the other is in conflict with it.
func expectOneReady(ctx SpecContext, w *world.World) {
	GinkgoHelper()
	reasons := []string{world.Ready(w.Read(ctx, "elder")).Reason, world.Ready(w.Read(ctx, "younger")).Reason}
	Expect(reasons).To(ConsistOf(v1alpha1.ReasonInSync, v1alpha1.ReasonConflict))
}
