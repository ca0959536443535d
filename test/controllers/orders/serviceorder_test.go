// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// takeOverPort takes over the port that is in use.
func takeOverPort(order *v1alpha1.ServiceOrder) {
	order.Spec.Scenario = v1alpha1.ScenarioInUse
	order.Spec.Qualification = v1alpha1.QualificationIDs{
		QualificationSearchID: world.QualificationUsed, RemoteQualificationSearchID: "R-" + world.QualificationUsed,
		LocationID: world.LocationUsed,
	}
	order.Spec.Infrastructure = &v1alpha1.OrderedInfrastructure{ID: world.InstalledNTD, PortID: new(int64(1))}
	order.Spec.Transfer = &v1alpha1.Transfer{Type: "SERVICE_TRANSFER", AVCID: world.UsedAVC}
}

var _ = Describe("An order of an alternate source", func() {
	It("has its ids sent as they are", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(func(s *simulator.Service) { s.AVCID = new("opc-avc.7") })
		Expect(w.Carrier.AddQualification(simulator.Qualification{
			QualificationSearchID: "SQ-OPC", RemoteQualificationSearchID: "R-SQ-OPC", Client: w.ClientName,
			LocationID: "OPC-17",
			Infrastructures: []simulator.Infrastructure{{
				ID: "NTD-0", RemainingDown: 1000, Ports: []simulator.Port{{ID: 0, Used: true, AVCID: "opc-avc.7"}, {ID: 1}},
			}},
		})).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, takeOverPort, func(o *v1alpha1.ServiceOrder) {
			o.Spec.Qualification = v1alpha1.QualificationIDs{
				QualificationSearchID: "SQ-OPC", RemoteQualificationSearchID: "R-SQ-OPC", LocationID: "OPC-17",
			}
			o.Spec.Infrastructure = &v1alpha1.OrderedInfrastructure{ID: "NTD-0", PortID: new(int64(0))}
			o.Spec.Transfer.AVCID = "opc-avc.7"
		}))).To(Succeed())
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(w.Posted(fixture.OrdersPath)).To(ConsistOf(And(
			ContainSubstring(`"locationId":"OPC-17"`), ContainSubstring(`"infrastructureId":"NTD-0","portId":0,`),
			ContainSubstring(`"avcIdForTransfer":"opc-avc.7"`))))
		taken, _ := w.Carrier.Service(line)
		Expect(taken.Cancellation).NotTo(BeNil(), "the port is taken over")
	})
})

// wrongPlan requests a plan that the carrier does not have.
func wrongPlan(order *v1alpha1.ServiceOrder) { order.Spec.PlanName = "Hmoe 100/20" }

