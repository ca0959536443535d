// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Confirm applies the resolution of an accepted order as succeeded. A rejection is removed from the
// status: it was false, or the carrier has withdrawn it. An order that the carrier shows with other
// values than requested counts as right. The ledger is not changed, because it records the order as
// succeeded all the time.
func Confirm(in *Input) {
	request, status := requestOf(in), &in.Order.Status
	if request == nil || request.Phase != v1alpha1.PhaseSucceeded ||
		status.Rejection == nil && !decide.ResultDiffers(request) {
		return
	}
	value := decide.ResolveAnnotation(&in.Input)
	resolved, _ := decide.ParseResolution(value)
	if decide.ResolutionNames(&in.Input, request.AttemptID) && resolved.Outcome == decide.ResolvedSucceeded {
		status.Rejection, status.Handled.Resolve = nil, value
	}
}

// isConfirmed reports whether a person has said that an order is right as the carrier shows it.
func isConfirmed(in *Input, request *v1alpha1.Request) bool {
	said, _ := decide.ParseResolution(in.Order.Status.Handled.Resolve)
	return said.AttemptID == request.AttemptID && said.Outcome == decide.ResolvedSucceeded
}
