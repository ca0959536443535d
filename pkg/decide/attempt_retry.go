// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// newRetryValue returns the value of the retry annotation; "" if the value is used up, which means
// that the attempt caused by it has recorded it (R21).
func newRetryValue(in *Input, last *v1alpha1.Request) string {
	asked := Control(in.Subject, v1alpha1.AnnotationRetry)
	if asked == in.Subject.Record().Controls().Retry || asked == last.Retry {
		return ""
	}
	return asked
}

// UseUpEarlyRetry uses up the retry annotation of an attempt that ends, if the annotation already
// names that attempt. A retry is for a failure that somebody has seen, so one that was requested
// earlier cannot refer to this failure (R21).
func UseUpEarlyRetry(subject metav1.Object, ended *v1alpha1.Request) {
	named := Control(subject, v1alpha1.AnnotationRetry) == ended.AttemptID
	if named && ended.Phase.Ended() && ended.Phase.Reached() {
		ended.Retry = ended.AttemptID
	}
}

// RetryRequested reports whether the retry annotation requests another attempt after this one: it
// is the id of the attempt, or a time after its end that is not in the future (R21).
func RetryRequested(in *Input, last *v1alpha1.Request) bool {
	if last == nil || !mayBeRetried(last) {
		return false
	}
	asked := newRetryValue(in, last)
	if asked == "" || asked == last.AttemptID {
		return asked != ""
	}
	at, err := time.Parse(time.RFC3339, asked)
	second := at.Truncate(time.Second) // recorded times are truncated, too: the order within a second is unknown
	isLater := last.SubmittedAt.Time.Before(second) && last.FinishedAt.Time.Before(second)
	return err == nil && !at.After(in.Now) && isLater
}

// mayBeRetried reports whether the retry annotation can apply to an attempt: it has failed, or is
// a reclaim, because the service may be cancelled although the reclaim has succeeded.
func mayBeRetried(last *v1alpha1.Request) bool {
	reclaimed := last.Operation == v1alpha1.OperationReclaim && last.Phase == v1alpha1.PhaseSucceeded
	return reclaimed || EndedInFailure(last)
}

// UsingUpRetry adds the retry annotation to a submission, if the annotation requests another
// attempt after the last one, or has caused one that did not reach the carrier.
func UsingUpRetry(in *Input, submit Submit, last *v1alpha1.Request) Submit {
	if RetryRequested(in, last) {
		submit.Retry = newRetryValue(in, last)
		submit.Request.Retry = submit.Retry
	} else if unsent := unsentRetry(in, last); unsent != nil {
		submit.Request.Retry, submit.Request.RetriedBy = unsent.Retry, unsent.RetriedBy
	}
	return submit
}

// unsentRetry returns the attempt that a retry caused and that did not reach the carrier; nil if
// there is none. Such an attempt is sent again automatically.
func unsentRetry(in *Input, last *v1alpha1.Request) *v1alpha1.Request {
	if last == nil {
		return nil
	}
	newest := in.Subject.Record().RequestOf(last.Operation)
	caused := newest != nil && newest.Retry != "" && newest.Retry != last.Retry
	if !caused || newest.Phase.Reached() || !isForThisSpec(in, newest) {
		return nil
	}
	return newest
}

// WhyRetryIgnored returns a message suffix that explains why the retry annotation does not request
// another attempt after this one; "" if there is no annotation or it is used up.
func WhyRetryIgnored(in *Input, last *v1alpha1.Request) string {
	asked := newRetryValue(in, last)
	if asked == "" {
		return ""
	}
	why := "is not later than the end of attempt " + last.AttemptID
	switch at, err := time.Parse(time.RFC3339, asked); {
	case err != nil:
		why = fmt.Sprintf("is neither the id of attempt %s nor an RFC 3339 time", last.AttemptID)
	case at.After(in.Now):
		why = "is a time in the future and is ignored until then"
	}
	return fmt.Sprintf(" (the annotation %s is now %q, which %s)", v1alpha1.AnnotationRetry, asked, why)
}

// RetryDue returns when a retry annotation with a time in the future takes effect; zero if never.
func RetryDue(in *Input, last *v1alpha1.Request) time.Time {
	at, err := time.Parse(time.RFC3339, newRetryValue(in, last))
	if err != nil || !at.After(in.Now) {
		return time.Time{}
	}
	return at
}

// RetryHint explains how to request another attempt after this one.
func RetryHint(in *Input, last *v1alpha1.Request) string {
	value := last.AttemptID
	if last.Retry == value {
		value = "<present time, RFC 3339>" // the annotation named the id before the attempt ended
	}
	return AnnotateCommand(in, v1alpha1.AnnotationRetry, value)
}

// isForThisSpec reports whether an attempt was made for the current spec and by this object.
func isForThisSpec(in *Input, last *v1alpha1.Request) bool {
	another := last.UID != "" && last.UID != string(in.Subject.GetUID())
	return !another && last.Generation == in.Subject.GetGeneration()
}
