// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// deal is a world with one service. Its plan, term and SLA are known and as declared, so that the
// cost of a change is known before and after. Nothing is read at intervals, because reads would add
// calls to a quiet day.
type deal struct {
	*world.World

	process *world.Process
	line    int64
	forger  *forger
}

// bargain creates a deal. The edits change how the carrier sells the service.
func bargain(ctx context.Context, policy edit, sold ...func(*simulator.Service)) deal {
	GinkgoHelper()
	d := deal{forger: &forger{}}
	d.World, _ = begin(ctx)
	d.process, d.line = d.Start(world.Cut{}, d.forger.join), d.Line(sold...)
	line, _ := d.Carrier.Service(d.line)
	asSold := func(s *v1alpha1.BroadbandService) {
		s.Spec.Plan, s.Spec.RestorationSLA = &v1alpha1.Plan{Name: line.Plan, Term: 12}, line.RestorationSLA
		s.Spec.Observe = v1alpha1.Observe{HealthInterval: "0", CancellationInterval: "0"}
		s.Spec.TrustDeclared = []v1alpha1.TrustedAspect{v1alpha1.TrustPlan, v1alpha1.TrustRestorationSLA}
	}
	Expect(d.Create(ctx, d.Service(site, d.line, asSold, policy))).To(Succeed())
	expectReady(d.drive(ctx), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	return d
}

func (d deal) drive(ctx context.Context) *v1alpha1.BroadbandService {
	GinkgoHelper()
	return d.process.Drive(ctx, site)
}

// want declares something else, and reconciles as far as possible.
func (d deal) want(ctx context.Context, wanted edit) *v1alpha1.BroadbandService {
	GinkgoHelper()
	d.Edit(ctx, site, wanted)
	return d.drive(ctx)
}

// approve approves the change as a user would, and reconciles as far as possible.
func (d deal) approve(ctx context.Context, hash string) *v1alpha1.BroadbandService {
	GinkgoHelper()
	d.Annotate(ctx, site, v1alpha1.AnnotationApprove, hash)
	return d.drive(ctx)
}

// pass lets an hour pass, reconciles when due, and returns the reasons that Ready had in that hour.
func (d deal) pass(ctx context.Context) []string {
	GinkgoHelper()
	var reasons []string
	for end := d.Clock.Now().Add(time.Hour); d.Clock.Now().Before(end); {
		result, err := d.process.Look(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(BeNumerically(">", 0), "it goes on by itself")
		reasons = append(reasons, world.Ready(d.Read(ctx, site)).Reason)
		d.Clock.Advance(result.RequeueAfter)
	}
	return slices.Compact(reasons)
}

// quotes counts the plan-change-options requests that the carrier has received.
func (d deal) quotes() int { return d.Carrier.Submissions(simulator.OpPlanOptions, d.line).Seen }

// sent returns the requests for a change that the carrier has received.
func (d deal) sent() []simulator.Operation {
	var operations []simulator.Operation
	asks := []simulator.Operation{simulator.OpHealth, simulator.OpPlanOptions}
	for _, call := range d.Carrier.Calls() {
		if call.Method == http.MethodPost && call.ServiceID == d.line && !slices.Contains(asks, call.Operation) {
			operations = append(operations, call.Operation)
		}
	}
	return operations
}

// mismatches are the Warning Events about a fee.
func (d deal) mismatches() []string {
	other := func(event string) bool { return !strings.HasPrefix(event, "Warning ResultDiffers ") }
	return slices.DeleteFunc(d.Events.All(), other)
}

// The paths whose answers a forger can change.
const (
	quotePath  = "/plan-changes/options/requests/"
	resultPath = "/plan-changes/requests/"
)

// forger modifies the carrier's answers on their way to the operator: each 200 on a path, while
// there is a replacement.
type forger struct{ path, from, to string }

// join puts the forger between a process and the carrier.
func (f *forger) join(options *controllers.Options) {
	inner := options.Wrap
	options.Wrap = func(next http.RoundTripper) http.RoundTripper {
		return forgedWay{RoundTripper: inner(next), forger: f}
	}
}

type forgedWay struct {
	http.RoundTripper
	*forger
}

// RoundTrip calls the carrier and modifies its answer.
func (w forgedWay) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := w.RoundTripper.RoundTrip(request)
	if err != nil || w.path == "" || !strings.Contains(request.URL.Path, w.path) || answer.StatusCode != http.StatusOK {
		return answer, err
	}
	var body bytes.Buffer
	const most = 1 << 20
	if _, err := body.ReadFrom(io.LimitReader(answer.Body, most)); err != nil {
		return nil, err
	}
	Expect(body.String()).To(ContainSubstring(w.from), "there is nothing to forge")
	forged := strings.ReplaceAll(body.String(), w.from, w.to)
	answer.Body, answer.ContentLength = io.NopCloser(strings.NewReader(forged)), int64(len(forged))
	return answer, answer.Body.Close()
}

func planning(s *v1alpha1.BroadbandService) { s.Spec.ManagementPolicy = v1alpha1.ManagementPlan }

// withNTD declares a plan that comes with a device, which needs a contact who lets the technician
// in.
func withNTD(s *v1alpha1.BroadbandService) {
	s.Spec.Plan = &v1alpha1.Plan{
		Name: world.PlanGiga, Term: 12, NTDOption: "4_PORT_RESIDENTIAL",
		Contact: &v1alpha1.Contact{Name: "Jo", Phone: "0400 000 000", Email: "jo@example.com"},
	}
}

func both(first, second edit) edit {
	return func(s *v1alpha1.BroadbandService) { first(s); second(s) }
}

func aud(amount string) *v1alpha1.Money {
	if amount == "" {
		return nil
	}
	return &v1alpha1.Money{Amount: amount, Currency: "AUD"}
}

func charged(amount string) *v1alpha1.Charge {
	return &v1alpha1.Charge{OneTime: aud(amount), Monthly: aud("0.00")}
}

// row is a change that is sent along with a plan change: its one-time fee, and its monthly fee
// before and after.
func row(field, from, to string, fees ...string) v1alpha1.Change {
	change := v1alpha1.Change{Operation: v1alpha1.OperationPlanChange, Field: field, From: from, To: to}
	if len(fees) > 0 {
		change.OneTime, change.MonthlyBefore, change.MonthlyAfter = aud(fees[0]), aud(fees[1]), aud(fees[2])
	}
	return change
}

// planTo is the row of a change to another plan.
func planTo(to string, fees ...string) v1alpha1.Change {
	return row("plan.name", world.PlanSlow, to, fees...)
}

func alsoCosting(change v1alpha1.Change, nfas, device *v1alpha1.Charge) v1alpha1.Change {
	change.NFAS, change.NTDOption = nfas, device
	return change
}

var _ = DescribeTable("managementPolicy Plan shows what is to be paid for",
	func(ctx SpecContext, wanted edit, quotes int, changes ...v1alpha1.Change) {
		d := bargain(ctx, planning)

		planned := d.want(ctx, wanted)

		expectReady(planned, metav1.ConditionFalse, v1alpha1.ReasonPlanned)
		Expect(planned.Status.Pending.Changes).To(Equal(changes))
		Expect(planned.Status.Pending.Hash).To(MatchRegexp(`^p[0-9a-f]{32}$`))
		Expect(condition(planned, v1alpha1.ConditionReconciling).Type).To(BeEmpty())
		Expect(condition(planned, v1alpha1.ConditionStalled).Type).To(BeEmpty())
		Expect(d.quotes()).To(Equal(quotes))

		By("a second pass, a restart and a quiet day, which find nothing new")
		d.drive(ctx)
		d.process = d.Start(world.Cut{})
		d.drive(ctx)
		d.Clock.Advance(24 * time.Hour)
		Expect(d.drive(ctx).ResourceVersion).To(Equal(planned.ResourceVersion), "no write")
		Expect(d.quotes()).To(Equal(quotes))

		By("an approval, which is not what is missing")
		expectReady(d.approve(ctx, planned.Status.Pending.Hash), metav1.ConditionFalse, v1alpha1.ReasonPlanned)
		Expect(d.sent()).To(BeEmpty())
		Expect(d.quotes()).To(Equal(quotes))
	},
	Entry("a plan", withPlan(world.PlanFast, 12), 1, planTo(world.PlanFast, "0.00", "45.00", "58.00")),
	Entry("a plan in another term, which are sold together", withPlan(world.PlanFast, 24), 1,
		planTo(world.PlanFast, "0.00", "45.00", "58.00"), row("plan.term", "12", "24")),
	Entry("a term", withPlan(world.PlanSlow, 24), 1, row("plan.term", "12", "24", "0.00", "45.00", "45.00")),
	Entry("a plan with a fee once", withPlan(world.PlanSetUp, 12), 1, planTo(world.PlanSetUp, "20.00", "45.00", "32.00")),
	Entry("an SLA", withSLA(world.SLAFast), 1,
		row("restorationSLA", world.SLAStd, world.SLAFast, "0.00", "0.00", "10.00")),
	Entry("a plan and an SLA, each in its row", both(withPlan(world.PlanFast, 12), withSLA(world.SLAFast)), 1,
		planTo(world.PlanFast, "0.00", "45.00", "58.00"),
		row("restorationSLA", world.SLAStd, world.SLAFast, "0.00", "0.00", "10.00")),
	Entry("an NFAS commitment", withPlan(world.PlanNFAS, 12), 1,
		alsoCosting(planTo(world.PlanNFAS, "0.00", "45.00", "38.00"), charged("200.00"), nil)),
	Entry("an NTD option", withNTD, 1,
		alsoCosting(planTo(world.PlanGiga, "0.00", "45.00", "110.00"), nil, charged("99.00"))),
	Entry("a plan that the carrier does not sell, of which only the price before is known",
		withPlan("No Such Plan", 12), 1, planTo("No Such Plan", "", "45.00", "")),
	Entry("a plan in a term that the carrier does not sell", withPlan(world.PlanFast, 6), 1,
		planTo(world.PlanFast, "", "45.00", ""), row("plan.term", "12", "6")),
	Entry("an aggregation method, which has no quoted price", ethernet, 0,
		v1alpha1.Change{
			Operation: v1alpha1.OperationAggregationConversion, Field: "aggregationMethod", Unknown: true, To: "ETHERNET",
		}),
)

var _ = Describe("What a plan change costs", func() {
	It("is known without the term of the present plan when that costs the same in every term", func(ctx SpecContext) {
		w, process := begin(ctx)
		Expect(w.Create(ctx, w.Service(site, w.Line(), planning))).To(Succeed())
		planned := process.Drive(ctx, site)
		Expect(planned.Status.Carrier.Term).To(BeNil(), "it has no read")
		Expect(planned.Status.Pending.Changes).To(ConsistOf(planTo(world.PlanFast, "0.00", "45.00", "58.00")))
	})

	It("is not known without the term of the present plan when that costs more in some", func(ctx SpecContext) {
		w, _ := begin(ctx)
		const in36 = `{"plan":"Home 50/20","term":"36"},"oneTimeCharge":{"amount":"0.00","currency":"AUD","symbol":"$"},` +
			`"monthlyRecurringCharge":{"amount":`
		dearerIn36 := &forger{quotePath, in36 + `"45.00"`, in36 + `"49.00"`}
		Expect(w.Create(ctx, w.Service(site, w.Line(), planning))).To(Succeed())
		planned := w.Start(world.Cut{}, dearerIn36.join).Drive(ctx, site)
		Expect(planned.Status.Pending.Changes).To(ConsistOf(planTo(world.PlanFast, "0.00", "", "58.00")))
	})

	It("can be a credit", func(ctx SpecContext) {
		d := bargain(ctx, planning)
		*d.forger = forger{quotePath, `"20.00"`, `"-5.50"`}
		planned := d.want(ctx, withPlan(world.PlanSetUp, 12))
		Expect(planned.Status.Pending.Changes).To(ConsistOf(planTo(world.PlanSetUp, "-5.50", "45.00", "32.00")))
	})
})

var _ = DescribeTable("A carrier that does not say what a plan change costs",
	func(ctx SpecContext, target string, fault simulator.Fault) {
		fault.Times = 10_000
		d := bargain(ctx, approving(v1alpha1.ApprovalOnCost))
		Expect(d.Carrier.FailNext(target, fault)).To(Succeed())
		d.Edit(ctx, site, withPlan(world.PlanFast, 12))
		reasons := d.pass(ctx)
		Expect(reasons[len(reasons)-1]).To(Equal(v1alpha1.ReasonCarrierUnavailable))
		Expect(len(reasons)).To(BeNumerically("<=", 2), "no to and fro: %v", reasons)
		expectReady(d.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonCarrierUnavailable)
		Expect(d.quotes()).To(BeNumerically("<=", 20), "ever more rarely")
		d.Carrier.Disarm()
		hash := expectAwaiting(d.drive(ctx), "58.00 AUD")

		By("doing so again once the change is approved")
		Expect(d.Carrier.FailNext(target, fault)).To(Succeed())
		d.Annotate(ctx, site, v1alpha1.AnnotationApprove, hash)
		Expect(d.pass(ctx)).To(ContainElement(v1alpha1.ReasonCarrierUnavailable))
		Expect(condition(d.Read(ctx, site), v1alpha1.ConditionReconciling).Status).To(Equal(metav1.ConditionTrue))
		Expect(d.sent()).To(BeEmpty())
		d.Carrier.Disarm()
		expectReady(d.drive(ctx), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(d.sent()).To(ConsistOf(simulator.OpPlanChange))
	},
	Entry("because a gateway answers for it", "POST PlanOptions", simulator.Fault{Kind: simulator.FaultPage, Status: 503}),
	Entry("because it fails", "POST PlanOptions", simulator.Fault{Kind: simulator.FaultStatus, Status: 500}),
	Entry("because it cuts the connection", "POST PlanOptions", simulator.Fault{Kind: simulator.FaultReset}),
	Entry("because it fails when asked for the answer", "GET PlanOptions",
		simulator.Fault{Kind: simulator.FaultStatus, Status: 502}),
)

var _ = DescribeTable("A fee of the result that is not the approved one",
	func(ctx SpecContext, wanted edit, from, to, words string) {
		d := bargain(ctx, approving(v1alpha1.ApprovalOnCost))
		hash := expectAwaiting(d.want(ctx, wanted), "AUD")
		*d.forger = forger{resultPath, from, to}

		service := d.approve(ctx, hash)

		expectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).Phase).To(Equal(v1alpha1.PhaseSucceeded))
		synced := condition(service, v1alpha1.ConditionPlanSynced)
		Expect(string(synced.Status) + "/" + synced.Reason).To(Equal("True/ResultDiffers"))
		Expect(synced.Message).To(ContainSubstring(words))
		Expect(d.mismatches()).To(HaveLen(1))

		By("a restart and a quiet day, in which it is not told again")
		d.process = d.Start(world.Cut{})
		d.Clock.Advance(24 * time.Hour)
		Expect(d.drive(ctx).ResourceVersion).To(Equal(service.ResourceVersion))
		Expect(d.mismatches()).To(HaveLen(1))
	},
	Entry("per month", withPlan(world.PlanFast, 12), `"58.00"`, `"61.00"`, "61.00 AUD where 58.00 AUD was shown"),
	Entry("once", withPlan(world.PlanSetUp, 12), `"20.00"`, `"25.00"`, "25.00 AUD where 20.00 AUD was shown"),
	Entry("of the SLA", withSLA(world.SLAFast), `"10.00"`, `"12.00"`, "12.00 AUD where 10.00 AUD was shown"),
	Entry("of the NFAS commitment", withPlan(world.PlanNFAS, 12), `"200.00"`, `"220.00"`,
		"220.00 AUD where 200.00 AUD was shown"),
	Entry("of the NTD option", withNTD, `"99.00"`, `"120.00"`,
		"120.00 AUD where 99.00 AUD was shown"),
	Entry("of an NFAS commitment that was not shown", withPlan(world.PlanFast, 12), `"nfasFee":null`,
		`"nfasFee":{"oneTimeCharge":{"amount":"200.00","currency":"AUD"}}`, "200.00 AUD"),
)

