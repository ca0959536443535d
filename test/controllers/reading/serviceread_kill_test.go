// SPDX-License-Identifier: Apache-2.0

package reading_test

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An operator that is killed between any two effects of a change", func() {
	// scenario declares a change of an imported service, in a process that ends at the cut.
	scenario := func(ctx SpecContext, change describedChange, reads bool, cut world.CrashPoint) *describedSite {
		GinkgoHelper()
		s := beginDescribed(ctx, described(), func(account *v1alpha1.CarrierAccount) {
			automatic(account)
			account.Spec.UnknownValues = v1alpha1.UnknownTrust
			if !reads {
				account.Spec.Extensions = nil
			}
		})
		s.declare(ctx)
		s.Edit(ctx, site, change.edit)
		s.process = s.Start(cut)
		if _, err := s.process.ReconcileAccount(ctx); err == nil {
			s.process.Drive(ctx, site)
		}
		return s
	}

	// settle lets a successor find out what has become of the change. If the successor cannot, a
	// person resolves the attempt. settle returns whether a person was needed.
	settle := func(ctx SpecContext, s *describedSite, operation simulator.Operation) (asked bool) {
		GinkgoHelper()
		s.restart()
		fixture.ReconcileAccount(ctx, s.World, s.process)
		service := s.process.Drive(ctx, site)
		if world.Ready(service).Reason == v1alpha1.ReasonOutcomeUnknown {
			asked = true
			word := "NotAccepted"
			if s.Carrier.Submissions(operation, s.line).Processed > 0 {
				word = "Succeeded"
			}
			s.Annotate(ctx, site, v1alpha1.AnnotationResolve, service.OpenRequest().AttemptID+"="+word)
			service = s.process.Drive(ctx, site)
		}
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		most := 1
		if operation == simulator.OpDSLStabilityProfileChange {
			most += 2 // two repeats, which have no further effect
		}
		Expect(s.Carrier.Submissions(operation, s.line).Processed).To(And(BeNumerically(">=", 1), BeNumerically("<=", most)))
		return asked
	}

	DescribeTable("loses no request and sends none twice, and asks nobody about what a description shows",
		func(ctx SpecContext, change describedChange, reads bool) {
			points := killPoints(scenario(ctx, change, reads, world.CrashPoint{}).process.Seam.Effects())
			Expect(len(points)).To(BeNumerically(">=", 3))
			unknown, needless := 0, 0
			for _, cut := range points {
				By("killing it " + cut.String())
				s := scenario(ctx, change, reads, cut)
				carriedOut := s.Carrier.Submissions(change.operation, s.line).Processed > 0
				asked := settle(ctx, s, change.operation)
				Expect(asked && carriedOut && reads).To(BeFalse(), "the description shows that it was carried out")
				if asked {
					unknown++
				}
				if asked && !carriedOut {
					needless++
				}
			}
			AddReportEntry("kill points", fmt.Sprintf("%d, of which %d ended OutcomeUnknown, %d of them never sent",
				len(points), unknown, needless))
		},
		eachKilledChange())
})

// killPoints returns the points at which the process of a change is killed: in `make test` only those
// between the intent, the POST and the Location, and otherwise all.
func killPoints(effects []world.Effect) []world.CrashPoint {
	post := slices.IndexFunc(effects, func(effect world.Effect) bool {
		return strings.HasPrefix(effect.What, "POST /api/connect/") && !strings.Contains(effect.What, "/health/")
	})
	Expect(post).To(BeNumerically(">", 0))
	return world.CrashPoints(world.Scale(effects[post-1:post+2], effects))
}

// eachKilledChange makes two table entries for each change: one with the extension and, where all
// specs run, one without.
func eachKilledChange() []TableEntry {
	entries := make([]TableEntry, 0, 2*len(describedChanges()))
	for name, change := range describedChanges() {
		entries = append(entries, Entry(name+", with ServiceRead", change, true))
		if world.Scale(false, true) {
			entries = append(entries, Entry(name+", without ServiceRead", change, false))
		}
	}
	return entries
}
