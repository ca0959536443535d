// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An object that waits for another", func() {
	// Two managers may lead for a moment. The one that knew less may be gone by now.
	It("continues although somebody else has written that the other is missing", func(ctx SpecContext) {
		w := world.NewInRealTime(ctx, plane, realTime, withoutDelays)
		w.DoubtAfter = time.Second
		w.Manage(ctx, user)
		w.AwaitLogin(ctx, world.PollEverySecond)
		line := w.Line()
		account := w.Account(func(account *v1alpha1.CarrierAccount) { account.Name = "idle" })
		order, service, appointment := w.Order(accepted, accepted), w.Service(site, line), w.Appointment(technician, farAhead)
		test, quote, query := w.Test("test", line), w.Quote("quote", world.QualifiedSite), w.Query("query", line)
		done := []client.Object{test, quote, query, appointment}
		for _, object := range append([]client.Object{account, order, service}, done...) {
			Expect(w.Create(ctx, object)).To(Succeed())
		}
		are := func() {
			GinkgoHelper()
			awaitReason(ctx, w, v1alpha1.ReasonTokenIssued, account)
			awaitReason(ctx, w, v1alpha1.ReasonSubmitted, order)
			awaitReason(ctx, w, v1alpha1.ReasonInSync, service)
			awaitReason(ctx, w, v1alpha1.ReasonCompleted, done...)
		}
		are()
		for _, object := range append([]client.Object{account, order, service}, done...) {
			ready := meta.FindStatusCondition(conditionsOf(object), v1alpha1.ConditionReady)
			ready.Status, ready.Reason = metav1.ConditionFalse, v1alpha1.ReasonProgressing
			Expect(w.Status().Update(ctx, object)).To(Succeed())
		}
		are()
	})
})
