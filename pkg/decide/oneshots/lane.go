// SPDX-License-Identifier: Apache-2.0

package oneshots

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// elderFirst is how long, after the lane has become free, a test gives precedence to tests that
// have waited longer. Those are woken at once; a test that cannot be sent after all delays the
// others no longer than this.
const elderFirst = time.Minute

// OthersAttempt returns the attempt of another object that has not ended, from the ledger of a
// service's tests; nil if there is none. The ledger may be nil.
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

// IsElder reports whether a test has waited longer than another.
func IsElder(one, than metav1.Object) bool {
	a, b := one.GetCreationTimestamp().Time, than.GetCreationTimestamp().Time
	if !a.Equal(b) {
		return a.Before(b)
	}
	return one.GetUID() < than.GetUID()
}

// laneFree holds back a test while another test of its service has not ended.
func laneFree(in *Input) *decide.Decision {
	lane, taken := in.Lane, OthersAttempt(in.Ledger, string(in.Subject.GetUID()))
	switch {
	case taken == nil:
		return elderGoes(in)
	case lane.Taken == nil || lane.Taken.AttemptID != taken.AttemptID:
		return decide.LookAgain(inLane("another of this service has just begun"), in.Now.Add(decide.CacheLag))
	case lane.Left == nil:
		return behind(lane.By, taken)
	}
	left := *lane.Left
	held := inLane(fmt.Sprintf("a test whose object is gone has left attempt %s of this service, and this one is sent "+
		"once that has ended: %s", taken.AttemptID, left.Verdict.Message))
	if left.Verdict.State == decide.Stuck {
		held.Verdict.State = decide.Stuck
	}
	return decide.LookAgain(held, left.LookAt)
}

// behind waits for the test of another object. If only a person can end that test, this one is
// Stuck too.
func behind(name string, taken *v1alpha1.Request) *decide.Decision {
	held := inLane(fmt.Sprintf("DiagnosticTest %s comes first: its attempt %s is %s, and this one is sent once that has "+
		"ended", name, taken.AttemptID, taken.Phase))
	if taken.Phase == v1alpha1.PhaseOutcomeUnknown || taken.Phase == v1alpha1.PhaseLateAcceptance {
		held.Verdict.State = decide.Stuck
		held.Verdict.Message += ". Its condition says how to resolve it"
	}
	return held
}

func inLane(what string) *decide.Decision {
	return decide.RestWorking(v1alpha1.ReasonAnotherTestInProgress, "the tests of a service are run one at a time: "+what)
}

// elderGoes gives precedence to the test that has waited longest, for a limited time.
func elderGoes(in *Input) *decide.Decision {
	if in.Lane.Elder == "" || in.Ledger == nil || len(in.Ledger.Spec.Ended) == 0 {
		return nil
	}
	until := in.Past(in.Ledger.Spec.Ended[0].FinishedAt).Add(elderFirst)
	if !in.Now.Before(until) {
		return nil
	}
	return decide.LookAgain(inLane(fmt.Sprintf("DiagnosticTest %s has waited for longer", in.Lane.Elder)), until)
}

// MayGoOn reports whether a test is in progress or may still be sent.
func MayGoOn(test *v1alpha1.DiagnosticTest) bool {
	request := test.Status.Request
	if request == nil || !hasEnded(request.Phase) || WaitsInLane(test) {
		return true
	}
	asked := decide.Control(test, v1alpha1.AnnotationRetry)
	return asked != "" && asked != test.Status.Handled.Retry
}
