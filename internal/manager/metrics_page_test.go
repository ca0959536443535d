// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/source"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// keptPage is a page of metrics of a real manager. The tests in hack/foreign/prometheus run the
// queries of the dashboard and of the alerts on it, without a cluster.
const keptPage = "hack/foreign/prometheus/testdata/metrics.txt"

// checkedFamilies are the metrics whose names must be those of the kept page. The others depend on
// the version of Go and on the machine.
var checkedFamilies = regexp.MustCompile(
	`(?m)^# TYPE ((?:broadband|controller_runtime|workqueue|leader_election|rest_client)_\S+ \S+)$`)

// familiesOf returns the names and types of the metrics on a page.
func familiesOf(page string) []string {
	matches := checkedFamilies.FindAllStringSubmatch(page, -1)
	families := make([]string, 0, len(matches))
	for _, match := range matches {
		families = append(families, match[1])
	}
	slices.Sort(families)
	return families
}

// serverAddress differs in each run.
var serverAddress = regexp.MustCompile(`host="127\.0\.0\.1:\d+"`)

// keepPage writes the page, without the metrics of the Go runtime, except the one that an alert uses.
func keepPage(page string) {
	var kept strings.Builder
	for line := range strings.Lines(page) {
		name := strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "), "# TYPE ")
		if !strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "go_gc_gomemlimit_bytes") {
			kept.WriteString(serverAddress.ReplaceAllString(line, `host="kubernetes.default.svc"`))
		}
	}
	Expect(os.WriteFile(filepath.Join(source.Root(), keptPage), []byte(kept.String()), 0o600)).To(Succeed())
}

