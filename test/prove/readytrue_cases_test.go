// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// declaring edits what an object of a kind declares, after it was Ready.
func declaring[T Subject](edit func(T)) func(*scriptedRun, Subject) {
	return func(_ *scriptedRun, subject Subject) {
		if object, is := subject.(T); is {
			edit(object)
		}
	}
}

// showing gives the service another cancellation at the carrier.
func showing(held *simulator.Cancellation) func(*scriptedRun, Subject) {
	return func(s *scriptedRun, _ Subject) { must(s.world.Carrier.SetCancellation(lineID, held)) }
}

// forgotten makes the carrier have accepted no request.
func forgotten(s *scriptedRun, _ Subject) {
	for _, sent := range s.sent {
		sent.accepted = false
	}
}

// TestReadyIsComparedWithTheCarrier checks that invariant 33 holds for objects that are Ready, and
// is violated if the carrier has something else.
func TestReadyIsComparedWithTheCarrier(t *testing.T) {
	t.Parallel()
	converted := func(s *scriptedRun, _ Subject) {
		must(s.world.Carrier.ModifyElsewhere(simulator.Modification{
			ServiceID: lineID, Operation: simulator.OpAggregationConversion, AggregationMethod: "L2TP",
		}))
	}
	cheaper := func(s *scriptedRun, _ Subject) { must(s.world.Carrier.SetPlan(lineID, world.PlanCheap)) }
	for _, test := range []struct {
		operation v1alpha1.Operation
		falsify   func(*scriptedRun, Subject)
	}{
		{v1alpha1.OperationPlanChange, cheaper},
		{v1alpha1.OperationAggregationConversion, converted},
		{v1alpha1.OperationCancellationReschedule, showing(nil)},
		{
			v1alpha1.OperationCancellationAbort,
			showing(&simulator.Cancellation{Status: "IN_ERROR", RequestDate: newDate}),
		},
		{v1alpha1.OperationReclaim, showing(&simulator.Cancellation{Status: "COMPLETED", RequestDate: oldDate})},
		{
			v1alpha1.OperationOrderCreate,
			declaring(func(order *v1alpha1.ServiceOrder) { order.Spec.PlanName = world.PlanCheap }),
		},
		{
			v1alpha1.OperationAppointmentSlots,
			declaring(func(visit *v1alpha1.AppointmentRequest) { visit.Spec.DateFrom = "2026-03-16" }),
		},
		{v1alpha1.OperationDiagnosticTest, func(_ *scriptedRun, subject Subject) { subject.SetUID("another") }},
		{v1alpha1.OperationHealth, declaring(func(check *v1alpha1.HealthCheck) { check.Spec.ServiceID = "1" })},
		{v1alpha1.OperationFibreBuildCharge, forgotten},
		{v1alpha1.OperationPlanOptions, forgotten},
	} {
		t.Run(string(test.operation), func(t *testing.T) {
			t.Parallel()
			runScript(t, test.operation, 1, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.drive(t.Context())
				subject := s.subject()
				if why := s.falselyReady(subject, false); why != "" || !isReady(subject) {
					t.Fatalf("it is not Ready, or %q", why)
				}
				test.falsify(s, subject)
				if s.falselyReady(subject, false) == "" {
					t.Error("nothing is noticed")
				}
			})
		})
	}
}

func isReady(subject Subject) bool {
	_, ready, _ := stateOf(subject)
	return ready
}

// TestOnlyWhatTheMessageSaysIsExcused changes a value at the carrier that the message of Ready calls
// trusted, unknown, or shown as another one by health.
func TestOnlyWhatTheMessageSaysIsExcused(t *testing.T) {
	t.Parallel()
	const trusted, unknown = " trusted as declared, but never confirmed by the carrier",
		" not known, because the carrier's API cannot report this"
	for message, test := range map[string]struct{ somebodyTrusts, excused bool }{
		"plan read on 2026-03-02":                                                 {true, false},
		"term set on 2026-03-02; plan" + trusted:                                  {true, true},
		"restoration SLA and plan" + trusted + "; term" + unknown:                 {true, true},
		"plan" + trusted:                                                          {false, false},
		"restoration SLA" + trusted:                                               {true, false},
		"term, plan and restoration SLA" + unknown:                                {false, true},
		`plan set on 2026-03-02 (health shows it as "Home 25/5"); term` + unknown: {false, true},
		`plan set on 2026-03-02 (health shows it as "Home 50/20")`:                {false, false},
	} {
		runScript(t, v1alpha1.OperationPlanChange, 1, func(t *testing.T, s *scriptedRun) {
			t.Helper()
			s.drive(t.Context())
			must(s.world.Carrier.SetPlan(lineID, world.PlanCheap))
			subject := s.subject()
			conditions, _ := subject.Describes()
			meta.FindStatusCondition(*conditions, v1alpha1.ConditionReady).Message = message
			if test.somebodyTrusts {
				s.firstAt[Trusted] = 1
			}
			if why := s.falselyReady(subject, false); (why == "") != test.excused {
				t.Errorf("%s: %q", message, why)
			}
		})
	}
}
