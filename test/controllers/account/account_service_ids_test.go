// SPDX-License-Identifier: Apache-2.0

package account_test

import (
	"context"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// serviceUser is an object that refers to a service.
type serviceUser struct {
	make  func(w *world.World, line int64) client.Object
	look  func(ctx context.Context, process *world.Process) (ctrl.Result, error)
	empty func() fixture.Subject
	name  string
}

func serviceUserOf(edits ...func(*v1alpha1.BroadbandService)) serviceUser {
	often := func(s *v1alpha1.BroadbandService) {
		s.Spec.Observe = v1alpha1.Observe{HealthInterval: "1h", CancellationInterval: "1h", DisruptionsInterval: "1h"}
	}
	return serviceUser{
		name: site,
		make: func(w *world.World, line int64) client.Object { return w.Service(site, line, append(edits, often)...) },
		look: func(ctx context.Context, process *world.Process) (ctrl.Result, error) {
			return process.Reconcile(ctx, site)
		},
		empty: func() fixture.Subject { return &v1alpha1.BroadbandService{} },
	}
}

// oneShotUserOf is a one-shot that refers to the service by its number, unless an edit changes
// that.
func oneShotUserOf(of fixture.OneShot, edits ...func(fixture.Subject)) serviceUser {
	return serviceUser{
		name: fixture.Once,
		make: func(w *world.World, line int64) client.Object {
			object := of.Build(w, line)
			for _, edit := range edits {
				edit(object)
			}
			return object
		},
		look: func(ctx context.Context, process *world.Process) (ctrl.Result, error) {
			return process.ReconcileOneShot(ctx, of.Shot())
		},
		empty: of.Empty,
	}
}

// byReference makes a one-shot refer to the BroadbandService instead of its number.
func byReference(object fixture.Subject) {
	ref := &v1alpha1.ServiceReference{Name: site}
	switch object := object.(type) {
	case *v1alpha1.DiagnosticTest:
		object.Spec.ServiceID, object.Spec.ServiceRef = "", ref
	case *v1alpha1.PlanOptionsQuery:
		object.Spec.ServiceID, object.Spec.ServiceRef = "", ref
	case *v1alpha1.HealthCheck:
		object.Spec.ServiceID, object.Spec.ServiceRef = "", ref
	}
}

// reconcileFor reconciles the object for a span of time, when it is due and at least once a minute.
func (n serviceUser) reconcileFor(ctx context.Context, w *world.World, process *world.Process, span time.Duration) {
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

// readyText is a short form of the object's Ready condition.
func (n serviceUser) readyText(ctx context.Context, w *world.World) string {
	GinkgoHelper()
	object, found := world.Fetch(ctx, w, n.name, n.empty())
	Expect(found).To(BeTrue())
	ready := fixture.ReadyOf(object)
	return string(ready.Status) + " " + ready.Reason + ": " + ready.Message
}

// listServices sets the services that the account is limited to.
func listServices(ctx context.Context, w *world.World, ids ...int64) {
	GinkgoHelper()
	fixture.EditAccount(ctx, w, func(a *v1alpha1.CarrierAccount) {
		a.Spec.ServiceIDs = nil
		for _, id := range ids {
			a.Spec.ServiceIDs = append(a.Spec.ServiceIDs, v1alpha1.CarrierIDOf(id))
		}
	})
}

var _ = DescribeTable("A service that the account does not list is refused before any call",
	func(ctx SpecContext, scenario serviceUser) {
		w, process, orders := fixture.BeginWithOrders(ctx)
		line := w.Line()
		orders[fixture.OrderName] = fixture.DeliveredOrder(line)
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		listServices(ctx, w, 7)
		if scenario.name != site {
			Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		}
		Expect(w.Create(ctx, scenario.make(w, line))).To(Succeed())
		calls := len(w.Carrier.Calls())
		scenario.reconcileFor(ctx, w, process, 3*time.Hour)
		refused := scenario.readyText(ctx, w)
		Expect(refused).To(HavePrefix("False " + v1alpha1.ReasonNotFoundOrForbidden))
		seen, then, _ := strings.Cut(refused, "; ")
		Expect(then).To(Equal("the operator tries again automatically"), "there is no attempt to retry")
		Expect(w.Carrier.Calls()).To(HaveLen(calls), "no call at all, whatever is due")

		By("listing it before the carrier knows it")
		known, _ := w.Carrier.Service(line)
		w.Carrier.RemoveService(line)
		listServices(ctx, w, 7, line)
		scenario.reconcileFor(ctx, w, process, 5*time.Minute)
		Expect(len(w.Carrier.Calls())).To(BeNumerically(">", calls))
		Expect(scenario.readyText(ctx, w)).To(HavePrefix(seen+"; "), "the same message when the carrier answers 404")

		By("trying again once the carrier knows it")
		Expect(w.Carrier.AddService(known)).To(Succeed())
		object, _ := world.Fetch(ctx, w, scenario.name, scenario.empty())
		object.SetAnnotations(map[string]string{v1alpha1.AnnotationRetry: fixture.RetryTime(w)})
		Expect(w.Update(ctx, object)).To(Succeed())
		scenario.reconcileFor(ctx, w, process, time.Hour)
		Expect(scenario.readyText(ctx, w)).To(HavePrefix("True "))
	},
	Entry("by a BroadbandService with its number", serviceUserOf()),
	Entry("by a BroadbandService with its order", serviceUserOf(fixture.FromOrder)),
	Entry("by a DiagnosticTest with its number", oneShotUserOf(fixture.Tests())),
	Entry("by a DiagnosticTest with its object", oneShotUserOf(fixture.Tests(), byReference)),
	Entry("by a PlanOptionsQuery with its number", oneShotUserOf(fixture.Queries())),
	Entry("by a PlanOptionsQuery with its object", oneShotUserOf(fixture.Queries(), byReference)),
	Entry("by a HealthCheck with its number", oneShotUserOf(fixture.Checks())),
	Entry("by a HealthCheck with its object", oneShotUserOf(fixture.Checks(), byReference)),
)

var _ = Describe("A service that is removed from the account's list", func() {
	It("during a change still has it polled to its end, and sends nothing else", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate))
		scenario := serviceUserOf()
		Expect(w.Create(ctx, scenario.make(w, line))).To(Succeed())
		fixture.DriveUntilAccepted(ctx, w, process)
		listServices(ctx, w, 7)
		w.Edit(ctx, site, fixture.EndOn(fixture.WantedDate)) // an urgent change
		posts := postsOf(w)
		scenario.reconcileFor(ctx, w, process, 3*time.Hour)
		service := w.Read(ctx, site)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).Phase).To(Equal(v1alpha1.PhaseSucceeded))
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonNotFoundOrForbidden)
		Expect(postsOf(w)).To(Equal(posts))

		listServices(ctx, w, line)
		scenario.reconcileFor(ctx, w, process, time.Hour)
		fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("after the response to a change was lost does not send it again", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(func(s *simulator.Service) { s.TechnologyType = "FTTN" })
		lost := simulator.Fault{Kind: simulator.FaultReset}
		Expect(w.Carrier.FailNext("POST DSLStabilityProfileChange", lost)).To(Succeed())
		scenario := serviceUserOf(fixture.WithoutPlan,
			func(s *v1alpha1.BroadbandService) { s.Spec.DSLStabilityProfile = "Stable" })
		Expect(w.Create(ctx, scenario.make(w, line))).To(Succeed())
		scenario.reconcileFor(ctx, w, process, time.Minute)
		sent := w.Carrier.Submissions(simulator.OpDSLStabilityProfileChange, line).Seen
		Expect(w.Read(ctx, site).OpenRequests()).To(HaveLen(1))
		listServices(ctx, w, 7)
		calls := len(w.Carrier.Calls())
		scenario.reconcileFor(ctx, w, process, 3*time.Hour)
		Expect(w.Carrier.Calls()).To(HaveLen(calls))
		Expect(w.Carrier.Submissions(simulator.OpDSLStabilityProfileChange, line).Seen).To(Equal(sent))

		listServices(ctx, w, line)
		scenario.reconcileFor(ctx, w, process, time.Hour)
		fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
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
