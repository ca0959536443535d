// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"context"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// listed is a world whose carrier has some extensions, with an account that uses TestTypes.
type listed struct {
	*world.World

	process *world.Process
	line    int64
}

func beginListed(ctx SpecContext, extensions ...string) *listed {
	GinkgoHelper()
	w := world.New(ctx, fixture.Plane, func(seed *simulator.Seed) { seed.Extensions = extensions })
	w.Login(ctx, func(a *v1alpha1.CarrierAccount) {
		a.Spec.APIVersion = 7
		a.Spec.Extensions = []v1alpha1.Extension{v1alpha1.ExtensionTestTypes}
	})
	l := &listed{World: w, process: w.Start(world.CrashPoint{}), line: w.Line()}
	l.reconcileAccount(ctx)
	return l
}

func (l *listed) reconcileAccount(ctx context.Context) {
	GinkgoHelper()
	_, err := l.process.ReconcileAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
}

// run creates a test of a type, and reconciles it until it rests.
func (l *listed) run(ctx SpecContext, testType string, edits ...func(*v1alpha1.DiagnosticTest)) {
	GinkgoHelper()
	edits = append(edits, func(test *v1alpha1.DiagnosticTest) { test.Spec.TestType = testType })
	Expect(l.Create(ctx, l.Test(fixture.Once, l.line, edits...))).To(Succeed())
	Expect(l.process.DriveOneShot(ctx, fixture.Tests().Shot())).To(BeTrue())
}

// reads counts the reads of the test types.
func (l *listed) reads() int {
	count := 0
	for _, call := range l.Carrier.Calls() {
		if strings.HasSuffix(call.Path, "/diagnostic-tests/options") {
			count++
		}
	}
	return count
}

// extensions is the condition of the account about its extensions.
func (l *listed) extensions(ctx SpecContext) metav1.Condition {
	GinkgoHelper()
	l.reconcileAccount(ctx)
	account := &v1alpha1.CarrierAccount{}
	Expect(l.Get(ctx, client.ObjectKey{Namespace: l.Namespace, Name: world.AccountName}, account)).To(Succeed())
	return world.Condition(account.Status.Conditions, v1alpha1.ConditionExtensions)
}

