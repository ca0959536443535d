// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// answered is a fault in one call of a one-shot, and the outcome for the object.
type answered struct {
	of     oneShot
	call   string // POST or GET
	fault  simulator.Fault
	reason string // of Ready=False on the way; "" if none is shown
	code   string // prefix of the message
	ends   string // the final reason without help; "" for Completed
	posts  int    // that the carrier has received by then
}

func httpStatus(code int) simulator.Fault {
	return simulator.Fault{Kind: simulator.FaultStatus, Status: code}
}

// refusing is a 422 with a sub-error.
func refusing(code string) simulator.Fault {
	return simulator.Fault{Kind: simulator.FaultBody, Status: 422, Body: fmt.Sprintf(
		`{"httpStatusCode":422,"type":"business.rule","code":"validation","message":"no",`+
			`"apiSubErrors":[{"code":%q,"message":"it is refused","field":"status"}]}`, code)}
}

var _ = DescribeTable("A one-shot whose call is answered otherwise", func(ctx SpecContext, story answered) {
	w, process := begin(ctx)
	s := story.of
	Expect(w.Carrier.FailNext(story.call+" "+string(s.asked), story.fault)).To(Succeed())
	Expect(w.Create(ctx, s.build(w, w.Line()))).To(Succeed())
	if story.reason != "" {
		ready := readyOf(s.until(ctx, w, process, story.reason))
		Expect(ready.Message).To(HavePrefix(story.code))
		Expect(ready.Message).NotTo(ContainSubstring("correct the spec"), "it is immutable")
	}
	failed := ""
	if story.ends != "" {
		s.drive(ctx, w, process, metav1.ConditionFalse, story.ends)
		w.Clock.Advance(horizon)
		s.drive(ctx, w, process, metav1.ConditionFalse, story.ends)
		Expect(s.posts(w)).To(Equal(story.posts), "it is not asked again by itself")
		if story.ends == v1alpha1.ReasonOutcomeUnknown {
			return
		}
		failed = s.request(ctx, w).AttemptID
		s.annotate(ctx, w, v1alpha1.AnnotationRetry, failed)
		story.posts++
	}
	object := s.drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	Expect(s.posts(w)).To(Equal(story.posts))
	Expect(object.NewestError()).To(BeNil())
	Expect(object.Controls().Retry).To(Equal(failed))
	Expect(s.request(ctx, w).Retry).To(Equal(failed))
	Expect(w.Carrier.Violations()).To(BeEmpty())
},
	// POST: 401, 404, 422, 500, 502 (specification section 4).
	Entry("test, POST 401", answered{of: tests(), call: "POST", fault: httpStatus(401), posts: 2}),
	Entry("quote, POST 401", answered{of: quotes(), call: "POST", fault: httpStatus(401), posts: 2}),
	Entry("query, POST 401", answered{of: queries(), call: "POST", fault: httpStatus(401), posts: 2}),
	Entry("test, POST 404: only retry", answered{
		of: tests(), call: "POST", fault: httpStatus(404), posts: 1,
		reason: v1alpha1.ReasonNotFoundOrForbidden, ends: v1alpha1.ReasonNotFoundOrForbidden,
	}),
	Entry("quote, POST 404: again after ten minutes", answered{
		of: quotes(), call: "POST", fault: httpStatus(404), posts: 2, reason: v1alpha1.ReasonNotFoundOrForbidden,
	}),
	Entry("query, POST 404 for want of a token: at once", answered{
		of: queries(), call: "POST", fault: httpStatus(404), posts: 2,
	}),
	Entry("query, POST 404 with a new token: again after ten minutes", answered{
		of: queries(), call: "POST", posts: 3, reason: v1alpha1.ReasonNotFoundOrForbidden,
		fault: simulator.Fault{Kind: simulator.FaultStatus, Status: 404, Times: 2},
	}),
	Entry("test, POST 422", answered{
		of: tests(), call: "POST", fault: refusing("constraints.not.null"), posts: 1,
		reason: v1alpha1.ReasonRequiredFieldMissing, code: "constraints.not.null", ends: v1alpha1.ReasonRequiredFieldMissing,
	}),
	Entry("quote, POST 422", answered{
		of: quotes(), call: "POST", fault: refusing("constraints.pattern"), posts: 1,
		reason: v1alpha1.ReasonInvalidFormat, code: "constraints.pattern", ends: v1alpha1.ReasonInvalidFormat,
	}),
	Entry("query, POST 422 with a code that nobody knows", answered{
		of: queries(), call: "POST", fault: refusing("constraints.brand.new"), posts: 1,
		reason: v1alpha1.ReasonCarrierRejected, code: "constraints.brand.new", ends: v1alpha1.ReasonCarrierRejected,
	}),
	Entry("test, POST 500: a person's", answered{
		of: tests(), call: "POST", fault: httpStatus(500), posts: 1,
		reason: v1alpha1.ReasonOutcomeUnknown, ends: v1alpha1.ReasonOutcomeUnknown,
	}),
	Entry("test, POST 502: a person's", answered{
		of: tests(), call: "POST", fault: httpStatus(502), posts: 1,
		reason: v1alpha1.ReasonOutcomeUnknown, ends: v1alpha1.ReasonOutcomeUnknown,
	}),
	Entry("quote, POST 500", answered{
		of: quotes(), call: "POST", fault: httpStatus(500), posts: 2, reason: v1alpha1.ReasonCarrierUnavailable,
	}),
	Entry("query, POST 502", answered{
		of: queries(), call: "POST", fault: httpStatus(502), posts: 2, reason: v1alpha1.ReasonCarrierUnavailable,
	}),
	Entry("quote, POST cut off after it was processed", answered{
		of: quotes(), call: "POST", posts: 2, reason: v1alpha1.ReasonCarrierUnavailable,
		fault: simulator.Fault{Kind: simulator.FaultReset, Processed: true},
	}),
	Entry("query, POST without a Location", answered{
		of: queries(), call: "POST", posts: 2, reason: v1alpha1.ReasonCarrierUnavailable,
		fault: simulator.Fault{Kind: simulator.FaultNoLocation},
	}),
	// GET: 401, 404, 422, 500; 200 and 202 are covered by the tests of success.
	Entry("test, GET 401", answered{of: tests(), call: "GET", fault: httpStatus(401), posts: 1}),
	Entry("quote, GET 401", answered{of: quotes(), call: "GET", fault: httpStatus(401), posts: 1}),
	Entry("query, GET 401", answered{of: queries(), call: "GET", fault: httpStatus(401), posts: 1}),
	Entry("test, GET 404 twice", answered{
		of: tests(), call: "GET", posts: 1, fault: simulator.Fault{Kind: simulator.FaultStatus, Status: 404, Times: 2},
	}),
	Entry("quote, GET 404 for a minute: asked anew", answered{
		of: quotes(), call: "GET", posts: 2, fault: simulator.Fault{Kind: simulator.FaultStatus, Status: 404, Times: 6},
	}),
	Entry("query, GET 404 for a minute: asked anew", answered{
		of: queries(), call: "GET", posts: 2, fault: simulator.Fault{Kind: simulator.FaultStatus, Status: 404, Times: 7},
	}),
	Entry("test, GET 422", answered{
		of: tests(), call: "POST", fault: simulator.Fault{Kind: simulator.FaultEndInError}, posts: 1,
		reason: v1alpha1.ReasonDiagnosticTestFailed, code: "constraints.service-diagnostic-test-request.in-error",
		ends: v1alpha1.ReasonDiagnosticTestFailed,
	}),
	Entry("test, GET 422 of a test that took too long", answered{
		of: tests(), call: "GET", posts: 1,
		fault:  refusing("constraints.service-diagnostic-test-request.timed-out"),
		reason: v1alpha1.ReasonDiagnosticTestTimedOut, code: "constraints.service-diagnostic-test-request.timed-out",
		ends: v1alpha1.ReasonDiagnosticTestTimedOut,
	}),
	Entry("quote, GET 422", answered{
		of: quotes(), call: "POST", fault: simulator.Fault{Kind: simulator.FaultEndInError}, posts: 1,
		reason: v1alpha1.ReasonFibreBuildQuoteFailed, code: "constraints.fibre.build.charge.request.in.error",
		ends: v1alpha1.ReasonFibreBuildQuoteFailed,
	}),
	Entry("query, GET 422", answered{
		of: queries(), call: "POST", fault: simulator.Fault{Kind: simulator.FaultEndInError}, posts: 1,
		reason: v1alpha1.ReasonCarrierRejected, code: "constraints.service.plan.change.options.status.in.error",
		ends: v1alpha1.ReasonCarrierRejected,
	}),
	Entry("test, GET 500 twice", answered{
		of: tests(), call: "GET", posts: 1, fault: simulator.Fault{Kind: simulator.FaultStatus, Status: 500, Times: 2},
	}),
	Entry("quote, GET 500 thrice", answered{
		of: quotes(), call: "GET", posts: 1, fault: simulator.Fault{Kind: simulator.FaultStatus, Status: 500, Times: 3},
		reason: v1alpha1.ReasonCarrierUnavailable,
	}),
	Entry("query, GET 502 thrice", answered{
		of: queries(), call: "GET", posts: 1, fault: simulator.Fault{Kind: simulator.FaultStatus, Status: 502, Times: 3},
		reason: v1alpha1.ReasonCarrierUnavailable,
	}),
	Entry("quote, GET 200 of another site: asked anew", answered{
		of: quotes(), call: "GET", posts: 2,
		fault: simulator.Fault{Kind: simulator.FaultBody, Status: 200, Body: `{"wholesaleLocationId":"LOC999999999999"}`},
	}),
	Entry("query, GET 200 of another form: asked anew", answered{
		of: queries(), call: "GET", posts: 2, fault: simulator.Fault{Kind: simulator.FaultBody, Status: 200, Body: `[]`},
	}),
)

