// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The carrier has ended the test, so no resolve annotation applies: reading its result again has to
// end by itself (R3).
var _ = DescribeTable("A completed test whose status is lost stays done, and its result is given up",
	func(ctx SpecContext, fault simulator.Fault, lasts time.Duration, message string) {
		w, process := fixture.Begin(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.Polling.Max = "8h" })
		const longest = 8 * time.Hour * 5 / 4 // pauses are stretched by up to a quarter
		Expect(w.Create(ctx, fixture.Tests().Build(w, w.Line()))).To(Succeed())
		fixture.Tests().Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		test, _ := world.Fetch(ctx, w, fixture.Once, &v1alpha1.DiagnosticTest{})
		ledger := fixture.TestsLedger(ctx, w, test.Spec.ServiceID.Number())
		test.Status = v1alpha1.DiagnosticTestStatus{}
		Expect(w.Status().Update(ctx, test)).To(Succeed())
		fault.Times = 10000
		Expect(w.Carrier.FailNext("GET DiagnosticTest", fault)).To(Succeed())
		lost := w.Clock.Now()
		ready := fixture.ReadyOf(fixture.Tests().Until(ctx, w, process, v1alpha1.ReasonCompleted))
		Expect(w.Clock.Now().Sub(lost)).To(And(BeNumerically(">=", lasts), BeNumerically("<=", lasts+longest)))
		Expect(ready.Message).To(And(ContainSubstring("its response was lost"), ContainSubstring(message)))
		Expect(fixture.TestsLedger(ctx, w, test.Spec.ServiceID.Number())).To(Equal(ledger))
		Expect(fixture.Tests().Posts(w)).To(Equal(1))
	},
	Entry("if it is not the result of a test",
		simulator.Fault{Kind: simulator.FaultBody, Status: 200, Body: `[]`}, time.Duration(0), "DiagnosticTest"),
	Entry("if it is about another service",
		simulator.Fault{Kind: simulator.FaultBody, Status: 200, Body: `{"serviceId":1}`}, time.Duration(0),
		"a test of service 1"),
	Entry("if the carrier answers for a day that it is in progress",
		simulator.Fault{Kind: simulator.FaultBody, Status: 202}, 24*time.Hour, "for a day that the request is in progress"),
	Entry("if the carrier answers for a day with a page",
		simulator.Fault{Kind: simulator.FaultBody, Status: 200, Body: "<html>"}, 24*time.Hour, "not one JSON document"),
)
