// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// once is the one-shot of a test.
const once = "once"

// oneShot is a kind of one-shot, with what the tests common to all kinds need.
type oneShot struct {
	kind  string
	asked simulator.Operation
	build func(w *world.World, line int64) controllers.Subject
	empty func() controllers.Subject
}

func (s oneShot) shot() world.Shot { return world.Shot{Kind: s.kind, Name: once} }

// read reads the object; nil when there is none.
func (s oneShot) read(ctx context.Context, w *world.World) controllers.Subject {
	GinkgoHelper()
	object, found := world.Fetch(ctx, w, once, s.empty())
	if !found {
		return nil
	}
	return object
}

func (s oneShot) request(ctx context.Context, w *world.World) *v1alpha1.Request {
	GinkgoHelper()
	return s.read(ctx, w).RequestOf(v1alpha1.Operation(s.asked))
}

// posts counts the POSTs that the carrier has received in a world.
func (s oneShot) posts(w *world.World) int { return w.Carrier.Submissions(s.asked, 0).Seen }

// drive reconciles the object as far as possible, and expects its final state.
func (s oneShot) drive(
	ctx context.Context, w *world.World, process *world.Process, status metav1.ConditionStatus, reason string,
) controllers.Subject {
	GinkgoHelper()
	Expect(process.DriveAt(ctx, s.shot())).To(BeTrue())
	return s.expect(ctx, w, status, reason)
}

// expect expects the object's Ready condition to have a status and a reason.
func (s oneShot) expect(
	ctx context.Context, w *world.World, status metav1.ConditionStatus, reason string,
) controllers.Subject {
	GinkgoHelper()
	object := s.read(ctx, w)
	Expect(object).NotTo(BeNil())
	ready := readyOf(object)
	Expect(string(ready.Status)+"/"+ready.Reason).To(Equal(string(status)+"/"+reason), ready.Message)
	return object
}

// until reconciles until Ready has a reason.
func (s oneShot) until(ctx context.Context, w *world.World, process *world.Process, reason string) controllers.Subject {
	GinkgoHelper()
	seen := ""
	for range 100 {
		result, err := process.LookAt(ctx, s.shot())
		Expect(err).NotTo(HaveOccurred())
		object := s.read(ctx, w)
		if seen = readyOf(object).Reason; seen == reason {
			return object
		}
		w.Clock.Advance(result.RequeueAfter)
	}
	Fail("the object is " + seen + ", and never " + reason)
	return nil
}

