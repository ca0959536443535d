// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("What a cache keeps of an object", func() {
	large := func() metav1.ObjectMeta {
		filled := metav1.ObjectMeta{
			Name: "site", Namespace: "sites", UID: "u-1", ResourceVersion: "7", Generation: 3,
			Labels: map[string]string{"customer": strings.Repeat("x", 63)},
			Annotations: map[string]string{
				"example.com/note": strings.Repeat("x", 200<<10), v1alpha1.AnnotationApprove: "p1",
				v1alpha1.AnnotationRetry: strings.Repeat("x", 50<<10),
			},
			OwnerReferences: []metav1.OwnerReference{{Name: "owner"}},
			ManagedFields:   []metav1.ManagedFieldsEntry{{Manager: "kubectl"}},
		}
		for i := range 4400 {
			filled.Finalizers = append(filled.Finalizers, fmt.Sprintf("example.com/%s-%d", strings.Repeat("x", 280), i))
		}
		filled.Finalizers = append(filled.Finalizers, v1alpha1.Finalizer)
		return filled
	}

	It("is what the operator reads, and at most 32 finalizers", func() {
		service := &v1alpha1.BroadbandService{ObjectMeta: large()}
		service.Spec.Plan = &v1alpha1.Plan{Name: "Home 100/20"}
		kept, err := controllers.Trim(service)
		Expect(err).NotTo(HaveOccurred())
		Expect(kept).To(BeIdenticalTo(service))
		Expect(service.Finalizers).To(And(HaveLen(32), ContainElement(v1alpha1.Finalizer)))
		service.Finalizers = nil
		Expect(service).To(Equal(&v1alpha1.BroadbandService{
			ObjectMeta: metav1.ObjectMeta{
				Name: "site", Namespace: "sites", UID: "u-1", ResourceVersion: "7", Generation: 3,
				Annotations: map[string]string{
					v1alpha1.AnnotationApprove: "p1", v1alpha1.AnnotationRetry: strings.Repeat("x", 1<<10),
				},
			},
			Spec: service.Spec,
		}))
	})

	It("is everything of a RequestLedger, which is written as a whole", func() {
		ledger, want := &v1alpha1.RequestLedger{ObjectMeta: large()}, large()
		_, err := controllers.Trim(ledger)
		Expect(err).NotTo(HaveOccurred())
		want.ManagedFields = nil
		Expect(ledger.ObjectMeta).To(Equal(want))
	})
})
