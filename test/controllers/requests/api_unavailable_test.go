// SPDX-License-Identifier: Apache-2.0

package requests_test

import (
	"errors"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An API server that becomes unavailable right after a POST", func() {
	It("loses no response: the order's number is recorded when it is back", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		unavailableAfter(process, fixture.OrdersPath, 4)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(order.Status.OrderID).NotTo(BeZero())
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})

	It("loses no response: a change keeps its Location and is polled", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		unavailableAfter(process, "/api/connect/services/plan-changes/request", 4)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		service := process.Drive(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).Location).NotTo(BeEmpty())
		Expect(w.Posts(line)).To(Equal(1))
	})
})

// unavailableAfter makes the API server unavailable right after a POST, for the given number of
// reads and writes. Long outages are tested in test/prove, with a simulated clock.
func unavailableAfter(process *world.Process, path string, tries int) {
	errAway := errors.New("the API server is away")
	gone := false
	try := func() error {
		if !gone || tries == 0 {
			return nil
		}
		tries--
		return errAway
	}
	process.Seam.LoseResponse = func(e world.Effect) error {
		gone = gone || e.What == "POST "+path
		return nil
	}
	process.Seam.Fault = func(e world.Effect) error {
		if strings.HasPrefix(e.What, "POST ") || strings.HasPrefix(e.What, "GET ") {
			return nil // the carrier is available
		}
		return try()
	}
	process.Seam.FailRead = try
}