var _ = Describe("An order", func() {
	It("is sent once, as declared, and shows the carrier's response", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, func(o *v1alpha1.ServiceOrder) {
			o.Spec.TrafficClass, o.Spec.ProductType, o.Spec.RemoteOrderID = "tc4", "Access Only", "PO-7"
			o.Spec.RestorationSLA = world.SLAFast
			o.Spec.VLAN = &v1alpha1.VLAN{Required: true, ID: 100}
		}))).To(Succeed())

		order := process.DriveOrder(ctx, site)

		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(w.Posted(fixture.OrdersPath)).To(Equal([]string{
			`{"sourceType":"wholesale","planName":"Home 100/20","term":12,"trafficClass":"tc4",` +
				`"remoteQualificationSearchId":"R-SQ-NEW","qualificationSearchId":"SQ-NEW","locationId":"LOC000000000001",` +
				`"remoteOrderId":"PO-7","productType":"Access Only","restorationSla":"Enhanced-8","contactName":"Jo Doe",` +
				`"contactPhone":"0400 000 000","contactEmail":"jo@example.com","infrastructureId":null,"requireVLAN":true,` +
				`"vlanId":100,"ntdInstallation":"wholesale-tech","customerReference":"SITE-014","aggregationMethod":"L2TP"}`,
		}))
		placed := w.Carrier.Orders()
		Expect(placed).To(HaveLen(2), "ours, and the one that the carrier has from the start")
		Expect(order.Status.OrderID).To(Equal(v1alpha1.CarrierIDOf(placed[1].ID)))
		Expect(order.Status.OrderType).To(Equal("new"))
		Expect(order.Status.CarrierStatus).To(Equal("OPEN"))
		Expect(order.Status.PlanName).To(Equal(world.PlanFast))
		Expect(order.Status.AggregationMethod).To(Equal("L2TP"))
		Expect(order.Status.POIName).To(Equal("Exchange One"))
		Expect(order.Status.Address).To(Equal("1 Example Street, Springfield"))
		Expect(order.Status.Cancellable).To(BeTrue())
		Expect(order.Status.VLANID).To(Equal(int64(100)))
		Expect(order.Status.Frozen).To(BeTrue())
		Expect(order.Status.Pending).To(BeNil())
		Expect(order.Status.InFlight).To(BeNil())
		Expect(order.Status.Fees.Source).To(Equal("Order"))
		Expect(order.Status.Fees.OneTime.Amount).To(Equal("300.00"))
		Expect(order.Status.Fees.Monthly.Amount).To(Equal("68.00"))
		Expect(fixture.OrderCondition(order, v1alpha1.ConditionSubmitted).Status).To(Equal(metav1.ConditionTrue))
		Expect(order.Status.Request.Phase).To(Equal(v1alpha1.PhaseSucceeded))
		Expect(order.Status.Request.Location).To(Equal("/api/connect/orders/" + strconv.FormatInt(placed[1].ID, 10)))
		ledger := fixture.LedgerOf(ctx, w)
		Expect(ledger.OwnerReferences).To(BeEmpty())
		Expect(ledger.Spec.Open).To(BeEmpty())
		fixture.ExpectShown(order, fixture.RecordedOrder(ctx, w))
		Expect(order.Status.Ledger).To(Equal(&v1alpha1.LedgerReference{Name: ledger.Name, Revision: 2}))
		Expect(order.Finalizers).To(BeEmpty())
		text, err := json.Marshal(ledger)
		Expect(err).NotTo(HaveOccurred())
		for _, private := range []string{"Jo Doe", "0400 000 000", "jo@example.com", "Example Street"} {
			Expect(string(text)).NotTo(ContainSubstring(private))
		}
		for _, call := range w.Carrier.Calls() {
			Expect(call.Method+" "+call.Path).NotTo(HavePrefix("GET /api/connect/orders/"), "there is no read of an order")
		}

		By("another pass, by another process, much later")
		w.Clock.Advance(30 * 24 * time.Hour)
		again := w.Start(world.CrashPoint{}).DriveOrder(ctx, site)
		Expect(again.ResourceVersion).To(Equal(order.ResourceVersion))
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})

	It("takes over a port that is in use", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, takeOverPort))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(order.Status.OrderType).To(Equal("transfer"))
		Expect(order.Status.Fees.OneTime.Amount).To(Equal("22.50"))
		Expect(order.Status.TransferType).To(Equal("SERVICE_TRANSFER"))
		Expect(order.Status.Infrastructure).To(Equal(&v1alpha1.OrderInfrastructure{ID: world.InstalledNTD, PortID: "1"}))
		Expect(order.Status.Appointments).To(BeEmpty())
		Expect(w.Posted(fixture.OrdersPath)).To(ConsistOf(And(
			ContainSubstring(`"infrastructureId":"NTD-1","portId":1`),
			HaveSuffix(`"avcIdForTransfer":"AVC000000000002","transferType":"SERVICE_TRANSFER"}`))))
	})

	It("is immutable once it is sent, except for serviceID", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		order.Spec.PlanName = world.PlanSlow
		Expect(w.Update(ctx, order)).To(MatchError(ContainSubstring("status.frozen")))

		serviceID := int64(777)
		w.EditOrder(ctx, site, func(o *v1alpha1.ServiceOrder) { o.Spec.ServiceID = v1alpha1.CarrierIDOf(serviceID) })
		order = process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(order.Status.ServiceID).To(Equal(v1alpha1.CarrierIDOf(serviceID)))
		Expect(order.Status.ObservedGeneration).To(Equal(order.Generation))
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(1))
	})

	It("becomes a service that is managed by its name", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		line := w.Line()
		Expect(w.Create(ctx, w.Service("of-order", line, func(s *v1alpha1.BroadbandService) {
			s.Spec.ServiceID, s.Spec.OrderRef = "", &v1alpha1.OrderReference{Name: site}
		}))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, "of-order"), metav1.ConditionFalse, v1alpha1.ReasonOrderNotReady)
		process.DriveOrder(ctx, site)
		w.EditOrder(ctx, site, func(o *v1alpha1.ServiceOrder) { o.Spec.ServiceID = v1alpha1.CarrierIDOf(line) })
		process.DriveOrder(ctx, site)
		service := process.Drive(ctx, "of-order")
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.ServiceID).To(Equal(v1alpha1.CarrierIDOf(line)))
	})
})

