// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// polls counts the GETs of an operation that the carrier has received.
func polls(w *world.World, of simulator.Operation) int {
	count := 0
	for _, call := range w.Carrier.Calls() {
		if call.Operation == of && call.Method == http.MethodGet {
			count++
		}
	}
	return count
}

// acceptedTest is the ID of the accepted test; "" for none.
func acceptedTest(w *world.World) string {
	for _, call := range w.Carrier.Calls() {
		if call.Operation == simulator.OpDiagnosticTest && call.Accepted {
			return call.RequestID
		}
	}
	return ""
}

// resolveTest resolves a test truthfully, as a person would after asking the carrier.
func resolveTest(ctx context.Context, w *world.World) {
	GinkgoHelper()
	word := "NotAccepted"
	if id := acceptedTest(w); id != "" {
		word = "Accepted:" + id
	}
	fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationResolve, fixture.Tests().Request(ctx, w).AttemptID+"="+word)
}

var _ = Describe("A diagnostic test", func() {
	scenario := func(ctx context.Context, cut world.CrashPoint) (*world.World, *world.Process) {
		w := world.New(ctx, fixture.Plane)
		w.Login(ctx)
		Expect(w.Create(ctx, fixture.Tests().Build(w, w.Line()))).To(Succeed())
		process := w.Start(cut)
		if _, err := process.ReconcileAccount(ctx); err == nil {
			process.DriveOneShot(ctx, fixture.Tests().Shot())
		}
		return w, process
	}

	It("is run at most once, at whatever effect the operator is killed", func(ctx SpecContext) {
		_, whole := scenario(ctx, world.CrashPoint{})
		unknown, points := 0, whole.Seam.Effects()
		Expect(len(points)).To(BeNumerically(">=", 8))
		for _, cut := range world.CrashPoints(points) {
			By("killing it " + cut.String())
			w, _ := scenario(ctx, cut)
			successor := w.Start(world.CrashPoint{})
			_, err := successor.ReconcileAccount(ctx)
			Expect(err).NotTo(HaveOccurred())
			Expect(successor.DriveOneShot(ctx, fixture.Tests().Shot())).To(BeTrue())
			Expect(fixture.Tests().Posts(w)).To(BeNumerically("<=", 1))
			if fixture.ReadyOf(fixture.Tests().Read(ctx, w)).Reason == v1alpha1.ReasonOutcomeUnknown {
				unknown++
				resolveTest(ctx, w)
			}
			fixture.Tests().Drive(ctx, w, successor, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			Expect(fixture.Tests().Posts(w)).To(Equal(1))
		}
		AddReportEntry("kill points of a test",
			fmt.Sprintf("%d kill points, %d of them ended OutcomeUnknown", len(world.CrashPoints(points)), unknown))
	})

	DescribeTable("whose response was lost waits for a person, who can resolve that it",
		func(ctx SpecContext, word, reason string, posts int) {
			w, process := fixture.Begin(ctx)
			Expect(w.Carrier.FailNext("POST DiagnosticTest", simulator.Fault{Kind: simulator.FaultReset, Processed: true})).
				To(Succeed())
			Expect(w.Create(ctx, fixture.Tests().Build(w, w.Line()))).To(Succeed())
			object := fixture.Tests().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
			Expect(fixture.ReadyOf(object).Message).To(ContainSubstring("dtest " + fixture.Once))
			Expect(w.Events.All()).To(ContainElement(ContainSubstring("Warning OutcomeUnknown")))

			By("requesting a retry, which is not a resolution")
			fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationRetry, fixture.Tests().Request(ctx, w).AttemptID)
			fixture.Tests().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonOutcomeUnknown)
			Expect(fixture.Tests().Posts(w)).To(Equal(1))

			fixture.Tests().Annotate(ctx, w, v1alpha1.AnnotationResolve,
				fixture.Tests().Request(ctx, w).AttemptID+"="+strings.ReplaceAll(word, "<id>", acceptedTest(w)))
			w.Clock.Advance(time.Minute) // the line is free for another test
			ready := fixture.ReadyOf(fixture.Tests().Until(ctx, w, process, reason))
			if word == "Succeeded" {
				Expect(ready.Message).To(ContainSubstring("the carrier's response is not known"))
			}
			Expect(process.DriveOneShot(ctx, fixture.Tests().Shot())).To(BeTrue())
			Expect(fixture.Tests().Posts(w)).To(Equal(posts))
		},
		Entry("was accepted", "Accepted:<id>", v1alpha1.ReasonCompleted, 1),
		Entry("was not accepted", "NotAccepted", v1alpha1.ReasonCompleted, 2),
		Entry("succeeded", "Succeeded", v1alpha1.ReasonCompleted, 1),
		Entry("is abandoned", "Abandoned", v1alpha1.ReasonAbandoned, 1),
	)

	It("is not run again when its status is lost, and its result is read again", func(ctx SpecContext) {
		w, process := scenario(ctx, world.CrashPoint{})
		test, _ := world.Fetch(ctx, w, fixture.Once, &v1alpha1.DiagnosticTest{})
		before := test.DeepCopy()
		test.Status = v1alpha1.DiagnosticTestStatus{}
		Expect(w.Status().Update(ctx, test)).To(Succeed())
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		test, _ = world.Fetch(ctx, w, fixture.Once, test)
		Expect(test.Status.Result).To(Equal(before.Status.Result))
		Expect(test.Status.Request.AttemptID).To(Equal(before.Status.Request.AttemptID))
		Expect(fixture.Tests().Posts(w)).To(Equal(1))
	})

	// The long simulation found that the ledger reopened a completed test (SIM_SEED=41 at that time).
	It("stays done when its status is lost, and the carrier no longer has its result (R3)", func(ctx SpecContext) {
		w, process := scenario(ctx, world.CrashPoint{})
		test, _ := world.Fetch(ctx, w, fixture.Once, &v1alpha1.DiagnosticTest{})
		ledger := fixture.TestsLedger(ctx, w, test.Spec.ServiceID.Number())
		test.Status = v1alpha1.DiagnosticTestStatus{}
		Expect(w.Status().Update(ctx, test)).To(Succeed())
		w.Carrier.Forget()
		ready := fixture.ReadyOf(fixture.Tests().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted))
		Expect(ready.Message).To(And(ContainSubstring("its response was lost"), ContainSubstring("resource.not.found")))
		Expect(fixture.TestsLedger(ctx, w, test.Spec.ServiceID.Number())).To(Equal(ledger))

		calls, version := len(w.Carrier.Calls()), fixture.Tests().Read(ctx, w).GetResourceVersion()
		_, err := process.ReconcileOneShot(ctx, fixture.Tests().Shot())
		Expect(err).NotTo(HaveOccurred())
		Expect(w.Carrier.Calls()).To(HaveLen(calls))
		Expect(fixture.Tests().Read(ctx, w).GetResourceVersion()).To(Equal(version))
		Expect(fixture.Tests().Posts(w)).To(Equal(1))
	})

	It("that is restored with another UID is not run again: its finalizer shows that it was (R24)", func(ctx SpecContext) {
		w, process := scenario(ctx, world.CrashPoint{})
		test, _ := world.Fetch(ctx, w, fixture.Once, &v1alpha1.DiagnosticTest{})
		Expect(w.Delete(ctx, test.DeepCopy())).To(Succeed())
		Expect(process.DriveOneShot(ctx, fixture.Tests().Shot())).To(BeTrue())
		Expect(fixture.Tests().Read(ctx, w)).To(BeNil())
		restored := fixture.Tests().Build(w, test.Spec.ServiceID.Number())
		restored.SetFinalizers([]string{v1alpha1.Finalizer})
		Expect(w.Create(ctx, restored)).To(Succeed())
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionFalse, v1alpha1.ReasonStatusLost)
		successor := w.Start(world.CrashPoint{})
		_, err := successor.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		fixture.Tests().Drive(ctx, w, successor, metav1.ConditionFalse, v1alpha1.ReasonStatusLost)
		Expect(fixture.Tests().Posts(w)).To(Equal(1))
		resolveTest(ctx, w)
		fixture.Tests().Drive(ctx, w, successor, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(fixture.Tests().Posts(w)).To(Equal(1))
	})

	It("that is deleted in progress is removed with a warning; a new one is a new request", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, fixture.Tests().Build(w, w.Line()))).To(Succeed())
		_, err := process.ReconcileOneShot(ctx, fixture.Tests().Shot())
		Expect(err).NotTo(HaveOccurred())
		calls := len(w.Carrier.Calls())
		Expect(w.Delete(ctx, fixture.Tests().Read(ctx, w))).To(Succeed())
		Expect(process.DriveOneShot(ctx, fixture.Tests().Shot())).To(BeTrue())
		Expect(fixture.Tests().Read(ctx, w)).To(BeNil())
		Expect(w.Carrier.Calls()).To(HaveLen(calls))
		Expect(w.Events.All()).To(ContainElement(ContainSubstring("Warning RequestContinues deleted while DiagnosticTest")))
		Expect(w.Create(ctx, fixture.Tests().Build(w, w.Line()))).To(Succeed())
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(fixture.Tests().Posts(w)).To(Equal(2))
	})

	// leftBehind is a deleted test whose process ended after the POST, before recording the response.
	leftBehind := func(ctx SpecContext) *world.World {
		GinkgoHelper()
		_, whole := scenario(ctx, world.CrashPoint{})
		at := 0
		for _, effect := range whole.Seam.Effects() {
			if strings.HasSuffix(effect.What, "diagnostic-tests/request") {
				at = effect.Number
			}
		}
		w, killed := scenario(ctx, world.CrashPoint{At: at, After: true})
		Expect(killed.Seam.Dead()).To(BeTrue())
		var ledgers v1alpha1.RequestLedgerList
		Expect(w.List(ctx, &ledgers)).To(Succeed())
		Expect(ledgers.Items).To(ContainElement(HaveField("Spec", And(
			HaveField("Login", w.Account().Login()), HaveField("Diagnostics", Not(BeNil())),
			HaveField("Open", ConsistOf(HaveField("Phase", v1alpha1.PhaseSubmitting))),
		))))
		Expect(w.Delete(ctx, fixture.Tests().Read(ctx, w))).To(Succeed())
		return w
	}

	It("that is deleted while a process may be sending it is removed after 120 s, and abandoned", func(ctx SpecContext) {
		w := leftBehind(ctx)
		test, _ := world.Fetch(ctx, w, fixture.Once, &v1alpha1.DiagnosticTest{})
		line := test.Spec.ServiceID.Number()
		calls := len(w.Carrier.Calls())
		begun, successor := w.Clock.Now(), w.Start(world.CrashPoint{})
		Expect(successor.DriveOneShot(ctx, fixture.Tests().Shot())).To(BeTrue())
		Expect(fixture.Tests().Read(ctx, w)).To(BeNil())
		Expect(w.Clock.Now().Sub(begun)).To(Equal(120*time.Second), "that process may still be writing its response")
		Expect(fixture.CallsBeyondLogin(w, calls)).To(BeEmpty())
		Expect(fixture.TestsLedger(ctx, w, line).Spec).To(And(HaveField("Open", BeEmpty()),
			HaveField("Last", ConsistOf(HaveField("Phase", v1alpha1.PhaseAbandoned)))))
	})

	It("that is deleted with its account while a process may be sending it does not wait", func(ctx SpecContext) {
		w := leftBehind(ctx)
		Expect(w.Delete(ctx, w.Account())).To(Succeed())
		calls := len(w.Carrier.Calls())
		begun, successor := w.Clock.Now(), w.Start(world.CrashPoint{})
		Expect(successor.DriveOneShot(ctx, fixture.Tests().Shot())).To(BeTrue())
		Expect(fixture.Tests().Read(ctx, w)).To(BeNil())
		Expect(w.Clock.Now().Sub(begun)).To(BeNumerically("<=", 120*time.Second))
		Expect(w.Carrier.Calls()).To(HaveLen(calls))
	})
})

