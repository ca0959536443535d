// SPDX-License-Identifier: Apache-2.0

package requests_test

import (
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("At an account that allows one call at a time", func() {
	oneCall := func(a *v1alpha1.CarrierAccount) {
		a.Spec.RateLimit = v1alpha1.RateLimit{RequestsPerSecond: 1, Burst: 1}
	}

	It("a change is sent, and nothing is read again while it waits for its turn", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, oneCall)
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		fixture.DriveUntilAccepted(ctx, w, process)
		Expect(w.Posted("/api/connect/services/health/request")).To(HaveLen(1))
	})

	It("a pass that waits and has read an older copy than the recorded one writes nothing", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, oneCall)
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		Expect(w.Create(ctx, w.Service("other", w.Line()))).To(Succeed())
		process.Seam.LoseResponse = func(effect world.Effect) error {
			if effect.What == "POST /api/connect/services/plan-changes/request" {
				process.Seam.Stale = w.Read(ctx, site)
			}
			return nil
		}
		for process.Seam.Stale == nil {
			w.Clock.Advance(fixture.Reconciled(ctx, process, site))
		}
		Expect(process.Seam.Stale.Status.InFlight).To(BeNil())
		Expect(w.Read(ctx, site).Status.InFlight).NotTo(BeNil())
		w.Clock.Advance(30 * time.Second)
		fixture.Reconciled(ctx, process, "other")
		written := fixture.CountEffects(process, "update status of "+site)
		Expect(fixture.Reconciled(ctx, process, site)).To(BeNumerically(">", 0))
		Expect(fixture.CountEffects(process, "update status of "+site)).To(Equal(written))

		w.Clock.Advance(time.Minute) // the cache may be behind forever: etcd may have been restored from a backup
		fixture.Reconciled(ctx, process, "other")
		fixture.Reconciled(ctx, process, site)
		Expect(fixture.CountEffects(process, "update status of "+site)).To(Equal(written + 1))
	})

	It("the status shows a request whose poll waits for its turn, although it could not be written after the POST",
		func(ctx SpecContext) {
			w, process := fixture.Begin(ctx, oneCall)
			Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
			Expect(w.Create(ctx, w.Service("other", w.Line()))).To(Succeed())
			process.Seam.LoseResponse = func(effect world.Effect) error {
				if effect.What == "POST /api/connect/services/plan-changes/request" {
					process.Seam.Fault = fixture.ConflictOnce("update status of " + site)
				}
				return nil
			}
			for process.Seam.Fault == nil {
				w.Clock.Advance(fixture.Reconciled(ctx, process, site))
			}
			Expect(w.Read(ctx, site).Status.InFlight).To(BeNil())
			w.Clock.Advance(time.Minute)
			fixture.Reconciled(ctx, process, "other")
			fixture.Reconciled(ctx, process, site)
			service := w.Read(ctx, site)
			fixture.ExpectReady(service, "False", v1alpha1.ReasonProgressing)
			Expect(service.Status.InFlight).NotTo(BeNil())
			Expect(service.Status.InFlight.Location).NotTo(BeEmpty())
		})
})