var _ = Describe("The page of metrics of a manager", Ordered, func() {
	var (
		w       *world.World
		manager *managerProcess
		reader  string
	)
	ready := func(ctx context.Context, name string) func() string {
		return func() string { return world.Ready(w.Read(ctx, name)).Reason }
	}

	BeforeAll(func(ctx SpecContext) {
		w = world.NewInRealTime(ctx, plane, settings{}.controllerOptions().Now, withoutDelays, neverEnding)
		reader = scraper(ctx, "page", metricsReader)
		manager = start(ctx, kubeconfigOf(user), "--namespaces="+w.Namespace)
		w.AwaitLogin(ctx, world.PollEverySecond, func(account *v1alpha1.CarrierAccount) {
			account.Spec.Approval = v1alpha1.ApprovalOnCost
		})
	})

	AfterAll(func() { manager.end(syscall.SIGTERM) })

	AfterEach(func(ctx SpecContext) {
		if CurrentSpecReport().Failed() {
			AddReportEntry("objects", w.Dump(ctx))
			AddReportEntry("log", manager.log.String())
			AddReportEntry("page", scrape(ctx, reader).text)
		}
	})

	It("shows a change from the approval to its end, with its price", func(ctx SpecContext) {
		Expect(w.Create(ctx, w.Service("approved", w.Line()))).To(Succeed())
		Eventually(ready(ctx, "approved")).WithTimeout(time.Minute).Should(Equal(v1alpha1.ReasonAwaitingApproval))
		Eventually(func() string { return scrape(ctx, reader).text }).Should(And(
			ContainSubstring(`broadband_approvals_waiting{kind="BroadbandService"} 1`),
			ContainSubstring(`broadband_committed_cost_total{charge="monthly_increase",currency="AUD"} 0`),
			ContainSubstring(`broadband_objects{kind="BroadbandService",ready="False",reason="AwaitingApproval"} 1`)))

		w.Annotate(ctx, "approved", v1alpha1.AnnotationApprove, w.Read(ctx, "approved").Status.Pending.Hash)
		Eventually(ready(ctx, "approved")).WithTimeout(time.Minute).Should(Equal(v1alpha1.ReasonInSync))
		Eventually(func() string { return scrape(ctx, reader).text }).Should(And(
			ContainSubstring(`broadband_approvals_waiting{kind="BroadbandService"} 0`),
			ContainSubstring(`broadband_committed_cost_total{charge="monthly_increase",currency="AUD"} 13`),
			ContainSubstring(`broadband_request_outcomes_total{operation="PlanChange",outcome="Accepted"} 1`),
			ContainSubstring(`broadband_request_outcomes_total{operation="PlanChange",outcome="Succeeded"} 1`),
			ContainSubstring(`broadband_carrier_calls_total{code="2xx",method="POST",operation="PlanChange"} 1`),
			ContainSubstring(`broadband_request_polls_count{operation="PlanChange"} 1`),
			ContainSubstring(`broadband_objects{kind="BroadbandService",ready="True",reason="InSync"} 1`),
			ContainSubstring(`broadband_token_exchanges_total{outcome="Granted"} 1`)))
	})

	It("shows a request in progress", func(ctx SpecContext) {
		line := w.Line(func(line *simulator.Service) {
			line.TechnologyType, line.DSLStabilityProfile = "FTTN", "Standard"
		})
		Expect(w.Create(ctx, w.Service("in-progress", line, func(service *v1alpha1.BroadbandService) {
			service.Spec.Plan, service.Spec.DSLStabilityProfile = nil, "Stable"
		}))).To(Succeed())
		Eventually(ready(ctx, "in-progress")).WithTimeout(time.Minute).Should(Equal(v1alpha1.ReasonAwaitingApproval))
		w.Annotate(ctx, "in-progress", v1alpha1.AnnotationApprove, w.Read(ctx, "in-progress").Status.Pending.Hash)
		Eventually(func() string { return scrape(ctx, reader).text }).WithTimeout(time.Minute).Should(
			ContainSubstring(`broadband_requests_open{operation="DSLStabilityProfileChange",phase="InProgress"} 1`))
	})

	It("shows a request whose response was lost, as unknown", func(ctx SpecContext) {
		Expect(w.Create(ctx, w.Service("waiting", w.Line()))).To(Succeed())
		Eventually(ready(ctx, "waiting")).WithTimeout(time.Minute).Should(Equal(v1alpha1.ReasonAwaitingApproval))
		lost := simulator.Fault{Kind: simulator.FaultReset, Processed: true}
		Expect(w.Carrier.FailNext("POST OrderCreate", lost)).To(Succeed())
		Expect(w.Create(ctx, w.Order("lost", "SITE-LOST"))).To(Succeed())
		Eventually(func() *v1alpha1.Pending { return w.ReadOrder(ctx, "lost").Status.Pending }).
			WithTimeout(time.Minute).ShouldNot(BeNil())
		w.AnnotateOrder(ctx, "lost", v1alpha1.AnnotationApprove, w.ReadOrder(ctx, "lost").Status.Pending.Hash)
		Eventually(func() string { return scrape(ctx, reader).text }).WithTimeout(time.Minute).Should(And(
			ContainSubstring(`broadband_request_outcomes_total{operation="OrderCreate",outcome="ResponseLost"} 1`),
			ContainSubstring(`broadband_requests_open{operation="OrderCreate",phase="OutcomeUnknown"} 1`),
			ContainSubstring(`broadband_carrier_calls_total{code="none",method="POST",operation="OrderCreate"} 1`),
			ContainSubstring(`broadband_objects_stalled{kind="ServiceOrder"} 1`)))
	})

	It("shows an object whose account does not exist", func(ctx SpecContext) {
		Expect(w.Create(ctx, w.Service("mistyped", w.Line(), func(service *v1alpha1.BroadbandService) {
			service.Spec.AccountRef.Name = "another"
		}))).To(Succeed())
		Eventually(func() string { return scrape(ctx, reader).text }).WithTimeout(time.Minute).Should(And(
			ContainSubstring(`broadband_objects{kind="BroadbandService",ready="False",reason="AccountNotReady"} 1`),
			ContainSubstring("broadband_accounts_unanswered 0\n")))
	})

	It("shows an account that cannot log in", func(ctx SpecContext) {
		Expect(w.Create(ctx, w.Account(func(account *v1alpha1.CarrierAccount) {
			account.Name, account.Spec.Auth.Keys[0].PrivateKeySecretRef.Name = "keyless", "missing"
		}))).To(Succeed())
		Eventually(func() string { return scrape(ctx, reader).text }).WithTimeout(time.Minute).Should(
			ContainSubstring(`broadband_objects{kind="CarrierAccount",ready="False",reason="SecretNotFound"} 1`))
	})

	It("was taken with the RequestLedgers on which kube-state-metrics is tested", func(ctx SpecContext) {
		found := openLedgers(ctx, w)
		if os.Getenv("GOLDEN") != "" {
			keepLedgers(w, found)
		}
		var kept v1alpha1.RequestLedgerList
		text, err := fs.ReadFile(os.DirFS(source.Root()), keptLedgers)
		Expect(err).NotTo(HaveOccurred())
		Expect(yaml.UnmarshalStrict(text, &kept)).To(Succeed())
		Expect(subjects(found)).To(Equal(subjects(kept.Items)), "update them with GOLDEN=1 and review the difference")
	})

	It("has the metrics on which the dashboard and the alerts were tested", func(ctx SpecContext) {
		page := scrape(ctx, reader).text
		if os.Getenv("GOLDEN") != "" {
			keepPage(page)
		}
		kept, err := fs.ReadFile(os.DirFS(source.Root()), keptPage)
		Expect(err).NotTo(HaveOccurred())
		Expect(familiesOf(page)).To(Equal(familiesOf(string(kept))), "update it with GOLDEN=1 and review the difference")
	})
})
