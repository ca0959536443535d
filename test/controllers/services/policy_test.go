// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/admission"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = DescribeTable("A change that may not be sent",
	func(ctx SpecContext, scenario fixture.BlockedChange) {
		w := world.New(ctx, fixture.Plane)
		w.Login(ctx, fixture.OrNoop(scenario.Account))
		line := w.Line()
		process := w.Start(world.CrashPoint{}, fixture.OrNoop(scenario.Options))
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(w.Create(ctx, w.Service(site, line, fixture.OrNoop(scenario.Service)))).To(Succeed())

		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, scenario.Status, scenario.Reason)
		Expect(world.Ready(service).Message).To(ContainSubstring(scenario.Message))
		Expect(w.Posts(line)).To(BeZero())
		if scenario.Release == nil {
			return
		}
		w.Edit(ctx, site, scenario.Release)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	},
	Entry("waits while the service is suspended", fixture.BlockedChange{
		Service: func(s *v1alpha1.BroadbandService) { s.Spec.Suspend = true },
		Status:  metav1.ConditionFalse, Reason: v1alpha1.ReasonSuspended, Message: `plan.name "Home 50/20" → "Home 100/20"`,
		Release: func(s *v1alpha1.BroadbandService) { s.Spec.Suspend = false },
	}),
	Entry("is only shown under managementPolicy Plan", fixture.BlockedChange{
		Service: func(s *v1alpha1.BroadbandService) { s.Spec.ManagementPolicy = v1alpha1.ManagementPlan },
		Status:  metav1.ConditionFalse, Reason: v1alpha1.ReasonPlanned, Message: `plan.name "Home 50/20" → "Home 100/20"`,
		Release: func(s *v1alpha1.BroadbandService) { s.Spec.ManagementPolicy = v1alpha1.ManagementManage },
	}),
	Entry("is not even computed under managementPolicy Observe", fixture.BlockedChange{
		Service: func(s *v1alpha1.BroadbandService) { s.Spec.ManagementPolicy = v1alpha1.ManagementObserve },
		Status:  metav1.ConditionTrue, Reason: v1alpha1.ReasonObserving,
		Release: func(s *v1alpha1.BroadbandService) { s.Spec.ManagementPolicy = v1alpha1.ManagementManage },
	}),
	Entry("is only shown by a manager with --submit=false", fixture.BlockedChange{
		Options: func(o *controllers.Options) { o.Submit = false },
		Status:  metav1.ConditionFalse, Reason: v1alpha1.ReasonPlanned, Message: "--submit=false",
	}),
	Entry("is not sent by a manager whose admission policies are not installed", fixture.BlockedChange{
		Options: func(o *controllers.Options) {
			shipped, err := admission.Shipped(world.OperatorName)
			Expect(err).NotTo(HaveOccurred())
			o.Policies = shipped
		},
		Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonPolicyMissing, Message: "is not installed",
	}),
	Entry("waits for approval when the service requires it", fixture.BlockedChange{
		Service: func(s *v1alpha1.BroadbandService) { s.Spec.Approval = v1alpha1.ApprovalOnCost },
		Status:  metav1.ConditionFalse, Reason: v1alpha1.ReasonAwaitingApproval, Message: "approval is OnCost",
		Release: func(s *v1alpha1.BroadbandService) { s.Spec.Approval = v1alpha1.ApprovalAutomatic },
	}),
	Entry("waits for approval when the account requires it", fixture.BlockedChange{
		Account: func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = v1alpha1.ApprovalAlways },
		Status:  metav1.ConditionFalse, Reason: v1alpha1.ReasonAwaitingApproval, Message: "approval is Always",
	}),
	Entry("is refused when the account's API version has no restoration SLA", fixture.BlockedChange{
		Account: func(a *v1alpha1.CarrierAccount) { a.Spec.APIVersion = 5 },
		Service: fixture.WithSLA(world.SLAFast),
		Status:  metav1.ConditionFalse, Reason: v1alpha1.ReasonUnsupportedByAPIVersion, Message: "restorationSla",
		Release: fixture.WithSLA(""),
	}),
	Entry("is refused when the account's API version cannot read the plan, and the account is strict",
		fixture.BlockedChange{
			Account: fixture.StrictlyAt(4),
			Status:  metav1.ConditionFalse, Reason: v1alpha1.ReasonUnsupportedByAPIVersion, Message: "trustDeclared",
		}),
	Entry("is refused when an SLA change has no term", fixture.BlockedChange{
		Service: func(s *v1alpha1.BroadbandService) { s.Spec.Plan, s.Spec.RestorationSLA = nil, world.SLAFast },
		Status:  metav1.ConditionFalse, Reason: v1alpha1.ReasonTermUnknown, Message: "declare spec.plan",
		Release: fixture.WithPlan(world.PlanSlow, 12),
	}),
	Entry("is refused when an NTD option has no contact", fixture.BlockedChange{
		Service: func(s *v1alpha1.BroadbandService) {
			s.Spec.Plan = &v1alpha1.Plan{Name: world.PlanGiga, Term: 12, NTDOption: "4_PORT_RESIDENTIAL"}
		},
		Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonContactRequired, Message: "spec.plan.contactSecretRef",
		Release: func(s *v1alpha1.BroadbandService) {
			s.Spec.Plan.Contact = &v1alpha1.Contact{Name: "Jo", Phone: "0400 000 000", Email: "jo@example.com"}
		},
	}),
	Entry("is refused for a service that the account does not list", fixture.BlockedChange{
		Account: func(a *v1alpha1.CarrierAccount) { a.Spec.ServiceIDs = []v1alpha1.CarrierID{"7"} },
		Status:  metav1.ConditionFalse, Reason: v1alpha1.ReasonNotFoundOrForbidden, Message: "does not let this account see",
	}),
)

