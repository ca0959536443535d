// SPDX-License-Identifier: Apache-2.0

package privilege_test

import (
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// letDelete lets a user delete ledgers, as the API server does when their CRD is deleted.
func letDelete(ctx SpecContext, user string) {
	GinkgoHelper()
	meta := metav1.ObjectMeta{Name: "deletes-ledgers"}
	role := &rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{v1alpha1.GroupVersion.Group}, Resources: []string{"requestledgers"}, Verbs: []string{"delete"},
	}}}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}},
	}
	for _, object := range []client.Object{role, binding} {
		Expect(plane.Client.Create(ctx, object)).To(Succeed())
		DeferCleanup(plane.Client.Delete, object)
	}
}

var _ = Describe("A RequestLedger that is being deleted", func() {
	It("takes one annotation from anyone who may update ledgers, and nothing else (R3)", func(ctx SpecContext) {
		ledger := &v1alpha1.RequestLedger{
			ObjectMeta: metav1.ObjectMeta{Name: "order-leaving", Finalizers: []string{v1alpha1.FinalizerMemory}},
			Spec:       v1alpha1.RequestLedgerSpec{Schema: 1, Login: tenant(), Revision: 1},
		}
		Expect(as(operator).Create(ctx, ledger)).To(Succeed())
		write := func(edit func(*v1alpha1.RequestLedger)) error {
			next := ledger.DeepCopy()
			edit(next)
			return plane.Client.Update(ctx, next, client.DryRunAll)
		}
		forget := func(l *v1alpha1.RequestLedger) {
			metav1.SetMetaDataAnnotation(&l.ObjectMeta, v1alpha1.AnnotationForget, l.Name)
		}
		Eventually(func() error { return write(forget) }).WithTimeout(time.Minute).
			Should(Satisfy(apierrors.IsForbidden), "of one that is not being deleted, once the policy is applied")
		Expect(plane.Client.Delete(ctx, ledger)).To(Satisfy(apierrors.IsForbidden))

		letDelete(ctx, operator)
		Eventually(func() error { return as(operator).Delete(ctx, ledger) }).WithTimeout(time.Minute).Should(Succeed())
		Expect(plane.Client.Get(ctx, client.ObjectKeyFromObject(ledger), ledger)).To(Succeed())
		for name, edit := range map[string]func(*v1alpha1.RequestLedger){
			"another annotation": func(l *v1alpha1.RequestLedger) { l.Annotations = map[string]string{"more": "so"} },
			"its finalizer":      func(l *v1alpha1.RequestLedger) { l.Finalizers = nil },
			"its spec with it":   func(l *v1alpha1.RequestLedger) { forget(l); l.Spec.Revision++ },
			"the marker's": func(l *v1alpha1.RequestLedger) {
				metav1.SetMetaDataAnnotation(&l.ObjectMeta, v1alpha1.AnnotationAcknowledge, "here")
			},
		} {
			Expect(write(edit)).To(Satisfy(apierrors.IsForbidden), name)
		}
		_, err := plane.Kubectl("annotate", "--overwrite", "ledger", ledger.Name, v1alpha1.AnnotationForget+"="+ledger.Name)
		Expect(err).NotTo(HaveOccurred())
	})
})

var _ = Describe("The CustomResourceDefinition of the RequestLedgers", func() {
	It("is deleted only after an annotation has announced it, and those of the other kinds at any time",
		func(ctx SpecContext) {
			const ledgers = "requestledgers.wholesale.broadband"
			crd := &metav1.PartialObjectMetadata{
				TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
				ObjectMeta: metav1.ObjectMeta{Name: ledgers},
			}
			remove := func() error { return plane.Client.Delete(ctx, crd, client.DryRunAll) }
			Eventually(remove).WithTimeout(time.Minute).Should(MatchError(ContainSubstring(
				"first run: kubectl annotate crd "+ledgers+" "+v1alpha1.AnnotationForget+"="+ledgers)), "the policy is applied")
			ours := client.MatchingLabels{"app.kubernetes.io/part-of": world.OperatorName}
			together := []client.DeleteAllOfOption{ours, client.DryRunAll}
			Expect(plane.Client.DeleteAllOf(ctx, crd, together...)).To(Satisfy(apierrors.IsForbidden))
			_, err := plane.Kubectl("delete", "--dry-run=server", "crd", "serviceorders.wholesale.broadband")
			Expect(err).NotTo(HaveOccurred())

			_, err = plane.Kubectl("annotate", "crd", ledgers, v1alpha1.AnnotationForget+"="+ledgers)
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(plane.Kubectl, "annotate", "crd", ledgers, v1alpha1.AnnotationForget+"-")
			_, err = plane.Kubectl("delete", "--dry-run=server", "crd", ledgers)
			Expect(err).NotTo(HaveOccurred())
		})

	It("is neither pruned nor deleted by Argo CD and Flux, and neither are the others", func() {
		found := 0
		for _, object := range rendered("default") {
			if object.GetKind() == "CustomResourceDefinition" {
				found++
				Expect(object.GetAnnotations()).To(And(
					HaveKeyWithValue("argocd.argoproj.io/sync-options", "Prune=false,Delete=false"),
					HaveKeyWithValue("kustomize.toolkit.fluxcd.io/prune", "disabled")), object.GetName())
			}
		}
		Expect(found).To(Equal(9))
	})
})
