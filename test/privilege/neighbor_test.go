// SPDX-License-Identifier: Apache-2.0

package privilege_test

import (
	"context"
	"net/http"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/admission"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// everyRole is what a namespace's administrator can be given at most: config/rbac aggregates less.
func everyRole() []string { return []string{"editor", "approver", "resolver", "account-editor"} }

// neighborTenant is a namespace with a user who has every role in it, and none anywhere else.
type neighborTenant struct {
	*world.World

	user    client.Client
	process *world.Process
}

// neighbors are a team with the key of its login, and a neighbor who runs a carrier and an identity
// provider that accept anything of the same client name.
type neighbors struct{ team, thief neighborTenant }

func newNeighbors(ctx context.Context) neighbors {
	GinkgoHelper()
	guarded, err := plane.CachedFor(ctx, as(operator))
	Expect(err).NotTo(HaveOccurred())
	team := neighborTenant{World: world.New(ctx, guarded)}
	thief := neighborTenant{World: team.Neighbor(ctx)}
	shipped, err := admission.Shipped(world.OperatorName)
	Expect(err).NotTo(HaveOccurred())
	team.process = team.Start(world.CrashPoint{}, func(o *controllers.Options) { o.Policies = shipped })
	thief.process = team.process.In(thief.World)
	for _, tenant := range []*neighborTenant{&team, &thief} {
		name := "admin-of-" + tenant.Namespace
		tenant.user = as(name)
		for _, role := range everyRole() {
			Expect(plane.Client.Create(ctx, &rbacv1.RoleBinding{
				ObjectMeta: metav1.ObjectMeta{Namespace: tenant.Namespace, Name: name + "-" + role},
				Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: name}},
				RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "broadband-operator-" + role},
			})).To(Succeed())
		}
		Expect(plane.Client.Create(ctx, tenant.Secret())).To(Succeed()) // a right of Kubernetes' own admin
	}
	return neighbors{team, thief}
}

// declare creates objects as the user, and waits until the operator's cache has them.
func (t *neighborTenant) declare(ctx context.Context, objects ...client.Object) {
	GinkgoHelper()
	for _, object := range objects {
		Expect(t.user.Create(ctx, object)).To(Succeed())
		Eventually(func() error { return t.Get(ctx, client.ObjectKeyFromObject(object), object) }).
			WithTimeout(time.Minute).Should(Succeed())
	}
}

// remove deletes objects as the user, and lets the operator release them.
func (t *neighborTenant) remove(ctx context.Context, objects ...client.Object) {
	GinkgoHelper()
	for _, object := range objects {
		Expect(t.user.Delete(ctx, object)).To(Succeed())
	}
	for _, object := range objects {
		Eventually(func(g Gomega) {
			t.drive(ctx, object)
			g.Expect(apierrors.IsNotFound(t.Get(ctx, client.ObjectKeyFromObject(object), object))).To(BeTrue())
		}).WithTimeout(time.Minute).Should(Succeed())
	}
}

func (t *neighborTenant) drive(ctx context.Context, object client.Object) {
	GinkgoHelper()
	switch object.(type) {
	case *v1alpha1.CarrierAccount:
		for range 5 {
			_, err := t.process.ReconcileAccountOf(ctx, object.GetName())
			Expect(err).NotTo(HaveOccurred())
			t.Clock.Advance(time.Minute)
		}
	case *v1alpha1.ServiceOrder:
		t.process.DriveOrder(ctx, object.GetName())
	case *v1alpha1.BroadbandService:
		t.process.Drive(ctx, object.GetName())
	}
}

// forging returns an account of the neighbor's own carrier, and one that names the team's carrier
// and the neighbor's identity provider. Both name the team's client.
func (n neighbors) forging(ctx context.Context) (own, naming *v1alpha1.CarrierAccount) {
	GinkgoHelper()
	own, naming = n.thief.Account(), n.thief.Account()
	own.Name, naming.Name, naming.Spec.BaseURL = "own", "naming", n.team.URL
	n.thief.declare(ctx, own, naming)
	n.thief.drive(ctx, own)
	n.thief.drive(ctx, naming)
	Expect(n.readyOf(ctx, own)).To(Equal(v1alpha1.ReasonTokenIssued))
	Expect(n.readyOf(ctx, naming)).To(Equal(v1alpha1.ReasonTokenNotAccepted))
	return own, naming
}

