// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// notServed is the response of an API server that does not serve a kind: a 404, as for an object
// that does not exist.
func notServed(ctx SpecContext, w *world.World, name string) error {
	GinkgoHelper()
	reader, err := dynamic.NewForConfig(fixture.Plane.Config)
	Expect(err).NotTo(HaveOccurred())
	kind := schema.GroupVersionResource{
		Group: v1alpha1.GroupVersion.Group, Version: v1alpha1.GroupVersion.Version, Resource: "removedservices",
	}
	_, err = reader.Resource(kind).Namespace(w.Namespace).Get(ctx, name, metav1.GetOptions{})
	Expect(apierrors.IsNotFound(err)).To(BeTrue(), "%v", err)
	return err
}

var _ = Describe("The holder of a ledger", func() {
	It("does not count as deleted if its kind is not served, and keeps its ledger (R2)", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Create(ctx, w.Service("other", line, fixture.WithPlan(world.PlanSlow, 12)))).To(Succeed())

		removed := notServed(ctx, w, site)
		process.Seam.FailRead = func() error { return removed }
		_, err := process.Reconcile(ctx, "other")
		Expect(err).NotTo(HaveOccurred())
		other := w.Read(ctx, "other")
		fixture.ExpectReady(other, metav1.ConditionFalse, v1alpha1.ReasonConflict)
		Expect(world.Ready(other).Message).To(ContainSubstring(w.Namespace + "/" + site))
		Expect(w.Posts(line)).To(Equal(1))

		process.Seam.FailRead = nil
		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, "other"), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	})
})
