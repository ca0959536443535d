// SPDX-License-Identifier: Apache-2.0

package services_test

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
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// pricedService is a world with one service. Its plan, term and SLA are known and as declared, so
// that the fees before and after a change are known. Nothing is read at intervals, because reads
// would add calls to a quiet day.
type pricedService struct {
	*world.World

	process *world.Process
	line    int64
	forger  *tamperingProxy
}

// newPricedService creates such a world. The edits change how the carrier sells the service.
func newPricedService(ctx context.Context, policy fixture.Edit, sold ...func(*simulator.Service)) pricedService {
	GinkgoHelper()
	d := pricedService{forger: &tamperingProxy{}}
	d.World, _ = fixture.Begin(ctx)
	d.process, d.line = d.Start(world.CrashPoint{}, d.forger.wrap), d.Line(sold...)
	line, _ := d.Carrier.Service(d.line)
	asSold := func(s *v1alpha1.BroadbandService) {
		s.Spec.Plan, s.Spec.RestorationSLA = &v1alpha1.Plan{Name: line.Plan, Term: 12}, line.RestorationSLA
		s.Spec.Observe = v1alpha1.Observe{HealthInterval: "0", CancellationInterval: "0"}
		s.Spec.TrustDeclared = []v1alpha1.TrustedAspect{v1alpha1.TrustPlan, v1alpha1.TrustRestorationSLA}
	}
	Expect(d.Create(ctx, d.Service(site, d.line, asSold, policy))).To(Succeed())
	fixture.ExpectReady(d.drive(ctx), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	return d
}

func (d pricedService) drive(ctx context.Context) *v1alpha1.BroadbandService {
	GinkgoHelper()
	return d.process.Drive(ctx, site)
}

// declare declares something else, and reconciles as far as possible.
func (d pricedService) declare(ctx context.Context, wanted fixture.Edit) *v1alpha1.BroadbandService {
	GinkgoHelper()
	d.Edit(ctx, site, wanted)
	return d.drive(ctx)
}

// approve approves the change as a user would, and reconciles as far as possible.
func (d pricedService) approve(ctx context.Context, hash string) *v1alpha1.BroadbandService {
	GinkgoHelper()
	d.Annotate(ctx, site, v1alpha1.AnnotationApprove, hash)
	return d.drive(ctx)
}

// passHour lets an hour pass, reconciles when due, and returns the reasons that Ready had in that
// hour.
func (d pricedService) passHour(ctx context.Context) []string {
	GinkgoHelper()
	var reasons []string
	for end := d.Clock.Now().Add(time.Hour); d.Clock.Now().Before(end); {
		result, err := d.process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(BeNumerically(">", 0), "it continues by itself")
		reasons = append(reasons, world.Ready(d.Read(ctx, site)).Reason)
		d.Clock.Advance(result.RequeueAfter)
	}
	return slices.Compact(reasons)
}

// quotes counts the plan-change-options requests that the carrier has received.
func (d pricedService) quotes() int {
	return d.Carrier.Submissions(simulator.OpPlanOptions, d.line).Seen
}

// sent returns the requests for a change that the carrier has received.
func (d pricedService) sent() []simulator.Operation {
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
func (d pricedService) mismatches() []string {
	other := func(event string) bool { return !strings.HasPrefix(event, "Warning ResultDiffers ") }
	return slices.DeleteFunc(d.Events.All(), other)
}

// The paths whose responses the proxy can change.
const (
	quotePath  = "/plan-changes/options/requests/"
	resultPath = "/plan-changes/requests/"
)

// tamperingProxy modifies the carrier's responses on their way to the operator: each 200 and 201 on a
// path, while there is a replacement.
type tamperingProxy struct{ path, from, to string }

// wrap puts the proxy between a process and the carrier.
func (f *tamperingProxy) wrap(options *controllers.Options) {
	inner := options.Wrap
	options.Wrap = func(next http.RoundTripper) http.RoundTripper {
		return tamperingTransport{RoundTripper: inner(next), tamperingProxy: f}
	}
}

type tamperingTransport struct {
	http.RoundTripper
	*tamperingProxy
}

// RoundTrip calls the carrier and modifies its response.
func (w tamperingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := w.RoundTripper.RoundTrip(request)
	if err != nil || w.path == "" || !strings.Contains(request.URL.Path, w.path) ||
		answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusCreated {
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

// withNTD declares a plan that comes with a device, which needs a contact who lets the technician
// in.
func withNTD(s *v1alpha1.BroadbandService) {
	s.Spec.Plan = &v1alpha1.Plan{
		Name: world.PlanGiga, Term: 12, NTDOption: "4_PORT_RESIDENTIAL",
		Contact: &v1alpha1.Contact{Name: "Jo", Phone: "0400 000 000", Email: "jo@example.com"},
	}
}

// withUnlistedNTD declares the same plan with a device that the carrier does not list with it.
func withUnlistedNTD(s *v1alpha1.BroadbandService) {
	withNTD(s)
	s.Spec.Plan.NTDOption = "1_PORT"
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

// device is an NTD option at a fee; "" if that is unknown.
func device(option, amount string) *v1alpha1.NTDOptionCharge {
	if amount == "" {
		return &v1alpha1.NTDOptionCharge{Option: option}
	}
	return &v1alpha1.NTDOptionCharge{Option: option, Charge: *charged(amount)}
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

func alsoCosting(
	change v1alpha1.Change, nfas *v1alpha1.Charge, option *v1alpha1.NTDOptionCharge,
) v1alpha1.Change {
	change.NFAS, change.NTDOption = nfas, option
	return change
}

func both(first, second fixture.Edit) fixture.Edit {
	return func(s *v1alpha1.BroadbandService) { first(s); second(s) }
}
