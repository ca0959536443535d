// SPDX-License-Identifier: Apache-2.0

package reading_test

import (
	"regexp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// oldWay declares only a plan. Without the extension, a person would be asked about the other
// values.
func oldWay(service *v1alpha1.BroadbandService) {
	service.Spec.RestorationSLA, service.Spec.AggregationMethod, service.Spec.DSLStabilityProfile = "", "", ""
}

var _ = Describe("A carrier that does not describe its services", func() {
	DescribeTable("is shown once on the account, and everything works as without the extension",
		func(ctx SpecContext, extensions []string, refusal *simulator.Fault) {
			s := beginDescribed(ctx, extensions)
			s.Provokes(simulator.RulePath)
			if refusal != nil {
				Expect(s.Carrier.FailNext("GET ServiceRead", *refusal)).To(Succeed())
			}
			service := s.declare(ctx, oldWay, describedHourly)
			fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(service.Status.Carrier.Plan.Source).To(Equal(v1alpha1.SourceHealth))
			_, posts := s.calls("")
			Expect(posts).To(Equal(1), "the health request")
			shown := s.extensions(ctx)
			Expect(string(shown.Status)+"/"+shown.Reason).To(Equal("False/"+v1alpha1.ReasonExtensionUnavailable), shown.Message)
			Expect(shown.Message).To(ContainSubstring("ServiceRead"))
			Expect(fixture.AccountReady(ctx, s.World).Status).To(Equal(metav1.ConditionTrue))

			read := s.described()
			s.pass(ctx, 49*time.Hour)
			other := s.Service("other", s.Line(fixture.OnFast))
			oldWay(other)
			Expect(s.Create(ctx, other)).To(Succeed())
			s.process.Drive(ctx, "other")
			Expect(s.described()).To(Equal(read), "the carrier was asked again")
			Expect(read).To(Equal(1))
			Expect(s.extensions(ctx)).To(Equal(shown))
			Expect(s.postsSince(s.from)).To(HaveEach(simulator.OpHealth))
		},
		Entry("because it does not have the call", nil, nil),
		Entry("with a 405", described(), new(fixture.AnswerStatus(405))),
		Entry("with a 403", described(), new(fixture.AnswerStatus(403))),
		Entry("with a 404", described(), new(fixture.AnswerStatus(404))),
		Entry("with a 400", described(), new(fixture.AnswerStatus(400))),
		Entry("with something else", described(),
			&simulator.Fault{Kind: simulator.FaultBody, Status: 200, Body: `{"status":"ok"}`}),
	)

	It("is not mistaken for one if it hides the service", func(ctx SpecContext) {
		s := beginDescribed(ctx, described())
		s.line += 50_000_000
		fixture.ExpectReady(s.declare(ctx), metav1.ConditionFalse, v1alpha1.ReasonNotFoundOrForbidden)
		Expect(s.extensions(ctx)).To(BeZero())
		_, posts := s.calls("")
		Expect(posts).To(BeNumerically("<=", 1), "a health request")

		s.line = s.Line(fixture.OnFast)
		Expect(s.Create(ctx, s.Service("other", s.line))).To(Succeed())
		fixture.ExpectReady(s.process.Drive(ctx, "other"), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(s.extensions(ctx).Status).To(Equal(metav1.ConditionTrue))
	})

	It("is not mistaken for one if its first response is cut off", func(ctx SpecContext) {
		s := beginDescribed(ctx, described())
		Expect(s.Carrier.FailNext("GET ServiceRead", simulator.Fault{Kind: simulator.FaultCutBody})).To(Succeed())
		service := s.declare(ctx, oldWay)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Carrier.Plan.Source).To(Equal(v1alpha1.SourceService))
		Expect(s.described()).To(Equal(2))
		Expect(s.extensions(ctx).Status).To(Equal(metav1.ConditionTrue))
	})

	It("is asked for the plan's name in health after three failures, and for a description again later",
		func(ctx SpecContext) {
			s := beginDescribed(ctx, described())
			for range 3 {
				Expect(s.Carrier.FailNext("GET ServiceRead", fixture.AnswerStatus(503))).To(Succeed())
			}
			service := s.declare(ctx, oldWay, describedHourly)
			fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(s.extensions(ctx).Status).NotTo(Equal(metav1.ConditionFalse))
			service = s.pass(ctx, 3*time.Hour)
			Expect(service.Status.Carrier.Plan.Source).To(Equal(v1alpha1.SourceService))
			Expect(s.described()).To(BeNumerically("<=", 7), "three failures, and one for each hour")
		})

	It("is not asked by an account with an older version that is strict, which says so", func(ctx SpecContext) {
		s := beginDescribed(ctx, described(), func(account *v1alpha1.CarrierAccount) {
			account.Spec.APIVersion, account.Spec.FamilyVersions = 3, v1alpha1.FamilyVersionsStrict
		})
		s.declare(ctx, oldWay, func(service *v1alpha1.BroadbandService) {
			service.Spec.TrustDeclared = []v1alpha1.TrustedAspect{v1alpha1.TrustPlan}
		})
		Expect(s.described()).To(BeZero())
		shown := s.extensions(ctx)
		Expect(shown.Status).To(Equal(metav1.ConditionFalse))
		Expect(shown.Message).To(ContainSubstring("ServiceRead does not exist in API version 3"))
	})

	It("is not asked without the extension", func(ctx SpecContext) {
		s := beginDescribed(ctx, described(), func(account *v1alpha1.CarrierAccount) { account.Spec.Extensions = nil })
		fixture.ExpectReady(s.declare(ctx, oldWay), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(s.described()).To(BeZero())
		Expect(s.extensions(ctx)).To(BeZero())
	})

	It("leaves what it has described known when the extension is switched off", func(ctx SpecContext) {
		s := beginDescribed(ctx, described())
		s.declare(ctx)
		fixture.EditAccount(ctx, s.World, func(account *v1alpha1.CarrierAccount) { account.Spec.Extensions = nil })
		fixture.ReconcileAccount(ctx, s.World, s.process)
		service := s.pass(ctx, 25*time.Hour)
		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(s.described()).To(Equal(1))
		Expect(s.extensions(ctx)).To(BeZero())
	})
})

// aService is the path of a service.
var aService = regexp.MustCompile(`^/api/connect/services/\d+$`)

// described counts the reads of services since the object was created.
func (s *describedSite) described() int {
	reads := 0
	for _, call := range s.Carrier.Calls()[s.from:] {
		if aService.MatchString(call.Path) {
			reads++
		}
	}
	return reads
}
