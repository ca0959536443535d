// SPDX-License-Identifier: Apache-2.0

package privilege_test

import (
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// tenant returns the login of the ledgers.
func tenant() v1alpha1.CarrierLogin {
	return v1alpha1.CarrierLogin{BaseURL: "https://a", ClientName: "tenant"}
}

var _ = Describe("A RequestLedger", func() {
	It("is written by the operator only, and may be restored by anyone who may create one", func(ctx SpecContext) {
		ledger := &v1alpha1.RequestLedger{
			ObjectMeta: metav1.ObjectMeta{Name: "order-restored"},
			Spec:       v1alpha1.RequestLedgerSpec{Schema: 1, Login: tenant(), Revision: 1},
		}
		Expect(plane.Client.Create(ctx, ledger)).To(Succeed())
		forge := func() error {
			ledger.Spec.Revision++
			return plane.Client.Update(ctx, ledger, client.DryRunAll)
		}
		Eventually(forge).WithTimeout(time.Minute).Should(Satisfy(apierrors.IsForbidden), "the policy is applied")
		Expect(forge()).To(MatchError(ContainSubstring("only the operator writes it, and")))
		Expect(plane.Client.Delete(ctx, ledger)).To(Satisfy(apierrors.IsForbidden))
		rewrite := client.RawPatch(types.MergePatchType, []byte("{}"))
		Expect(plane.Client.Patch(ctx, ledger, rewrite)).To(Succeed(), "as the API server's storage migration does")

		Expect(plane.Client.Get(ctx, client.ObjectKeyFromObject(ledger), ledger)).To(Succeed())
		ledger.Spec.Revision++
		Expect(as(operator).Update(ctx, ledger)).To(Succeed())
	})

	It("that a manager may create, but not update, stops that manager before it sends anything", func(ctx SpecContext) {
		const developer = "developer"
		binding := &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "runs-the-manager"},
			RoleRef: rbacv1.RoleRef{
				APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "broadband-operator-manager-role",
			},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: developer}},
		}
		Expect(plane.Client.Create(ctx, binding)).To(Succeed())
		DeferCleanup(plane.Client.Delete, binding)
		w := world.New(ctx, plane)
		w.Login(ctx)
		w.Marker = "marker-of-" + w.Namespace
		w.Manage(ctx, developer)
		Expect(w.Create(ctx, w.Order("order", "SITE-DEVELOPER"))).To(Succeed())
		Eventually(ctx, func() string {
			ready := world.Condition(w.ReadOrder(ctx, "order").Status.Conditions, v1alpha1.ConditionReady)
			return ready.Reason + ": " + ready.Message
		}).WithTimeout(time.Minute).Should(And(
			HavePrefix(v1alpha1.ReasonAPIServerRefused), ContainSubstring("only the operator writes it, and developer")))
		Expect(w.Ordered("SITE-DEVELOPER").Seen).To(BeZero())
	})

	It("of a login stays one, and has at most a thousand reservations (R10)", func(ctx SpecContext) {
		ledger := &v1alpha1.RequestLedger{
			ObjectMeta: metav1.ObjectMeta{Name: "login-reserved"},
			Spec: v1alpha1.RequestLedgerSpec{
				Schema: 1, Login: tenant(), Revision: 1, Account: &v1alpha1.LedgerAccount{},
			},
		}
		Expect(as(operator).Create(ctx, ledger)).To(Succeed())
		Expect(ledger.Spec.Account).NotTo(BeNil(), "one that is empty is kept")
		one := v1alpha1.Reservation{AttemptID: "a", Operation: v1alpha1.OperationPlanChange, At: metav1.Now()}
		for range v1alpha1.MostReservations {
			ledger.Spec.Account.Reservations = append(ledger.Spec.Account.Reservations, one)
		}
		Expect(as(operator).Update(ctx, ledger)).To(Succeed())
		full := ledger.DeepCopy()
		full.Spec.Account.Reservations = append(full.Spec.Account.Reservations, one)
		Expect(as(operator).Update(ctx, full)).To(MatchError(ContainSubstring("must have at most 1000 items")))
		ledger.Spec.Account = nil
		Expect(as(operator).Update(ctx, ledger)).To(MatchError(ContainSubstring("the subject of a ledger is immutable")))
	})
})
