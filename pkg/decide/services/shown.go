// SPDX-License-Identifier: Apache-2.0

package services

import (
	"cmp"
	"fmt"
	"slices"

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

// changeInShort describes the first change, the term that is sent with it, which is a commitment, and
// the number of the others. The plan that a new plan replaces is in another column, which leaves room
// for the term.
func changeInShort(changes []v1alpha1.Change, none string) string {
	if len(changes) == 0 {
		return none
	}
	first, left := changes[0], len(changes)-1
	words := fmt.Sprintf("%s → %s", cmp.Or(first.From, "unknown"), first.To)
	term := slices.IndexFunc(changes, func(change v1alpha1.Change) bool { return change.Field == decide.FieldTerm })
	switch {
	case term == 0:
		words = "term " + words
	case term > 0 && first.Field == decide.FieldPlan:
		words, left = fmt.Sprintf("→ %s for %s", first.To, months(changes[term].To)), left-1
	case term > 0:
		words, left = words+", term "+changes[term].To, left-1
	}
	if left > 0 {
		words = fmt.Sprintf("%s, +%d", words, left)
	}
	return decide.Bounded(words, maxChangeColumn)
}

func months(number string) string {
	if number == "1" {
		return "1 month"
	}
	return number + " months"
}
