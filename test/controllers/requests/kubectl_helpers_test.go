// SPDX-License-Identifier: Apache-2.0

package requests_test

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// annotateWith sets an annotation on objects of a world with kubectl, as a user does, and waits
// until the cache shows it.
func annotateWith(ctx SpecContext, w *world.World, value string, objects ...string) {
	GinkgoHelper()
	const each = `{.kind} {.metadata.name} {.metadata.resourceVersion}{"\n"}`
	arguments := append([]string{"-n", w.Namespace, "annotate", "--overwrite", "-o", "jsonpath=" + each}, objects...)
	printed, err := fixture.Plane.Kubectl(append(arguments, value)...)
	Expect(err).NotTo(HaveOccurred())
	for line := range strings.Lines(printed) {
		fields := strings.Fields(line)
		Expect(fields).To(HaveLen(3), printed)
		made, err := fixture.Plane.Scheme.New(v1alpha1.GroupVersion.WithKind(fields[0]))
		Expect(err).NotTo(HaveOccurred())
		object, is := made.(client.Object)
		Expect(is).To(BeTrue())
		Eventually(func(g Gomega) {
			g.Expect(w.Get(ctx, client.ObjectKey{Namespace: w.Namespace, Name: fields[1]}, object)).To(Succeed())
			g.Expect(resourceversion.CompareResourceVersion(object.GetResourceVersion(), fields[2])).To(BeNumerically(">=", 0))
		}).WithTimeout(time.Minute).Should(Succeed())
	}
}
