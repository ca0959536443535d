// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// RequestErrorOf returns a carrier's error as a status shows it: the deciding sub-error unchanged,
// and all of them in the message.
func RequestErrorOf(err error) *v1alpha1.RequestError {
	fault, isCarriers := errors.AsType[*carrier.Error](err)
	if !isCarriers || fault == nil {
		return Because(ErrorText(err))
	}
	deciding := decidingSubError(fault.SubErrors)
	described := &v1alpha1.RequestError{
		HTTPStatus:    int32(min(fault.HTTPStatus, math.MaxInt32)), //nolint:gosec // bounded just here
		Type:          Bounded(string(fault.Type), 128),
		Code:          Bounded(cmp.Or(string(deciding.Code), string(fault.Code)), 200),
		Field:         Bounded(deciding.Field, 200),
		RejectedValue: Bounded(deciding.RejectedValue, 200),
		CarrierTime:   Bounded(fault.Timestamp, 64),
		Message:       ErrorText(fault),
	}
	if deciding.Code != "" {
		described.Message = subErrorsText(deciding, fault.SubErrors)
	}
	return described
}

// subErrorsText describes the deciding sub-error without its code, and then the others, so that the
// message has all of them.
func subErrorsText(deciding carrier.SubError, all []carrier.SubError) string {
	words := []string{subErrorText(deciding)}
	for _, sub := range all {
		if sub != deciding {
			words = append(words, "also "+string(sub.Code)+": "+subErrorText(sub))
		}
	}
	return Bounded(strings.Join(words, "; "), MaxMessage)
}

func subErrorText(sub carrier.SubError) string {
	text := cmp.Or(sub.Message, "no details were given")
	if sub.Field == "" {
		return text
	}
	if sub.RejectedValue == "" {
		return fmt.Sprintf("%s (%s)", text, sub.Field)
	}
	return text + " (" + sub.Field + ` "` + sub.RejectedValue + `")` // %q would escape the escapes in the value again
}

// decidingSubError returns the first sub-error that this version knows, or else the first. An error
// about somebody else's request in progress decides only if there is no other error.
func decidingSubError(all []carrier.SubError) carrier.SubError {
	all = lasting(all)
	for _, sub := range all {
		if _, known := reasonBySubError()[sub.Code]; known {
			return sub
		}
	}
	if len(all) > 0 {
		return all[0]
	}
	return carrier.SubError{}
}

// lasting returns the sub-errors that do not resolve by themselves, or all if there are none.
func lasting(all []carrier.SubError) []carrier.SubError {
	left := slices.DeleteFunc(slices.Clone(all), func(sub carrier.SubError) bool {
		return endsInProgress(string(sub.Code))
	})
	if len(left) == 0 {
		return all
	}
	return left
}

// endsInProgress reports whether a sub-error means that somebody else's request is in progress. The
// specification names one such code (spec §7); some codes are spelled with hyphens.
func endsInProgress(code string) bool {
	return strings.HasSuffix(strings.ReplaceAll(code, "-", "."), ".in.progress")
}

// isInProgressError reports whether the carrier refused a reading because a request is in progress.
func isInProgressError(err error) bool {
	return carrier.ClassOf(err) == carrier.Refused && endsInProgress(RequestErrorOf(err).Code)
}

// ErrorMessage returns the message of a recorded error; err may be nil.
func ErrorMessage(err *v1alpha1.RequestError) string {
	if err == nil || err.Message == "" {
		return "no reason is known"
	}
	return err.Message
}

// ErrorText returns the message of an error as a status may hold it; err is nil if the carrier
// reported a failure without one.
func ErrorText(err error) string {
	if fault, isCarriers := errors.AsType[*carrier.Error](err); err == nil || isCarriers && fault == nil {
		return "the carrier gave no reason"
	}
	return Bounded(err.Error(), MaxMessage)
}

// Unusable is the error of a query whose result, as returned by the carrier, cannot be read.
func Unusable(err error) *v1alpha1.RequestError {
	return &v1alpha1.RequestError{Code: v1alpha1.ReasonUnanswered, Message: RequestErrorOf(err).Message}
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

// IsRefusal reports whether a reason means that the carrier has refused a request, or that a request
// has failed there.
func IsRefusal(reason string) bool {
	return reason == v1alpha1.ReasonRequestInvalid || reason != v1alpha1.ReasonDSLChangeInProgress &&
		slices.Contains(slices.Collect(maps.Values(reasonBySubError())), reason)
}

// UnknownReason returns the reason for an unknown outcome. Some causes have a reason of their own.
func UnknownReason(err *v1alpha1.RequestError) string {
	named := []string{v1alpha1.ReasonStatusLost, v1alpha1.ReasonLedgerLost, v1alpha1.ReasonHandleLost}
	if err != nil && slices.Contains(named, err.Code) {
		return err.Code
	}
	return v1alpha1.ReasonOutcomeUnknown
}

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

// The error codes of attempts that this process has not sent: either the last check before the POST
// stopped the attempt, or its intent was recorded although the write seemed to fail.
const (
	codeGateClosed = "GateClosed"
	codeNotPosted  = "NotPosted"
)

// Because returns an error of our own, which has only a message.
func Because(message string) *v1alpha1.RequestError {
	return &v1alpha1.RequestError{Message: message}
}

// GateClosed is the error of an attempt that the gate has stopped.
func GateClosed(why error) *v1alpha1.RequestError {
	return &v1alpha1.RequestError{Code: codeGateClosed, Message: ErrorText(why)}
}
