// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("CRDs that are removed and installed again while the manager is cut off", func() {
	// What the manager sees then is not that an object was deleted and another created, but
	// one object that has changed: its UID, and nothing that a user writes.
	It("have the new objects of the same names looked at", func(ctx SpecContext) {
		own := startOwn(ctx)
		w := world.NewInRealTime(ctx, own, realTime, quick)
		link := &world.Link{}
		w.Manage(ctx, user, link.Lay)
		line := w.Line(func(line *simulator.Service) { line.Plan = world.PlanFast })
		asDeclared := func() []client.Object { // they need no request, and so no finalizer
			return []client.Object{w.Account(watchful), w.Service(site, line), w.Query("query", line)}
		}
		reasons := []string{v1alpha1.ReasonTokenIssued, v1alpha1.ReasonInSync, v1alpha1.ReasonCompleted}
		Expect(w.Create(ctx, w.Secret())).To(Succeed())
		apply := func() {
			GinkgoHelper()
			for _, manifest := range asDeclared() {
				Expect(w.Create(ctx, manifest)).To(Succeed())
			}
		}
		await := func() {
			GinkgoHelper()
			for i, manifest := range asDeclared() {
				awaitReason(ctx, w, reasons[i], manifest)
			}
		}

		apply()
		await()
		link.Cut()
		own.DeleteCRDs()
		own.AwaitNoCRDs(ctx)
		own.InstallCRDs()
		apply()
		link.Mend()
		await()
		Expect(w.Carrier.Violations()).To(BeEmpty())
	})
})
