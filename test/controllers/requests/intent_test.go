// SPDX-License-Identifier: Apache-2.0

package requests_test

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An intent", func() {
	It("whose process is stopped for ten seconds before the POST is not sent, but a new one is", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		stopped := false
		process.Seam.LoseResponse = func(effect world.Effect) error {
			if strings.HasPrefix(effect.What, "create service-") && !stopped { // the intent
				stopped = true
				w.Clock.Advance(10 * time.Second)
			}
			return nil
		}
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())

		service := process.Drive(ctx, site)

		Expect(stopped).To(BeTrue())
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).Attempt).To(Equal(int32(2)))
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("does not overwrite another's intent if the process has an older copy", func(ctx SpecContext) {
		w, first := fixture.Begin(ctx)
		line := w.Line()
		var before *v1alpha1.BroadbandService // just before the intent
		first.Seam.Fault = func(effect world.Effect) error {
			if strings.HasPrefix(effect.What, "update status") && w.Posts(line) == 0 {
				before = w.Read(ctx, site)
			}
			return nil
		}
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.DriveUntilAccepted(ctx, w, first)

		second := w.Start(world.CrashPoint{})
		second.Seam.Stale = before
		for range 20 {
			result, err := second.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred(), "a conflict is retried, and no error")
			w.Clock.Advance(result.RequeueAfter)
		}
		Expect(second.Seam.Effects()).To(ContainElement(HaveField("What", HavePrefix("update status"))), "it has tried")
		Expect(w.Posts(line)).To(Equal(1))
		second.Seam.Stale = nil
		fixture.ExpectReady(second.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})
})
