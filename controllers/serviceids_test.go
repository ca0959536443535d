// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"context"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// naming is an object that refers to a service.
type naming struct {
	make  func(w *world.World, line int64) client.Object
	look  func(ctx context.Context, process *world.Process) (ctrl.Result, error)
	empty func() controllers.Subject
	name  string
}

func serviceNaming(edits ...func(*v1alpha1.BroadbandService)) naming {
	often := func(s *v1alpha1.BroadbandService) {
		s.Spec.Observe = v1alpha1.Observe{HealthInterval: "1h", CancellationInterval: "1h", DisruptionsInterval: "1h"}
	}
	return naming{
		name:  site,
		make:  func(w *world.World, line int64) client.Object { return w.Service(site, line, append(edits, often)...) },
		look:  func(ctx context.Context, process *world.Process) (ctrl.Result, error) { return process.Look(ctx, site) },
		empty: func() controllers.Subject { return &v1alpha1.BroadbandService{} },
	}
}

// shotNaming is a one-shot that refers to the service by its number, unless it is edited.
func shotNaming(of oneShot, edits ...func(controllers.Subject)) naming {
	return naming{
		name: once,
		make: func(w *world.World, line int64) client.Object {
			object := of.build(w, line)
			for _, edit := range edits {
				edit(object)
			}
			return object
		},
		look: func(ctx context.Context, process *world.Process) (ctrl.Result, error) {
			return process.LookAt(ctx, of.shot())
		},
		empty: of.empty,
	}
}

// named makes a one-shot refer to the BroadbandService instead of its number.
func named(object controllers.Subject) {
	ref := &v1alpha1.ServiceReference{Name: site}
	switch object := object.(type) {
	case *v1alpha1.DiagnosticTest:
		object.Spec.ServiceID, object.Spec.ServiceRef = "", ref
	case *v1alpha1.PlanOptionsQuery:
		object.Spec.ServiceID, object.Spec.ServiceRef = "", ref
	}
}

// lookFor reconciles the object for a span of time, when it is due and once a minute.
func (n naming) lookFor(ctx context.Context, w *world.World, process *world.Process, span time.Duration) {
	GinkgoHelper()
	for end := w.Clock.Now().Add(span); w.Clock.Now().Before(end); {
		result, err := n.look(ctx, process)
		Expect(err).NotTo(HaveOccurred())
		wait := time.Minute
		if result.RequeueAfter > 0 {
			wait = min(wait, result.RequeueAfter)
		}
		w.Clock.Advance(wait)
	}
}

// says is a short form of the object's Ready condition.
func (n naming) says(ctx context.Context, w *world.World) string {
	GinkgoHelper()
	object, found := world.Fetch(ctx, w, n.name, n.empty())
	Expect(found).To(BeTrue())
	ready := readyOf(object)
	return string(ready.Status) + " " + ready.Reason + ": " + ready.Message
}

// list sets the services that the account is limited to.
func list(ctx context.Context, w *world.World, ids ...int64) {
	GinkgoHelper()
	editAccount(ctx, w, func(a *v1alpha1.CarrierAccount) {
		a.Spec.ServiceIDs = nil
		for _, id := range ids {
			a.Spec.ServiceIDs = append(a.Spec.ServiceIDs, v1alpha1.CarrierIDOf(id))
		}
	})
}

