// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// reasonBySubError maps a sub-error code, which has dots and dashes, to the reason of a condition.
func reasonBySubError() map[carrier.SubErrorCode]string {
	return map[carrier.SubErrorCode]string{
		carrier.SubServiceNotTC4:             v1alpha1.ReasonServiceNotTC4,
		carrier.SubAggregationFailed:         v1alpha1.ReasonAggregationConversionFailed,
		carrier.SubPlanNameInvalid:           v1alpha1.ReasonPlanNameInvalid,
		carrier.SubPlanChangeInError:         v1alpha1.ReasonPlanChangeFailed,
		carrier.SubDSLChangeInProgress:       v1alpha1.ReasonDSLChangeInProgress,
		carrier.SubDSLChangeInError:          v1alpha1.ReasonDSLChangeFailed,
		carrier.SubFibreBuildInError:         v1alpha1.ReasonFibreBuildQuoteFailed,
		carrier.SubPattern:                   v1alpha1.ReasonInvalidFormat,
		carrier.SubNotEligibleForReclaim:     v1alpha1.ReasonNotEligibleForReclaim,
		carrier.SubReclaimInError:            v1alpha1.ReasonReclaimFailed,
		carrier.SubNotNull:                   v1alpha1.ReasonRequiredFieldMissing,
		carrier.SubDateFutureOrPresent:       v1alpha1.ReasonDateInPast,
		carrier.SubCancellationNotRequested:  v1alpha1.ReasonCancellationNotRequested,
		carrier.SubNotEligibleForCancelling:  v1alpha1.ReasonNotEligibleForCancellation,
		carrier.SubDiagnosticTestTimedOut:    v1alpha1.ReasonDiagnosticTestTimedOut,
		carrier.SubDiagnosticTestInError:     v1alpha1.ReasonDiagnosticTestFailed,
		carrier.SubAVCIDNotRequired:          v1alpha1.ReasonAVCIDNotAllowed,
		carrier.SubTransferTypeNotRequired:   v1alpha1.ReasonTransferTypeNotAllowed,
		carrier.SubTechnologyTypeUnavailable: v1alpha1.ReasonCarrierRejected,
	}
}

// ReasonFor returns the reason why a request is not sent again automatically.
func ReasonFor(last *v1alpha1.Request) string {
	switch {
	case exhausted(last), last.Error != nil && last.Error.Code == v1alpha1.ReasonUnanswered:
		return v1alpha1.ReasonUnanswered
	case last.Phase == v1alpha1.PhaseAbandoned:
		return v1alpha1.ReasonAbandoned // nobody has rejected it
	}
	return ReasonOf(last.Error)
}

// ReasonOf returns the reason of a definitive failure; nil for one without an error.
func ReasonOf(err *v1alpha1.RequestError) string {
	if err == nil {
		return v1alpha1.ReasonCarrierRejected
	}
	if reason, known := reasonBySubError()[carrier.SubErrorCode(err.Code)]; known {
		return reason
	}
	if err.Code == v1alpha1.ReasonResultDiffers {
		return v1alpha1.ReasonResultDiffers
	}
	if endsInProgress(err.Code) {
		return v1alpha1.ReasonChangeInProgress
	}
	switch err.HTTPStatus {
	case 403, 404:
		return v1alpha1.ReasonNotFoundOrForbidden
	case 400, 405, 406, 413, 414, 415:
		return v1alpha1.ReasonRequestInvalid
	}
	return v1alpha1.ReasonCarrierRejected
}

// Unusable is the error of a query that the carrier has answered with a result that cannot be read.
func Unusable(err error) *v1alpha1.RequestError {
	return &v1alpha1.RequestError{Code: v1alpha1.ReasonUnanswered, Message: RequestErrorOf(err).Message}
}

// UnknownReason returns the reason for an unknown outcome. Some causes have a reason of their own.
func UnknownReason(err *v1alpha1.RequestError) string {
	named := []string{v1alpha1.ReasonStatusLost, v1alpha1.ReasonLedgerLost, v1alpha1.ReasonHandleLost}
	if err != nil && slices.Contains(named, err.Code) {
		return err.Code
	}
	return v1alpha1.ReasonOutcomeUnknown
}