func (n neighbors) readyOf(ctx context.Context, account *v1alpha1.CarrierAccount) string {
	GinkgoHelper()
	Expect(n.thief.Get(ctx, client.ObjectKeyFromObject(account), account)).To(Succeed())
	return world.Condition(account.Status.Conditions, v1alpha1.ConditionReady).Reason
}

// login lets the team log in with its own key.
func (n neighbors) login(ctx context.Context) metav1.Condition {
	GinkgoHelper()
	account := n.team.Account()
	n.team.declare(ctx, account)
	n.team.drive(ctx, account)
	Expect(n.team.Get(ctx, client.ObjectKeyFromObject(account), account)).To(Succeed())
	return world.Condition(account.Status.Conditions, v1alpha1.ConditionReady)
}

// imitate adds a service with the number of the team's line to the records of the neighbor's carrier.
func (n neighbors) imitate(line int64) {
	GinkgoHelper()
	Expect(n.thief.Carrier.AddService(simulator.Service{
		ID: line, Client: n.thief.ClientName, TechnologyType: "FTTP", Plan: world.PlanSlow, Term: 12,
		RestorationSLA: world.SLAStd,
	})).To(Succeed())
}

// approve approves what the team's service b1 asks for, until its one request is sent.
func (n neighbors) approve(ctx context.Context, line int64) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		if asks := n.team.process.Drive(ctx, "b1"); asks.Status.Pending != nil {
			g.Expect(annotate(ctx, n.team.user, asks, map[string]any{v1alpha1.AnnotationApprove: asks.Status.Pending.Hash})).
				To(Succeed())
		}
		g.Expect(n.team.Posts(line)).To(Equal(1), world.Ready(n.team.Read(ctx, "b1")).Message)
	}).WithTimeout(time.Minute).Should(Succeed(), "it can be approved")
}

// ordering and serving build an order and a service of an account, with the same ids in every
// namespace.
func ordering(t neighborTenant, name, account string) *v1alpha1.ServiceOrder {
	return t.Order(name, "SITE-600", func(o *v1alpha1.ServiceOrder) { o.Spec.AccountRef.Name = account })
}

func serving(t neighborTenant, name, account string, line int64) *v1alpha1.BroadbandService {
	return t.Service(name, line, func(s *v1alpha1.BroadbandService) {
		s.Spec.AccountRef.Name, s.Spec.RestorationSLA = account, world.SLAFast
		s.Spec.Plan = &v1alpha1.Plan{Name: world.PlanSlow, Term: 12}
		s.Spec.UnknownValues = v1alpha1.UnknownAsk
	})
}

