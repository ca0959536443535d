// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The marker among the ledgers", func() {
	It("makes an order that existed before the operator wait until a person has acknowledged it (R5, R26)",
		func(ctx SpecContext) {
			w := world.New(ctx, fixture.Plane)
			w.Login(ctx)
			w.Marker = "marker-of-" + w.Namespace
			Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
			process := w.Start(world.CrashPoint{})
			_, err := process.ReconcileAccount(ctx)
			Expect(err).NotTo(HaveOccurred())
			fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonNewInstallation)

			manager := w.Manage(ctx, fixture.User)
			awaitOrder := func(reason string) {
				GinkgoHelper()
				Eventually(func() string {
					manager.AdvanceWhenIdle(time.Second)
					return fixture.OrderCondition(w.ReadOrder(ctx, site), v1alpha1.ConditionReady).Reason
				}).WithTimeout(time.Minute).Should(Equal(reason))
			}
			awaitOrder(v1alpha1.ReasonNewInstallation)
			Expect(w.Ordered(fixture.Reference).Seen).To(BeZero())

			cluster, err := fixture.Plane.Cluster(ctx)
			Expect(err).NotTo(HaveOccurred())
			Expect(fixture.OrderCondition(w.ReadOrder(ctx, site), v1alpha1.ConditionReady).Message).
				To(ContainSubstring(w.Marker + " 'wholesale.broadband/acknowledge=" + cluster + "'"))
			marker := &v1alpha1.RequestLedger{}
			Expect(w.Get(ctx, client.ObjectKey{Name: w.Marker}, marker)).To(Succeed())
			metav1.SetMetaDataAnnotation(&marker.ObjectMeta, v1alpha1.AnnotationAcknowledge, cluster)
			Expect(w.Update(ctx, marker)).To(Succeed())
			awaitOrder(v1alpha1.ReasonSubmitted)
			Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
			Expect(fixture.LedgerOf(ctx, w).Spec.Cluster).To(Equal(cluster))

			Expect(w.Get(ctx, client.ObjectKeyFromObject(marker), marker)).To(Succeed())
			Expect(*marker.Spec.Marker).To(Equal(v1alpha1.LedgerMarker{Clusters: []string{cluster}}))
			Expect(marker.Annotations).To(BeEmpty())
			fixture.RemoveLedger(ctx, w, marker)
			Expect(w.Create(ctx, w.Order("next", "SITE-NEXT"))).To(Succeed())
			Eventually(func() string {
				manager.AdvanceWhenIdle(time.Second)
				return fixture.OrderCondition(w.ReadOrder(ctx, "next"), v1alpha1.ConditionReady).Reason
			}).WithTimeout(time.Minute).Should(Equal(v1alpha1.ReasonLedgerLost))
			Expect(w.Ordered("SITE-NEXT").Seen).To(BeZero())
		})

	It("stalls every object if another ledger has its name (R18)", func(ctx SpecContext) {
		w := world.New(ctx, fixture.Plane)
		w.Login(ctx)
		w.Marker = "marker-of-" + w.Namespace
		Expect(w.Create(ctx, &v1alpha1.RequestLedger{
			ObjectMeta: metav1.ObjectMeta{Name: w.Marker},
			Spec: v1alpha1.RequestLedgerSpec{
				Schema: 1, Login: w.Account().Login(), Revision: 1, Diagnostics: &v1alpha1.LedgerService{ID: "1"},
			},
		})).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		_, err := w.Start(world.CrashPoint{}).ReconcileOrder(ctx, site)
		Expect(err).To(HaveOccurred(), "it is tried again")
		order := w.ReadOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonLedgerUnreadable)
		Expect(fixture.OrderCondition(order, v1alpha1.ConditionReady).Message).To(ContainSubstring(w.Marker))
	})
})
