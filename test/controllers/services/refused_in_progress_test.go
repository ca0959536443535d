// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"cmp"
	"context"
	"net/http"
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

// Codes of requests that are refused because another client's request is in progress.
const (
	planInProgress  = "constraints.service.plan.change.request.in.progress"
	otherInProgress = "constraints.service.modification.in.progress"
)

var _ = Describe("A plan change that is refused because another is in progress", func() {
	It("is sent again five minutes later, and does not count as a repeat", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Carrier.FailNext("POST PlanChange",
			fixture.RefusedFor("serviceId", planInProgress, otherInProgress))).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.Elapse(ctx, w, process, 4*time.Minute)
		service := w.Read(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonChangeInProgress)
		fixture.ExpectAspect(service, v1alpha1.ConditionReconciling, metav1.ConditionTrue, v1alpha1.ReasonChangeInProgress)
		Expect(world.Ready(service).Message).To(And(HavePrefix(planInProgress), ContainSubstring("retried automatically")))
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(2))
		Expect(w.Read(ctx, site).RequestOf(v1alpha1.OperationPlanChange).Repeats).To(BeZero())
	})

	It("waits for a person if there is another error, too", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		refusal := fixture.RefusedFor("serviceId", planInProgress, "constraints.plan.change.plan.name.invalid")
		Expect(w.Carrier.FailNext("POST PlanChange", refusal)).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonPlanNameInvalid)
		fixture.ExpectAspect(service, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonPlanNameInvalid)
		Expect(world.Ready(service).Message).To(ContainSubstring("also " + planInProgress))
	})
})

// refusable is a kind of request that the carrier may refuse because another one is in progress.
type refusable struct {
	operation simulator.Operation
	build     func(w *world.World, line int64) fixture.Subject // an object with the name of the scenario
	sold      func(*simulator.Service)                         // edits its service; nil: unchanged
	isFree    bool                                             // nobody has to approve it
	done      string                                           // the reason of Ready at its end; "": Completed
}

// refusedRun is a world with an object whose request is refused.
type refusedRun struct {
	*world.World
	refusable

	process  *world.Process
	object   fixture.Subject
	approved string // the hash that a person has approved; "": none
}

func (r *refusedRun) read(ctx context.Context) {
	GinkgoHelper()
	var found bool
	r.object, found = world.Fetch(ctx, r.World, site, r.object)
	Expect(found).To(BeTrue())
}

// reconcile runs one pass over the object, and returns how long it is until the next one is due.
func (r *refusedRun) reconcile(ctx context.Context) time.Duration {
	GinkgoHelper()
	pass := r.process.Reconcile
	switch r.object.(type) {
	case *v1alpha1.ServiceOrder:
		pass = r.process.ReconcileOrder
	case *v1alpha1.AppointmentRequest:
		pass = r.process.ReconcileAppointment
	case *v1alpha1.DiagnosticTest:
		pass = func(ctx context.Context, name string) (ctrl.Result, error) {
			return r.process.ReconcileOneShot(ctx, world.OneShot{Kind: "DiagnosticTest", Name: name})
		}
	}
	result, err := pass(ctx, site)
	Expect(err).NotTo(HaveOccurred())
	r.read(ctx)
	return result.RequeueAfter
}

// until runs the passes that are due until Ready has a reason. Until then, the status may still
// show that the object awaits the given approval, because it is not rewritten while the prices are
// read again. It must not show any other approval.
func (r *refusedRun) until(ctx context.Context, reason string) {
	GinkgoHelper()
	for range 100 {
		after := r.reconcile(ctx)
		ready := fixture.ReadyOf(r.object)
		if ready.Reason == reason {
			return
		}
		if ready.Reason == v1alpha1.ReasonAwaitingApproval {
			Expect(r.shown().Hash).To(Equal(r.approved), ready.Message)
		}
		r.Clock.Advance(after)
	}
	Fail("it is never " + reason)
}

