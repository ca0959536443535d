// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An order with a qualification result", func() {
	It("shows its fees before it is sent, waits for approval, and is charged the fees shown", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, fixture.Result(w, fixture.Qualified))).To(Succeed())
		Expect(w.Create(ctx,
			w.Order(site, fixture.Reference, fixture.WithResult, fixture.OrderApproval(v1alpha1.ApprovalOnCost)))).To(Succeed())

		order := process.DriveOrder(ctx, site)

		fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		Expect(order.Status.Fees.Source).To(Equal("Qualification"))
		Expect(order.Status.Fees.Items).To(HaveExactElements(And(
			HaveField("Name", "NTD_INSTALLATION_FEE"), HaveField("OneTime.Amount", "300.00"))))
		Expect([]*v1alpha1.Money{order.Status.Fees.OneTime, order.Status.Fees.Monthly}).To(HaveEach(BeNil()),
			"a qualification does not carry the plan's own fees")
		bought := make([]string, 0, len(order.Status.Pending.Changes))
		for _, change := range order.Status.Pending.Changes {
			bought = append(bought, change.Field+" "+change.To)
		}
		Expect(bought).To(Equal([]string{
			"order " + fixture.Reference, "scenario FirstInfrastructure", "site " + order.Spec.Qualification.LocationID,
			"planName " + order.Spec.PlanName, "speed 100 MBit/s down, 20 MBit/s up", "term 12", "aggregationMethod L2TP",
			"ntdInstallation wholesale-tech", "contact spec.contact", "qualificationSearchID SQ-NEW",
			"remoteQualificationSearchID R-SQ-NEW",
		}))
		Expect(order.Status.Address).To(Equal("1 Example Street, Springfield"))
		Expect(fixture.OrderCondition(order, v1alpha1.ConditionApprovalRequired).Message).To(And(
			ContainSubstring("; fees: NTD_INSTALLATION_FEE (one-time 300.00 AUD, monthly 0.00 AUD); not known: the plan's "+
				"own fees, which a qualification does not contain; approve with: "), ContainSubstring(order.Spec.PlanName),
			ContainSubstring("sorder "+site), ContainSubstring(order.Status.Pending.Hash)))
		Expect(w.Ordered(fixture.Reference).Seen).To(BeZero())
		Expect(fixture.LedgerOf(ctx, w)).To(BeNil(), "nothing is recorded before it is sent")

		By("another price, for which an old approval is not valid")
		hash := order.Status.Pending.Hash
		dearer := fixture.Result(w, strings.Replace(fixture.Qualified, "300.00", "301.00", 1))
		Expect(w.Update(ctx, dearer)).To(Succeed())
		w.AnnotateOrder(ctx, site, v1alpha1.AnnotationApprove, hash)
		order = process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval)
		Expect(order.Status.Pending.Hash).NotTo(Equal(hash))

		By("approving it")
		w.AnnotateOrder(ctx, site, v1alpha1.AnnotationApprove, order.Status.Pending.Hash)
		approved := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(approved, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(approved.Status.Request.ApprovedHash).To(Equal(order.Status.Pending.Hash))
		Expect(approved.Status.Handled.Approve).To(Equal(order.Status.Pending.Hash))
		Expect(approved.Status.Fees.Source).To(Equal("Order"))
		const mismatch = "300.00 AUD for NTD_INSTALLATION_FEE (one-time) instead of 301.00 AUD"
		Expect(fixture.OrderCondition(approved, v1alpha1.ConditionSubmitted).Message).To(ContainSubstring(mismatch))
		Expect(w.Events.All()).To(ContainElement(And(HavePrefix("Warning ResultDiffers"), ContainSubstring(mismatch))))
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})

	It("is charged other fees, and says so although the first write of the response fails", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, fixture.Result(w, strings.Replace(fixture.Qualified, "300.00", "301.00", 1)))).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, fixture.WithResult))).To(Succeed())
		process.Seam.Fault = fixture.ConflictOnce("update order-")
		order := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		const mismatch = "300.00 AUD for NTD_INSTALLATION_FEE (one-time) instead of 301.00 AUD"
		Expect(fixture.OrderCondition(order, v1alpha1.ConditionSubmitted).Message).To(ContainSubstring(mismatch))
		Expect(w.Events.All()).To(ContainElement(And(HavePrefix("Warning ResultDiffers"), ContainSubstring(mismatch))))
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})

	It("has no warning when the fees are as shown", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, fixture.Result(w, fixture.Qualified))).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, fixture.WithResult))).To(Succeed())
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(w.Events.All()).NotTo(ContainElement(ContainSubstring("ResultDiffers")))
	})

	It("may have it as binary data", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		binary := fixture.Result(w, fixture.Qualified)
		binary.BinaryData, binary.Data = map[string][]byte{"result.json": []byte(fixture.Qualified)}, nil
		Expect(w.Create(ctx, binary)).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, fixture.WithResult))).To(Succeed())
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
	})

	It("is checked and sent with its orderId again after the carrier has rejected the order", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		withID := strings.Replace(fixture.Qualified, "{", `{"orderId": "1eb878c4-d4b9",`, 1)
		Expect(w.Create(ctx, fixture.Result(w, withID))).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, fixture.WithResult))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(process.Reject(ctx, site, order.Status.OrderID.Number(), "no port is free")).To(Succeed())
		w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, order.Status.Request.AttemptID+"=NotAccepted")
		Expect(w.Update(ctx, fixture.Result(w, "{}"))).To(Succeed())
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOrderNotPossible)
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))

		Expect(w.Update(ctx, fixture.Result(w, withID))).To(Succeed())
		w.Clock.Advance(time.Hour)
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(w.Posted(fixture.OrdersPath)).To(HaveExactElements(
			ContainSubstring(`"remoteOrderId":"1eb878c4-d4b9"`), ContainSubstring(`"remoteOrderId":"1eb878c4-d4b9"`)))
	})

	It("is sent with its orderId, and not with another one", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		withID := strings.Replace(fixture.Qualified, "{", `{"orderId": "1eb878c4-d4b9",`, 1)
		Expect(w.Create(ctx, fixture.Result(w, withID))).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, fixture.WithResult, func(o *v1alpha1.ServiceOrder) {
			o.Spec.RemoteOrderID = "PO-7"
		}))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonOrderNotPossible)
		Expect(fixture.OrderCondition(order, v1alpha1.ConditionReady).Message).To(ContainSubstring(
			`spec.remoteOrderID is "PO-7", but the orderId of the qualification result is "1eb878c4-d4b9": omit `))
		Expect(w.Ordered(fixture.Reference).Seen).To(BeZero())

		w.EditOrder(ctx, site, func(o *v1alpha1.ServiceOrder) { o.Spec.RemoteOrderID = "" })
		order = process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(w.Posted(fixture.OrdersPath)).To(ConsistOf(ContainSubstring(`"remoteOrderId":"1eb878c4-d4b9"`)))

		By("the same order again, after the result was deleted")
		Expect(w.Delete(ctx, order)).To(Succeed())
		process.DriveOrder(ctx, site)
		Expect(w.Delete(ctx, fixture.Result(w, withID))).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})

	DescribeTable("is not sent when it cannot be fulfilled",
		func(ctx SpecContext, text, message string) {
			w, process := fixture.Begin(ctx)
			if text != "" {
				Expect(w.Create(ctx, fixture.Result(w, text))).To(Succeed())
			}
			Expect(w.Create(ctx, w.Order(site, fixture.Reference, fixture.WithResult))).To(Succeed())
			order := process.DriveOrder(ctx, site)
			fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonOrderNotPossible)
			Expect(fixture.OrderCondition(order, v1alpha1.ConditionReady).Message).To(ContainSubstring(message))
			Expect(w.Ordered(fixture.Reference).Seen).To(BeZero())
			pass, err := process.ReconcileOrder(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			Expect(pass.RequeueAfter.Minutes()).To(BeNumerically("~", 1, 0.1))

			By("correcting it")
			if text == "" {
				Expect(w.Create(ctx, fixture.Result(w, fixture.Qualified))).To(Succeed())
			} else {
				Expect(w.Update(ctx, fixture.Result(w, fixture.Qualified))).To(Succeed())
			}
			w.Clock.Advance(pass.RequeueAfter)
			fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		},
		Entry("without the ConfigMap", "", "ConfigMap sq does not exist"),
		Entry("with something else in it", "not a result", "not a qualification result"),
		Entry("with the result of another site", strings.Replace(fixture.Qualified, "SQ-NEW", "SQ-OLD", 1),
			"qualificationSearchID"),
		Entry("with existing infrastructure", strings.Replace(fixture.Qualified, `"infrastructures": []`,
			`"infrastructures": [{"infrastructureId": "NTD-9", "ntdType": "INTERNAL"}]`, 1), "FirstInfrastructure"),
	)
})

