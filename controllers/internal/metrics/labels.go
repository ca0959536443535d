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

// openPhases returns the phases of a request that has not ended.
func openPhases() []v1alpha1.RequestPhase {
	return []v1alpha1.RequestPhase{
		v1alpha1.PhaseSubmitting, v1alpha1.PhaseInProgress, v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseLateAcceptance,
	}
}

// kinds returns the kinds that users apply.
func kinds() []string {
	return []string{
		"CarrierAccount", "BroadbandService", "ServiceOrder", "AppointmentRequest", "DiagnosticTest", "FibreBuildQuote",
		"PlanOptionsQuery", "HealthCheck",
	}
}