// posts counts the POSTs that the carrier has received.
func (r *refusedRun) posts() (count int) {
	for _, call := range r.Carrier.Calls() {
		if call.Operation == r.operation && call.Method == http.MethodPost {
			count++
		}
	}
	return count
}

// shown returns the plan of changes that the object shows.
func (r *refusedRun) shown() *v1alpha1.Pending {
	GinkgoHelper()
	var shown *v1alpha1.Pending
	switch object := r.object.(type) {
	case *v1alpha1.BroadbandService:
		shown = object.Status.Pending
	case *v1alpha1.ServiceOrder:
		shown = object.Status.Pending
	case *v1alpha1.DiagnosticTest:
		shown = object.Status.Pending
	}
	Expect(shown).NotTo(BeNil())
	return shown
}

// approve approves what is shown, as a user would.
func (r *refusedRun) approve(ctx context.Context) {
	GinkgoHelper()
	r.approved = r.shown().Hash
	r.annotate(ctx, v1alpha1.AnnotationApprove, r.approved)
}

// annotate sets an annotation, as a user would.
func (r *refusedRun) annotate(ctx context.Context, key, value string) {
	GinkgoHelper()
	before, isObject := r.object.DeepCopyObject().(client.Object)
	Expect(isObject).To(BeTrue())
	r.object.SetAnnotations(map[string]string{key: value})
	Expect(r.Patch(ctx, r.object, client.MergeFrom(before))).To(Succeed())
}

// changing builds a service that needs an approval for a chargeable change and for its first
// change.
func changing(edits ...fixture.Edit) func(*world.World, int64) fixture.Subject {
	return func(w *world.World, line int64) fixture.Subject {
		return w.Service(site, line, append(edits, fixture.WithApproval(v1alpha1.ApprovalOnCost))...)
	}
}

// attempt returns the newest attempt. For a service, only the ledger has all of it.
func (r *refusedRun) attempt(ctx context.Context) *v1alpha1.Request {
	GinkgoHelper()
	if service, is := r.object.(*v1alpha1.BroadbandService); is {
		return fixture.Recorded(ctx, service, v1alpha1.Operation(r.operation))
	}
	return r.object.Record().RequestOf(v1alpha1.Operation(r.operation))
}

var _ = DescribeTable("A request that is refused because another is in progress is sent again under the same approval",
	func(ctx SpecContext, kind refusable) {
		r := &refusedRun{refusable: kind}
		r.World, r.process = fixture.Begin(ctx)
		r.object = r.build(r.World, r.Line(fixture.OrNoop(r.sold)))
		Expect(r.Create(ctx, r.object)).To(Succeed())
		Expect(r.Carrier.FailNext("POST "+string(r.operation),
			fixture.RefusedFor("serviceId", otherInProgress))).To(Succeed())
		if !r.isFree {
			r.until(ctx, v1alpha1.ReasonAwaitingApproval)
			Expect(r.posts()).To(BeZero())
			r.approve(ctx)
		}

		r.until(ctx, v1alpha1.ReasonChangeInProgress)
		Expect(fixture.ReadyOf(r.object).Message).To(And(
			HavePrefix(otherInProgress), ContainSubstring("it is retried automatically")))
		r.Clock.Advance(5*time.Minute - 2*time.Second)
		r.reconcile(ctx)
		Expect(r.posts()).To(Equal(1), "the pause is five minutes")

		r.until(ctx, cmp.Or(r.done, v1alpha1.ReasonCompleted))
		Expect(r.posts()).To(Equal(2))
		attempt := r.attempt(ctx)
		Expect(attempt.Phase).To(Equal(v1alpha1.PhaseSucceeded))
		Expect(attempt.ApprovedHash).To(Equal(r.approved))
		Expect(attempt.Repeats).To(BeZero())
	},
	Entry("a plan change", refusable{
		operation: simulator.OpPlanChange, build: changing(), done: v1alpha1.ReasonInSync,
	}),
	Entry("a reclaim", refusable{
		operation: simulator.OpReclaim, build: changing(fixture.WithoutPlan, fixture.Reclaiming),
		sold: fixture.DisconnectedLine(fixture.ReclaimableTo),
		done: v1alpha1.ReasonInSync,
	}),
	Entry("another cancellation date", refusable{
		operation: simulator.OpCancellationReschedule,
		build:     changing(fixture.WithoutPlan, fixture.EndOn(fixture.WantedDate)),
		sold:      fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate), done: v1alpha1.ReasonInSync,
	}),
	Entry("a query for appointments", refusable{
		operation: simulator.OpAppointmentSlots, isFree: true, build: func(w *world.World, _ int64) fixture.Subject {
			return w.Appointment(site)
		},
	}),
)