var _ = Describe("A query in progress", func() {
	It("is polled by the next process, which does not send it again", func(ctx SpecContext) {
		for _, s := range []fixture.OneShot{fixture.Quotes(), fixture.Queries(), fixture.Tests()} {
			w, process := fixture.Begin(ctx)
			Expect(w.Create(ctx, s.Build(w, w.Line()))).To(Succeed())
			_, err := process.ReconcileOneShot(ctx, s.Shot())
			Expect(err).NotTo(HaveOccurred())
			s.Expect(ctx, w, metav1.ConditionFalse, v1alpha1.ReasonProgressing)
			s.Drive(ctx, w, w.Start(world.CrashPoint{}), metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			Expect(s.Posts(w)).To(Equal(1))
		}
	})

	It("for a quote is polled no sooner than every 5 s, late or after a start", func(ctx SpecContext) {
		for _, late := range []time.Duration{0, 2 * time.Second, 4900 * time.Millisecond, 7 * time.Second} {
			w, process := fixture.Begin(ctx, func(a *v1alpha1.CarrierAccount) {
				a.Spec.Polling = v1alpha1.Polling{Min: "1s", Max: "1s"}
			})
			Expect(w.Create(ctx, fixture.Quotes().Build(w, 0))).To(Succeed())
			seen := 0
			for range 40 {
				result, err := process.ReconcileOneShot(ctx, fixture.Quotes().Shot())
				Expect(err).NotTo(HaveOccurred())
				if fixture.ReadyOf(fixture.Quotes().Read(ctx, w)).Reason == v1alpha1.ReasonCompleted {
					break
				}
				if now := polls(w, simulator.OpFibreBuildCharge); now > seen && now%2 == 0 {
					seen = now
					w.Clock.Advance(300 * time.Millisecond)
					process = w.Start(world.CrashPoint{})
					continue
				}
				w.Clock.Advance(result.RequeueAfter + late)
			}
			fixture.Quotes().Expect(ctx, w, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			Expect(polls(w, simulator.OpFibreBuildCharge)).To(BeNumerically(">=", 4))
			Expect(fixture.Quotes().Posts(w)).To(Equal(1))
		}
	})

	It("is sent once although the write of its acceptance has a conflict", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		conflicts := 0
		process.Seam.Fault = func(effect world.Effect) error {
			if strings.HasPrefix(effect.What, "update status of "+fixture.Once) && conflicts < 2 {
				conflicts++
				fixture.Queries().Annotate(ctx, w, "example.com/note",
					fmt.Sprint(conflicts)) // the write has an old resourceVersion
			}
			return nil
		}
		Expect(w.Create(ctx, fixture.Queries().Build(w, w.Line()))).To(Succeed())
		fixture.Queries().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(conflicts).To(Equal(2))
		Expect(fixture.Queries().Posts(w)).To(Equal(1))
	})
})
