// SPDX-License-Identifier: Apache-2.0

package privilege_test

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// refusedWith matches a refusal that contains a text.
func refusedWith(annotations string) OmegaMatcher {
	return And(WithTransform(apierrors.IsInvalid, BeTrue()), MatchError(ContainSubstring(annotations)))
}

var _ = Describe("An annotation of the operator", Ordered, func() {
	const (
		misspelled = "wholesale.broadband/approved"
		noSuch     = "there is no annotation wholesale.broadband/approved: the operator knows"
		otherForm  = "the annotation wholesale.broadband/resolve is not of the form"
	)
	var object *v1alpha1.BroadbandService

	BeforeAll(func(ctx SpecContext) {
		object = service(nil)
		object.Namespace = metav1.NamespaceDefault
		made := object.DeepCopy()
		made.Annotations = map[string]string{misspelled: "p1"}
		Eventually(func() error {
			return plane.Client.Create(ctx, made.DeepCopy(), client.DryRunAll)
		}).WithTimeout(time.Minute).Should(refusedWith(noSuch))
		Expect(plane.Client.Create(ctx, object)).To(Succeed())
	})

	It("is one that exists", func(ctx SpecContext) {
		Expect(annotate(ctx, plane.Client, object, map[string]any{misspelled: "p1"})).To(refusedWith(noSuch))
		for key, value := range map[string]string{
			v1alpha1.AnnotationReconcile: "now", v1alpha1.AnnotationApprove: "p1", v1alpha1.AnnotationTrust: "p1",
			v1alpha1.AnnotationRetry:   aTime,
			v1alpha1.AnnotationResolve: attempt + "=NotAccepted", v1alpha1.AnnotationAcknowledge: "x",
			v1alpha1.AnnotationForget: "x", "demo.wholesale.broadband/expect": "x", "example.com/approved": "x",
		} {
			Expect(annotate(ctx, plane.Client, object, map[string]any{key: value})).To(Succeed(), key)
		}
	})

	It("resolves one attempt, or all that were unknown before a time, with a known resolution", func(ctx SpecContext) {
		for _, value := range []string{
			attempt + "=Accepted:9007199254740993", attempt + "=NotAccepted", attempt + "=Succeeded", attempt + "=Abandoned",
			"all@" + aTime + "=Succeeded", "all@" + localTime + "=Abandoned",
		} {
			resolving := map[string]any{v1alpha1.AnnotationResolve: value}
			Expect(annotate(ctx, plane.Client, object, resolving)).To(Succeed(), value)
		}
		for _, value := range []string{
			"", "Succeeded", attempt, attempt + "=succeeded", attempt + "=Accepted", attempt + "=Accepted:",
			attempt + "=Accepted:order 12",
			attempt + "=Done", attempt[1:] + "=Succeeded", "all=Succeeded", "all@now=Succeeded", "all@" + aTime + "=NotAccepted",
			"all@" + aTime + "=SameCarrier", attempt + "=Succeeded\n",
		} {
			resolving := map[string]any{v1alpha1.AnnotationResolve: value}
			Expect(annotate(ctx, plane.Client, object, resolving)).To(refusedWith(otherForm), "%q", value)
		}
	})
})
