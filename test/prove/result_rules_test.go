// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// alterNext makes the carrier answer the next request of an operation with another result.
func (s *scriptedRun) alterNext(operation v1alpha1.Operation, fault simulator.Fault, merge string) {
	fault.Merge = json.RawMessage(merge)
	must(s.world.Carrier.FailNext("POST "+string(operation), fault))
}

// annotateAndNotify sets an annotation as a person would.
func (s *scriptedRun) annotateAndNotify(t *testing.T, annotation, value string) {
	t.Helper()
	s.edit(t.Context(), func(subject Subject) { annotate(subject, annotation, value) })
	s.notifyManagers()
}

// A result that states another value than requested is not sent again for a newer spec, to correct
// drift, or by another process. A person can request it once more.
func TestAResultWithAnotherValueIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		operation v1alpha1.Operation
		merge     string
	}{
		{v1alpha1.OperationAggregationConversion, `{"convertTo":"L2TP"}`},
		{v1alpha1.OperationDSLStabilityProfileChange, `{"dslStabilityProfile":"Standard"}`},
	} {
		operation := row.operation
		t.Run(string(operation), func(t *testing.T) {
			t.Parallel()
			runScript(t, operation, 1, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.alterNext(operation, simulator.Fault{Kind: simulator.FaultAlterResult}, row.merge)
				s.expectPosted(t, operation, 1, v1alpha1.ReasonResultDiffers)
				s.edit(t.Context(), func(subject Subject) {
					if service, is := subject.(*v1alpha1.BroadbandService); is {
						service.Spec.DriftPolicy = v1alpha1.DriftCorrect
					}
				})
				s.restart()
				s.expectPosted(t, operation, 1, v1alpha1.ReasonResultDiffers)
				s.annotateAndNotify(t, v1alpha1.AnnotationRetry, s.subject().Record().RequestOf(operation).AttemptID)
				s.expectPosted(t, operation, 2, v1alpha1.ReasonInSync)
			})
		})
	}
}

// A plan change whose result and health spell the plan in another way is not bought again. Only a
// person knows whether it is the requested one.
func TestAResultInAnotherSpellingIsNotBoughtAgain(t *testing.T) {
	t.Parallel()
	runScriptOf(t, spelledDifferently(), 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		const changing = v1alpha1.OperationPlanChange
		s.alterNext(changing, simulator.Fault{Kind: simulator.FaultAlterResult},
			`{"plan":{"plan":"Access `+world.PlanFast+`"}}`)
		s.expectPosted(t, changing, 0, v1alpha1.ReasonAwaitingApproval)
		s.approve(t.Context())
		s.expectPosted(t, changing, 1, v1alpha1.ReasonResultDiffers)
		s.edit(t.Context(), func(subject Subject) {
			if service, is := subject.(*v1alpha1.BroadbandService); is {
				service.Spec.DriftPolicy, service.Spec.UnknownValues = v1alpha1.DriftCorrect, v1alpha1.UnknownRequest
			}
		})
		s.restart()
		s.expectPosted(t, changing, 1, v1alpha1.ReasonResultDiffers)
		s.annotateAndNotify(t, v1alpha1.AnnotationTrust, s.subject().Record().RequestOf(changing).AttemptID)
		s.expectPosted(t, changing, 1, v1alpha1.ReasonInSync)
		s.restart()
		s.expectPosted(t, changing, 1, v1alpha1.ReasonInSync)
	})
}

// A result that says that the request is in progress is read again, until it says something else.
func TestAResultThatSaysItIsInProgressIsReadAgain(t *testing.T) {
	t.Parallel()
	for _, operation := range []v1alpha1.Operation{
		v1alpha1.OperationPlanChange, v1alpha1.OperationAggregationConversion,
		v1alpha1.OperationDSLStabilityProfileChange, v1alpha1.OperationReclaim,
	} {
		for _, status := range []string{"OPEN", "IN_PROGRESS", "IN_ERROR_RETRY"} {
			t.Run(string(operation)+" that is "+status, func(t *testing.T) {
				t.Parallel()
				runScript(t, operation, 1, func(t *testing.T, s *scriptedRun) {
					t.Helper()
					const reads = 3
					s.alterNext(operation, simulator.Fault{Kind: simulator.FaultAlterResult, Reads: reads}, `{"status":"`+status+`"}`)
					s.expectPosted(t, operation, 1, v1alpha1.ReasonInSync)
					if polls := s.polls(operation); polls <= reads {
						t.Errorf("the result was read %d times", polls)
					}
				})
			})
		}
	}
}

// polls counts the reads of results of an operation.
func (s *scriptedRun) polls(operation v1alpha1.Operation) int {
	count := 0
	for _, call := range s.world.Carrier.Calls() {
		if call.Method == http.MethodGet && string(call.Operation) == string(operation) {
			count++
		}
	}
	return count
}

// A health reading that says that it failed does not show that the service has the wanted plan.
func TestAHealthReadingThatSaysItFailedShowsNoPlan(t *testing.T) {
	t.Parallel()
	runScript(t, v1alpha1.OperationPlanChange, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.alterNext(v1alpha1.OperationHealth, simulator.Fault{Kind: simulator.FaultAlterResult},
			`{"status":"FAILED","plan":"`+world.PlanFast+`"}`)
		s.expectPosted(t, v1alpha1.OperationPlanChange, 1, v1alpha1.ReasonInSync)
	})
	runScript(t, v1alpha1.OperationHealth, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.alterNext(v1alpha1.OperationHealth, simulator.Fault{Kind: simulator.FaultAlterResult}, `{"status":"FAILED"}`)
		s.expectPosted(t, v1alpha1.OperationHealth, 1, v1alpha1.ReasonCarrierRejected)
	})
}

// An accepted order that shows another value than ordered is reported, also after a restart, until a
// person confirms it. It is not sent again.
func TestAnOrderWithAnotherValueIsReported(t *testing.T) {
	t.Parallel()
	const ordering = v1alpha1.OperationOrderCreate
	runScript(t, ordering, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.alterNext(ordering, simulator.Fault{Kind: simulator.FaultAlter}, `{"aggregationMethod":"ETHERNET"}`)
		s.expectPosted(t, ordering, 1, v1alpha1.ReasonResultDiffers)
		s.restart()
		s.expectPosted(t, ordering, 1, v1alpha1.ReasonResultDiffers)
		s.annotateAndNotify(t, v1alpha1.AnnotationResolve, s.subject().Record().RequestOf(ordering).AttemptID+"=Succeeded")
		s.expectPosted(t, ordering, 1, v1alpha1.ReasonSubmitted)
	})
}
