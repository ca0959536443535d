// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const waitsForLane = v1alpha1.ReasonAnotherTestInProgress

var _ = Describe("The diagnostic tests of one service", func() {
	named := func(name string) world.OneShot { return world.OneShot{Kind: "DiagnosticTest", Name: name} }
	read := func(ctx context.Context, w *world.World, name string) *v1alpha1.DiagnosticTest {
		GinkgoHelper()
		test, found := world.Fetch(ctx, w, name, &v1alpha1.DiagnosticTest{})
		Expect(found).To(BeTrue())
		return test
	}
	reason := func(ctx context.Context, w *world.World, name string) string {
		GinkgoHelper()
		return fixture.ReadyOf(read(ctx, w, name)).Reason
	}
	look := func(ctx context.Context, process *world.Process, name string) time.Duration {
		GinkgoHelper()
		result, err := process.ReconcileOneShot(ctx, named(name))
		Expect(err).NotTo(HaveOccurred())
		return result.RequeueAfter
	}
	// two creates two tests and lets the first one be sent.
	two := func(ctx SpecContext) (*world.World, *world.Process, int64) {
		GinkgoHelper()
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Test("first", line))).To(Succeed())
		Expect(w.Create(ctx, w.Test("second", line))).To(Succeed())
		look(ctx, process, "first")
		Expect(fixture.Tests().Posts(w)).To(Equal(1))
		return w, process, line
	}
	// forceOff removes the finalizer of the first and deletes it, as a user would.
	forceOff := func(ctx context.Context, w *world.World) string {
		GinkgoHelper()
		first := read(ctx, w, "first")
		uid := string(first.UID)
		first.Finalizers = nil
		Expect(w.Update(ctx, first)).To(Succeed())
		Expect(w.Delete(ctx, first)).To(Succeed())
		return uid
	}

	It("are run one at a time: the next waits, and names the one it waits for (R3)", func(ctx SpecContext) {
		w, process, line := two(ctx)
		look(ctx, process, "second")
		Expect(fixture.Tests().Posts(w)).To(Equal(1))
		ready := fixture.ReadyOf(read(ctx, w, "second"))
		Expect(ready.Reason).To(Equal(waitsForLane))
		Expect(ready.Message).To(ContainSubstring("DiagnosticTest %s/first", w.Namespace))
		Expect(fixture.TestsLedger(ctx, w, line).Spec.Open).To(HaveLen(1))

		By("waiting for long: without writes and calls")
		version, calls := read(ctx, w, "second").ResourceVersion, len(w.Carrier.Calls())
		w.Clock.Advance(time.Hour)
		Expect(look(ctx, process, "second")).To(BeZero(), "the end of the first wakes it")
		Expect(read(ctx, w, "second").ResourceVersion).To(Equal(version))
		Expect(w.Carrier.Calls()).To(HaveLen(calls))

		By("finishing the first")
		Expect(process.DriveOneShot(ctx, named("first"))).To(BeTrue())
		Expect(reason(ctx, w, "first")).To(Equal(v1alpha1.ReasonCompleted))
		Expect(process.DriveOneShot(ctx, named("second"))).To(BeTrue())
		Expect(reason(ctx, w, "second")).To(Equal(v1alpha1.ReasonCompleted))
		Expect(fixture.Tests().Posts(w)).To(Equal(2))
	})

	It("of two that wait, the older is sent first (R3)", func(ctx SpecContext) {
		w, process, line := two(ctx)
		look(ctx, process, "second")
		Expect(w.Create(ctx, w.Test("third", line))).To(Succeed())
		look(ctx, process, "third")
		elder, younger := "second", "third"
		if oneshots.HasPrecedence(read(ctx, w, younger), read(ctx, w, elder)) { // created in the same second: the UID decides
			elder, younger = younger, elder
		}
		Expect(process.DriveOneShot(ctx, named("first"))).To(BeTrue())
		look(ctx, process, younger)
		Expect(fixture.Tests().Posts(w)).To(Equal(1))
		Expect(fixture.ReadyOf(read(ctx, w, younger)).Message).To(ContainSubstring("DiagnosticTest %s/%s", w.Namespace,
			elder))
		look(ctx, process, elder)
		Expect(fixture.Tests().Posts(w)).To(Equal(2))
		Expect(reason(ctx, w, elder)).To(Equal(v1alpha1.ReasonProgressing))
	})

	It("do not wait for a deleted one that was waiting itself (R3)", func(ctx SpecContext) {
		w, process, line := two(ctx)
		look(ctx, process, "second")
		Expect(process.DriveOneShot(ctx, named("first"))).To(BeTrue())
		Expect(w.Delete(ctx, read(ctx, w, "second"))).To(Succeed())
		Expect(w.Create(ctx, w.Test("third", line))).To(Succeed())
		look(ctx, process, "third")
		Expect(fixture.Tests().Posts(w)).To(Equal(2))
	})

	It("one of them whose object is deleted is polled to its end, and then blocks no other (R22)", func(ctx SpecContext) {
		w, process, line := two(ctx)
		uid := forceOff(ctx, w)
		process.DriveOneShot(ctx, named("second"))
		Expect(reason(ctx, w, "second")).To(Equal(v1alpha1.ReasonCompleted))
		Expect(fixture.Tests().Posts(w)).To(Equal(2))
		ended := fixture.TestsLedger(ctx, w, line).Spec.Ended
		Expect(ended).To(HaveLen(2))
		Expect(ended[1].UID).To(Equal(uid))
		Expect(ended[1].Outcome).To(Equal(v1alpha1.PhaseSucceeded))
		Expect(ended[1].EndedBy).To(Equal(v1alpha1.EndedByCarrier))
	})

	DescribeTable("one of them whose object is deleted and whose outcome is unknown is resolved at another (R22)",
		func(ctx SpecContext, word string) {
			w, process := fixture.Begin(ctx)
			line := w.Line()
			Expect(w.Carrier.FailNext("POST DiagnosticTest", simulator.Fault{Kind: simulator.FaultReset, Processed: false})).
				To(Succeed())
			Expect(w.Create(ctx, w.Test("first", line))).To(Succeed())
			Expect(w.Create(ctx, w.Test("second", line))).To(Succeed())
			Expect(process.DriveOneShot(ctx, named("first"))).To(BeTrue())
			Expect(reason(ctx, w, "first")).To(Equal(v1alpha1.ReasonOutcomeUnknown))
			look(ctx, process, "second")
			Expect(reason(ctx, w, "second")).To(Equal(waitsForLane), "it is its own object's to resolve")
			forceOff(ctx, w)
			process.DriveOneShot(ctx, named("second"))
			ready := fixture.ReadyOf(read(ctx, w, "second"))
			Expect(ready.Reason).To(Equal(waitsForLane))
			Expect(fixture.Tests().Posts(w)).To(Equal(1))
			attempt := fixture.TestsLedger(ctx, w, line).Spec.Open[0].AttemptID
			Expect(ready.Message).To(ContainSubstring("annotate --overwrite dtest second '%s=%s=",
				v1alpha1.AnnotationResolve, attempt))

			second := read(ctx, w, "second")
			second.Annotations = map[string]string{v1alpha1.AnnotationResolve: fmt.Sprintf("%s=%s", attempt, word)}
			Expect(w.Update(ctx, second)).To(Succeed())
			w.Clock.Advance(time.Minute)
			Expect(process.DriveOneShot(ctx, named("second"))).To(BeTrue())
			Expect(reason(ctx, w, "second")).To(Equal(v1alpha1.ReasonCompleted))
			Expect(fixture.Tests().Posts(w)).To(Equal(2))
			settled := fixture.TestsLedger(ctx, w, line).Spec.Ended[1]
			Expect(settled.Outcome).To(BeEquivalentTo(word))
			Expect(settled.ResolvedBy).NotTo(BeNil())
			Expect(settled.ResolvedBy.Word).To(Equal(attempt + "=" + word))
		},
		Entry("as not accepted", "NotAccepted"),
		Entry("as abandoned", "Abandoned"),
		Entry("as succeeded", "Succeeded"),
	)

	It("left by a process that ended have unknown outcomes after two minutes if the object is deleted (R14)",
		func(ctx SpecContext) {
			w, process := fixture.Begin(ctx)
			line := w.Line()
			gone := w.Test("first", line)
			gone.UID = "somebody"
			submittedElsewhere(ctx, w, gone, line)
			Expect(w.Create(ctx, w.Test("second", line))).To(Succeed())
			wait := look(ctx, process, "second")
			Expect(reason(ctx, w, "second")).To(Equal(waitsForLane))
			Expect(wait).To(BeNumerically("~", 2*time.Minute, time.Second))
			w.Clock.Advance(wait)
			look(ctx, process, "second")
			Expect(reason(ctx, w, "second")).To(Equal(waitsForLane))
			Expect(fixture.TestsLedger(ctx, w, line).Spec.Open[0].Phase).To(Equal(v1alpha1.PhaseOutcomeUnknown))
			Expect(fixture.Tests().Posts(w)).To(BeZero())
		})

	DescribeTable("are all run, although only this process writes to their ledger (R32)",
		func(ctx SpecContext, byName bool) {
			w := world.New(ctx, fixture.Plane)
			line := w.Line()
			w.Login(ctx)
			names := []string{"first", "second", "third", "fourth"}
			if byName {
				Expect(w.Create(ctx, w.Service(site, line, fixture.Suspended(true)))).To(Succeed())
			}
			for _, name := range names {
				Expect(w.Create(ctx, w.Test(name, line, func(test *v1alpha1.DiagnosticTest) {
					if byName {
						test.Spec.ServiceID, test.Spec.ServiceRef = "", &v1alpha1.ServiceReference{Name: site}
					}
				}))).To(Succeed())
			}
			manager := w.Manage(ctx, fixture.User)
			for _, name := range names {
				Eventually(ctx, func() metav1.ConditionStatus {
					manager.AdvanceWhenIdle(2 * time.Second)
					return fixture.ReadyOf(read(ctx, w, name)).Status
				}).WithPolling(50*time.Millisecond).WithTimeout(time.Minute).Should(Equal(metav1.ConditionTrue), name)
			}
			Expect(fixture.Tests().Posts(w)).To(Equal(len(names)))
		},
		Entry("by the number of the service", false),
		Entry("by the name of the service", true),
	)

	It("continue when the object of the one in progress is deleted without its finalizer (R22)", func(ctx SpecContext) {
		w, _, _ := two(ctx)
		manager := w.Manage(ctx, fixture.User)
		Eventually(ctx, reason).WithArguments(ctx, w, "second").WithTimeout(time.Minute).Should(Equal(waitsForLane))
		forceOff(ctx, w)
		Eventually(ctx, func() string { return fixture.ReadyOf(read(ctx, w, "second")).Message }).WithTimeout(time.Minute).
			Should(ContainSubstring("of a deleted test of this service"))
		Eventually(ctx, func() metav1.ConditionStatus {
			manager.AdvanceWhenIdle(2 * time.Second)
			return fixture.ReadyOf(read(ctx, w, "second")).Status
		}).WithPolling(50 * time.Millisecond).WithTimeout(time.Minute).Should(Equal(metav1.ConditionTrue))
		Expect(fixture.Tests().Posts(w)).To(Equal(2))
	})
})
