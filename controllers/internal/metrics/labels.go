// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

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

// responseLost is an outcome of a POST and a value of the label phase, but not a phase.
const responseLost = "ResponseLost"

// openPhases returns the labels for the phases of a request that has not ended.
func openPhases() []string {
	return []string{
		string(v1alpha1.PhaseSubmitting), responseLost, string(v1alpha1.PhaseInProgress),
		string(v1alpha1.PhaseOutcomeUnknown), string(v1alpha1.PhaseLateAcceptance),
	}
}

// Kinds returns the kinds that users apply, each with an empty list of its objects.
func Kinds() map[string]client.ObjectList {
	return map[string]client.ObjectList{
		"CarrierAccount":     &v1alpha1.CarrierAccountList{},
		"BroadbandService":   &v1alpha1.BroadbandServiceList{},
		"ServiceOrder":       &v1alpha1.ServiceOrderList{},
		"AppointmentRequest": &v1alpha1.AppointmentRequestList{},
		"DiagnosticTest":     &v1alpha1.DiagnosticTestList{},
		"FibreBuildQuote":    &v1alpha1.FibreBuildQuoteList{},
		"PlanOptionsQuery":   &v1alpha1.PlanOptionsQueryList{},
		"HealthCheck":        &v1alpha1.HealthCheckList{},
	}
}

// The reasons of objects without a known one.
const (
	reasonNone  = "None"  // the object has no condition Ready
	reasonOther = "Other" // a reason that this version does not know
)

// knownReasons limits a label to the reasons of this version.
type knownReasons map[string]bool

func newKnownReasons() knownReasons {
	known := knownReasons{}
	for _, reason := range reasons() {
		known[reason] = true
	}
	return known
}

func (k knownReasons) label(reason string) string {
	if k[reason] {
		return reason
	}
	return reasonOther
}

// reasons returns the reasons of conditions, in alphabetical order. A test compares them with the
// constants of the API.
func reasons() []string {
	return []string{
		v1alpha1.ReasonAPIServerRefused, v1alpha1.ReasonAVCIDNotAllowed, v1alpha1.ReasonAbandoned,
		v1alpha1.ReasonAccountNotReady, v1alpha1.ReasonAggregationConversionFailed, v1alpha1.ReasonAnotherTestInProgress,
		v1alpha1.ReasonAnswering, v1alpha1.ReasonAwaitingApproval, v1alpha1.ReasonBreakerOpen,
		v1alpha1.ReasonCancellationNotRequested, v1alpha1.ReasonCancelled, v1alpha1.ReasonCarrierHold,
		v1alpha1.ReasonCarrierRejected, v1alpha1.ReasonCarrierUnavailable, v1alpha1.ReasonChangeInProgress,
		v1alpha1.ReasonChargeLimit, v1alpha1.ReasonClockSkew, v1alpha1.ReasonCompleted, v1alpha1.ReasonConflict,
		v1alpha1.ReasonConnected, v1alpha1.ReasonContactRequired, v1alpha1.ReasonDSLChangeFailed,
		v1alpha1.ReasonDSLChangeInProgress, v1alpha1.ReasonDateInPast, v1alpha1.ReasonDiagnosticTestFailed,
		v1alpha1.ReasonDiagnosticTestTimedOut, v1alpha1.ReasonDisruptionActive, v1alpha1.ReasonDrifted,
		v1alpha1.ReasonExpired, v1alpha1.ReasonExtensionUnavailable, v1alpha1.ReasonFibreBuildQuoteFailed,
		v1alpha1.ReasonHandleLost, v1alpha1.ReasonHealthGood, v1alpha1.ReasonHealthImpaired, v1alpha1.ReasonHealthNotRated,
		v1alpha1.ReasonInSync, v1alpha1.ReasonInsecureCarrier, v1alpha1.ReasonInvalid, v1alpha1.ReasonInvalidFormat,
		v1alpha1.ReasonKeyInvalid, v1alpha1.ReasonLateAcceptance, v1alpha1.ReasonLedgerDeleting, v1alpha1.ReasonLedgerLost,
		v1alpha1.ReasonLedgerUnreadable, v1alpha1.ReasonNTDOptionRequired, v1alpha1.ReasonNewInstallation,
		v1alpha1.ReasonNoDisruption, v1alpha1.ReasonNotEligibleForCancellation, v1alpha1.ReasonNotEligibleForReclaim,
		v1alpha1.ReasonNotFoundOrForbidden, v1alpha1.ReasonNotOffered, v1alpha1.ReasonObserving,
		v1alpha1.ReasonOrderDiffers, v1alpha1.ReasonOrderGone, v1alpha1.ReasonOrderNotPossible,
		v1alpha1.ReasonOrderNotReady, v1alpha1.ReasonOrderRejected, v1alpha1.ReasonOutcomeUnknown, v1alpha1.ReasonOverdue,
		v1alpha1.ReasonPlanChangeFailed, v1alpha1.ReasonPlanNameInvalid, v1alpha1.ReasonPlanUnknown,
		v1alpha1.ReasonPlanned, v1alpha1.ReasonPolicyMissing, v1alpha1.ReasonProgressing, v1alpha1.ReasonReclaimFailed,
		v1alpha1.ReasonRequestInvalid, v1alpha1.ReasonRequiredFieldMissing, v1alpha1.ReasonResultDiffers,
		v1alpha1.ReasonSecretNotFound, v1alpha1.ReasonServiceNotReady, v1alpha1.ReasonServiceNotTC4,
		v1alpha1.ReasonStatusLost, v1alpha1.ReasonSubmitted, v1alpha1.ReasonSuspended, v1alpha1.ReasonTermUnknown,
		v1alpha1.ReasonTestTypeNotOffered, v1alpha1.ReasonTokenIssued, v1alpha1.ReasonTokenNotAccepted,
		v1alpha1.ReasonTokenRejected, v1alpha1.ReasonTokenTooShort, v1alpha1.ReasonTransferTypeNotAllowed,
		v1alpha1.ReasonUnanswered, v1alpha1.ReasonUnreachable, v1alpha1.ReasonUnsupportedByAPIVersion,
	}
}
