// SPDX-License-Identifier: Apache-2.0

package privilege_test

import (
	"os"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// annotations returns the annotations that people set, each with the annotation that names the
// user.
func annotations() map[string]string {
	return map[string]string{
		v1alpha1.AnnotationApprove: v1alpha1.AnnotationApprovedBy,
		v1alpha1.AnnotationResolve: v1alpha1.AnnotationResolvedBy,
		v1alpha1.AnnotationRetry:   v1alpha1.AnnotationRetriedBy,
	}
}

// valuesOf returns a value that the policies accept.
func valuesOf(annotation string) map[string]string {
	return map[string]map[string]string{
		v1alpha1.AnnotationApprove: {"first": approval, "second": otherApproval},
		v1alpha1.AnnotationResolve: {"first": attempt + "=NotAccepted", "second": attempt + "=Succeeded"},
		v1alpha1.AnnotationRetry:   {"first": attempt, "second": aTime},
	}[annotation]
}

// awaitRecording waits until the API server notes who has set an annotation, or no longer does: a
// policy takes effect a moment after it was written.
func awaitRecording(ctx SpecContext, notes bool) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		object := service(map[string]string{v1alpha1.AnnotationRetry: attempt})
		object.Namespace = metav1.NamespaceDefault
		g.Expect(plane.Client.Create(ctx, object, client.DryRunAll)).To(Succeed())
		_, noted := object.Annotations[v1alpha1.AnnotationRetriedBy]
		g.Expect(noted).To(Equal(notes))
	}).WithTimeout(time.Minute).Should(Succeed())
}

// withUsernames returns a kustomization of a user, with these folders of config as resources and with
// config/usernames among its components.
func withUsernames(resources ...string) (folder string) {
	GinkgoHelper()
	folder, err := filepath.EvalSymlinks(GinkgoT().TempDir())
	Expect(err).NotTo(HaveOccurred())
	kustomization := map[string][]string{"components": {relativeTo(folder, "usernames")}}
	for _, name := range resources {
		kustomization["resources"] = append(kustomization["resources"], relativeTo(folder, name))
	}
	text, err := yaml.Marshal(kustomization)
	Expect(err).NotTo(HaveOccurred())
	Expect(os.WriteFile(filepath.Join(folder, "kustomization.yaml"), text, 0o600)).To(Succeed())
	return folder
}

// relativeTo returns the path of a folder of config: kustomize accepts only relative paths.
func relativeTo(folder, name string) string {
	GinkgoHelper()
	target, err := filepath.EvalSymlinks(configOf(name))
	Expect(err).NotTo(HaveOccurred())
	path, err := filepath.Rel(folder, target)
	Expect(err).NotTo(HaveOccurred())
	return path
}

