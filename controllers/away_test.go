// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"errors"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// awayAfter makes the API server unavailable right after a POST, for a number of reads and writes.
// Long outages are tested in test/prove, with a simulated clock.
func awayAfter(process *world.Process, path string, tries int) {
	errAway := errors.New("the API server is away")
	gone := false
	try := func() error {
		if !gone || tries == 0 {
			return nil
		}
		tries--
		return errAway
	}
	process.Seam.Lose = func(e world.Effect) error {
		gone = gone || e.What == "POST "+path
		return nil
	}
	process.Seam.Fault = func(e world.Effect) error {
		if strings.HasPrefix(e.What, "POST ") || strings.HasPrefix(e.What, "GET ") {
			return nil // the carrier is available
		}
		return try()
	}
	process.Seam.Unread = try
}

var _ = Describe("An API server that goes away right after a POST", func() {
	It("costs no answer: the order's number is written down when it is back", func(ctx SpecContext) {
		w, process := begin(ctx)
		awayAfter(process, ordersPath, 4)
		Expect(w.Create(ctx, w.Order(site, reference))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		expectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(order.Status.OrderID).NotTo(BeZero())
		Expect(w.Ordered(reference).Seen).To(Equal(1))
	})

	It("costs no answer: a change keeps its Location and is followed", func(ctx SpecContext) {
		w, process := begin(ctx)
		awayAfter(process, "/api/connect/services/plan-changes/request", 4)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		service := process.Drive(ctx, site)
		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).Location).NotTo(BeEmpty())
		Expect(w.Posts(line)).To(Equal(1))
	})
})
