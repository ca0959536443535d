// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The numbers are those of docs/security-cases.md. A user who may write statuses or the operator's
// records can make an object show something false. Nothing false may send an order twice.

// forged is an attempt that the operator never made.
const forged = "00000000-forged"

var _ = DescribeTable("An order with a forged status is not sent again, and no other order is polled (63)",
	func(ctx SpecContext, lie func(*v1alpha1.ServiceOrder), reason string) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		calls := len(w.Carrier.Calls())

		lie(order)
		Expect(w.Status().Update(ctx, order)).To(Succeed())
		for _, operator := range []*world.Process{process, fixture.Successor(ctx, w)} {
			order = operator.DriveOrder(ctx, site)
			Expect(fixture.OrderCondition(order, v1alpha1.ConditionReady).Reason).To(Equal(reason))
			w.Clock.Advance(fixture.Horizon)
		}

		Expect(w.Ordered(fixture.Reference)).To(Equal(simulator.Count{Seen: 1, Processed: 1}))
		Expect(fixture.CallsBeyondLogin(w, calls)).To(BeEmpty(), "nothing but the successor's login")
	},
	Entry("as refused", func(o *v1alpha1.ServiceOrder) {
		o.Status.Frozen = false
		o.Status.Request.AttemptID, o.Status.Request.Phase = forged, v1alpha1.PhaseRejected
	}, v1alpha1.ReasonSubmitted),
	Entry("as refused under its own attempt", func(o *v1alpha1.ServiceOrder) {
		o.Status.Frozen, o.Status.Request.Phase = false, v1alpha1.PhaseRejected
	}, v1alpha1.ReasonSubmitted),
	Entry("as not sent", func(o *v1alpha1.ServiceOrder) {
		o.Status.Frozen = false
		o.Status.Request.AttemptID, o.Status.Request.Phase = forged, v1alpha1.PhaseNotSent
	}, v1alpha1.ReasonSubmitted),
	Entry("as never seen", func(o *v1alpha1.ServiceOrder) {
		o.Status = v1alpha1.ServiceOrderStatus{}
	}, v1alpha1.ReasonSubmitted),
	Entry("as another order", func(o *v1alpha1.ServiceOrder) {
		o.Status.OrderID, o.Status.Request.AttemptID = v1alpha1.CarrierIDOf(world.PlacedOrderID), forged
	}, v1alpha1.ReasonSubmitted),
	Entry("as in progress at another's Location", func(o *v1alpha1.ServiceOrder) {
		o.Status.Request.AttemptID, o.Status.Request.Phase = forged, v1alpha1.PhaseInProgress
		o.Status.Request.Location = "/api/connect/services/plan-changes/requests/77"
	}, v1alpha1.ReasonSubmitted),
)

var _ = It("An order that is changed after a forged refusal is another order, and is not sent (63)",
	func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		order.Status.Frozen = false
		order.Status.Request.AttemptID, order.Status.Request.Phase = forged, v1alpha1.PhaseRejected
		Expect(w.Status().Update(ctx, order)).To(Succeed())
		w.EditOrder(ctx, site, func(o *v1alpha1.ServiceOrder) { o.Spec.PlanName = world.PlanSlow })

		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOrderDiffers)
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})

var _ = It("A service whose status is forged to name another's request polls its own (63)", func(ctx SpecContext) {
	w, process := fixture.Begin(ctx)
	line, another := w.Line(), w.Line()
	Expect(w.Create(ctx, w.Service("another", another, fixture.WithPlan(world.PlanCheap, 12)))).To(Succeed())
	Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
	service := fixture.DriveUntilAccepted(ctx, w, process)
	for w.Posts(another) == 0 {
		result, err := process.Reconcile(ctx, "another")
		Expect(err).NotTo(HaveOccurred())
		w.Clock.Advance(result.RequeueAfter)
	}

	service = w.Read(ctx, service.Name)
	service.OpenRequest().Location = w.Read(ctx, "another").OpenRequest().Location
	Expect(w.Status().Update(ctx, service)).To(Succeed())

	service = process.Drive(ctx, site)
	fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
	Expect(service.Status.Carrier.Plan.Value).To(Equal(world.PlanFast))
	Expect(service.Status.Carrier.Plan.Source).To(Equal(v1alpha1.SourceChangeResult))
	Expect(w.Posts(line)).To(Equal(1))
})

var _ = Describe("A ledger that the operator did not create", func() {
	It("cannot be created by a user with all rights in one namespace (64)", func(ctx SpecContext) {
		w := world.New(ctx, fixture.Plane)
		theirs := &v1alpha1.RequestLedger{
			ObjectMeta: metav1.ObjectMeta{Name: w.Namespace},
			Spec:       v1alpha1.RequestLedgerSpec{Schema: 1, Login: w.Account().Login(), Revision: 1},
		}
		Expect(tenant(ctx, w).Create(ctx, theirs)).To(Satisfy(apierrors.IsForbidden))
	})

	type (
		ledger = v1alpha1.RequestLedgerSpec
		order  = v1alpha1.ServiceOrder
	)
	DescribeTable("sends nothing, and reports why (64)",
		func(ctx SpecContext, rewrite func(forged *ledger, other *order), reason string) {
			w, process := fixture.Begin(ctx)
			Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
			placed := process.DriveOrder(ctx, site)
			forged := fixture.LedgerOf(ctx, w)
			Expect(w.Delete(ctx, placed)).To(Succeed())
			fixture.RemoveOrderLedger(ctx, w)
			other := w.Order("other", "SITE-016")
			Expect(w.Create(ctx, other)).To(Succeed())
			rewrite(&forged.Spec, other)
			forged.ResourceVersion = ""
			Expect(w.Create(ctx, forged)).To(Succeed())

			Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
			for _, operator := range []*world.Process{process, fixture.Successor(ctx, w)} {
				fixture.ExpectOrder(operator.DriveOrder(ctx, site), metav1.ConditionFalse, reason)
				w.Clock.Advance(fixture.Horizon)
			}
			Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
		},
		Entry("when it names another object that exists", func(l *ledger, o *order) {
			l.Holder.Name, l.Holder.UID = o.Name, string(o.UID)
		}, v1alpha1.ReasonConflict),
		Entry("when it names a deleted object, and another order", func(l *ledger, _ *order) {
			l.Last[0].BodyHash = "sha256:other"
		}, v1alpha1.ReasonOrderDiffers),
		Entry("when it is of another login", func(l *ledger, _ *order) {
			l.Login.BaseURL = "https://evil.example"
		}, v1alpha1.ReasonLedgerUnreadable),
		Entry("when its content does not match its name", func(l *ledger, _ *order) {
			l.Order.CustomerReference = "SITE-015"
		}, v1alpha1.ReasonLedgerUnreadable),
	)
})

// tenant is a user with all rights in the world's namespace, and none elsewhere.
func tenant(ctx SpecContext, w *world.World) client.Client {
	GinkgoHelper()
	name := "tenant-of-" + w.Namespace
	Expect(w.Create(ctx, &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}}},
	})).To(Succeed())
	Expect(w.Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: name}},
	})).To(Succeed())
	config, err := fixture.Plane.AddUser(name)
	Expect(err).NotTo(HaveOccurred())
	user, err := client.New(config, client.Options{Scheme: fixture.Plane.Scheme})
	Expect(err).NotTo(HaveOccurred())
	return user
}
