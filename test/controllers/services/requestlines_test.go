// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"context"
	"strings"

	"github.com/go-logr/logr/funcr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// logLines are the lines that were logged.
type logLines []string

// into returns a context whose logger appends to the lines.
func (l *logLines) into(ctx context.Context) context.Context {
	return log.IntoContext(ctx, funcr.New(func(_, line string) { *l = append(*l, line) }, funcr.Options{}))
}

// about returns the lines about an attempt.
func (l *logLines) about(attempt *v1alpha1.Request) []string {
	var found []string
	for _, line := range *l {
		if strings.Contains(line, `"operation"="`+string(attempt.Operation)+`" "attempt"="`+attempt.AttemptID+`"`) {
			found = append(found, line)
		}
	}
	return found
}

// expectLogged expects one line when an attempt is sent and one when it ends. Both lines must name
// what the attempt is about.
func (l *logLines) expectLogged(attempt *v1alpha1.Request, texts ...string) {
	GinkgoHelper()
	Expect(l.about(attempt)).To(HaveExactElements(
		And(ContainSubstring("a request is sent"), ContainSubstring(`"phase"="Submitting"`)),
		And(ContainSubstring("a request has ended"), ContainSubstring(`"phase"="`+string(attempt.Phase)+`"`))))
	for _, text := range texts {
		Expect(l.about(attempt)).To(HaveEach(ContainSubstring(text)))
	}
}

// noName is recorded of a person who approves as the tests do, without a name.
const noName = "unknown (client services.test)"

var _ = Describe("The log", func() {
	It("has one line when a request is sent, and one when it has ended", func(ctx SpecContext) {
		d := newPricedService(ctx, fixture.WithApproval(v1alpha1.ApprovalOnCost))
		hash := expectAwaiting(d.declare(ctx, fixture.WithPlan(world.PlanFast, 12)))
		d.Annotate(ctx, site, v1alpha1.AnnotationApprove, hash)
		var lines logLines

		service := d.process.Drive(lines.into(ctx), site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		lines.expectLogged(service.RequestOf(v1alpha1.OperationPlanChange), `"object"="bbs `+d.Namespace+`/site"`,
			`"changes"="plan.name \"Home 50/20\" → \"Home 100/20\" (one-time 0.00 AUD, monthly 45.00 AUD → 58.00 AUD)" `+
				`"approved"="`+hash+`"`, `"approvedBy"="`+noName+`"`)
		Expect(d.Events.All()).To(ContainElement(ContainSubstring(
			`PlanChange succeeded: plan.name "Home 50/20" → "Home 100/20"`)))
	})

	It("shows what an approved order buys and its fees, as do the Event and the ledger", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, fixture.Result(w, fixture.Qualified))).To(Succeed())
		Expect(w.Create(ctx,
			w.Order(site, fixture.Reference, fixture.WithResult, fixture.OrderApproval(v1alpha1.ApprovalOnCost)))).To(Succeed())
		hash := process.DriveOrder(ctx, site).Status.Pending.Hash
		w.AnnotateOrder(ctx, site, v1alpha1.AnnotationApprove, hash)
		var lines logLines

		order := process.DriveOrder(lines.into(ctx), site)

		fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		const bought = `order "SITE-014", scenario "FirstInfrastructure", site "LOC000000000001", planName "Home 100/20", ` +
			`speed "100 MBit/s down, 20 MBit/s up", term "12", aggregationMethod "L2TP", ntdInstallation "wholesale-tech", ` +
			`contact "spec.contact", qualificationSearchID "SQ-NEW", remoteQualificationSearchID "R-SQ-NEW", ` +
			`fee NTD_INSTALLATION_FEE (one-time 300.00 AUD, monthly 0.00 AUD), fee PLAN (unknown)`
		lines.expectLogged(order.Status.Request, `"object"="sorder `+w.Namespace+`/site"`,
			`"changes"="`+strings.ReplaceAll(bought, `"`, `\"`)+`" "approved"="`+hash+`"`, `"approvedBy"="`+noName+`"`)
		Expect(w.Events.All()).To(ContainElement(HavePrefix("Normal RequestSucceeded OrderCreate succeeded: " + bought)))
		Expect(fixture.LedgerOf(ctx, w).Spec.Ended[0].Changes).To(HaveLen(13))
	})

	It("shows what an approved diagnostic test does, as do the Event and the ledger", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.Approval = v1alpha1.ApprovalAlways })
		line := w.Line()
		Expect(w.Create(ctx, w.Test(fixture.Once, line))).To(Succeed())
		fixture.Tests().Until(ctx, w, process, v1alpha1.ReasonAwaitingApproval)
		test, _ := world.Fetch(ctx, w, fixture.Once, &v1alpha1.DiagnosticTest{})
		hash := test.Status.Pending.Hash
		fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationApprove, hash)
		var lines logLines

		fixture.Tests().Drive(lines.into(ctx), w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

		lines.expectLogged(fixture.Tests().Request(ctx, w), `"object"="dtest `+w.Namespace+`/once"`,
			`"changes"="testType \"port-reset\"" "approved"="`+hash+`"`, `"approvedBy"="`+noName+`"`)
		Expect(w.Events.All()).To(ContainElement(HavePrefix(
			`Normal RequestSucceeded DiagnosticTest succeeded: testType "port-reset", approved by ` + noName + ` (attempt `)))
		Expect(fixture.TestsLedger(ctx, w, line).Spec.Ended[0].Changes).To(HaveLen(1))
	})

	It("has the same two lines for a query", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Query(fixture.Once, w.Line()))).To(Succeed())
		var lines logLines
		fixture.Queries().Drive(lines.into(ctx), w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		lines.expectLogged(fixture.Queries().Request(ctx, w), `"object"="poq `+w.Namespace+`/once"`)
	})

	It("has the same two lines for a query that does not reach the carrier", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Carrier.FailNext("POST PlanOptions", fixture.AnswerStatus(429))).To(Succeed())
		Expect(w.Create(ctx, w.Query(fixture.Once, w.Line()))).To(Succeed())
		var lines logLines
		fixture.Queries().Drive(lines.into(ctx), w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		ended := func(line string) bool { return strings.Contains(line, "a request has ended") }
		Expect(lines).To(HaveLen(4), "two for each of the two attempts")
		Expect(lines[1]).To(Satisfy(ended))
		Expect(lines[1]).To(ContainSubstring(`"phase"="NotProcessed"`))
		Expect(w.Carrier.Submissions(simulator.OpPlanOptions, 0).Seen).To(Equal(2))
	})
})
