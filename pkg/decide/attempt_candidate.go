// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// maxCandidatePolls is how often a process polls a candidate before it treats the response as lost. At
// the pace of a plan change, that takes about twenty minutes.
const maxCandidatePolls = 12

// HasCandidate reports whether a request has a Location that may be its own: its response named it,
// but did not show that the carrier had accepted the request.
func HasCandidate(request *v1alpha1.Request) bool {
	return request.Phase == v1alpha1.PhaseSubmitting && request.Candidate != ""
}

// CandidateOf returns the handle of such a Location.
func CandidateOf(request *v1alpha1.Request) (carrier.Handle, error) {
	return carrier.ParseLocation(carrier.Operation(request.Operation), int(request.APIVersion), request.Candidate)
}

// candidatePolled polls the candidate of a request, which costs nothing, before anything else is done
// about its lost response; nil if it has none, or if it has been polled often enough. The
// specification has no call to poll an order.
func candidatePolled(in *Input, open *v1alpha1.Request) *Decision {
	contract, _ := carrier.ContractOf(carrier.Operation(open.Operation))
	attempt := in.Memory.Attempts[open.AttemptID]
	if !HasCandidate(open) || !contract.Polled || attempt.Polls >= maxCandidatePolls {
		return nil
	}
	next := nextPoll(in, open, attempt.LastPoll)
	decision := RequeueAt(RestWorking(v1alpha1.ReasonProgressing, fmt.Sprintf(
		"%s, which is polled and may show the outcome; to resolve the request by hand: %s",
		DescribeUnknown(in, open, open.Error), ResolveHint(in, open))), next)
	if !in.Now.Before(next) {
		decision.Step = Poll{AttemptID: open.AttemptID}
	}
	return decision
}

// candidateText names the candidate of a request whose outcome is unknown; "" if it has none.
func candidateText(open *v1alpha1.Request) string {
	if open.Candidate == "" {
		return ""
	}
	return "; the response named " + open.Candidate
}
