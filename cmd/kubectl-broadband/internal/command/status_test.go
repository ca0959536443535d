// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/command"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("status of one service", func() {
	It("shows the request in progress and its next poll, disruptions and Events", func(ctx SpecContext) {
		f := startFleet(ctx)
		start := f.Clock.Now().Add(-time.Minute)
		outage := simulator.Disruption{ID: "OUT1", StartAt: start, Severity: "Critical", Description: "cable cut"}
		line := f.line("site-one", func(line *simulator.Service) { line.Disruptions = []simulator.Disruption{outage} })
		Expect(f.Create(ctx, f.Service("site-one", line, withPlan(world.PlanSlow), func(s *v1alpha1.BroadbandService) {
			s.Spec.Observe.DisruptionsInterval = "6h"
		}))).To(Succeed())
		f.pass(ctx, "site-one", func(status v1alpha1.BroadbandServiceStatus) bool { return status.Disruptions != nil })
		f.Edit(ctx, "site-one", withPlan(world.PlanFast))
		f.pass(ctx, "site-one", func(status v1alpha1.BroadbandServiceStatus) bool {
			return len(status.Requests) == 1 && status.Requests[0].Phase == v1alpha1.PhaseInProgress
		})
		service := f.Read(ctx, "site-one")
		Expect(plane.Client.Create(ctx, &corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: f.Namespace, Name: "site-one.1"}, Type: "Warning", Reason: "Drifted",
			Message: "the carrier has another plan", LastTimestamp: metav1.NewTime(start),
			InvolvedObject: corev1.ObjectReference{
				Kind: "BroadbandService", Namespace: f.Namespace, Name: "site-one", UID: service.UID,
			},
		})).To(Succeed())
		p := newPlugin()
		p.edit = func(environment *command.Environment) { environment.Now = f.Clock.Now }
		shown := p.run(ctx, "status", "site-one", "-n", f.Namespace)
		Expect(shown.code).To(BeZero(), "a request in progress needs nobody")
		Expect(shown.out).To(And(
			MatchRegexp(`PlanChange +InProgress\n`), MatchRegexp(`next poll +in \d+`), MatchRegexp(`sent +\S+ ago\n`),
			MatchRegexp(`location +/api/connect/services/plan-changes/requests/\d+\n`),
			MatchRegexp(`OUT1 .* Critical +cable cut\n`), MatchRegexp(`ago +Warning +Drifted +the carrier has another plan\n`),
			HaveSuffix("Next: nothing to do\n")))
	})
})

// pass lets the operator work on a service until its status is as wanted. Time passes between its
// passes.
func (f *fleetWorld) pass(ctx SpecContext, name string, wanted func(v1alpha1.BroadbandServiceStatus) bool) {
	GinkgoHelper()
	const most = 100
	for range most {
		result, err := f.process.Reconcile(ctx, name)
		Expect(err).NotTo(HaveOccurred())
		if wanted(f.Read(ctx, name).Status) {
			return
		}
		f.Clock.Advance(result.RequeueAfter)
	}
	Fail("the service does not get there: " + world.Ready(f.Read(ctx, name)).Message)
}

var _ = Describe("status", Ordered, func() {
	var f *fleetWorld

	BeforeAll(func(ctx SpecContext) { f = mixed(ctx) })

	It("shows what needs a person, and one object in full", func(ctx SpecContext) {
		s := newSession(f.World)
		Expect(s.show(ctx, "status").code).To(Equal(1))
		Expect(s.show(ctx, "status", "-l", "area=south").code).To(Equal(0))
		for _, name := range []string{
			"site-changed", "site-asks-unknown", "site-mistyped", "site-unknown-outcome", "sorder/site-ordered", "cacct/default",
		} {
			s.show(ctx, "status", name)
		}
		s.show(ctx, "status", "site-999")
		s.show(ctx, "status", "house/site-999")
		s.expectGolden("status")
	})

	It("is clear about neither an empty namespace nor one that does not exist", func(ctx SpecContext) {
		p := newPlugin()
		missing := p.run(ctx, "status", "-n", "nowhere")
		Expect(missing.code).NotTo(BeZero())
		Expect(missing.err).To(ContainSubstring(`there is no namespace "nowhere"`))
		missing = p.run(ctx, "plan", "-n", "nowhere")
		Expect(missing.code).NotTo(BeZero())
		Expect(missing.err).To(ContainSubstring(`there is no namespace "nowhere"`))
		Expect(p.run(ctx, "status", "-n", "kube-public").out).To(Equal("There are no objects.\n"))
	})

	It("writes the same as JSON", func(ctx SpecContext) {
		s := newSession(f.World)
		ran := s.show(ctx, "status", "-o", "json")
		s.show(ctx, "status", "site-asks-plan", "-o", "yaml")
		s.expectGoldenDocument("status-json")
		var overview struct {
			Kind  string `json:"kind"`
			Needs []any  `json:"needs"`
		}
		Expect(json.Unmarshal([]byte(ran.out), &overview)).To(Succeed())
		Expect(overview.Kind).To(Equal("Overview"))
		Expect(overview.Needs).To(HaveLen(6))
	})
})
