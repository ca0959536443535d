// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"context"
	"fmt"
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

// limited is an account with a chargeLimit.
func limited(perHour int32) func(*v1alpha1.CarrierAccount) {
	return func(a *v1alpha1.CarrierAccount) { a.Spec.ChargeLimit = &v1alpha1.ChargeLimit{PerHour: perHour} }
}

// preventer keeps the next request from reaching the carrier.
type preventer func(SpecContext, *world.World, *world.Process)

// reconcileTwenty reconciles a service twenty times.
func reconcileTwenty(ctx SpecContext, w *world.World, process *world.Process, name string) *v1alpha1.BroadbandService {
	GinkgoHelper()
	for range 20 {
		result, err := process.Reconcile(ctx, name)
		Expect(err).NotTo(HaveOccurred())
		w.Clock.Advance(min(result.RequeueAfter, time.Minute))
	}
	return w.Read(ctx, name)
}

// firstChange reconciles the service until it shows a plan change.
func firstChange(ctx SpecContext, w *world.World, process *world.Process) *v1alpha1.Request {
	GinkgoHelper()
	for range 20 {
		result, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		if request := w.Read(ctx, site).RequestOf(v1alpha1.OperationPlanChange); request != nil {
			return request
		}
		w.Clock.Advance(result.RequeueAfter)
	}
	Fail("no plan change is recorded")
	return nil
}

// widenWindow completes three changes, an hour apart. Each doubles how many may be in progress at a
// time, so that it is eight afterwards.
func widenWindow(ctx context.Context, w *world.World, process *world.Process) {
	GinkgoHelper()
	for i := range 3 {
		name := fmt.Sprint("answered-", i)
		Expect(w.Create(ctx, w.Service(name, w.Line()))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, name), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		w.Clock.Advance(time.Hour)
	}
}