var _ = DescribeTable("A service that the account does not list is refused before any call",
	func(ctx SpecContext, story naming) {
		w, process, orders := beginOrdering(ctx)
		line := w.Line()
		orders[order] = delivered(line)
		_, err := process.LookAtAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		list(ctx, w, 7)
		if story.name != site {
			Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		}
		Expect(w.Create(ctx, story.make(w, line))).To(Succeed())
		calls := len(w.Carrier.Calls())
		story.lookFor(ctx, w, process, 3*time.Hour)
		refused := story.says(ctx, w)
		Expect(refused).To(HavePrefix("False " + v1alpha1.ReasonNotFoundOrForbidden))
		Expect(w.Carrier.Calls()).To(HaveLen(calls), "no call at all, whatever is due")

		By("listing it, while the carrier does not know it")
		known, _ := w.Carrier.Service(line)
		w.Carrier.RemoveService(line)
		list(ctx, w, 7, line)
		story.lookFor(ctx, w, process, 5*time.Minute)
		Expect(len(w.Carrier.Calls())).To(BeNumerically(">", calls))
		Expect(story.says(ctx, w)).To(Equal(refused), "the same words when the carrier answers 404")

		By("trying again once it does")
		Expect(w.Carrier.AddService(known)).To(Succeed())
		object, _ := world.Fetch(ctx, w, story.name, story.empty())
		object.SetAnnotations(map[string]string{v1alpha1.AnnotationRetry: stamped(w)})
		Expect(w.Update(ctx, object)).To(Succeed())
		story.lookFor(ctx, w, process, time.Hour)
		Expect(story.says(ctx, w)).To(HavePrefix("True "))
	},
	Entry("by a BroadbandService with its number", serviceNaming()),
	Entry("by a BroadbandService with its order", serviceNaming(fromOrder)),
	Entry("by a DiagnosticTest with its number", shotNaming(tests())),
	Entry("by a DiagnosticTest with its object", shotNaming(tests(), named)),
	Entry("by a PlanOptionsQuery with its number", shotNaming(queries())),
	Entry("by a PlanOptionsQuery with its object", shotNaming(queries(), named)),
)

var _ = Describe("A service that is taken off the account's list", func() {
	It("while a change is with the carrier has that followed to its end, and nothing else sent", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(holding(stateRequested, pendingDate))
		story := serviceNaming()
		Expect(w.Create(ctx, story.make(w, line))).To(Succeed())
		inFlight(ctx, w, process)
		list(ctx, w, 7)
		w.Edit(ctx, site, endOn(wantedDate)) // an urgent change
		posts := postsOf(w)
		story.lookFor(ctx, w, process, 3*time.Hour)
		service := w.Read(ctx, site)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).Phase).To(Equal(v1alpha1.PhaseSucceeded))
		expectReady(service, metav1.ConditionFalse, v1alpha1.ReasonNotFoundOrForbidden)
		Expect(postsOf(w)).To(Equal(posts))

		list(ctx, w, line)
		story.lookFor(ctx, w, process, time.Hour)
		expectReady(w.Read(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("while the answer to a change is lost is not sent it again", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line(func(s *simulator.Service) { s.TechnologyType = "FTTN" })
		lost := simulator.Fault{Kind: simulator.FaultReset}
		Expect(w.Carrier.FailNext("POST DSLStabilityProfileChange", lost)).To(Succeed())
		story := serviceNaming(sansPlan, func(s *v1alpha1.BroadbandService) { s.Spec.DSLStabilityProfile = "Stable" })
		Expect(w.Create(ctx, story.make(w, line))).To(Succeed())
		story.lookFor(ctx, w, process, time.Minute)
		sent := w.Carrier.Submissions(simulator.OpDSLStabilityProfileChange, line).Seen
		Expect(w.Read(ctx, site).OpenRequests()).To(HaveLen(1))
		list(ctx, w, 7)
		calls := len(w.Carrier.Calls())
		story.lookFor(ctx, w, process, 3*time.Hour)
		Expect(w.Carrier.Calls()).To(HaveLen(calls))
		Expect(w.Carrier.Submissions(simulator.OpDSLStabilityProfileChange, line).Seen).To(Equal(sent))

		list(ctx, w, line)
		story.lookFor(ctx, w, process, time.Hour)
		expectReady(w.Read(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	})
})

// postsOf counts all POSTs except logins.
func postsOf(w *world.World) int {
	count := 0
	for _, call := range w.Carrier.Calls() {
		if call.Method == http.MethodPost && call.Operation != simulator.OpToken {
			count++
		}
	}
	return count
}