var _ = DescribeTable("A request whose outcome nothing shows waits for a person if another is in progress",
	func(ctx SpecContext, kind refusable) {
		r := &refusedRun{refusable: kind}
		r.World, r.process = fixture.Begin(ctx)
		r.object = r.build(r.World, r.Line())
		Expect(r.Create(ctx, r.object)).To(Succeed())
		Expect(r.Carrier.FailNext("POST "+string(r.operation),
			fixture.RefusedFor("serviceId", otherInProgress))).To(Succeed())
		r.until(ctx, v1alpha1.ReasonOutcomeUnknown)
		Expect(fixture.ReadyOf(r.object).Message).To(And(
			ContainSubstring("the carrier refused it because a request is in progress there: "+otherInProgress),
			ContainSubstring("Ask the carrier which request is in progress")))
		r.Clock.Advance(2 * time.Hour)
		r.reconcile(ctx)
		Expect(r.posts()).To(Equal(1))

		r.annotate(ctx, v1alpha1.AnnotationResolve, r.attempt(ctx).AttemptID+"=NotAccepted")
		r.until(ctx, cmp.Or(r.done, v1alpha1.ReasonCompleted))
		Expect(r.posts()).To(Equal(2))
	},
	Entry("an aggregation conversion", refusable{
		operation: simulator.OpAggregationConversion, done: v1alpha1.ReasonInSync,
		build: func(w *world.World, line int64) fixture.Subject {
			return w.Service(site, line, fixture.Aggregated("ETHERNET"))
		},
	}),
	Entry("an order", refusable{
		operation: simulator.OpOrderCreate, done: v1alpha1.ReasonSubmitted,
		build: func(w *world.World, _ int64) fixture.Subject { return w.Order(site, fixture.Reference) },
	}),
	Entry("a diagnostic test", refusable{
		operation: simulator.OpDiagnosticTest,
		build:     func(w *world.World, line int64) fixture.Subject { return w.Test(site, line) },
	}),
)

var _ = Describe("A diagnostic test of a service on which another client runs one", func() {
	It("is run after that one, once a person has said that it is another client's", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line, another := w.Line(), w.InAnotherNamespace(ctx)
		another.ClientName = w.ClientName
		another.Login(ctx, fixture.AsAnotherLogin)
		_, err := process.In(another).ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(another.Create(ctx, fixture.Tests().Build(another, line))).To(Succeed())
		fixture.Tests().Until(ctx, another, process.In(another), v1alpha1.ReasonProgressing)
		Expect(fixture.Tests().Posts(w)).To(Equal(1))

		Expect(w.Create(ctx, fixture.Tests().Build(w, line))).To(Succeed())
		refused := fixture.Tests().Until(ctx, w, process, v1alpha1.ReasonOutcomeUnknown)
		Expect(fixture.ReadyOf(refused).Message).To(
			ContainSubstring("constraints.service-diagnostic-test-request.in-progress"))
		fixture.Tests().Until(ctx, another, process.In(another), v1alpha1.ReasonCompleted)
		fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationResolve, fixture.Tests().Request(ctx, w).AttemptID+"=NotAccepted")
		fixture.Tests().Until(ctx, w, process, v1alpha1.ReasonCompleted)
		Expect(fixture.Tests().Posts(w)).To(Equal(3))
	})
})
