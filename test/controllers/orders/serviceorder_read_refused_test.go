// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An order whose carrier refuses to show it", func() {
	DescribeTable("is left as it was accepted, which the account shows once, and is not read again",
		func(ctx SpecContext, has bool, refusal simulator.Fault) {
			f := beginFollowed(ctx, func(seed *simulator.Seed) {
				if !has {
					seed.Extensions = nil
				}
			})
			f.Provokes(simulator.RulePath)
			if has {
				Expect(f.Carrier.FailNext("GET OrderRead", refusal)).To(Succeed())
			}
			f.place(ctx)
			order := f.follow(ctx, 30*24*time.Hour)
			fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
			Expect(order.Status.CarrierStatus).To(Equal("OPEN"))
			Expect(f.looks()).To(Equal(1))
			shown := f.extensions(ctx)
			Expect(string(shown.Status)+"/"+shown.Reason).To(Equal("False/"+v1alpha1.ReasonExtensionUnavailable), shown.Message)
			Expect(shown.Message).To(ContainSubstring("OrderRead"))
			Expect(fixture.AccountReady(ctx, f.World).Status).To(Equal(metav1.ConditionTrue))
			written := f.ReadAccount(ctx).ResourceVersion
			f.extensions(ctx)
			Expect(f.ReadAccount(ctx).ResourceVersion).To(Equal(written))
		},
		Entry("because it does not have the call", false, simulator.Fault{}),
		Entry("with a 404", true, fixture.AnswerStatus(404)),
		Entry("with a 405", true, fixture.AnswerStatus(405)),
		Entry("with a 403", true, fixture.AnswerStatus(403)),
		Entry("with a 400", true, fixture.AnswerStatus(400)),
		Entry("with another order", true, simulator.Fault{Kind: simulator.FaultBody, Status: 200, Body: `{"id":7}`}),
		Entry("with a page", true, simulator.Fault{Kind: simulator.FaultPage, Status: 200}),
	)

	It("is read on if the carrier has shown it before", func(ctx SpecContext) {
		f := beginFollowed(ctx)
		f.place(ctx)
		f.follow(ctx, time.Hour)
		Expect(f.Carrier.FailNext("GET OrderRead", fixture.AnswerStatus(404))).To(Succeed())
		Expect(f.follow(ctx, 2*orderTakes).Status.ServiceID).NotTo(BeEmpty())
		Expect(f.extensions(ctx).Status).To(Equal(metav1.ConditionTrue))
	})

	It("is read on if the carrier does not answer for a while", func(ctx SpecContext) {
		f := beginFollowed(ctx)
		f.place(ctx)
		fault := fixture.AnswerStatus(503)
		fault.Times = 20
		Expect(f.Carrier.FailNext("GET OrderRead", fault)).To(Succeed())
		written := f.ReadOrder(ctx, site).ResourceVersion
		f.follow(ctx, time.Hour)
		Expect(f.looks()).To(BeNumerically("<=", 10))
		Expect(f.ReadOrder(ctx, site).ResourceVersion).To(Equal(written))
		Expect(f.follow(ctx, 2*orderTakes).Status.ServiceID).NotTo(BeEmpty())
	})

	It("is never read without the extension", func(ctx SpecContext) {
		f := beginFollowed(ctx)
		fixture.EditAccount(ctx, f.World, func(a *v1alpha1.CarrierAccount) { a.Spec.Extensions = nil })
		f.restart(ctx)
		f.place(ctx)
		Expect(f.pass(ctx)).To(BeZero())
		Expect(f.looks()).To(BeZero())
	})

	It("is not found by a read if the response to it was lost: that proves nothing", func(ctx SpecContext) {
		f := beginFollowed(ctx)
		fault := simulator.Fault{Kind: simulator.FaultReset, Processed: true}
		Expect(f.Carrier.FailNext("POST OrderCreate", fault)).To(Succeed())
		Expect(f.Create(ctx, f.Order(site, fixture.Reference))).To(Succeed())
		fixture.ExpectOrder(f.process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
		Expect(f.looks()).To(BeZero())
		Expect(fixture.ExpectOrderResolved(ctx, f.World, f.process).Status.OrderID).NotTo(BeEmpty())
		done := f.follow(ctx, 2*orderTakes)
		Expect(done.Status.ServiceID).NotTo(BeEmpty(), "once a person has named it, it is read")
		Expect(done.Status.PlanName).To(Equal(world.PlanFast))
	})
})
