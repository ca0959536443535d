// SPDX-License-Identifier: Apache-2.0

package oneshots

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// precedenceHolds is how long a test waits for tests that have waited longer, once no other test
// of the service is in progress. Those tests are reconciled immediately. A test that cannot be
// sent delays the others no longer than this.
const precedenceHolds = time.Minute

// OthersAttempt returns an open attempt of another object from the ledger of a service's tests; nil
// if there is none. The ledger may be nil.
func OthersAttempt(ledger *v1alpha1.RequestLedger, uid string) *v1alpha1.Request {
	if ledger == nil || ledger.Spec.Diagnostics == nil {
		return nil
	}
	for i := range ledger.Spec.Open {
		if open := &ledger.Spec.Open[i]; open.UID != uid {
			return open
		}
	}
	return nil
}

// WaitsInLane reports whether a test waits until another test of its service has ended.
func WaitsInLane(test *v1alpha1.DiagnosticTest) bool {
	waits := decide.ReadyIn(test.Status.Conditions).Reason == v1alpha1.ReasonAnotherTestInProgress
	return waits && test.DeletionTimestamp.IsZero()
}

// HasPrecedence reports whether a test has waited longer than another.
func HasPrecedence(one, than metav1.Object) bool {
	a, b := one.GetCreationTimestamp().Time, than.GetCreationTimestamp().Time
	if !a.Equal(b) {
		return a.Before(b)
	}
	return one.GetUID() < than.GetUID()
}

// laneIsOccupied holds back a test while another test of its service has not ended.
func laneIsOccupied(in *Input) *decide.Decision {
	lane, open := in.Lane, OthersAttempt(in.Ledger, string(in.Subject.GetUID()))
	switch {
	case open == nil:
		return yieldToNext(in)
	case lane.Open == nil || lane.Open.AttemptID != open.AttemptID:
		return decide.RequeueAt(waitInLane("another test of this service has just started"), in.Now.Add(decide.CacheLag))
	case lane.Decision == nil:
		return waitForOther(lane.Owner, open)
	}
	orphaned := *lane.Decision
	held := waitInLane(fmt.Sprintf("this test is sent when attempt %s of a deleted test of this service has ended: %s",
		open.AttemptID, orphaned.Verdict.Message))
	if orphaned.Verdict.State == decide.Stuck {
		held.Verdict.State = decide.Stuck
	}
	return decide.RequeueAt(held, orphaned.RequeueAt)
}

// waitForOther waits for the test of another object. If only a person can end that test, this one
// is Stuck too.
func waitForOther(name string, open *v1alpha1.Request) *decide.Decision {
	held := waitInLane(fmt.Sprintf("DiagnosticTest %s comes first (its attempt %s is %s), and this test is sent when "+
		"that attempt has ended", name, open.AttemptID, open.Phase))
	if open.Phase == v1alpha1.PhaseOutcomeUnknown || open.Phase == v1alpha1.PhaseLateAcceptance {
		held.Verdict.State = decide.Stuck
		held.Verdict.Message += ". The condition of that test says how to resolve the attempt"
	}
	return held
}

func waitInLane(what string) *decide.Decision {
	return decide.RestWorking(v1alpha1.ReasonAnotherTestInProgress, "the tests of a service are run one at a time: "+what)
}

// yieldToNext gives precedence to the test that has waited longest, for a limited time.
func yieldToNext(in *Input) *decide.Decision {
	if in.Lane.Next == "" || in.Ledger == nil || len(in.Ledger.Spec.Ended) == 0 {
		return nil
	}
	until := in.Past(in.Ledger.Spec.Ended[0].FinishedAt).Add(precedenceHolds)
	if !in.Now.Before(until) {
		return nil
	}
	return decide.RequeueAt(waitInLane(fmt.Sprintf("DiagnosticTest %s has waited longer", in.Lane.Next)), until)
}

// MayContinue reports whether a test is in progress or may still be sent.
func MayContinue(test *v1alpha1.DiagnosticTest) bool {
	request := test.Status.Request
	if request == nil || !hasEnded(request) || WaitsInLane(test) {
		return true
	}
	asked := decide.Control(test, v1alpha1.AnnotationRetry)
	return asked != "" && asked != test.Status.Handled.Retry
}

// sameTestWithin is the time before the creation of a test in which the same test must not have
// been sent. Otherwise a GitOps tool that recreates an object at every sync would interrupt the
// customer's service each time.
const sameTestWithin = time.Hour

// repeatedTest returns an attempt of another object that has run the same test of the service, or
// may have, within the hour before this object was created; nil if there is none. If the ledger
// may have dropped such an attempt, the oldest attempt in the ledger is returned.
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
