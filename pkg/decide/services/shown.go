// SPDX-License-Identifier: Apache-2.0

package services

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The limits of the short texts in a status (CustomResourceDefinition).
const (
	maxChangeColumn  = 128
	maxChangeHistory = 512
	historyLimit     = 10
)

// showHistory shows the newest requests that reached the carrier, or may have.
func showHistory(service *v1alpha1.BroadbandService, ledger *v1alpha1.RequestLedger) {
	service.Status.History = nil
	if ledger == nil {
		return
	}
	for _, attempt := range ledger.Spec.Ended {
		if attempt.Outcome.Reached() && len(service.Status.History) < historyLimit {
			service.Status.History = append(service.Status.History, v1alpha1.FinishedRequest{
				Operation: attempt.Operation, Change: decide.Bounded(decide.DescribeChanges(attempt.Changes), maxChangeHistory),
				ApprovedBy: attempt.ApprovedBy, RetriedBy: attempt.RetriedBy, ResolvedBy: decide.ResolverOf(attempt.ResolvedBy),
				Outcome: attempt.Outcome, Code: attempt.Code,
				SubmittedAt: attempt.SubmittedAt, At: attempt.FinishedAt,
			})
		}
	}
}

// ChangeColumn describes the change of a service in short: the one in progress, otherwise the
// pending one, otherwise a future cancellation; "" if there is none.
func ChangeColumn(service *v1alpha1.BroadbandService) string {
	status := service.Status
	if status.InFlight != nil {
		if open := service.RequestOf(status.InFlight.Operation); open != nil {
			return changeInShort(open.Changes(), string(open.Operation))
		}
	}
	if status.Pending != nil {
		return changeInShort(status.Pending.Changes, "")
	}
	if state := status.Carrier; state != nil && state.Cancellation != nil && state.Cancellation.PendingDate != "" {
		return "cancelled on " + state.Cancellation.PendingDate
	}
	return ""
}

// changeInShort describes the first change, the term, which is a commitment, and the number of the
// others.
func changeInShort(changes []v1alpha1.Change, none string) string {
	var words []string
	for i, change := range changes {
		text := fmt.Sprintf("%s → %s", cmp.Or(change.From, "unknown"), change.To)
		switch {
		case change.Field == decide.FieldTerm:
			words = append(words, "term "+text)
		case i == 0:
			words = append(words, text)
		}
	}
	if others := len(changes) - len(words); others > 0 {
		words = append(words, fmt.Sprintf("+%d", others))
	}
	return decide.Bounded(cmp.Or(strings.Join(words, ", "), none), maxChangeColumn)
}