var _ = Describe("The user who set an annotation", Ordered, func() {
	var alice, bob client.Client

	made := func(ctx SpecContext) *v1alpha1.BroadbandService {
		GinkgoHelper()
		object := service(nil)
		Expect(plane.Client.Create(ctx, object)).To(Succeed())
		return object
	}

	BeforeAll(func(ctx SpecContext) {
		roles := []string{"editor", "approver", "resolver"}
		alice, bob = userWith(ctx, "alice@example.com", roles...), userWith(ctx, "bob@example.com", roles...)
		claim := map[string]string{v1alpha1.AnnotationApprove: approval, v1alpha1.AnnotationApprovedBy: "carol"}
		values := map[string]string{v1alpha1.AnnotationApprove: approval, v1alpha1.AnnotationResolve: attempt + "=Succeeded"}
		for _, user := range []client.Client{alice, bob} {
			Eventually(func(g Gomega) { // the API server has applied the roles and the policy
				g.Expect(user.Create(ctx, service(values), client.DryRunAll)).To(Succeed())
				g.Expect(user.Create(ctx, service(claim), client.DryRunAll)).To(refusedWith(v1alpha1.AnnotationApprovedBy))
			}).WithTimeout(time.Minute).Should(Succeed())
		}
	})

	Context("without the policy that records it", func() {
		It("cannot be forged", func(ctx SpecContext) {
			for annotation, by := range annotations() {
				object := made(ctx)
				values := valuesOf(annotation)
				Expect(annotate(ctx, alice, object, map[string]any{by: "alice@example.com"})).To(refusedWith(by), "no annotation")
				claim := map[string]any{annotation: values["first"], by: "bob@example.com"}
				Expect(annotate(ctx, alice, object, claim)).To(refusedWith(by), "another's name")
				Expect(annotate(ctx, alice, object, map[string]any{annotation: values["first"]})).To(Succeed())
				Expect(annotate(ctx, bob, object, map[string]any{by: "bob@example.com"})).To(refusedWith(by), "too late")
			}
		})

		// The policy that records it may have recorded it, and been removed.
		It("does not prevent another user from removing the annotation, or from changing both", func(ctx SpecContext) {
			for annotation, by := range annotations() {
				object := made(ctx)
				values := valuesOf(annotation)
				set := map[string]any{annotation: values["first"], by: "alice@example.com"}
				Expect(annotate(ctx, alice, object, set)).To(Succeed())
				stillNames := refusedWith("the annotation " + by + " still names alice@example.com, who has not set this " +
					annotation + ": remove it, too, for example with kubectl annotate and the argument " + by + "-")
				changed := map[string]any{annotation: values["second"]}
				Expect(annotate(ctx, bob, object, changed)).To(stillNames)
				Expect(annotate(ctx, bob, object, map[string]any{annotation: nil})).To(Succeed(), "the withdrawal")
				Expect(annotate(ctx, bob, object, changed)).To(stillNames)
				Expect(annotate(ctx, bob, object, map[string]any{annotation: values["second"], by: nil})).To(Succeed())
			}
		})
	})

	Context("with the policy that records it", Ordered, func() {
		BeforeAll(func(ctx SpecContext) {
			_, err := plane.Kubectl("apply", "--server-side", "--kustomize", withUsernames())
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(func(ctx SpecContext) {
				Expect(plane.Kubectl("delete", "-f", configOf("usernames/usernames.yaml"))).Error().NotTo(HaveOccurred())
				awaitRecording(ctx, false) // the specs that follow would find annotations that nobody has set
			})
			awaitRecording(ctx, true)
		})

		It("is recorded in an installation that names the component beside config/default", func() {
			text, err := plane.Kubectl("kustomize", withUsernames("default"))
			Expect(err).NotTo(HaveOccurred())
			Expect(text).To(And(ContainSubstring("kind: MutatingAdmissionPolicyBinding"), ContainSubstring("kind: Deployment")))
		})

		It("is the user who changed the value last, whatever else is written", func(ctx SpecContext) {
			for annotation, by := range annotations() {
				object := made(ctx)
				values := valuesOf(annotation)
				set := map[string]any{annotation: values["first"], by: "bob@example.com"}
				Expect(annotate(ctx, alice, object, set)).To(Succeed())
				Expect(object.Annotations).To(HaveKeyWithValue(by, "alice@example.com"))
				Expect(annotate(ctx, bob, object, map[string]any{by: "bob@example.com"})).To(Succeed())
				Expect(object.Annotations).To(HaveKeyWithValue(by, "alice@example.com"))
				Expect(annotate(ctx, bob, object, map[string]any{by: nil})).To(Succeed())
				Expect(object.Annotations).To(HaveKeyWithValue(by, "alice@example.com"))
				Expect(annotate(ctx, bob, object, map[string]any{annotation: values["second"]})).To(Succeed())
				Expect(object.Annotations).To(HaveKeyWithValue(by, "bob@example.com"))
				Expect(annotate(ctx, alice, object, map[string]any{annotation: nil})).To(Succeed())
				Expect(object.Annotations).NotTo(HaveKey(by))
			}
		})

		It("stays when the same manifest is applied again, and nothing is written", func(ctx SpecContext) {
			object := made(ctx)
			with := service(map[string]string{v1alpha1.AnnotationRetry: attempt})
			with.Name = object.Name
			applied := func(user client.Client) (version string) {
				GinkgoHelper()
				owner := client.FieldOwner("flux")
				Expect(user.Apply(ctx, declared(with, plan), owner, client.ForceOwnership)).To(Succeed())
				Expect(plane.Client.Get(ctx, client.ObjectKeyFromObject(object), object)).To(Succeed())
				Expect(object.Annotations).To(HaveKeyWithValue(v1alpha1.AnnotationRetriedBy, "alice@example.com"))
				return object.ResourceVersion
			}
			version := applied(alice)
			Expect(applied(bob)).To(Equal(version))
		})

		It("is on every kind", func(ctx SpecContext) {
			for _, object := range rendered("samples") {
				if object.GroupVersionKind().Group != v1alpha1.GroupVersion.Group || object.GetKind() == "CarrierAccount" {
					continue // an object that a sample needs, or for which nothing is sent
				}
				object.SetNamespace(team)
				object.SetAnnotations(map[string]string{v1alpha1.AnnotationRetry: attempt})
				Expect(plane.Client.Create(ctx, object, client.DryRunAll)).To(Succeed())
				Expect(object.GetAnnotations()).To(HaveKey(v1alpha1.AnnotationRetriedBy), object.GetKind())
			}
		})
	})
})
