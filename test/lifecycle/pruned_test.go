// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// downgrade installs a CRD as of a version that does not know a field, until the test ends. The path
// leads to the field in the schema.
func downgrade(ctx SpecContext, name string, path ...string) {
	GinkgoHelper()
	crd := &unstructured.Unstructured{}
	crd.SetGroupVersionKind(schema.GroupVersionKind{
		Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition",
	})
	Expect(plane.Client.Get(ctx, client.ObjectKey{Name: name}, crd)).To(Succeed())
	versions, _, err := unstructured.NestedSlice(crd.Object, "spec", "versions")
	Expect(err).NotTo(HaveOccurred())
	Expect(versions).To(HaveLen(1))
	version, is := versions[0].(map[string]any)
	Expect(is).To(BeTrue())
	path = append([]string{"schema", "openAPIV3Schema", "properties"}, path...)
	_, found, err := unstructured.NestedMap(version, path...)
	Expect(found, err).To(BeTrue())
	unstructured.RemoveNestedField(version, path...)
	Expect(unstructured.SetNestedSlice(crd.Object, versions, "spec", "versions")).To(Succeed())
	DeferCleanup(plane.InstallCRDs)
	Expect(plane.Client.Update(ctx, crd)).To(Succeed())
}

// downgradeLedgers installs the ledgers' CRD of a version that does not know a field of an attempt,
// and waits until the API server applies it.
func downgradeLedgers(ctx SpecContext, field string) {
	GinkgoHelper()
	downgrade(ctx, ledgersCRD, "spec", "properties", "open", "items", "properties", field)
	probe := &v1alpha1.RequestLedger{
		ObjectMeta: metav1.ObjectMeta{Name: "probe"},
		Spec: v1alpha1.RequestLedgerSpec{Schema: 1, Revision: 1, Open: []v1alpha1.Request{{
			Attempt: 1, AttemptID: "a-1", Operation: v1alpha1.OperationPlanChange, Phase: v1alpha1.PhaseSubmitting,
			BodyHash: "sha256:0", SubmittedAt: metav1.Now(),
		}}, Login: v1alpha1.CarrierLogin{BaseURL: "https://a", ClientName: "tenant"}},
	}
	eventually(ctx, func(g Gomega) {
		written := probe.DeepCopy()
		g.Expect(plane.Client.Create(ctx, written, client.DryRunAll)).To(Succeed())
		g.Expect(written.Spec.Open[0].BodyHash).To(BeEmpty())
	})
}

// A pruned field of an intent would be missing when someone has to know what was sent.
var _ = Describe("A CustomResourceDefinition that was not upgraded with the operator", func() {
	It("prevents orders and changes, and reports that, until it is upgraded (R1)", func(ctx SpecContext) {
		w := world.NewInRealTime(ctx, plane, realTime, withoutDelays)
		w.Manage(ctx, user)
		w.AwaitLogin(ctx, world.PollEverySecond)
		downgradeLedgers(ctx, "bodyHash")
		line := w.Line()
		objects := []client.Object{w.Service(site, line), w.Order(site, accepted)}
		for _, object := range objects {
			Expect(w.Create(ctx, object)).To(Succeed())
			awaitReason(ctx, w, v1alpha1.ReasonLedgerUnreadable, object)
		}
		Expect(w.Posts(line)).To(BeZero())
		Expect(w.Ordered(accepted).Seen).To(BeZero())

		plane.InstallCRDs()
		for i, reason := range []string{v1alpha1.ReasonInSync, v1alpha1.ReasonSubmitted} {
			retryNow(ctx, w, objects[i])
			awaitReason(ctx, w, reason, objects[i])
		}
		Expect(w.Posts(line)).To(Equal(1))
		Expect(w.Ordered(accepted).Seen).To(Equal(1))
	})

	// The account once stayed in its first state for ever.
	It("prevents writes of an account's status that it would prune, and names the field", func(ctx SpecContext) {
		w := world.NewInRealTime(ctx, plane, realTime, withoutDelays)
		w.Manage(ctx, user)
		downgrade(ctx, "carrieraccounts.wholesale.broadband", "status", "properties", "login")
		awaitUnknown(ctx, w, "status.login", w.Account(func(a *v1alpha1.CarrierAccount) {
			a.Status.Login = new(a.Login())
		}))
		account := w.Login(ctx, world.PollEverySecond)
		awaitReason(ctx, w, v1alpha1.ReasonAPIServerRefused, account)
		expectOlder(account, "status.login")
	})
})

// expectOlder checks that an object names its CRD as the cause, and the field that the CRD lacks.
func expectOlder(object client.Object, field string) {
	GinkgoHelper()
	Expect(world.Condition(conditionsOf(object), v1alpha1.ConditionReady).Message).To(And(
		ContainSubstring("the CustomResourceDefinition of this kind is older than the operator"),
		ContainSubstring(`unknown field "`+field+`"`)))
}

// awaitUnknown waits until the API server no longer knows a field that the object has.
func awaitUnknown(ctx SpecContext, w *world.World, field string, object client.Object) {
	GinkgoHelper()
	eventually(ctx, func(g Gomega) {
		trial, is := object.DeepCopyObject().(client.Object)
		g.Expect(is).To(BeTrue())
		strict := client.FieldValidation(metav1.FieldValidationStrict)
		g.Expect(w.Create(ctx, trial, client.DryRunAll, strict)).To(MatchError(ContainSubstring(field)))
	})
}

// retryNow makes the operator retry now what it would retry after a long wait.
func retryNow(ctx SpecContext, w *world.World, object client.Object) {
	GinkgoHelper()
	eventually(ctx, func(g Gomega) {
		before, is := object.DeepCopyObject().(client.Object)
		g.Expect(is).To(BeTrue())
		g.Expect(w.Get(ctx, client.ObjectKeyFromObject(before), before)).To(Succeed())
		now, is := before.DeepCopyObject().(client.Object)
		g.Expect(is).To(BeTrue())
		annotations := maps.Clone(now.GetAnnotations())
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[v1alpha1.AnnotationReconcile] = "upgraded"
		now.SetAnnotations(annotations)
		g.Expect(w.Patch(ctx, now, client.MergeFrom(before))).To(Succeed())
	})
}
