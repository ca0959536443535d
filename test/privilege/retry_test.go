// SPDX-License-Identifier: Apache-2.0

package privilege_test

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The forms of a retry request: an attempt's id, and two times.
const (
	attempt    = "00000000-0000-4000-8000-00000000beef"
	aTime      = "2026-03-02T09:00:00Z"
	localTime  = "2026-03-02T19:00:00.25+10:00"
	notARetry  = "again"
	otherRetry = "the same again"
)

// retrying returns the annotation of a retry request.
func retrying(value string) map[string]any { return map[string]any{v1alpha1.AnnotationRetry: value} }

// malformed matches the policy's message.
func malformed() OmegaMatcher {
	return And(
		WithTransform(apierrors.IsInvalid, BeTrue()),
		MatchError(ContainSubstring(
			"the annotation wholesale.broadband/retry is neither the id of an attempt nor an RFC 3339 time")),
		MatchError(HaveSuffix("or to the present time, as of date -u +%Y-%m-%dT%H:%M:%SZ")),
	)
}

// An annotation of another form would never take effect, so it is refused when it is applied (R21).
var _ = Describe("A retry (R21)", Ordered, func() {
	// judged waits until the API server applies the policy, or no longer does.
	judged := func(ctx SpecContext, as OmegaMatcher) {
		GinkgoHelper()
		made := service(map[string]string{v1alpha1.AnnotationRetry: notARetry})
		made.Namespace = metav1.NamespaceDefault
		Eventually(func() error {
			return plane.Client.Create(ctx, made.DeepCopy(), client.DryRunAll)
		}).WithTimeout(time.Minute).Should(as)
	}
	held := func(ctx SpecContext) *v1alpha1.BroadbandService {
		GinkgoHelper()
		made := service(nil)
		made.Namespace = metav1.NamespaceDefault
		Expect(plane.Client.Create(ctx, made)).To(Succeed())
		return made
	}

	BeforeAll(func(ctx SpecContext) { judged(ctx, malformed()) })

	It("names an attempt, or is a time", func(ctx SpecContext) {
		object := held(ctx)
		for _, value := range []string{attempt, aTime, localTime} {
			Expect(annotate(ctx, plane.Client, object, retrying(value))).To(Succeed(), value)
		}
		for _, value := range []string{
			"", notARetry, "1", attempt[1:], attempt + "=NotAccepted", strings.ToUpper(attempt), " " + attempt,
			"2026-03-02", "2026-03-02 09:00:00", "2026-03-02T09:00:00", "2026-13-02T09:00:00Z", aTime + "\n", aTime + attempt,
			"Mon Mar  2 09:00:00 UTC 2026", "1772442000", strings.Repeat("x", 60<<10),
		} {
			Expect(annotate(ctx, plane.Client, object, retrying(value))).To(malformed(), "%.60q", value)
		}
		Expect(object.Annotations).To(HaveKeyWithValue(v1alpha1.AnnotationRetry, localTime))
	})

	It("is not checked again if it is unchanged, and can be removed by anybody", func(ctx SpecContext) {
		By("writing one before there was the policy")
		binding := "validatingadmissionpolicybindings/broadband-operator-retry"
		Expect(plane.Kubectl("delete", binding)).Error().NotTo(HaveOccurred())
		DeferCleanup(install)
		judged(ctx, Succeed())
		object := held(ctx)
		Expect(annotate(ctx, plane.Client, object, retrying(notARetry))).To(Succeed())
		install()
		judged(ctx, malformed())
		Expect(annotate(ctx, plane.Client, object, retrying(otherRetry))).To(malformed())

		object.Spec.Plan.Name = other
		Expect(plane.Client.Update(ctx, object)).To(Succeed())
		Expect(annotate(ctx, plane.Client, object, map[string]any{v1alpha1.AnnotationRetry: nil})).To(Succeed())
	})

	It("is checked on every kind", func(ctx SpecContext) {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "retry-"}}
		Expect(plane.Client.Create(ctx, namespace)).To(Succeed())
		kinds := map[string]bool{}
		for _, object := range rendered("samples") {
			if object.GroupVersionKind().Group != v1alpha1.GroupVersion.Group || object.GetKind() == "CarrierAccount" {
				continue // an object that a sample needs, or for which nothing is sent
			}
			kinds[object.GetKind()] = true
			object.SetNamespace(namespace.Name)
			object.SetAnnotations(map[string]string{v1alpha1.AnnotationRetry: attempt})
			Expect(plane.Client.Create(ctx, object.DeepCopy(), client.DryRunAll)).To(Succeed())
			object.SetAnnotations(map[string]string{v1alpha1.AnnotationRetry: notARetry})
			Expect(plane.Client.Create(ctx, object.DeepCopy(), client.DryRunAll)).To(malformed(), object.GetKind())
		}
		Expect(kinds).To(HaveLen(7))
	})
})
