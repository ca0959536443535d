// SPDX-License-Identifier: Apache-2.0

package oneshots

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// sameTestWithin is how long before the creation of a test the same test must not have been sent. A
// GitOps tool that deletes and creates an object at every sync would otherwise interrupt the
// customer's service each time.
const sameTestWithin = time.Hour

// repeatedTest returns an attempt of another object that has run the same test of the service, or may
// have, within the hour before this object was created; nil if there is none. An attempt that the
// ledger may have dropped counts, too: then it is the oldest one that the ledger has.
func repeatedTest(in *Input) *v1alpha1.EndedAttempt {
	if in.Test == nil || in.Ledger == nil {
		return nil
	}
	ended := in.Ledger.Spec.Ended
	recent := func(attempt v1alpha1.EndedAttempt) bool {
		return in.Test.CreationTimestamp.Sub(attempt.SubmittedAt.Time) < sameTestWithin
	}
	same := func(attempt v1alpha1.EndedAttempt) bool {
		isOther := attempt.UID != string(in.Test.UID) && decide.MayHaveHadEffect(&attempt)
		return isOther && recent(attempt) && equality.Semantic.DeepEqual(attempt.Changes, in.Task.Changes)
	}
	at, oldest := slices.IndexFunc(ended, same), len(ended)-1
	switch {
	case at >= 0:
		return &ended[at]
	case in.Ledger.HasDropped() && recent(ended[oldest]):
		return &ended[oldest]
	}
	return nil
}

// approvalOfRepeat returns why a test that repeats an earlier one needs a person's approval.
func approvalOfRepeat(in *Input, earlier *v1alpha1.EndedAttempt) decide.ApprovalReason {
	return decide.ApprovalReason{Priced: true, Why: fmt.Sprintf(
		"the same test of this service may have run at %s (attempt %s), less than an hour before this object was created, "+
			"so nothing is sent until somebody approves this",
		decide.FormatTime(&in.Input, earlier.SubmittedAt.Time), earlier.AttemptID)}
}