var _ = Describe("A neighbor with every role in their own namespace, and a carrier that accepts anything", func() {
	It("cannot make the team's order or value look known: both are asked of the team's carrier", func(ctx SpecContext) {
		n := newNeighbors(ctx)
		own, naming := n.forging(ctx)
		line := n.team.Line()
		n.imitate(line)
		order, service := ordering(n.thief, "o600", own.Name), serving(n.thief, "c20", own.Name, line)
		service.Spec.UnknownValues = v1alpha1.UnknownRequest
		n.thief.declare(ctx, order, service)
		n.thief.drive(ctx, order)
		n.thief.drive(ctx, service)
		Expect(n.thief.ReadOrder(ctx, "o600").Status.OrderID).NotTo(BeZero(), "the neighbor's own carrier accepts it")
		n.thief.remove(ctx, order, service)

		By("declaring both again for the account that names the team's carrier")
		order, service = ordering(n.thief, "o600", naming.Name), serving(n.thief, "c20", naming.Name, line)
		n.thief.declare(ctx, order, service)
		n.thief.drive(ctx, order)
		n.thief.drive(ctx, service)
		all := "all@" + n.thief.Clock.Now().UTC().Format(time.RFC3339) + "=SameCarrier"
		Expect(annotate(ctx, n.thief.user, order, map[string]any{v1alpha1.AnnotationResolve: all})).
			To(MatchError(ContainSubstring("=NotAccepted")), "there is no such resolution")
		n.thief.remove(ctx, order, service)

		By("declaring both in the namespace that holds the key, for the first time")
		Expect(n.login(ctx).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
		n.team.declare(ctx, ordering(n.team, "site-600", world.AccountName), serving(n.team, "b7", world.AccountName, line))
		n.team.process.DriveOrder(ctx, "site-600")
		Expect(n.team.Ordered("SITE-600").Processed).To(Equal(1), "the order is sent to the team's carrier")
		sla := world.Condition(n.team.process.Drive(ctx, "b7").Status.Conditions, v1alpha1.ConditionRestorationSLASynced)
		Expect(sla.Status).NotTo(Equal(metav1.ConditionTrue), sla.Message)
	})

	It("cannot hold a service, an order or a login of the team by naming it first", func(ctx SpecContext) {
		n := newNeighbors(ctx)
		own, naming := n.forging(ctx)
		line := n.team.Line()
		n.imitate(line)
		for _, account := range []*v1alpha1.CarrierAccount{own, naming} {
			order := n.thief.Order("order-"+account.Name, "SITE-600", func(o *v1alpha1.ServiceOrder) {
				o.Spec.AccountRef.Name = account.Name
			})
			service := serving(n.thief, "claim-"+account.Name, account.Name, line)
			n.thief.declare(ctx, order, service)
			n.thief.drive(ctx, order)
			n.thief.drive(ctx, service)
			Expect(n.thief.ReadOrder(ctx, order.Name).Status.Ledger != nil).To(Equal(account == own))
		}

		By("declaring the login, the service and the order in the namespace that holds the key")
		Expect(n.login(ctx).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
		n.team.declare(ctx, ordering(n.team, "site-600", world.AccountName), serving(n.team, "b1", world.AccountName, line))
		pending := n.team.process.Drive(ctx, "b1")
		Expect(world.Ready(pending).Reason).NotTo(Equal(v1alpha1.ReasonConflict), world.Ready(pending).Message)
		Expect(pending.Status.Pending).NotTo(BeNil(), world.Ready(pending).Message)
		n.team.process.DriveOrder(ctx, "site-600")
		Expect(n.team.Ordered("SITE-600").Processed).To(Equal(1))

		By("naming everything again, after the team has its ledgers")
		for _, name := range []string{"claim-own", "claim-naming"} {
			n.thief.process.Drive(ctx, name)
		}
		Expect(n.team.process.Drive(ctx, "b1").Status.Pending.Hash).To(Equal(pending.Status.Pending.Hash))
		n.approve(ctx, line)
		for _, call := range n.team.Carrier.Calls() {
			Expect(call.Method == http.MethodPost && call.Status == http.StatusUnauthorized).To(BeFalse(),
				"nothing is sent with the neighbor's token: %s", call.Path)
		}
	})

	It("can neither read nor write a RequestLedger", func(ctx SpecContext) {
		n := newNeighbors(ctx)
		n.forging(ctx)
		Expect(n.login(ctx).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
		n.team.declare(ctx, ordering(n.team, "site-600", world.AccountName))
		n.team.process.DriveOrder(ctx, "site-600")
		ledger := &v1alpha1.RequestLedger{ObjectMeta: metav1.ObjectMeta{
			Name: n.team.ReadOrder(ctx, "site-600").Status.Ledger.Name,
		}}
		Expect(n.thief.user.Get(ctx, client.ObjectKeyFromObject(ledger), ledger)).To(Satisfy(apierrors.IsForbidden))
		Expect(n.thief.user.List(ctx, &v1alpha1.RequestLedgerList{})).To(Satisfy(apierrors.IsForbidden))
		Expect(n.thief.user.Delete(ctx, ledger)).To(Satisfy(apierrors.IsForbidden))
		Expect(annotate(ctx, n.thief.user, ledger, map[string]any{
			v1alpha1.AnnotationContinuedBy: n.thief.URL + " " + n.thief.ClientName,
		})).To(Satisfy(apierrors.IsForbidden))
	})
})