var _ = Describe("A service", func() {
	It("that another object manages is a Conflict, until that object is deleted", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service("one", line))).To(Succeed())
		Expect(w.Create(ctx, w.Service("two", line))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, "one"), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		fixture.ExpectReady(process.Drive(ctx, "two"), metav1.ConditionFalse, v1alpha1.ReasonConflict)
		Expect(w.Delete(ctx, w.Read(ctx, "one"))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, "two"), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("waits its turn when the account's charge limit for the hour is reached", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, func(a *v1alpha1.CarrierAccount) {
			a.Spec.ChargeLimit = &v1alpha1.ChargeLimit{PerHour: 1}
		})
		first, second := w.Line(), w.Line()
		Expect(w.Create(ctx, w.Service("first", first))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, "first"), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		sentAt := w.Read(ctx, "first").Status.History[0].SubmittedAt
		Expect(w.Create(ctx, w.Service(site, second))).To(Succeed())
		for range 20 {
			result, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(result.RequeueAfter)
		}
		fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonChargeLimit)
		Expect(w.Posts(second)).To(BeZero())

		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		next := service.Status.History[0].SubmittedAt
		Expect(next.Sub(sentAt.Time)).To(BeNumerically(">=", time.Hour))
	})

	It("that the carrier does not know is polled every ten minutes until it exists", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		known, _ := w.Carrier.Service(line)
		w.Carrier.RemoveService(line)
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		end := w.Clock.Now().Add(time.Hour)
		for w.Clock.Now().Before(end) {
			result, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(result.RequeueAfter)
		}
		fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonNotFoundOrForbidden)
		Expect(w.Carrier.Submissions(simulator.OpHealth, line).Seen).To(BeNumerically("<=", 7))

		Expect(w.Carrier.AddService(known)).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("whose carrier is down is polled at growing intervals, and continues once it is up", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		down := simulator.Fault{Kind: simulator.FaultPage, Status: 503, Times: 10_000}
		Expect(w.Carrier.FailNext("Health", down)).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		end := w.Clock.Now().Add(10 * time.Hour)
		for w.Clock.Now().Before(end) {
			result, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(result.RequeueAfter)
		}
		fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonCarrierUnavailable)
		Expect(w.Carrier.Submissions(simulator.OpHealth, line).Seen).To(BeNumerically("<=", 130), "one in five minutes")

		w.Carrier.Disarm()
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	})

	It("that is trusted as declared takes only the first read of its cancellation", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, fixture.WithSLA(world.SLAFast), func(s *v1alpha1.BroadbandService) {
			s.Spec.TrustDeclared = []v1alpha1.TrustedAspect{v1alpha1.TrustPlan, v1alpha1.TrustRestorationSLA}
		}))).To(Succeed())
		calls := len(w.Carrier.Calls())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(fixture.Condition(service, v1alpha1.ConditionPlanSynced).Message).To(ContainSubstring("never confirmed"))
		Expect(w.Carrier.Calls()[calls:]).To(HaveExactElements(HaveField("Operation", simulator.OpCancellationRead)))
	})

	It("is read again for a reconcile annotation, and shows that", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(func(s *simulator.Service) { s.Plan = world.PlanFast })
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		process.Drive(ctx, site)
		asked := w.Carrier.Submissions(simulator.OpHealth, line).Seen
		w.Annotate(ctx, site, v1alpha1.AnnotationReconcile, "now")
		service := process.Drive(ctx, site)
		Expect(service.Status.Handled.Reconcile).To(Equal("now"))
		Expect(w.Carrier.Submissions(simulator.OpHealth, line).Seen).To(Equal(asked + 1))
		process.Drive(ctx, site)
		Expect(w.Carrier.Submissions(simulator.OpHealth, line).Seen).To(Equal(asked + 1))
	})

	It("sends the contact from its Secret, and waits for a missing Secret", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, func(s *v1alpha1.BroadbandService) {
			s.Spec.Plan = &v1alpha1.Plan{
				Name: world.PlanGiga, Term: 12, NTDOption: "4_PORT_RESIDENTIAL",
				ContactSecretRef: &v1alpha1.SecretReference{Name: "contact"},
			}
		}))).To(Succeed())
		for range 12 {
			result, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(result.RequeueAfter)
		}
		fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonContactRequired)
		Expect(w.Posts(line)).To(BeZero())
		Expect(w.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "contact"},
			StringData: map[string]string{"name": "Jo", "phone": "0400 000 000", "email": "jo@example.com"},
		})).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})
})