var _ = DescribeTable("An order that may not be sent",
	func(
		ctx SpecContext, account func(*v1alpha1.CarrierAccount), options func(*controllers.Options), edit fixture.OrderEdit,
		reason string,
	) {
		w := world.New(ctx, fixture.Plane)
		w.Login(ctx, fixture.OrNoop(account))
		process := w.Start(world.CrashPoint{}, fixture.OrNoop(options))
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, fixture.OrNoop(edit)))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionFalse, reason)
		Expect(order.Finalizers).To(BeEmpty())
		Expect(w.Ordered(fixture.Reference).Seen).To(BeZero())
		Expect(fixture.LedgerOf(ctx, w)).To(BeNil())
	},
	Entry("waits for approval of the account",
		func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = v1alpha1.ApprovalOnCost }, nil, nil,
		v1alpha1.ReasonAwaitingApproval),
	Entry("waits for approval of its own", nil, nil,
		fixture.OrderApproval(v1alpha1.ApprovalAlways), v1alpha1.ReasonAwaitingApproval),
	Entry("is only shown with --submit=false", nil,
		func(o *controllers.Options) { o.Submit = false }, nil, v1alpha1.ReasonPlanned),
	Entry("waits for its contact", nil, nil, func(o *v1alpha1.ServiceOrder) {
		o.Spec.Contact, o.Spec.ContactSecretRef = nil, &v1alpha1.SecretReference{Name: "missing"}
	}, v1alpha1.ReasonContactRequired),
	Entry("waits for its contact before somebody is asked to approve it",
		func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = v1alpha1.ApprovalOnCost }, nil, func(o *v1alpha1.ServiceOrder) {
			o.Spec.Contact, o.Spec.ContactSecretRef = nil, &v1alpha1.SecretReference{Name: "missing"}
		}, v1alpha1.ReasonContactRequired),
	Entry("waits for its account", nil, nil, func(o *v1alpha1.ServiceOrder) { o.Spec.AccountRef.Name = "other" },
		v1alpha1.ReasonAccountNotReady),
)