var _ = DescribeTable("An order that the carrier refuses",
	func(ctx SpecContext, status int, codes []string, reason string, posts int) {
		w, process := fixture.Begin(ctx)
		fault := simulator.Fault{Kind: simulator.FaultStatus, Status: status}
		if len(codes) > 0 {
			fault.Kind = simulator.FaultBody
			fault.Body = `{"httpStatusCode":422,"type":"business.rule","code":"validation","message":"no",` +
				`"apiSubErrors":[{"code":"` + strings.Join(codes, `","message":"must not be provided","field":"x"},{"code":"`) +
				`","message":"must not be provided","field":"x"}]}`
		}
		Expect(w.Carrier.FailNext("POST OrderCreate", fault)).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())

		order := process.DriveOrder(ctx, site)

		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(posts))
		if reason == v1alpha1.ReasonSubmitted {
			fixture.ExpectOrder(order, metav1.ConditionTrue, reason)
			Expect(w.Ordered(fixture.Reference).Processed).To(Equal(1))
			return
		}
		fixture.ExpectOrder(order, metav1.ConditionFalse, reason)
		Expect(order.Status.Frozen).To(Equal(reason == v1alpha1.ReasonOutcomeUnknown))
		if len(codes) > 0 {
			Expect(fixture.OrderCondition(order, v1alpha1.ConditionReady).Message).To(HavePrefix(codes[0]))
			Expect(order.Status.LastError.Code).To(Equal(codes[0]))
		}
		w.Clock.Advance(fixture.Horizon)
		process.DriveOrder(ctx, site)
		Expect(w.Ordered(fixture.Reference).Seen).To(Equal(posts), "it is not sent again automatically")
	},
	Entry("for an AVC id", 422, []string{"constraints.avc.id.not.required"}, v1alpha1.ReasonAVCIDNotAllowed, 1),
	Entry("for a transfer type", 422,
		[]string{"constraints.transfer.type.not.required"}, v1alpha1.ReasonTransferTypeNotAllowed, 1),
	Entry("for both", 422,
		[]string{"constraints.avc.id.not.required", "constraints.transfer.type.not.required"},
		v1alpha1.ReasonAVCIDNotAllowed, 1),
	Entry("for a field that is missing", 422, []string{"constraints.not.null"}, v1alpha1.ReasonRequiredFieldMissing, 1),
	Entry("for a reason of its own", 422, []string{"constraints.order.of.some.kind"}, v1alpha1.ReasonCarrierRejected, 1),
	Entry("with 404, which proves nothing", 404, nil, v1alpha1.ReasonNotFoundOrForbidden, 1),
	Entry("with 403, which is not the carrier's", 403, nil, v1alpha1.ReasonOutcomeUnknown, 1),
	Entry("with 400", 400, nil, v1alpha1.ReasonRequestInvalid, 1),
	Entry("with 401: it was not processed and is sent again", 401, nil, v1alpha1.ReasonSubmitted, 2),
	Entry("with 429: it was not processed and is sent again", 429, nil, v1alpha1.ReasonSubmitted, 2),
	Entry("with 500, which proves nothing", 500, nil, v1alpha1.ReasonOutcomeUnknown, 1),
	Entry("with 502, which proves nothing", 502, nil, v1alpha1.ReasonOutcomeUnknown, 1),
)