// annotate sets an annotation as a user would.
func (s oneShot) annotate(ctx context.Context, w *world.World, key, value string) {
	GinkgoHelper()
	object := s.read(ctx, w)
	before, isObject := object.DeepCopyObject().(client.Object)
	Expect(isObject).To(BeTrue())
	annotations := maps.Clone(object.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	object.SetAnnotations(annotations)
	Expect(w.Patch(ctx, object, client.MergeFrom(before))).To(Succeed())
}

func readyOf(object controllers.Subject) metav1.Condition {
	conditions, _ := object.Describes()
	return world.Condition(*conditions, v1alpha1.ConditionReady)
}

func tests() oneShot {
	return oneShot{
		kind: "DiagnosticTest", asked: simulator.OpDiagnosticTest,
		build: func(w *world.World, line int64) controllers.Subject { return w.Test(once, line) },
		empty: func() controllers.Subject { return &v1alpha1.DiagnosticTest{} },
	}
}

func quotes() oneShot {
	return oneShot{
		kind: "FibreBuildQuote", asked: simulator.OpFibreBuildCharge,
		build: func(w *world.World, _ int64) controllers.Subject { return w.Quote(once, world.QualifiedSite) },
		empty: func() controllers.Subject { return &v1alpha1.FibreBuildQuote{} },
	}
}

func queries() oneShot {
	return oneShot{
		kind: "PlanOptionsQuery", asked: simulator.OpPlanOptions,
		build: func(w *world.World, line int64) controllers.Subject { return w.Query(once, line) },
		empty: func() controllers.Subject { return &v1alpha1.PlanOptionsQuery{} },
	}
}

// effects counts the effects of a process with a prefix.
func effects(process *world.Process, word string) int {
	count := 0
	for _, effect := range process.Seam.Effects() {
		if strings.HasPrefix(effect.What, word) {
			count++
		}
	}
	return count
}

// firstOf is the index of the first effect of a process with a prefix.
func firstOf(process *world.Process, word string) int {
	GinkgoHelper()
	place := slices.IndexFunc(process.Seam.Effects(), func(effect world.Effect) bool {
		return strings.HasPrefix(effect.What, word)
	})
	Expect(place).NotTo(Equal(-1), word)
	return place
}

var _ = Describe("A one-shot", func() {
	// asks runs a one-shot of a kind once, and expects what all kinds have in common.
	asks := func(ctx SpecContext, s oneShot) (*world.World, *world.Process, controllers.Subject) {
		GinkgoHelper()
		w, process := begin(ctx)
		Expect(w.Create(ctx, s.build(w, w.Line()))).To(Succeed())
		object := s.drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		request := object.RequestOf(v1alpha1.Operation(s.asked))
		Expect(request.Phase).To(Equal(v1alpha1.PhaseSucceeded))
		Expect(request.Location).To(MatchRegexp(`^/api/connect/.*/requests/[0-9A-Za-z_-]+$`))
		Expect(object.NewestError()).To(BeNil())
		Expect(s.posts(w)).To(Equal(1))
		Expect(w.Carrier.Violations()).To(BeEmpty())
		Expect(w.Events.All()).To(ContainElements(
			ContainSubstring("Normal RequestAccepted"), ContainSubstring("Normal RequestSucceeded")))

		By("looking at it again, and from a new process")
		version, calls := object.GetResourceVersion(), len(w.Carrier.Calls())
		w.Clock.Advance(horizon)
		process.DriveAt(ctx, s.shot())
		again := w.Start(world.Cut{})
		again.DriveAt(ctx, s.shot())
		Expect(s.read(ctx, w).GetResourceVersion()).To(Equal(version))
		Expect(w.Carrier.Calls()).To(HaveLen(calls), "what is done is not asked again")
		return w, process, object
	}

	It("tests a line, and shows what was found", func(ctx SpecContext) {
		_, process, object := asks(ctx, tests())
		test, isTest := object.(*v1alpha1.DiagnosticTest)
		Expect(isTest).To(BeTrue())
		Expect(test.Status.TestID).NotTo(BeEmpty())
		Expect(test.Status.Active).To(BeFalse())
		Expect(test.Status.Stages).To(HaveLen(4))
		Expect(test.Status.Stages[0].Name).To(Equal("completed"))
		Expect(test.Status.Stages[0].At).To(MatchRegexp(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}$`), "it has no offset")
		Expect(string(test.Status.Result.Raw)).To(ContainSubstring(`"result":"Passed"`))
		Expect(test.Finalizers).To(ConsistOf(v1alpha1.Finalizer))
		Expect(firstOf(process, "patch "+once)).To(BeNumerically("<", firstOf(process, "POST /api/")),
			"the finalizer is put on before the POST")
		Expect(effects(process, "update status of "+once)).To(Equal(2), "accepted, terminal")
	})

	It("quotes a site, its price exact to the cent, until the day it expires", func(ctx SpecContext) {
		w, process, object := asks(ctx, quotes())
		quote, isQuote := object.(*v1alpha1.FibreBuildQuote)
		Expect(isQuote).To(BeTrue())
		Expect(quote.Status.QuoteID).To(HavePrefix("EEQ-"))
		Expect(quote.Status.Price).To(Equal(&v1alpha1.Money{Amount: "12345.05", Currency: "AUD"}))
		Expect(quote.Status.POIName).To(Equal("Eastern Creek"))
		Expect(quote.Status.QuoteDate).To(Equal("2026-03-02"))
		Expect(quote.Status.ValidUntil).To(Equal("2026-05-31"))
		Expect(quote.Finalizers).To(BeEmpty())
		Expect(effects(process, "update status of "+once)).To(Equal(2), "accepted, terminal")

		By("waiting for the end of that day in the account's time zone")
		editAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Spec.TimeZone = "Australia/Sydney" })
		result, err := process.LookAt(ctx, quotes().shot())
		Expect(err).NotTo(HaveOccurred())
		midnight := time.Date(2026, time.May, 31, 14, 0, 0, 0, time.UTC) // of June 1 in Sydney
		Expect(w.Clock.Now().Add(result.RequeueAfter)).To(BeTemporally("==", midnight))
		w.Clock.Advance(result.RequeueAfter - time.Second)
		process.DriveAt(ctx, quotes().shot())
		w.Clock.Advance(time.Second)
		quotes().drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonExpired)
	})

	It("asks for the plans and SLAs that a service could have", func(ctx SpecContext) {
		_, process, object := asks(ctx, queries())
		query, isQuery := object.(*v1alpha1.PlanOptionsQuery)
		Expect(isQuery).To(BeTrue())
		Expect(query.Status.Plans).To(HaveLen(28), "seven plans in four terms")
		Expect(query.Status.Plans[0]).To(Equal(v1alpha1.PlanOption{
			Name: world.PlanSlow, Term: "1", AccessTechnology: "FTTP", SourceType: "wholesale",
			SpeedDown: "50 MBit/s", SpeedUp: "20 MBit/s", OneTime: aud("0.00"), Monthly: aud("45.00"),
		}))
		giga := slices.IndexFunc(query.Status.Plans, func(p v1alpha1.PlanOption) bool { return p.Name == world.PlanGiga })
		Expect(query.Status.Plans[giga].NTDOptions).To(ConsistOf(v1alpha1.NTDOptionOffer{
			Option: "4_PORT_RESIDENTIAL", Recommended: true, OneTime: aud("99.00"), Monthly: aud("0.00"),
		}))
		Expect(query.Status.SLAs[1]).To(Equal(v1alpha1.SLAOption{
			Name: world.SLAFast, OneTime: aud("0.00"), Monthly: aud("10.00"),
		}))
		Expect(query.Status.Truncated).To(BeFalse())
		Expect(effects(process, "update status of "+once)).To(Equal(2), "accepted, terminal")
	})

	It("is refused by us at an API version that lacks it, and asked once the account has one", func(ctx SpecContext) {
		w, process := begin(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.APIVersion = 5 })
		s := quotes()
		Expect(w.Create(ctx, s.build(w, 0))).To(Succeed())
		s.drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonUnsupportedByAPIVersion)
		Expect(s.posts(w)).To(BeZero())
		editAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Spec.APIVersion = 6 })
		_, err := process.LookAtAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		s.drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	})

	It("waits for its account, and stays done without it", func(ctx SpecContext) {
		w := world.New(ctx, plane)
		process, s := w.Start(world.Cut{}), queries()
		Expect(w.Create(ctx, s.build(w, w.Line()))).To(Succeed())
		s.drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonAccountNotReady)
		account := w.Login(ctx)
		_, err := process.LookAtAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		s.drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(w.Delete(ctx, account)).To(Succeed())
		s.drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	})

	It("of class Never is held back by the account's charge limit, and a Query is not", func(ctx SpecContext) {
		w, process := begin(ctx, func(a *v1alpha1.CarrierAccount) {
			a.Spec.ChargeLimit = &v1alpha1.ChargeLimit{PerHour: 1}
		})
		first := w.Test("first", w.Line())
		Expect(w.Create(ctx, first)).To(Succeed())
		Expect(process.DriveAt(ctx, world.Shot{Kind: "DiagnosticTest", Name: "first"})).To(BeTrue())
		Expect(w.Create(ctx, tests().build(w, w.Line()))).To(Succeed())
		tests().until(ctx, w, process, v1alpha1.ReasonChargeLimit)
		Expect(tests().posts(w)).To(Equal(1))
		Expect(w.Create(ctx, queries().build(w, w.Line()))).To(Succeed())
		queries().drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	})
})
