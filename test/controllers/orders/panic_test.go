// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// A manager recovers from a panic in a pass, and reconciles again.
var _ = It("An order whose pass panics during its POST is not sent again", func(ctx SpecContext) {
	w, process := fixture.Begin(ctx)
	process.Seam.LoseResponse = func(effect world.Effect) error {
		if effect.What == "POST "+fixture.OrdersPath {
			panic("a defect of what reads the response")
		}
		return nil
	}
	Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
	Expect(func() { process.DriveOrder(ctx, site) }).To(PanicWith("a defect of what reads the response"))
	process.Seam.LoseResponse = nil
	Expect(w.Ordered(fixture.Reference).Processed).To(Equal(1))

	order := process.DriveOrder(ctx, site)
	fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
	Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
})
