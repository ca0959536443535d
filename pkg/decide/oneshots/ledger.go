// SPDX-License-Identifier: Apache-2.0

package oneshots

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// JudgeTestLedger decides whether a diagnostic test may use the ledger of the tests of its service.
// The ledger has no holder: each test finds its own attempts by its UID. A test that has ended
// stays ended, whatever happens to the ledger, unless one of its attempts is still open in the
// ledger.
func JudgeTestLedger(in decide.LedgerInput, test *v1alpha1.DiagnosticTest) decide.LedgerVerdict {
	shown, own := test.Status.Request, in.Ledger.AttemptOf(string(in.Subject.GetUID()))
	switch {
	case isOver(test) && (own == nil || !in.Ledger.IsOpen(own.AttemptID)):
		return decide.LedgerVerdict{}
	case decide.IsNewerSchema(&in):
		return decide.LedgerVerdict{Verdict: decide.NewerLedger(in.Ledger)}
	case isDeleting(test):
		return decide.LedgerVerdict{}
	case in.Former != nil:
		return decide.LedgerVerdict{Verdict: decide.LoginConflict(&in)}
	case hasOnlyFinalizer(&in, shown):
		lost := decide.LostAttempt(&in, v1alpha1.OperationDiagnosticTest, "service")
		lost.Error = &v1alpha1.RequestError{
			Code: v1alpha1.ReasonStatusLost,
			Message: "the object has the operator's finalizer but no recorded request: " +
				"the record of what was sent is lost",
		}
		return decide.LedgerVerdict{Lost: &lost}
	case in.IsIncomplete():
		return decide.LedgerVerdict{Lost: decide.ReceiptLost(&in, v1alpha1.OperationDiagnosticTest, "service")}
	case in.Ledger == nil:
		return decide.LedgerVerdict{}
	}
	return decide.LedgerVerdict{Verdict: decide.WhyNotUsable(&in)}
}

// isOver reports whether a test is being deleted, or has ended and is not retried automatically.
func isOver(test *v1alpha1.DiagnosticTest) bool {
	shown := test.Status.Request
	return isDeleting(test) || shown != nil && hasEnded(shown)
}

func isDeleting(test *v1alpha1.DiagnosticTest) bool { return !test.DeletionTimestamp.IsZero() }

// hasEnded reports whether a request has ended and is not sent again automatically.
func hasEnded(request *v1alpha1.Request) bool {
	return request.Phase.Ended() && !decide.IsAutoRetried(request.Phase)
}

// hasOnlyFinalizer reports whether only its finalizer shows that a test may have been sent. The
// outcome is then unknown, and the test is not run again (R24).
func hasOnlyFinalizer(in *decide.LedgerInput, shown *v1alpha1.Request) bool {
	marked := slices.Contains(in.Subject.GetFinalizers(), v1alpha1.Finalizer)
	return marked && shown == nil && in.Ledger.AttemptOf(string(in.Subject.GetUID())) == nil
}

// ProjectTest updates the status of a diagnostic test from the ledger, which alone records what was
// sent for the test. The ledger is nil if there is none.
func ProjectTest(test *v1alpha1.DiagnosticTest, ledger *v1alpha1.RequestLedger, now metav1.Time) {
	shown, own := test.Status.Request, ledger.AttemptOf(string(test.UID))
	if own == nil {
		projectDropped(test, ledger, now)
		return
	}
	handled := &test.Status.Handled
	handled.Retry, handled.Approve = cmp.Or(own.Retry, handled.Retry), cmp.Or(own.ApprovedHash, handled.Approve)
	if decide.SameState(shown, own) && own.Phase.Ended() && own.BodyHash == "" {
		return // the ledger keeps only a summary of an attempt that ended long ago
	}
	own = polledAgain(own, shown)
	test.Record().PutRequest(*own)
	if !decide.SameState(shown, own) {
		test.Record().RequestChanged(*own, now)
	}
}

// projectDropped updates the status of a test that has no attempt in its ledger. An attempt that
// did not run the test could be sent again. But if the ledger has dropped it for newer ones, it
// may also have dropped a later attempt that an older status does not show. The attempt then
// counts as abandoned (R14).
func projectDropped(test *v1alpha1.DiagnosticTest, ledger *v1alpha1.RequestLedger, now metav1.Time) {
	shown := test.Status.Request
	switch {
	case shown == nil:
	case !shown.Phase.Ended():
		test.Status.Request = nil
	case !hasEnded(shown) && ledger.MayHaveDropped(shown):
		dropped := *shown.DeepCopy()
		dropped.Phase = v1alpha1.PhaseAbandoned
		dropped.Error = decide.Because("ten newer attempts have replaced it in the ledger of the service's tests")
		test.Record().PutRequest(dropped)
		test.Record().RequestChanged(dropped, now)
	}
}

// polledAgain makes the request of a test be polled once more if its result is missing from the
// status, because a process ended between the two writes.
func polledAgain(own, shown *v1alpha1.Request) *v1alpha1.Request {
	ended := own.Phase == v1alpha1.PhaseSucceeded && own.EndedBy == v1alpha1.EndedByCarrier
	switch {
	case !ended, own.Location == "":
	case decide.SameState(shown, own):
		own.Error = shown.Error // why its result could not be read
	default:
		own.Phase = v1alpha1.PhaseInProgress // finishedAt is kept: the request has ended
	}
	return own
}

// Abandon abandons an attempt because its object was deleted, which counts as a person's decision.
func Abandon(open *v1alpha1.Request) decide.Resolve {
	return decide.Resolve{
		AttemptID: open.AttemptID, By: decide.WriterPerson, From: open.Phase, Phase: v1alpha1.PhaseAbandoned,
		Error: decide.Because("its object was deleted"),
	}
}