var _ = DescribeTable("A plan above 1000 MBit/s without an NTD option",
	func(ctx SpecContext, policy edit) {
		d := bargain(ctx, policy)

		stalled := d.want(ctx, withPlan(world.PlanGiga, 12))

		expectReady(stalled, metav1.ConditionFalse, v1alpha1.ReasonNTDOptionRequired)
		Expect(condition(stalled, v1alpha1.ConditionStalled).Status).To(Equal(metav1.ConditionTrue))
		Expect(world.Ready(stalled).Message).To(And(
			ContainSubstring("spec.plan.ntdOption"), ContainSubstring("4_PORT_RESIDENTIAL")))
		Expect(d.quotes()).To(Equal(1))

		By("a quiet day and a restart, which change nothing")
		d.Clock.Advance(24 * time.Hour)
		expectReady(d.drive(ctx), metav1.ConditionFalse, v1alpha1.ReasonNTDOptionRequired)
		d.process = d.Start(world.Cut{})
		expectReady(d.drive(ctx), metav1.ConditionFalse, v1alpha1.ReasonNTDOptionRequired)

		By("an approval, which is not what is missing")
		expectReady(d.approve(ctx, stalled.Status.Pending.Hash), metav1.ConditionFalse, v1alpha1.ReasonNTDOptionRequired)
		Expect(d.sent()).To(BeEmpty())
	},
	Entry("is refused before it is approved, OnCost", approving(v1alpha1.ApprovalOnCost)),
	Entry("is refused before it is approved, Always", approving(v1alpha1.ApprovalAlways)),
	Entry("is refused in the plan", planning),
)

var _ = It("A plan above 1000 MBit/s without an NTD option is the carrier's to refuse under approval Automatic",
	func(ctx SpecContext) {
		d := bargain(ctx, approving(v1alpha1.ApprovalAutomatic))
		refused := d.want(ctx, withPlan(world.PlanGiga, 12))
		expectReady(refused, metav1.ConditionFalse, v1alpha1.ReasonRequiredFieldMissing)
		Expect(refused.Status.LastError.Field).To(Equal("ntdOption"))
		Expect(d.sent()).To(ConsistOf(simulator.OpPlanChange))
		Expect(d.quotes()).To(BeZero())
		expectReady(d.want(ctx, withNTD), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	})
