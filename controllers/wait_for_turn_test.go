// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("At an account that allows one call at a time", func() {
	oneCall := func(a *v1alpha1.CarrierAccount) {
		a.Spec.RateLimit = v1alpha1.RateLimit{RequestsPerSecond: 1, Burst: 1}
	}

	It("a change is sent, and nothing is read again while it waits for its turn", func(ctx SpecContext) {
		w, process := begin(ctx, oneCall)
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		driveUntilAccepted(ctx, w, process)
		Expect(w.Posted("/api/connect/services/health/request")).To(HaveLen(1))
	})

	It("the status shows a request whose poll waits for its turn, although it could not be written after the POST",
		func(ctx SpecContext) {
			w, process := begin(ctx, oneCall)
			Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
			Expect(w.Create(ctx, w.Service("other", w.Line()))).To(Succeed())
			process.Seam.LoseResponse = func(effect world.Effect) error {
				if effect.What == "POST /api/connect/services/plan-changes/request" {
					process.Seam.Fault = conflictOnce("update status of " + site)
				}
				return nil
			}
			for process.Seam.Fault == nil {
				result, err := process.Reconcile(ctx, site)
				Expect(err).NotTo(HaveOccurred())
				w.Clock.Advance(result.RequeueAfter)
			}
			Expect(w.Read(ctx, site).Status.InFlight).To(BeNil())
			w.Clock.Advance(time.Minute)
			_, err := process.Reconcile(ctx, "other")
			Expect(err).NotTo(HaveOccurred())
			_, err = process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			service := w.Read(ctx, site)
			expectReady(service, "False", v1alpha1.ReasonProgressing)
			Expect(service.Status.InFlight).NotTo(BeNil())
			Expect(service.Status.InFlight.Location).NotTo(BeEmpty())
		})
})