var _ = Describe("What a carrier answers a one-shot", func() {
	says := func(ctx SpecContext, s oneShot, body string) (*world.World, *world.Process) {
		GinkgoHelper()
		w, process := begin(ctx)
		Expect(w.Carrier.FailNext("GET "+string(s.asked), simulator.Fault{
			Kind: simulator.FaultBody, Status: 200, Body: body,
		})).To(Succeed())
		Expect(w.Create(ctx, s.build(w, w.Line()))).To(Succeed())
		return w, process
	}

	It("is a person's when it is the test of another service", func(ctx SpecContext) {
		w, process := says(ctx, tests(), `{"serviceId":1,"result":{"id":"x"}}`)
		tests().drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonHandleLost)
		Expect(tests().posts(w)).To(Equal(1))
	})

	It("is left out of the status when it is too long", func(ctx SpecContext) {
		w, process := says(ctx, tests(), `{"result":{"id":"x","result":{"log":"`+strings.Repeat("x", 20_000)+`"}}}`)
		tests().drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		test, _ := world.Fetch(ctx, w, once, &v1alpha1.DiagnosticTest{})
		Expect(test.Status.Truncated).To(BeTrue())
		Expect(test.Status.Result).To(BeNil())
	})

	It("is kept although it is no object, and has more stages than fit", func(ctx SpecContext) {
		stages := strings.Repeat(`{"name":"pending","reason":null,"created_at":"2026-03-02T09:00:00"},`, 60)
		w, process := says(ctx, tests(),
			`{"result":{"id":7,"is_active":true,"status":[`+strings.TrimSuffix(stages, ",")+
				`],"result":["\u202eup",9007199254740993]}}`)
		tests().drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		test, _ := world.Fetch(ctx, w, once, &v1alpha1.DiagnosticTest{})
		Expect(test.Status.Stages).To(HaveLen(50))
		Expect(test.Status.Active).To(BeTrue())
		Expect(string(test.Status.Result.Raw)).To(Equal(`{"value":["up",9007199254740993]}`))
	})

	It("is bounded where it offers more plans than fit", func(ctx SpecContext) {
		plans := strings.Repeat(`{"plan":"Home 50/20","term":"12"},`, 300)
		w, process := says(ctx, queries(), `{"plans":[`+strings.TrimSuffix(plans, ",")+`],"slas":[]}`)
		queries().drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		query, _ := world.Fetch(ctx, w, once, &v1alpha1.PlanOptionsQuery{})
		Expect(query.Status.Plans).To(HaveLen(200))
		Expect(query.Status.Truncated).To(BeTrue())
	})

	It("is nothing for a day: then a test is a person's", func(ctx SpecContext) {
		w, process := begin(ctx)
		s := tests()
		Expect(w.Create(ctx, s.build(w, w.Line()))).To(Succeed())
		_, err := process.LookAt(ctx, s.shot())
		Expect(err).NotTo(HaveOccurred())
		w.Carrier.Forget()
		for range 5 {
			w.Clock.Advance(time.Minute)
			_, err = process.LookAt(ctx, s.shot())
			Expect(err).NotTo(HaveOccurred())
		}
		s.expect(ctx, w, metav1.ConditionFalse, v1alpha1.ReasonCarrierUnavailable)
		w.Clock.Advance(24 * time.Hour)
		s.drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonHandleLost)
		Expect(s.posts(w)).To(Equal(1))
	})
})

// The long simulation found it (SIM_SEED=6193, as it was then): a failed test ran once more because
// of a retry annotation that was set before it ran at all.
var _ = Describe("A retry that is asked for before anything was sent", func() {
	It("is not for an attempt that fails later (R21)", func(ctx SpecContext) {
		w, process := begin(ctx)
		s := tests()
		Expect(w.Carrier.FailNext("POST "+string(s.asked), refusing("constraints.not.null"))).To(Succeed())
		Expect(w.Create(ctx, s.build(w, w.Line()))).To(Succeed())
		early := stamped(w)
		s.annotate(ctx, w, v1alpha1.AnnotationRetry, early)
		object := s.drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonRequiredFieldMissing)
		w.Clock.Advance(horizon)
		s.drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonRequiredFieldMissing)
		Expect(s.posts(w)).To(Equal(1))
		Expect(object.Controls().Retry).To(BeEmpty())
		Expect(readyOf(object).Message).To(HaveSuffix(
			`(now wholesale.broadband/retry is "` + early + `", which is not after the end of attempt ` +
				s.request(ctx, w).AttemptID + ")"))
	})
})
