// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// retryAsked is the value of the retry annotation; "" when it is used up: "The attempt that it
// causes records the value; a recorded value is used up" (R21).
func retryAsked(in *Input, last *v1alpha1.Request) string {
	asked := control(in.Subject, v1alpha1.AnnotationRetry)
	if asked == in.Subject.Controls().Retry || asked == last.Retry {
		return ""
	}
	return asked
}

// UseUpEarlyRetry uses the retry annotation up for an attempt that ends, where it names that attempt
// already: "a definitive failure submitted and ended before it" is what a retry is for (R21), and
// whoever said so earlier had not seen this one.
func UseUpEarlyRetry(subject metav1.Object, ended *v1alpha1.Request) {
	named := subject.GetAnnotations()[v1alpha1.AnnotationRetry] == ended.AttemptID
	if named && ended.Phase.Ended() && ended.Phase.Reached() {
		ended.Retry = ended.AttemptID
	}
}

// asksAgain says whether the retry annotation asks for one more attempt after this one: "`retry` is
// `<attemptID>`, or an RFC 3339 time not in the future: a definitive failure submitted and ended
// before it" (R21).
func asksAgain(in *Input, last *v1alpha1.Request) bool {
	if last == nil || !endedInFailure(last) && !reclaimed(last) {
		return false
	}
	asked := retryAsked(in, last)
	if asked == "" || asked == last.AttemptID {
		return asked != ""
	}
	at, err := time.Parse(time.RFC3339, asked)
	return err == nil && !at.After(in.Now) && endedBefore(last, at)
}

// reclaimed: a reclaim that succeeded may have brought nothing back.
func reclaimed(last *v1alpha1.Request) bool {
	return last.Operation == v1alpha1.OperationReclaim && last.Phase == v1alpha1.PhaseSucceeded
}

// endedBefore: times on record are cut to whole seconds, so that within the same second nobody
// knows what came first.
func endedBefore(last *v1alpha1.Request, at time.Time) bool {
	at = at.Truncate(time.Second)
	return last.SubmittedAt.Time.Before(at) && last.FinishedAt.Time.Before(at)
}

// usingUpRetry is a submission with the retry annotation on record, where that asks for one more
// attempt after the last.
func usingUpRetry(in *Input, submit Submit, last *v1alpha1.Request) Submit {
	if asksAgain(in, last) {
		submit.Retry = retryAsked(in, last)
		submit.Request.Retry = submit.Retry
	} else if unsent := unsentRetry(in, last); unsent != nil {
		submit.Request.Retry, submit.Request.RetriedBy = unsent.Retry, unsent.RetriedBy
	}
	return submit
}

// unsentRetry is the attempt that a retry has caused and that did not reach the carrier; nil for none.
// It is sent again by itself.
func unsentRetry(in *Input, last *v1alpha1.Request) *v1alpha1.Request {
	if last == nil {
		return nil
	}
	newest := in.Subject.RequestOf(last.Operation)
	caused := newest != nil && newest.Retry != "" && newest.Retry != last.Retry
	if !caused || newest.Phase.Reached() || !serves(in, newest) {
		return nil
	}
	return newest
}

// retryFlaw says, after a message, why the retry annotation does not ask for one more attempt after
// this one; "" when there is none, or it is used up.
func retryFlaw(in *Input, last *v1alpha1.Request) string {
	asked := retryAsked(in, last)
	if asked == "" {
		return ""
	}
	why := "is not after the end of attempt " + last.AttemptID
	switch at, err := time.Parse(time.RFC3339, asked); {
	case err != nil:
		why = fmt.Sprintf("is neither the id of attempt %s nor an RFC 3339 time", last.AttemptID)
	case at.After(in.Now):
		why = "is a time in the future, and is ignored until then"
	}
	return fmt.Sprintf(" (now %s is %q, which %s)", v1alpha1.AnnotationRetry, asked, why)
}

// retryDue is when a retry annotation that is a time in the future begins to count; zero for never.
func retryDue(in *Input, last *v1alpha1.Request) time.Time {
	at, err := time.Parse(time.RFC3339, retryAsked(in, last))
	if err != nil || !at.After(in.Now) {
		return time.Time{}
	}
	return at
}

// retryHint is how to ask for one more attempt after this one.
func retryHint(in *Input, last *v1alpha1.Request) string {
	value := last.AttemptID
	if last.Retry == value {
		value = "<present time, RFC 3339>" // the id was named before the attempt had ended
	}
	return fmt.Sprintf("kubectl -n %s annotate --overwrite %s %s '%s=%s'", in.Subject.GetNamespace(),
		v1alpha1.ShortName(in.Subject), in.Subject.GetName(), v1alpha1.AnnotationRetry, value)
}
