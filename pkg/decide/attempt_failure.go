// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

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
	return text + " (" + sub.Field + ` "` + sub.RejectedValue + `")` // whose escapes %q would escape again
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

// failureMessage describes a failure: first the carrier's code, unchanged, if there is one, and at
// the end how to fix the failure.
func failureMessage(in *Input, request *v1alpha1.Request) string {
	fix := "correct the spec"
	if request.Phase == v1alpha1.PhaseAbandoned {
		fix = "change the spec" // nothing is wrong with it
	}
	return FailureMessageWith(in, request, fix)
}

// isUnexplained reports whether the carrier gave no code for a failure.
func isUnexplained(request *v1alpha1.Request) bool {
	return request.Error == nil || request.Error.Code == "" || request.Error.Code == v1alpha1.ReasonUnanswered
}

// FailureMessageWith is failureMessage with another fix than correcting the spec. If the carrier
// accepted a request and then gave no code, there is no sign that the spec is wrong.
func FailureMessageWith(in *Input, request *v1alpha1.Request, fix string) string {
	if request.Phase == v1alpha1.PhaseFailed && isUnexplained(request) {
		fix = "ask the carrier"
	}
	fix += ", or, to retry it unchanged, run: " + RetryHint(in, request)
	switch {
	case request.Phase == v1alpha1.PhaseAbandoned:
		return fmt.Sprintf("%s attempt %s was abandoned (%s) and is not sent again automatically; %s",
			request.Operation, request.AttemptID, ErrorMessage(request.Error), fix)
	case exhausted(request):
		return exhaustedMessage(request, fix)
	case ResultDiffers(request):
		return fmt.Sprintf("%s succeeded, but %s. Nothing is sent again until somebody has asked the carrier and decided: "+
			"if the carrier's value is right, declare it in spec, or, to send the request once more, run: %s",
			request.Operation, ErrorMessage(request.Error), RetryHint(in, request))
	case !AutoRetryAt(in, request).IsZero():
		fix = "it is retried automatically"
	}
	if isUnexplained(request) {
		return fmt.Sprintf("%s did not succeed: %s; %s", request.Operation, ErrorMessage(request.Error), fix)
	}
	what := fmt.Sprintf("the carrier refused %s", request.Operation)
	if request.Phase == v1alpha1.PhaseFailed { // it was accepted first
		what = fmt.Sprintf("%s failed at the carrier", request.Operation)
	}
	if request.Error.Message == "" { // the ledger has only a summary of it
		return fmt.Sprintf("%s: %s; %s", request.Error.Code, what, fix)
	}
	return fmt.Sprintf("%s: %s (HTTP %d): %s; %s",
		request.Error.Code, what, request.Error.HTTPStatus, request.Error.Message, fix)
}

// exhaustedMessage is the message about an exhausted query.
func exhaustedMessage(last *v1alpha1.Request, fix string) string {
	return fmt.Sprintf("%s was sent %d times, and the carrier has returned no result (last error: %s): "+
		"it is not sent again automatically. Ask the carrier; then %s",
		last.Operation, last.Repeats+1, ErrorMessage(last.Error), fix)
}

// ForbiddenPause is the minimum time between attempts that were answered with 403 or 404, and
// forbiddenMost is the maximum. The carrier does not do what it does not know, however often it is
// asked.
const (
	ForbiddenPause = 10 * time.Minute
	forbiddenMost  = 24 * time.Hour
)

// AutoRetryAt returns when a rejected request may be retried automatically: after a pause, if another
// request was in progress, or if the carrier did not find the service. A request of class Never is
// not. A zero time means never.
func AutoRetryAt(in *Input, request *v1alpha1.Request) time.Time {
	never := ClassOf(request.Operation, request.Target) == carrier.ClassNever
	switch {
	case never || request.Phase != v1alpha1.PhaseRejected:
	case AnotherInProgress(request):
		return in.Past(request.FinishedAt).Add(InProgressPause(int(request.Attempt)))
	case ReasonOf(request.Error) == v1alpha1.ReasonNotFoundOrForbidden:
		return in.Past(request.FinishedAt).Add(doubling(int(request.Attempt), ForbiddenPause, forbiddenMost))
	}
	return time.Time{}
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
