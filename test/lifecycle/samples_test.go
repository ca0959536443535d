// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/samples"
	"github.com/broadband-operator/broadband-operator/test/source"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The samples", func() {
	const text = "reach the outcomes that their annotations name, applied server-side all at once, " +
		"and stay so when they are applied again, where the carrier says "
	DescribeTable(text, func(ctx SpecContext, word string) {
		manifests, err := samples.Read(filepath.Join(source.Root(), "config", "samples"), "")
		Expect(err).NotTo(HaveOccurred())
		carrier := filepath.Join(source.Root(), "hack", "run", "demo", "carrier.yaml")
		seed, secrets, err := samples.Carrier(carrier, manifests, "")
		Expect(err).NotTo(HaveOccurred())
		w := world.NewInRealTimeWithWord(ctx, plane, realTime, word, func(start *simulator.Seed) { *start = seed })
		Expect(samples.PointAt(manifests, strings.TrimPrefix(w.URL, "http://"))).To(Succeed())
		w.Manage(ctx, user)

		editAccounts(manifests, "1s", "polling", "min")
		editAccounts(manifests, "1s", "polling", "max") // as often as the operation allows
		editAccounts(manifests, word, "identifierWord")
		writeAs(manifests, word)
		for _, secret := range secrets {
			secret.Namespace = w.Namespace
			Expect(w.Create(ctx, secret)).To(Succeed())
		}
		for _, sample := range manifests {
			sample.Object.SetNamespace(w.Namespace)
			serverSide(ctx, w, sample.Object, "kubectl")
		}
		eventually(ctx, func(g Gomega) {
			askForOrders(ctx, w, manifests)
			outcomes, err := samples.Check(ctx, w, manifests)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(outcomes).NotTo(BeEmpty())
			g.Expect(samples.Unmet(outcomes)).To(BeEmpty())
		})

		for _, sample := range manifests {
			if sample.Expect.Reason == v1alpha1.ReasonInSync {
				annotate(ctx, w, sample.Object)
			}
		}
		for _, sample := range manifests {
			if sample.Expect.Reason == v1alpha1.ReasonInSync {
				awaitHandled(ctx, w, sample.Object)
			}
		}
		for _, sample := range manifests {
			staysApplied(ctx, w, sample.Object)
		}
	}, wordEntries())
})

// askForOrders makes the operator read the accepted orders now instead of a minute after they were
// accepted.
func askForOrders(ctx SpecContext, w *world.World, manifests []samples.Sample) {
	GinkgoHelper()
	for _, sample := range manifests {
		if sample.Object.GetKind() != "ServiceOrder" {
			continue
		}
		order := w.ReadOrder(ctx, sample.Object.GetName())
		asked, handled := order.Annotations[v1alpha1.AnnotationReconcile], order.Status.Handled.Reconcile
		if order.Status.OrderID != "" && order.Status.ServiceID == "" && asked == handled {
			w.AnnotateOrder(ctx, order.Name, v1alpha1.AnnotationReconcile, asked+"i")
		}
	}
}

// editAccounts sets a field of the accounts' spec.
func editAccounts(manifests []samples.Sample, value string, field ...string) {
	GinkgoHelper()
	for _, sample := range manifests {
		if sample.Object.GetKind() == "CarrierAccount" {
			Expect(unstructured.SetNestedField(sample.Object.Object, value, append([]string{"spec"}, field...)...)).To(Succeed())
		}
	}
}

// writeAs gives the qualification results the word of the carrier that they come from.
func writeAs(manifests []samples.Sample, word string) {
	GinkgoHelper()
	for _, sample := range manifests {
		if sample.Object.GetKind() != "ConfigMap" {
			continue
		}
		documents, _, err := unstructured.NestedStringMap(sample.Object.Object, "data")
		Expect(err).NotTo(HaveOccurred())
		for key, document := range documents {
			documents[key] = strings.ReplaceAll(document, "wholesale", word)
		}
		Expect(unstructured.SetNestedStringMap(sample.Object.Object, documents, "data")).To(Succeed())
	}
}

// serverSide applies a manifest as a field manager, without force: a conflict is an error, and so
// is an unknown field.
func serverSide(
	ctx SpecContext, w *world.World, manifest *unstructured.Unstructured, manager string,
) *unstructured.Unstructured {
	GinkgoHelper()
	applied := manifest.DeepCopy()
	Expect(client.WithFieldValidation(w.Client, "Strict").Apply(ctx,
		client.ApplyConfigurationFromUnstructured(applied), client.FieldOwner(manager))).To(Succeed())
	return applied
}

// token is the value of the annotation by which a person requests a reconciliation.
const token = "reconciled"

// annotate sets on the object, as a person would, an annotation that is not in the manifest.
func annotate(ctx SpecContext, w *world.World, manifest *unstructured.Unstructured) {
	GinkgoHelper()
	service := &v1alpha1.BroadbandService{}
	key := client.ObjectKeyFromObject(manifest)
	Expect(w.Get(ctx, key, service)).To(Succeed())
	before := service.DeepCopy()
	service.Annotations[v1alpha1.AnnotationReconcile] = token
	Expect(w.Patch(ctx, service, client.MergeFrom(before))).To(Succeed())
}

// awaitHandled waits until the operator has handled the annotation.
func awaitHandled(ctx SpecContext, w *world.World, manifest *unstructured.Unstructured) {
	GinkgoHelper()
	service := &v1alpha1.BroadbandService{}
	key := client.ObjectKeyFromObject(manifest)
	eventually(ctx, func(g Gomega) {
		g.Expect(w.Get(ctx, key, service)).To(Succeed())
		g.Expect(service.Status.Handled.Reconcile).To(Equal(token))
	})
}

// staysApplied expects that nothing changes when the manifest is applied again, by the same tool
// and by another. The finalizers, the status and a person's annotations are not part of the
// manifest, and the operator writes nothing that is part of it.
func staysApplied(ctx SpecContext, w *world.World, manifest *unstructured.Unstructured) {
	GinkgoHelper()
	before := &unstructured.Unstructured{}
	before.SetGroupVersionKind(manifest.GroupVersionKind())
	Expect(w.Get(ctx, client.ObjectKeyFromObject(manifest), before)).To(Succeed())
	for _, tool := range []string{"kubectl", "argocd-controller"} {
		once := serverSide(ctx, w, manifest, tool)
		twice := serverSide(ctx, w, manifest, tool)
		Expect(content(once)).To(Equal(content(before)), tool)
		Expect(content(twice)).To(Equal(content(before)), tool)
		Expect(twice.GetResourceVersion()).To(Equal(once.GetResourceVersion()), "nothing is written")
	}
}

// content returns an object without the ownership of its fields.
func content(object *unstructured.Unstructured) map[string]any {
	bare := object.DeepCopy()
	bare.SetManagedFields(nil)
	bare.SetResourceVersion("")
	return bare.Object
}
