// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// EndedByPerson says whether a person's word has ended an attempt.
func EndedByPerson(attempt *v1alpha1.Request) bool {
	said := []v1alpha1.RequestPhase{v1alpha1.PhaseSucceeded, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned}
	return attempt.EndedBy == v1alpha1.EndedByPerson && slices.Contains(said, attempt.Phase)
}

// reworded is the attempt that a new word of a person changes although one has ended it before: "only
// by a newer resolution, while it is its lane's newest and the lane is empty" (R14). Nil for none.
func reworded(in *Input) *v1alpha1.Request {
	for _, contract := range carrier.Contracts() {
		request := in.Subject.RequestOf(v1alpha1.Operation(contract.Operation))
		if request != nil && EndedByPerson(request) && saysAnew(in, request) && isLast(in.Ledger, request) {
			return request
		}
	}
	return nil
}

// saysAnew says whether a person says something of an attempt that is not on record already: another
// manager may have recorded the word, and have yet to show that it has.
func saysAnew(in *Input, request *v1alpha1.Request) bool {
	recorded := request.ResolvedBy != nil && request.ResolvedBy.Word == resolveAnnotation(in)
	return !recorded && resolutionNames(in, request.AttemptID)
}

// isLast says whether an attempt is its lane's newest, and nothing is open there. A ledger may be nil.
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