// Each pass begins in the middle of another pass, between that pass's decision and its intent.
var _ = DescribeTable("Services that are released at once spend no more than the account's limit (R10)",
	func(ctx SpecContext, another func(*world.World, *world.Process) *world.Process) {
		const most, services = 2, 6
		w, process := fixture.Begin(ctx, limited(most))
		widenWindow(ctx, w, process)
		names, lines := make([]string, services), make([]int64, services)
		for i := range services {
			names[i], lines[i] = fmt.Sprint("at-once-", i), w.Line()
			Expect(w.Create(ctx, w.Service(names[i], lines[i], fixture.Suspended(true)))).To(Succeed())
			process.Drive(ctx, names[i])
			w.Edit(ctx, names[i], fixture.Suspended(false))
		}
		posts := func() (sum int) {
			for _, line := range lines {
				sum += w.Posts(line)
			}
			return sum
		}

		w.Clock.Advance(time.Minute)
		by := make([]*world.Process, services)
		for i, name := range names {
			by[i] = another(w, process)
			_, err := by[i].Reconcile(ctx, name)
			Expect(err).NotTo(HaveOccurred(), "it reads the plan that is to be changed")
		}
		w.Clock.Advance(time.Minute)

		begun := 0
		var next func()
		next = func() {
			if begun == services {
				return
			}
			of, name := by[begun], names[begun]
			begun++
			of.Seam.Fault = func(e world.Effect) error {
				if strings.Contains(e.What, " login-") || strings.HasPrefix(e.What, "create service-") {
					next()
				}
				return nil
			}
			_, err := of.Reconcile(ctx, name)
			Expect(err).NotTo(HaveOccurred())
		}
		next()
		Expect(begun).To(Equal(services), "each pass began in another")
		process.Seam.Fault = nil
		for _, name := range names {
			_, err := process.Reconcile(ctx, name)
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(posts()).To(Equal(most))

		By("letting time pass")
		for i, name := range names {
			before := posts()
			w.Clock.Advance(time.Hour)
			fixture.ExpectReady(process.Drive(ctx, name), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(w.Posts(lines[i])).To(Equal(1))
			Expect(posts() - before).To(BeNumerically("<=", 1))
		}
	},
	Entry("by one process", func(_ *world.World, of *world.Process) *world.Process { return of }),
	Entry("by several processes", func(w *world.World, _ *world.Process) *world.Process {
		return w.Start(world.CrashPoint{})
	}),
)

var _ = Describe("The charge limit of a login (R10)", func() {
	It("is shared by its accounts in two namespaces", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, limited(1))
		other, otherProcess := fixture.InAnotherNamespace(ctx, w)
		fixture.EditAccount(ctx, other, limited(1))
		_, err := otherProcess.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		line, theirs := w.Line(), w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		Expect(w.Create(ctx, other.Service(site, theirs))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		fixture.ExpectReady(reconcileTwenty(ctx, other, otherProcess, site), metav1.ConditionFalse,
			v1alpha1.ReasonChargeLimit)
		Expect(w.Posts(theirs)).To(BeZero())
		fixture.ExpectReady(otherProcess.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(theirs)).To(Equal(1))
	})

	DescribeTable("still applies", func(ctx SpecContext, happens func(SpecContext, *world.World)) {
		w, process := fixture.Begin(ctx, limited(1))
		Expect(w.Create(ctx, w.Service("first", w.Line()))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, "first"), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		happens(ctx, w)
		process = w.Start(world.CrashPoint{})
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.ExpectReady(reconcileTwenty(ctx, w, process, site), metav1.ConditionFalse, v1alpha1.ReasonChargeLimit)
		Expect(w.Posts(line)).To(BeZero())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	},
		Entry("when the limit is removed and set again", func(ctx SpecContext, w *world.World) {
			fixture.EditAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Spec.ChargeLimit = nil })
			fixture.EditAccount(ctx, w, limited(1))
		}),
		Entry("when the account is created again", func(ctx SpecContext, w *world.World) {
			account := w.Account(limited(1))
			Expect(w.Delete(ctx, account)).To(Succeed())
			Expect(w.Create(ctx, w.Account(limited(1)))).To(Succeed())
		}),
		Entry("when the service that has spent it is deleted", func(ctx SpecContext, w *world.World) {
			Expect(w.Delete(ctx, w.Read(ctx, "first"))).To(Succeed())
		}),
		Entry("when its ledger is deleted without its finalizer", func(ctx SpecContext, w *world.World) {
			fixture.RemoveLedger(ctx, w, loginLedger(ctx, w))
		}),
	)

	It("also counts what was sent before it was set, or by another account", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		for i := range 3 {
			name := fmt.Sprint("before-", i)
			Expect(w.Create(ctx, w.Service(name, w.Line()))).To(Succeed())
			fixture.ExpectReady(process.Drive(ctx, name), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		}
		fixture.EditAccount(ctx, w, limited(3))
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.ExpectReady(reconcileTwenty(ctx, w, process, site), metav1.ConditionFalse, v1alpha1.ReasonChargeLimit)
		Expect(w.Posts(line)).To(BeZero())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	})

	DescribeTable("is not used by a request that did not reach the carrier", func(ctx SpecContext, prevent preventer) {
		w, process := fixture.Begin(ctx, limited(1))
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.Suspended(true)))).To(Succeed())
		process.Drive(ctx, site)
		prevent(ctx, w, process)
		w.Edit(ctx, site, fixture.Suspended(false))
		Expect(firstChange(ctx, w, process).Phase.Reached()).To(BeFalse())
		Expect(reserved(ctx, w)).To(BeEmpty())
		began := w.Clock.Now()
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		sent := w.Read(ctx, site).RequestOf(v1alpha1.OperationPlanChange)
		Expect(sent.SubmittedAt.Time).To(BeTemporally("<", began.Add(time.Hour)), "nothing is waited for")
		Expect(reserved(ctx, w)).To(ConsistOf(sent.AttemptID))
	},
		Entry("because the carrier answered 429", func(_ SpecContext, w *world.World, _ *world.Process) {
			tooMany := simulator.Fault{Kind: simulator.FaultStatus, Status: 429}
			Expect(w.Carrier.FailNext("POST PlanChange", tooMany)).To(Succeed())
		}),
		Entry("because the gate was closed", func(ctx SpecContext, w *world.World, process *world.Process) {
			closed := false
			process.Seam.Fault = func(e world.Effect) error {
				if !closed && strings.HasPrefix(e.What, "create service-") {
					closed = true
					fixture.EditAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Spec.Polling.Max = "10m" })
				}
				return nil
			}
		}),
	)

	DescribeTable("is still used after a resolution", func(ctx SpecContext, word string) {
		w, process := fixture.Begin(ctx, limited(1))
		Expect(w.Carrier.FailNext("POST PlanChange", simulator.Fault{Kind: simulator.FaultReset})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		lost := process.Drive(ctx, site).RequestOf(v1alpha1.OperationPlanChange)
		Expect(lost.Phase).To(Equal(v1alpha1.PhaseOutcomeUnknown))
		counts := reserved(ctx, w)
		w.Annotate(ctx, site, v1alpha1.AnnotationResolve, lost.AttemptID+"="+word)
		_, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		ended := fixture.ServiceLedger(ctx, w, w.Read(ctx, site).ServiceNumber().Number()).Spec.Ended[0]
		Expect(string(ended.Outcome)).To(Equal(word))
		Expect(reserved(ctx, w)).To(ContainElements(counts))
		Expect(counts).To(ConsistOf(lost.AttemptID))
	},
		Entry("as not accepted", "NotAccepted"),
		Entry("as abandoned", "Abandoned"),
	)
})