var _ = Describe("A refused order", func() {
	It("can be corrected and is sent again", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, wrongPlan))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonCarrierRejected)
		refused := order.Status.Request.AttemptID
		Expect(fixture.RecordedOrder(ctx, w).Phase).To(Equal(v1alpha1.PhaseRejected))

		w.EditOrder(ctx, site, func(o *v1alpha1.ServiceOrder) { o.Spec.PlanName = world.PlanFast })
		order = process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(order.Status.Request.AttemptID).NotTo(Equal(refused))
		Expect(order.Status.LastError).To(BeNil())
		Expect(w.Ordered(fixture.Reference)).To(Equal(simulator.Count{Seen: 2, Processed: 1}))
		Expect(fixture.RecordedOrder(ctx, w).AttemptID).To(Equal(order.Status.Request.AttemptID))
	})

	It("is sent once more for each retry", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		fault := simulator.Fault{Kind: simulator.FaultStatus, Status: 404}
		Expect(w.Carrier.FailNext("POST OrderCreate", fault)).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonNotFoundOrForbidden)
		refused := order.Status.Request.AttemptID
		w.AnnotateOrder(ctx, site, v1alpha1.AnnotationRetry, refused)
		order = process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(order.Status.Handled.Retry).To(Equal(refused))
		Expect(fixture.RecordedOrder(ctx, w).Retry).To(Equal(refused))
		Expect(w.Ordered(fixture.Reference).Processed).To(Equal(1))
	})

	// A request with the first reference may be on its way, and nothing would show it after the change
	// (R5).
	It("cannot be given another customerReference", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, wrongPlan))).To(Succeed())
		process.DriveOrder(ctx, site)
		order := w.ReadOrder(ctx, site)
		order.Spec.PlanName, order.Spec.CustomerReference = world.PlanFast, "SITE-015"
		Expect(w.Update(ctx, order)).To(MatchError(ContainSubstring("customerReference is immutable")))

		w.EditOrder(ctx, site, func(o *v1alpha1.ServiceOrder) { o.Spec.PlanName = world.PlanFast })
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(w.Ordered(fixture.Reference).Processed).To(Equal(1))
	})
})

var _ = Describe("An order that the carrier rejects after accepting it", func() {
	It("is Stalled and immutable, and may be sent again once a person confirms that it is closed", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Order(site, fixture.Reference))).To(Succeed())
		order := process.DriveOrder(ctx, site)
		number := order.Status.OrderID

		Expect(process.Reject(ctx, site, 1, "")).NotTo(Succeed())
		Expect(process.Reject(ctx, site, number.Number(), "The AVC id is incorrect")).To(Succeed())
		written := w.ReadOrder(ctx, site).ResourceVersion
		Expect(process.Reject(ctx, site, number.Number(), "The AVC id is incorrect")).To(Succeed())
		Expect(w.ReadOrder(ctx, site).ResourceVersion).To(Equal(written), "the same news is no news")

		order = process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonOrderRejected)
		Expect(fixture.OrderCondition(order, v1alpha1.ConditionRejected).Status).To(Equal(metav1.ConditionTrue))
		Expect(fixture.OrderCondition(order, v1alpha1.ConditionReady).Message).To(ContainSubstring("The AVC id is incorrect"))
		Expect(order.Status.Frozen).To(BeTrue())
		Expect(fixture.RecordedOrder(ctx, w).Phase).To(Equal(v1alpha1.PhaseSucceeded))
		order.Spec.PlanName = world.PlanSlow
		Expect(w.Update(ctx, order)).NotTo(Succeed())

		first := order.Status.Request.AttemptID
		w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, first+"=Abandoned")
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonOrderRejected)
		w.AnnotateOrder(ctx, site, v1alpha1.AnnotationResolve, first+"=NotAccepted")
		order = process.DriveOrder(ctx, site)
		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		Expect(order.Status.Rejection).To(BeNil())
		Expect(order.Status.Request.AttemptID).NotTo(Equal(first))
		Expect(w.Ordered(fixture.Reference)).To(Equal(simulator.Count{Seen: 2, Processed: 2}))
	})
})
