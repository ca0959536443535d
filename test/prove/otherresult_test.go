// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"encoding/json"
	"net/http"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// faultsAt returns all faults that are possible at an effect of the scenario.
func (e *Enumeration) faultsAt(effect Effect) []FaultKind {
	all, operation := faults(effect.Op), e.Scenario.Operation
	contract, _ := carrier.ContractOf(carrier.Operation(operation))
	if effect.What != http.MethodPost+" "+contract.SubmitPath {
		return all
	}
	// The others may be sent again, or the simulated carrier accepts both copies.
	if operation == v1alpha1.OperationAggregationConversion || operation == v1alpha1.OperationDiagnosticTest {
		all = append(all, Doubled)
	}
	if otherResult(operation) != "" {
		all = append(all, OtherResult)
	}
	return all
}

// otherResult returns what differs in the result of an operation: another value than any scenario
// requests, or for a plan another spelling; "" if its result states no value.
func otherResult(operation v1alpha1.Operation) string {
	switch operation { //nolint:exhaustive // the results of the others state no value
	case v1alpha1.OperationPlanChange:
		return `{"plan":{"plan":"Access ` + world.PlanFast + `"}}`
	case v1alpha1.OperationAggregationConversion:
		return `{"convertTo":"L2TP"}`
	case v1alpha1.OperationDSLStabilityProfileChange:
		return `{"dslStabilityProfile":"Standard"}`
	}
	return ""
}

// alterResult changes the carrier's result of the next request of the scenario. A person has to
// decide, so the object need not become Ready.
func (r *run) alterResult() {
	operation := r.plan.Scenario.Operation
	must(r.world.Carrier.FailNext(http.MethodPost+" "+string(operation), simulator.Fault{
		Kind: simulator.FaultAlterResult, Merge: json.RawMessage(otherResult(operation)),
	}))
	r.requestRefused = true
}
