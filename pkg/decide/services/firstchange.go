// SPDX-License-Identifier: Apache-2.0

package services

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// isFirstChange reports whether the object has not changed the service yet and did not order it.
// Its spec may be out of date, and nobody has reviewed what it would change. The status shows the
// newest ended attempt of each operation, and the ledger has the earlier ones.
func isFirstChange(in *Input) bool {
	if in.Service.Spec.OrderRef != nil {
		return false
	}
	for i := range in.Service.Status.Requests {
		request := &in.Service.Status.Requests[i]
		if mayHaveChanged(in, request.UID, request.TakenOver, request.Phase) {
			return false
		}
	}
	return in.Ledger == nil || !slices.ContainsFunc(in.Ledger.Spec.Ended, func(ended v1alpha1.EndedAttempt) bool {
		return mayHaveChanged(in, ended.UID, ended.TakenOver, ended.Outcome)
	})
}

// mayHaveChanged reports whether the object sent an attempt in this phase that has changed the
// service, or may have. An attempt that the carrier refused has changed nothing.
func mayHaveChanged(in *Input, uid string, takenOver bool, phase v1alpha1.RequestPhase) bool {
	return uid == string(in.Service.UID) && !takenOver && !decide.MayOrderAgain(phase)
}
