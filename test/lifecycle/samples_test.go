// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"path/filepath"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/samples"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The samples", func() {
	It("come to the outcomes that their annotations name, applied server-side all at once", func(ctx SpecContext) {
		manifests, err := samples.Read(filepath.Join(world.Root(), "config", "samples"), "")
		Expect(err).NotTo(HaveOccurred())
		carrier := filepath.Join(world.Root(), "hack", "demo", "carrier.yaml")
		seed, secrets, err := samples.Carrier(carrier, manifests, "")
		Expect(err).NotTo(HaveOccurred())
		w := world.NewInRealTime(ctx, plane, realTime, func(start *simulator.Seed) { *start = seed })
		Expect(samples.PointAt(manifests, strings.TrimPrefix(w.URL, "http://"))).To(Succeed())
		w.Manage(ctx, user)

		for _, secret := range secrets {
			secret.Namespace = w.Namespace
			Expect(w.Create(ctx, secret)).To(Succeed())
		}
		for _, sample := range manifests {
			sample.Object.SetNamespace(w.Namespace)
			Expect(client.WithFieldValidation(w.Client, "Strict").Apply(ctx,
				client.ApplyConfigurationFromUnstructured(sample.Object.DeepCopy()), client.FieldOwner("kubectl"))).To(Succeed())
		}
		soon(ctx, func(g Gomega) {
			outcomes, err := samples.Judge(ctx, w, manifests)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(outcomes).NotTo(BeEmpty())
			g.Expect(samples.Unmet(outcomes)).To(BeEmpty())
		})
		Expect(w.Carrier.Violations()).To(BeEmpty())
	})
})
