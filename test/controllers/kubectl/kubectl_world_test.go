// SPDX-License-Identifier: Apache-2.0

package kubectl_test

import (
	"net/http"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// cautiousAccount is the name of an account whose policies are the defaults of the schema.
const cautiousAccount = "cautious"

// printedWorld is the world whose objects kubectl prints.
type printedWorld struct {
	*world.World

	process *world.Process
	lines   int64 // how many services the carrier has
}

// printedObjects are the objects of the world's namespace that are printed in full.
func printedObjects() []string {
	return []string{
		"cacct/" + world.AccountName, "cacct/" + cautiousAccount,
		"bbs/site-changed", "bbs/site-waits", "bbs/site-unknown", "bbs/site-imported", "bbs/site-refused",
		"bbs/site-drifted", "bbs/site-lost", "sorder/site-new", "sorder/site-asked",
		"appt/visit", "dtest/port-reset", "poq/offers", "fbq/trench", "hcheck/line",
	}
}

// oneOfEach is a world with objects of each kind: settled, waiting, in progress and stalled.
func oneOfEach(ctx SpecContext) *world.World {
	GinkgoHelper()
	p := &printedWorld{}
	p.World, p.process = fixture.Begin(ctx)
	p.createServices(ctx)
	p.createImported(ctx)
	p.createOrders(ctx)
	p.createOneShots(ctx)
	p.createRefused(ctx)
	p.createDrifted(ctx)
	p.createLost(ctx)
	p.deleteLedger(ctx, "site-leaves")
	for _, account := range []string{world.AccountName, cautiousAccount} {
		_, err := p.process.ReconcileAccountOf(ctx, account)
		Expect(err).NotTo(HaveOccurred())
	}
	return p.World
}

// line adds a service to the carrier's records. Its number has the same width in each run.
func (p *printedWorld) line(edits ...func(*simulator.Service)) int64 {
	p.lines++
	number := 1_000_000_000 + p.lines
	return p.Line(append(edits, func(service *simulator.Service) { service.ID = number })...)
}

func (p *printedWorld) create(ctx SpecContext, objects ...client.Object) {
	GinkgoHelper()
	for _, object := range objects {
		Expect(p.Create(ctx, object)).To(Succeed())
	}
}

// createServices creates services that are changed, waiting, changing, not visible, and ending.
func (p *printedWorld) createServices(ctx SpecContext) {
	GinkgoHelper()
	p.create(ctx, p.Service("site-changed", p.line()),
		p.Service("site-waits", p.line(), fixture.WithApproval(v1alpha1.ApprovalAlways), fixture.WithSLA(world.SLAFast)),
		p.Service("site-under-way", p.line()), p.Service("site-unknown", 4711),
		p.Service("site-leaves", p.line(fixture.WithCancellation(fixture.StateRequested, fixture.PendingDate)),
			fixture.EndOn(fixture.PendingDate)))
	for _, name := range []string{"site-changed", "site-waits", "site-leaves"} {
		p.process.Drive(ctx, name)
	}
	for range 3 {
		_, err := p.process.Reconcile(ctx, "site-unknown")
		Expect(err).NotTo(HaveOccurred())
	}
	for p.Read(ctx, "site-under-way").OpenRequest() == nil {
		result, err := p.process.Reconcile(ctx, "site-under-way")
		Expect(err).NotTo(HaveOccurred())
		p.Clock.Advance(result.RequeueAfter)
	}
}

// createImported creates a service that is imported with another plan and with a value that cannot
// be read, under the default policies.
func (p *printedWorld) createImported(ctx SpecContext) {
	GinkgoHelper()
	p.create(ctx, p.Account(func(account *v1alpha1.CarrierAccount) {
		account.Name, account.Spec.Approval, account.Spec.UnknownValues = cautiousAccount, "", ""
	}))
	_, err := p.process.ReconcileAccountOf(ctx, cautiousAccount)
	Expect(err).NotTo(HaveOccurred())
	p.create(ctx, p.Service("site-imported", p.line(), fixture.WithSLA(world.SLAFast), func(s *v1alpha1.BroadbandService) {
		s.Spec.AccountRef.Name = cautiousAccount
	}))
	fixture.ExpectReady(p.process.Drive(ctx, "site-imported"), "False", v1alpha1.ReasonAwaitingApproval)
}

func (p *printedWorld) createOrders(ctx SpecContext) {
	GinkgoHelper()
	p.create(ctx, p.Order("site-new", fixture.Reference),
		p.Order("site-asked", "SITE-015", func(order *v1alpha1.ServiceOrder) {
			order.Spec.Approval = v1alpha1.ApprovalAlways
		}))
	p.process.DriveOrder(ctx, "site-new")
	p.process.DriveOrder(ctx, "site-asked")
}

func (p *printedWorld) createOneShots(ctx SpecContext) {
	GinkgoHelper()
	p.create(ctx, p.Appointment("visit"), p.Test("port-reset", p.line()), p.Query("offers", p.line()),
		p.Quote("trench", world.QualifiedSite), p.Check("line", p.line(fixture.Impaired)))
	p.process.DriveAppointment(ctx, "visit")
	for _, shot := range []world.OneShot{
		{Kind: "DiagnosticTest", Name: "port-reset"},
		{Kind: "PlanOptionsQuery", Name: "offers"},
		{Kind: "FibreBuildQuote", Name: "trench"},
		{Kind: "HealthCheck", Name: "line"},
	} {
		p.process.DriveOneShot(ctx, shot)
	}
}

// createRefused creates a service with two changes that the carrier has failed, and with the longest
// of all reasons.
func (p *printedWorld) createRefused(ctx SpecContext) {
	GinkgoHelper()
	for _, operation := range []string{"AggregationConversion", "DSLStabilityProfileChange"} {
		Expect(p.Carrier.FailNext(operation, simulator.Fault{Kind: simulator.FaultEndInError})).To(Succeed())
	}
	p.create(ctx,
		p.Service("site-refused", p.line(fixture.OnCopper), fixture.Aggregated("ETHERNET"), fixture.WithDSLProfile))
	fixture.ExpectReady(p.process.Drive(ctx, "site-refused"), "False", v1alpha1.ReasonAggregationConversionFailed)
}

// createDrifted creates a service whose plan the carrier changes after it was in sync.
func (p *printedWorld) createDrifted(ctx SpecContext) {
	GinkgoHelper()
	line := p.line(fixture.OnFast)
	p.create(ctx, p.Service("site-drifted", line))
	fixture.ExpectReady(p.process.Drive(ctx, "site-drifted"), "True", v1alpha1.ReasonInSync)
	Expect(p.Carrier.SetPlan(line, world.PlanSlow)).To(Succeed())
	p.Annotate(ctx, "site-drifted", v1alpha1.AnnotationReconcile, "now")
	fixture.ExpectReady(p.process.Drive(ctx, "site-drifted"), "False", v1alpha1.ReasonDrifted)
}

// createLost creates a service with a request whose response was lost.
func (p *printedWorld) createLost(ctx SpecContext) {
	GinkgoHelper()
	Expect(p.Carrier.FailNext("POST PlanChange", fixture.AnswerStatus(http.StatusBadGateway))).To(Succeed())
	p.create(ctx, p.Service("site-lost", p.line()))
	fixture.ExpectReady(p.process.Drive(ctx, "site-lost"), "False", v1alpha1.ReasonOutcomeUnknown)
}

// deleteLedger requests the deletion of the ledger of a service. The ledger is kept.
func (p *printedWorld) deleteLedger(ctx SpecContext, service string) {
	GinkgoHelper()
	ledger := &v1alpha1.RequestLedger{}
	Expect(p.Get(ctx, client.ObjectKey{Name: p.Read(ctx, service).Status.Ledger.Name}, ledger)).To(Succeed())
	Expect(p.Delete(ctx, ledger)).To(Succeed())
	Expect(p.process.ReconcileLedger(ctx, ledger.Name)).To(Succeed())
}