var _ = Describe("An order in a shared account", func() {
	It("counts towards chargeLimit", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx,
			func(a *v1alpha1.CarrierAccount) { a.Spec.ChargeLimit = &v1alpha1.ChargeLimit{PerHour: 1} })
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		process.DriveOrder(ctx, site)
		Expect(w.Create(ctx, w.Order("second", "SITE-015"))).To(Succeed())
		_, err := process.ReconcileOrder(ctx, "second")
		Expect(err).NotTo(HaveOccurred())
		fixture.ExpectOrder(w.ReadOrder(ctx, "second"), metav1.ConditionFalse, v1alpha1.ReasonChargeLimit)
		Expect(w.Ordered("SITE-015").Seen).To(BeZero())
		fixture.ExpectOrder(process.DriveOrder(ctx, "second"), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
	})

	It("counts towards chargeLimit while it is being sent", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx,
			func(a *v1alpha1.CarrierAccount) { a.Spec.ChargeLimit = &v1alpha1.ChargeLimit{PerHour: 1} })
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		Expect(w.Create(ctx, w.Order("second", "SITE-015"))).To(Succeed())
		w.DuringPOST(fixture.OrdersPath, func() {
			_, err := process.ReconcileOrder(ctx, "second")
			Expect(err).NotTo(HaveOccurred())
			fixture.ExpectOrder(w.ReadOrder(ctx, "second"), metav1.ConditionFalse, v1alpha1.ReasonChargeLimit)
		})
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(w.Ordered("SITE-015").Seen).To(BeZero())
	})

	It("shows nothing of its contact, in no object, event or ledger", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "whom"},
			StringData: map[string]string{"name": "Kim Poe", "phone": "0411 111 111", "email": "kim@example.com"},
		})).To(Succeed())
		Expect(w.Carrier.FailNext("POST OrderCreate", simulator.Fault{
			Kind: simulator.FaultBody, Status: 422,
			Body: `{"httpStatusCode":422,"type":"business.rule","code":"validation","message":"Kim Poe","apiSubErrors":[` +
				`{"code":"x","message":"bad 0411 111 111","rejectedValue":"kim@example.com"}]}`,
		})).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, func(o *v1alpha1.ServiceOrder) {
			o.Spec.Contact, o.Spec.ContactSecretRef = nil, &v1alpha1.SecretReference{Name: "whom"}
		}))).To(Succeed())
		process.DriveOrder(ctx, site)
		Expect(w.Posted(fixture.OrdersPath)[0]).To(ContainSubstring(`"contactName":"Kim Poe","contactPhone":"0411 111 111"`))
		text := fmt.Sprintf("%+v", fixture.LedgerOf(ctx, w).Spec) + strings.Join(w.Events.All(), "\n") +
			w.ReadOrder(ctx, site).Status.Request.Error.Message
		for _, private := range []string{"Kim Poe", "0411 111 111", "kim@example.com"} {
			Expect(text).NotTo(ContainSubstring(private))
		}
	})
})
