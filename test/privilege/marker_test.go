// SPDX-License-Identifier: Apache-2.0

package privilege_test

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The marker among the RequestLedgers", func() {
	It("takes one annotation from anyone who may update ledgers, and nothing else (R5)", func(ctx SpecContext) {
		marker := &v1alpha1.RequestLedger{
			ObjectMeta: metav1.ObjectMeta{
				Name: v1alpha1.MarkerName, Finalizers: []string{v1alpha1.FinalizerMemory},
				Annotations: map[string]string{"kept": "so"},
			},
			Spec: v1alpha1.RequestLedgerSpec{
				Schema: 1, Revision: 1, Cluster: "here",
				Marker: &v1alpha1.LedgerMarker{Clusters: []string{"here"}, Waits: v1alpha1.MarkerNewInstallation},
			},
		}
		Expect(as(operator).Create(ctx, marker)).To(Succeed())
		other := &v1alpha1.RequestLedger{
			ObjectMeta: metav1.ObjectMeta{Name: "order-of-somebody"},
			Spec:       v1alpha1.RequestLedgerSpec{Schema: 1, Login: tenant(), Revision: 1},
		}
		Expect(as(operator).Create(ctx, other)).To(Succeed())
		write := func(of *v1alpha1.RequestLedger, edit func(*v1alpha1.RequestLedger)) error {
			next := of.DeepCopy()
			edit(next)
			return plane.Client.Update(ctx, next)
		}
		acknowledge := func(l *v1alpha1.RequestLedger) {
			metav1.SetMetaDataAnnotation(&l.ObjectMeta, v1alpha1.AnnotationAcknowledge, "here")
		}
		Eventually(func() error { return write(other, acknowledge) }).WithTimeout(time.Minute).
			Should(Satisfy(apierrors.IsForbidden), "the policy is applied")
		for name, edit := range map[string]func(*v1alpha1.RequestLedger){
			"its spec":            func(l *v1alpha1.RequestLedger) { l.Spec.Marker.Waits = "" },
			"another annotation":  func(l *v1alpha1.RequestLedger) { l.Annotations["kept"] = "not so" },
			"one more annotation": func(l *v1alpha1.RequestLedger) { l.Annotations["more"] = "so" },
			"one annotation less": func(l *v1alpha1.RequestLedger) { l.Annotations = nil },
			"a label":             func(l *v1alpha1.RequestLedger) { l.Labels = map[string]string{"a": "b"} },
			"its finalizer":       func(l *v1alpha1.RequestLedger) { l.Finalizers = nil },
			"its spec with it":    func(l *v1alpha1.RequestLedger) { acknowledge(l); l.Spec.Marker.Clusters = nil },
		} {
			Expect(write(marker, edit)).To(Satisfy(apierrors.IsForbidden), name)
		}
		_, err := plane.Kubectl("annotate", "--overwrite", "ledger", marker.Name, v1alpha1.AnnotationAcknowledge+"=here")
		Expect(err).NotTo(HaveOccurred())
		Expect(plane.Client.Delete(ctx, marker)).To(Satisfy(apierrors.IsForbidden))
	})
})
