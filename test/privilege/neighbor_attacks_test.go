// SPDX-License-Identifier: Apache-2.0

package privilege_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// working lets the team log in, and drives an order and a service of its line.
func (n neighbors) working(ctx context.Context) (line int64) {
	GinkgoHelper()
	Expect(n.login(ctx).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
	line = n.team.Line()
	n.team.declare(ctx, ordering(n.team, "site-600", world.AccountName), serving(n.team, "b1", world.AccountName, line))
	n.team.process.DriveOrder(ctx, "site-600")
	n.team.process.Drive(ctx, "b1")
	return line
}

// versions returns the resourceVersions of what belongs to the team.
func (n neighbors) versions(ctx context.Context) string {
	GinkgoHelper()
	var ledgers v1alpha1.RequestLedgerList
	Expect(n.team.List(ctx, &ledgers)).To(Succeed())
	versions := []string{
		n.team.Read(ctx, "b1").ResourceVersion, n.team.ReadOrder(ctx, "site-600").ResourceVersion,
		n.team.ReadAccount(ctx).ResourceVersion,
	}
	for i := range ledgers.Items {
		if ledgers.Items[i].Spec.Login == n.team.Account().Login() {
			versions = append(versions, ledgers.Items[i].Name+"="+ledgers.Items[i].ResourceVersion)
		}
	}
	slices.Sort(versions) // a cache lists in any order
	return strings.Join(versions, " ")
}

// ledgerOfTeam is how a status would name the ledger of the team's line, whose name anybody can
// compute.
func (n neighbors) ledgerOfTeam(line int64) *v1alpha1.LedgerReference {
	return &v1alpha1.LedgerReference{Revision: 1 << 53, Name: decide.LedgerName(&v1alpha1.RequestLedgerSpec{
		Login: n.team.Account().Login(), Service: &v1alpha1.LedgerService{ID: v1alpha1.CarrierIDOf(line)},
	})}
}

var _ = Describe("A neighbor with every role in their own namespace", func() {
	It("keeps no proof of their own login if the account is created again with the team's", func(ctx SpecContext) {
		n := newNeighbors(ctx)
		line := n.working(ctx)
		n.imitate(line)
		own := n.thief.Account()
		n.thief.declare(ctx, own)
		n.thief.drive(ctx, own)
		Expect(n.readyOf(ctx, own)).To(Equal(v1alpha1.ReasonTokenIssued))
		order, service := ordering(n.thief, "o600", own.Name), serving(n.thief, "c20", own.Name, line)
		n.thief.declare(ctx, order, service)
		n.thief.drive(ctx, order)
		n.thief.drive(ctx, service)
		before := n.versions(ctx)
		move := fmt.Appendf(nil, `{"spec":{"baseURL":%q}}`, n.team.URL)
		Expect(n.thief.user.Patch(ctx, own, client.RawPatch(types.MergePatchType, move))).
			To(MatchError(ContainSubstring("immutable")))

		Expect(n.thief.user.Delete(ctx, own)).To(Succeed())
		again := n.thief.Account()
		again.Spec.BaseURL = n.team.URL
		n.thief.declare(ctx, again)
		n.thief.drive(ctx, again)
		n.thief.drive(ctx, order)
		n.thief.drive(ctx, service)
		Expect(n.readyOf(ctx, again)).To(Equal(v1alpha1.ReasonTokenNotAccepted))
		n.thief.remove(ctx, order, service)
		Expect(n.versions(ctx)).To(Equal(before))
	})

	It("cannot write a status", func(ctx SpecContext) {
		n := newNeighbors(ctx)
		own, _ := n.forging(ctx)
		line := n.working(ctx)
		service := serving(n.thief, "c20", own.Name, line)
		service.Status.Ledger = n.ledgerOfTeam(line)
		n.thief.declare(ctx, service)
		Expect(service.Status.Ledger).To(BeNil())
		service.Status.Ledger = n.ledgerOfTeam(line)
		Expect(n.thief.user.Status().Update(ctx, service)).To(Satisfy(apierrors.IsForbidden))
		Expect(n.thief.user.Update(ctx, service)).To(Succeed())
		Expect(n.thief.Read(ctx, "c20").Status.Ledger).To(BeNil())
	})

	It("cannot send the team a notification", func(ctx SpecContext) {
		n := newNeighbors(ctx)
		n.working(ctx)
		Expect(plane.Client.Create(ctx, n.thief.EventsSecret())).To(Succeed())
		naming := n.thief.Account(world.WithEvents(v1alpha1.SignatureHMAC))
		naming.Spec.BaseURL = n.team.URL
		n.thief.declare(ctx, naming)
		n.thief.drive(ctx, naming)
		Expect(n.readyOf(ctx, naming)).To(Equal(v1alpha1.ReasonTokenNotAccepted))
		receiver, before := n.team.process.StartReceiver(), n.versions(ctx)
		number := n.team.ReadOrder(ctx, "site-600").Status.OrderID
		for _, about := range []string{
			fmt.Sprintf(`"orderId":%s`, number), `"customerReference":"SITE-600"`, `"reason":"x"`,
		} {
			n.thief.Notify(ctx, receiver, naming.Status.EventsPath, world.SharedSecret,
				`{"eventType":"OrderRejected",`+about+`}`)
		}
		Expect(n.versions(ctx)).To(Equal(before))
	})
})

// None of the operator's roles lets anybody write a status.
var _ = DescribeTable("A neighbor who may also write statuses cannot make the team's ledger look lost",
	func(ctx SpecContext, account string) {
		n := newNeighbors(ctx)
		n.forging(ctx)
		line := n.working(ctx)
		n.approve(ctx, line)
		Expect(n.team.Read(ctx, "b1").Status.Ledger.Name).To(Equal(n.ledgerOfTeam(line).Name))
		n.allowStatus(ctx)

		service := serving(n.thief, "c20", account, line)
		n.thief.declare(ctx, service)
		service.Status.Ledger = n.ledgerOfTeam(line)
		Eventually(func() error { return n.thief.user.Status().Update(ctx, service) }).WithTimeout(time.Minute).
			Should(Succeed())
		Eventually(func() any { return n.thief.Read(ctx, "c20").Status.Ledger }).WithTimeout(time.Minute).ShouldNot(BeNil())
		_, err := n.thief.process.Reconcile(ctx, "c20")
		Expect(err).NotTo(HaveOccurred())
		n.team.Edit(ctx, "b1", func(s *v1alpha1.BroadbandService) { s.Spec.RestorationSLA = world.SLAStd })
		Expect(world.Ready(n.team.process.Drive(ctx, "b1")).Reason).NotTo(Equal(v1alpha1.ReasonLedgerLost))
	},
	Entry("with an account that does not exist", "nobody"),
	Entry("with an account of their own login", "own"),
	Entry("with an account that names the team's login", "naming"),
)

// allowStatus lets the neighbor do everything with our kinds in their own namespace.
func (n neighbors) allowStatus(ctx context.Context) {
	GinkgoHelper()
	meta := metav1.ObjectMeta{Namespace: n.thief.Namespace, Name: "everything"}
	Expect(plane.Client.Create(ctx, &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{v1alpha1.GroupVersion.Group}, Resources: []string{"*"}, Verbs: []string{"*"},
	}}})).To(Succeed())
	Expect(plane.Client.Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: meta,
		Subjects: []rbacv1.Subject{{
			Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: "admin-of-" + n.thief.Namespace,
		}},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
	})).To(Succeed())
}
