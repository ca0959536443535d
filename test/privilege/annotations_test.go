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
		noSuch     = "there is no annotation wholesale.broadband/approved of broadbandservices: the operator knows " +
			"wholesale.broadband/reconcile, approve, trust, retry, resolve"
		otherForm = "the annotation wholesale.broadband/resolve is not of the form"
		noHash    = "is not the hash of a plan of changes, such as p3f9c1a7e40b2d8165c0d9e3f71a2b684"
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
			v1alpha1.AnnotationReconcile: "now", v1alpha1.AnnotationApprove: approval, v1alpha1.AnnotationTrust: approval,
			v1alpha1.AnnotationRetry: aTime, v1alpha1.AnnotationResolve: attempt + "=NotAccepted",
			"demo.wholesale.broadband/expect": "x", "example.com/approved": "x",
		} {
			Expect(annotate(ctx, plane.Client, object, map[string]any{key: value})).To(Succeed(), key)
		}
	})

	It("is one of its kind", func(ctx SpecContext) {
		account := &v1alpha1.CarrierAccount{ObjectMeta: metav1.ObjectMeta{
			Namespace: metav1.NamespaceDefault, Name: "a", Annotations: map[string]string{v1alpha1.AnnotationApprove: approval},
		}}
		account.Spec.BaseURL = "https://api.carrier.example"
		account.Spec.Auth = v1alpha1.Auth{ //nolint:gosec // no credential
			TokenURL:   "https://id.carrier.example/auth/realms/r/protocol/openid-connect/token",
			ClientName: "reseller",
			Keys: []v1alpha1.SigningKey{{
				KeyID: "k", PrivateKeySecretRef: v1alpha1.SecretKeyReference{Name: "s", Key: "k"},
			}},
		}
		Expect(plane.Client.Create(ctx, account)).To(refusedWith("there is no annotation wholesale.broadband/approve of " +
			"carrieraccounts: the operator knows wholesale.broadband/reconcile"))
		Expect(annotate(ctx, plane.Client, object, map[string]any{v1alpha1.AnnotationForget: "x"})).To(refusedWith(
			"there is no annotation wholesale.broadband/forget of broadbandservices"))
	})

	It("is no label", func(ctx SpecContext) {
		labeled := object.DeepCopy()
		labeled.Labels = map[string]string{v1alpha1.AnnotationApprove: approval}
		Expect(plane.Client.Update(ctx, labeled)).To(refusedWith("as a label, wholesale.broadband/approve has no effect"))
		labeled.Labels = map[string]string{"wholesale.broadband/customer": "c1"}
		Expect(plane.Client.Update(ctx, labeled, client.DryRunAll)).To(Succeed())
	})

	It("approves and trusts a whole hash", func(ctx SpecContext) {
		for _, annotation := range []string{v1alpha1.AnnotationApprove, v1alpha1.AnnotationTrust} {
			for _, value := range []string{"", "true", approval[:17], approval + " ", "P" + approval[1:]} {
				Expect(annotate(ctx, plane.Client, object, map[string]any{annotation: value})).To(refusedWith(
					"the annotation "+annotation+" "+noHash), "%q", value)
			}
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
