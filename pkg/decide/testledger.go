// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// JudgeTestLedger decides whether a diagnostic test may use the ledger of the tests of its service.
// The ledger has no holder: each test has its own attempts, by its UID. A test that has ended stays
// ended, whatever happens to the ledger, unless one of its attempts is open there.
func JudgeTestLedger(in LedgerInput, test *v1alpha1.DiagnosticTest) LedgerVerdict {
	shown := test.Status.Request
	switch {
	case isOver(test) && !leavesOpen(&in):
		return LedgerVerdict{}
	case isNewer(&in):
		return LedgerVerdict{Verdict: newerLedger(in.Ledger)}
	case isLeaving(test):
		return LedgerVerdict{}
	case markedForNothing(&in, shown):
		lost := lostAttempt(&in, v1alpha1.OperationDiagnosticTest, "service")
		lost.Error = &v1alpha1.RequestError{
			Code: v1alpha1.ReasonStatusLost,
			Message: "the object has the operator's finalizer and no recorded request: " +
				"its memory of what was sent is gone",
		}
		return LedgerVerdict{Lost: &lost}
	case in.lacks():
		return LedgerVerdict{Lost: standsForLost(&in, v1alpha1.OperationDiagnosticTest, "service")}
	case in.Ledger == nil:
		return LedgerVerdict{}
	}
	if unfit := unfit(&in); unfit != nil {
		return *unfit
	}
	return LedgerVerdict{}
}

// isOver reports whether nothing more is sent for a test.
func isOver(test *v1alpha1.DiagnosticTest) bool {
	shown := test.Status.Request
	return isLeaving(test) || shown != nil && hasEnded(shown.Phase)
}

func isLeaving(test *v1alpha1.DiagnosticTest) bool { return !test.DeletionTimestamp.IsZero() }

// leavesOpen reports whether an attempt of the test is still open in its ledger.
func leavesOpen(in *LedgerInput) bool {
	own := in.Ledger.AttemptOf(string(in.Subject.GetUID()))
	return own != nil && in.Ledger.IsOpen(own.AttemptID)
}

func hasEnded(phase v1alpha1.RequestPhase) bool { return phase.Ended() && !goesAgain(phase) }

// markedForNothing: "finalizer without a status, and no attempt of its UID in the ledger (a
// restore), is OutcomeUnknown, never a new run" (R24).
func markedForNothing(in *LedgerInput, shown *v1alpha1.Request) bool {
	marked := slices.Contains(in.Subject.GetFinalizers(), v1alpha1.Finalizer)
	return marked && shown == nil && in.Ledger.AttemptOf(string(in.Subject.GetUID())) == nil
}

// ProjectTest updates the status of a diagnostic test from the ledger, which alone records what was
// sent for it; nil if there is none.
func ProjectTest(test *v1alpha1.DiagnosticTest, ledger *v1alpha1.RequestLedger, now metav1.Time) {
	shown, own := test.Status.Request, ledger.AttemptOf(string(test.UID))
	if own == nil {
		if shown != nil && !shown.Phase.Ended() {
			test.Status.Request = nil // the ledger does not contain it
		}
		return
	}
	handled := &test.Status.Handled
	handled.Retry, handled.Approve = cmp.Or(own.Retry, handled.Retry), cmp.Or(own.ApprovedHash, handled.Approve)
	if sameState(shown, own) && own.BodyHash == "" {
		return // the ledger keeps only a summary of an attempt that ended long ago
	}
	own = followedAgain(own, shown)
	test.PutRequest(*own)
	if !sameState(shown, own) {
		test.RequestChanged(*own, now)
	}
}

// followedAgain: if the result of a test is not in the status, because a process ended between the
// two writes, the request is polled once more.
func followedAgain(own, shown *v1alpha1.Request) *v1alpha1.Request {
	ended := own.Phase == v1alpha1.PhaseSucceeded && own.EndedBy == v1alpha1.EndedByCarrier
	switch {
	case !ended, own.Location == "":
	case sameState(shown, own):
		own.Error = shown.Error // why its result could not be read
	default:
		own.Phase = v1alpha1.PhaseInProgress // finishedAt stays: it is done
	}
	return own
}

// GiveUp abandons an attempt because its object was deleted, which counts as a person's decision.
func GiveUp(open *v1alpha1.Request) Resolve {
	return Resolve{
		AttemptID: open.AttemptID, By: WriterPerson, From: open.Phase, Phase: v1alpha1.PhaseAbandoned,
		Error: because("its object was deleted"),
	}
}
