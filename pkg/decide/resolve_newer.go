// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// newlyResolved returns an attempt that an earlier resolution has ended and that a new resolution
// changes; nil if there is none. The attempt must be the newest of its lane, and the lane must have
// no open attempt: otherwise something was sent because of the earlier resolution (R14).
func newlyResolved(in *Input) *v1alpha1.Request {
	for contract := range carrier.Contracts() {
		request := in.Subject.RequestOf(v1alpha1.Operation(contract.Operation))
		if request != nil && EndedByPerson(request) && isNewResolution(in, request) && isLast(in.Ledger, request) {
			return request
		}
	}
	return nil
}

// isNewResolution reports whether the annotation resolves an attempt and the attempt does not
// record that resolution yet. Another manager may have recorded it without showing it in the status
// yet.
func isNewResolution(in *Input, request *v1alpha1.Request) bool {
	recorded := request.ResolvedBy != nil && request.ResolvedBy.Word == ResolveAnnotation(in)
	return !recorded && ResolutionNames(in, request.AttemptID)
}

// isLast reports whether an attempt is its lane's newest and the lane has no open attempt. The
// ledger may be nil.
func isLast(ledger *v1alpha1.RequestLedger, attempt *v1alpha1.Request) bool {
	if ledger == nil {
		return false
	}
	beside := func(operation v1alpha1.Operation) bool {
		return operation.AltersCancellation() == attempt.Operation.AltersCancellation()
	}
	if slices.ContainsFunc(ledger.Spec.Open, func(open v1alpha1.Request) bool { return beside(open.Operation) }) {
		return false
	}
	at := slices.IndexFunc(ledger.Spec.Ended, func(one v1alpha1.EndedAttempt) bool { return beside(one.Operation) })
	return at >= 0 && ledger.Spec.Ended[at].AttemptID == attempt.AttemptID
}
