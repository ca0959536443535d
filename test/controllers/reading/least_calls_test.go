// SPDX-License-Identifier: Apache-2.0

package reading_test

import (
	"net/http"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// scenario is what happens to a service or an order.
type scenario struct {
	*world.World

	process *world.Process
	line    int64
}

// imports declares the service as the carrier has it.
func imports(ctx SpecContext, s *scenario) {
	onCost := fixture.WithApproval(v1alpha1.ApprovalOnCost)
	Expect(s.Create(ctx, s.Service(site, s.line, fixture.WithPlan(world.PlanSlow, 12), onCost))).To(Succeed())
	s.process.Drive(ctx, site)
}

// declares edits the service, and approves what has to be approved.
func declares(edit fixture.Edit) func(SpecContext, *scenario) {
	return func(ctx SpecContext, s *scenario) {
		s.Edit(ctx, site, edit)
		if waits := s.process.Drive(ctx, site); waits.Status.Pending != nil {
			s.Annotate(ctx, site, v1alpha1.AnnotationApprove, waits.Status.Pending.Hash)
			s.process.Drive(ctx, site)
		}
	}
}

type steps = []func(SpecContext, *scenario)

var (
	toFast = declares(fixture.WithPlan(world.PlanFast, 12))
	toSlow = declares(fixture.WithPlan(world.PlanSlow, 12))
)

func orders(ctx SpecContext, s *scenario) {
	Expect(s.Create(ctx, s.Order(site, fixture.Reference))).To(Succeed())
	s.process.DriveOrder(ctx, site)
}

// In docs/sizing.md. The last reading is at most 6 hours old, so none is due at its interval. The
// polls of each request are not among the calls: how many there are depends on how long the carrier
// takes.
var _ = DescribeTable("A step takes as few calls as the carrier's interface requires",
	func(ctx SpecContext, in steps, calls string) {
		w, process := fixture.Begin(ctx)
		s, since := &scenario{World: w, process: process, line: w.Line()}, 0
		for _, step := range in {
			w.Clock.Advance(time.Hour) // what was read for the step before is too old
			since = len(w.Carrier.Calls())
			step(ctx, s)
		}
		var made []string
		for _, call := range fixture.CallsBeyondLogin(w, since) {
			if call.Method == http.MethodPost || call.Operation == simulator.OpCancellationRead {
				made = append(made, call.Method+" "+string(call.Operation))
			}
		}
		Expect(strings.Join(made, ", ")).To(Equal(calls))
	},
	Entry("an import", steps{imports}, "POST Health, GET CancellationRead"),
	Entry("the first change, which a person approves",
		steps{imports, toFast}, "POST PlanOptions, POST PlanOptions, POST Health, POST PlanChange"),
	Entry("a later change, which may cost something",
		steps{imports, toFast, toSlow}, "POST PlanOptions, POST Health, POST PlanChange"),
	Entry("a change of the SLA, which a person approves",
		steps{imports, toFast, declares(fixture.WithSLA(world.SLAFast))},
		"POST PlanOptions, POST Health, POST PlanOptions, POST PlanChange"),
	Entry("a change that needs no price",
		steps{imports, toFast, declares(fixture.WithApproval(v1alpha1.ApprovalAutomatic)), toSlow},
		"POST Health, POST PlanChange"),
	Entry("an order", steps{orders}, "POST OrderCreate"),
)
