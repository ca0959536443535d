// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A namespace that is deleted and created again", func() {
	const text = "has every order and the change in progress adopted, and none sent twice, where the carrier says "
	DescribeTable(text, func(ctx SpecContext, word string) {
		w := world.NewInRealTimeWithWord(ctx, plane, realTime, word, holdChanges)
		w.Manage(ctx, user)
		s := reachStages(ctx, w)[0]

		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}
		Expect(w.Delete(ctx, namespace)).To(Succeed())
		kinds := deletable()
		empty(ctx, w, kinds)
		s.awaitDeletion(ctx, held)
		s.respond()
		finalize(ctx, w, kinds)

		Expect(plane.AddNamespace(ctx, w.Namespace)).To(Succeed())
		s.apply(ctx)
		s.expectAdopted(ctx)
		s.expectSentOnce()
	}, wordEntries())
})

// The API server under test runs alone. The following is the documented part of the namespace
// controller: everything in the namespace is deleted, whatever its kind and all at once, and the
// controller waits for objects with a finalizer.

// deletable returns the kinds of the objects that a namespace can contain and that can be deleted.
func deletable() []schema.GroupVersionKind {
	GinkgoHelper()
	api, err := discovery.NewDiscoveryClientForConfig(plane.Config)
	Expect(err).NotTo(HaveOccurred())
	lists, err := api.ServerPreferredNamespacedResources()
	Expect(err).NotTo(HaveOccurred())
	var kinds []schema.GroupVersionKind
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		Expect(err).NotTo(HaveOccurred())
		for _, resource := range list.APIResources {
			if slices.Contains(resource.Verbs, "deletecollection") && slices.Contains(resource.Verbs, "list") {
				kinds = append(kinds, version.WithKind(resource.Kind))
			}
		}
	}
	return kinds
}

// empty deletes everything in the world's namespace.
func empty(ctx SpecContext, w *world.World, kinds []schema.GroupVersionKind) {
	GinkgoHelper()
	for _, kind := range kinds {
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(kind)
		Expect(w.DeleteAllOf(ctx, object, client.InNamespace(w.Namespace))).To(Succeed(), kind.String())
	}
}

// finalize finalizes the namespace once nothing is left in it.
func finalize(ctx SpecContext, w *world.World, kinds []schema.GroupVersionKind) {
	GinkgoHelper()
	eventually(ctx, func(g Gomega) {
		for _, kind := range kinds {
			left := &metav1.PartialObjectMetadataList{}
			left.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
			g.Expect(w.List(ctx, left, client.InNamespace(w.Namespace))).To(Succeed())
			g.Expect(left.Items).To(BeEmpty(), kind.String())
		}
	})
	namespace := &corev1.Namespace{}
	Expect(w.Get(ctx, client.ObjectKey{Name: w.Namespace}, namespace)).To(Succeed())
	Expect(namespace.Status.Phase).To(Equal(corev1.NamespaceTerminating))
	namespace.Spec.Finalizers = nil
	Expect(w.SubResource("finalize").Update(ctx, namespace)).To(Succeed())
	Expect(w.Get(ctx, client.ObjectKey{Name: w.Namespace}, namespace)).To(Satisfy(apierrors.IsNotFound))
}