var _ = Describe("A diagnostic test, where the carrier says which tests it offers", func() {
	It("is sent if its type is offered", func(ctx SpecContext) {
		l := beginListed(ctx, simulator.ExtensionTestTypes)
		l.run(ctx, "line-state")
		fixture.Tests().Expect(ctx, l.World, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(l.reads()).To(Equal(1))
		Expect(fixture.Tests().Posts(l.World)).To(Equal(1))
		Expect(l.extensions(ctx).Status).To(Equal(metav1.ConditionTrue))
	})

	It("ends unsent if its type is not offered, for good, whatever happens to the account", func(ctx SpecContext) {
		l := beginListed(ctx, simulator.ExtensionTestTypes)
		l.run(ctx, "mistyped", func(test *v1alpha1.DiagnosticTest) { test.Spec.TTLAfterFinished = "1h" })
		ended := fixture.Tests().Expect(ctx, l.World, metav1.ConditionFalse, v1alpha1.ReasonTestTypeNotOffered)
		Expect(fixture.ReadyOf(ended).Message).To(And(
			ContainSubstring(`"mistyped"`), ContainSubstring("port-reset, line-state, ")))

		l.process = l.Start(world.CrashPoint{})
		l.reconcileAccount(ctx)
		_, err := l.process.ReconcileOneShot(ctx, fixture.Tests().Shot())
		Expect(err).NotTo(HaveOccurred())
		kept := fixture.Tests().Expect(ctx, l.World, metav1.ConditionFalse, v1alpha1.ReasonTestTypeNotOffered)
		Expect(kept.GetResourceVersion()).To(Equal(ended.GetResourceVersion()))
		By("breaking the account, and removing the extension")
		l.process = l.Start(world.CrashPoint{})
		fixture.EditAccount(ctx, l.World, func(a *v1alpha1.CarrierAccount) {
			a.Spec.Extensions, a.Spec.Auth.Keys[0].PrivateKeySecretRef.Name = nil, "missing"
		})
		l.reconcileAccount(ctx)
		Expect(l.process.DriveOneShot(ctx, fixture.Tests().Shot())).To(BeTrue())
		kept = fixture.Tests().Expect(ctx, l.World, metav1.ConditionFalse, v1alpha1.ReasonTestTypeNotOffered)
		Expect(kept.GetResourceVersion()).To(Equal(ended.GetResourceVersion()))
		Expect(l.reads()).To(Equal(1))
		Expect(fixture.Tests().Posts(l.World)).To(BeZero())

		l.Clock.Advance(time.Hour)
		_, err = l.process.ReconcileOneShot(ctx, fixture.Tests().Shot())
		Expect(err).NotTo(HaveOccurred())
		Expect(fixture.Tests().Read(ctx, l.World)).To(BeNil(), "it has ended, so it is deleted after its ttlAfterFinished")
	})

	DescribeTable("is sent all the same if the carrier refuses to say, which the account shows once",
		func(ctx SpecContext, extensions []string, refusals ...simulator.Fault) {
			l := beginListed(ctx, extensions...)
			l.Provokes(simulator.RulePath)
			for _, refusal := range refusals {
				Expect(l.Carrier.FailNext("GET TestTypes", refusal)).To(Succeed())
			}
			l.run(ctx, "line-state")
			fixture.Tests().Expect(ctx, l.World, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			Expect(l.reads()).To(Equal(1))
			Expect(fixture.Tests().Posts(l.World)).To(Equal(1))
			shown := l.extensions(ctx)
			Expect(string(shown.Status)+"/"+shown.Reason).To(Equal("False/"+v1alpha1.ReasonExtensionUnavailable), shown.Message)
			Expect(shown.Message).To(ContainSubstring("TestTypes"))
			Expect(fixture.AccountReady(ctx, l.World).Status).To(Equal(metav1.ConditionTrue))

			written := l.ReadAccount(ctx).ResourceVersion
			for range 3 {
				l.Clock.Advance(time.Hour)
				Expect(l.process.DriveOneShot(ctx, fixture.Tests().Shot())).To(BeTrue())
			}
			Expect(l.reads()).To(Equal(1), "it is done, and asked about no more")
			Expect(fixture.Tests().Posts(l.World)).To(Equal(1))
			Expect(l.extensions(ctx)).To(Equal(shown))
			Expect(l.ReadAccount(ctx).ResourceVersion).To(Equal(written))
		},
		Entry("because it does not have the call", nil),
		Entry("with a 404", []string{simulator.ExtensionTestTypes}, fixture.AnswerStatus(404)),
		Entry("with a 405", []string{simulator.ExtensionTestTypes}, fixture.AnswerStatus(405)),
		Entry("with a 403", []string{simulator.ExtensionTestTypes}, fixture.AnswerStatus(403)),
		Entry("with a 400", []string{simulator.ExtensionTestTypes}, fixture.AnswerStatus(400)),
		Entry("with something else", []string{simulator.ExtensionTestTypes},
			simulator.Fault{Kind: simulator.FaultBody, Status: 200, Body: `{"tests":["port-reset"]}`}),
	)

	It("asks for the next test again, because the refusal may have been about one service", func(ctx SpecContext) {
		l := beginListed(ctx, simulator.ExtensionTestTypes)
		Expect(l.Carrier.FailNext("GET TestTypes", fixture.AnswerStatus(404))).To(Succeed())
		l.run(ctx, "line-state")
		fixture.Tests().Expect(ctx, l.World, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(l.extensions(ctx).Status).To(Equal(metav1.ConditionFalse))
		Expect(l.Delete(ctx, fixture.Tests().Read(ctx, l.World))).To(Succeed())
		Expect(l.process.DriveOneShot(ctx, fixture.Tests().Shot())).To(BeTrue())
		l.line = l.Line()
		l.run(ctx, "mistyped")
		fixture.Tests().Expect(ctx, l.World, metav1.ConditionFalse, v1alpha1.ReasonTestTypeNotOffered)
		Expect(l.reads()).To(Equal(2))
		Expect(fixture.Tests().Posts(l.World)).To(Equal(1))
		Expect(l.extensions(ctx).Status).To(Equal(metav1.ConditionTrue))
	})

	It("is sent all the same if the carrier fails three times, which proves nothing", func(ctx SpecContext) {
		l := beginListed(ctx, simulator.ExtensionTestTypes)
		for range 3 {
			Expect(l.Carrier.FailNext("GET TestTypes", fixture.AnswerStatus(503))).To(Succeed())
		}
		l.run(ctx, "line-state")
		fixture.Tests().Expect(ctx, l.World, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(l.reads()).To(Equal(3))
		Expect(fixture.Tests().Posts(l.World)).To(Equal(1))
		Expect(l.extensions(ctx).Type).To(BeEmpty())
	})

	It("is sent without asking if the account does not have the extension", func(ctx SpecContext) {
		l := beginListed(ctx, simulator.ExtensionTestTypes)
		fixture.EditAccount(ctx, l.World, func(a *v1alpha1.CarrierAccount) { a.Spec.Extensions = nil })
		l.reconcileAccount(ctx)
		l.run(ctx, "mistyped")
		fixture.Tests().Expect(ctx, l.World, metav1.ConditionFalse, v1alpha1.ReasonCarrierRejected)
		Expect(l.reads()).To(BeZero())
		Expect(fixture.Tests().Posts(l.World)).To(Equal(1))
		Expect(l.extensions(ctx).Type).To(BeEmpty())
	})
})
