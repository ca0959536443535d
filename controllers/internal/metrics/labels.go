// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// The labels that several metrics have.
const (
	labelOperation = "operation"
	labelOutcome   = "outcome"
	labelKind      = "kind"
	labelPhase     = "phase"
)

// operations returns the names of all operations.
func operations() []string {
	var names []string
	for contract := range carrier.Contracts() {
		names = append(names, string(contract.Operation))
	}
	return names
}

// responseLost is an outcome of a POST and a label for a phase, but no phase itself.
const responseLost = "ResponseLost"

// openPhases returns the labels for the phases of a request that has not ended.
func openPhases() []string {
	return []string{
		string(v1alpha1.PhaseSubmitting), responseLost, string(v1alpha1.PhaseInProgress),
		string(v1alpha1.PhaseOutcomeUnknown), string(v1alpha1.PhaseLateAcceptance),
	}
}

// kinds returns the kinds that users apply.
func kinds() []string {
	return []string{
		"CarrierAccount", "BroadbandService", "ServiceOrder", "AppointmentRequest", "DiagnosticTest", "FibreBuildQuote",
		"PlanOptionsQuery", "HealthCheck",
	}
}
