// SPDX-License-Identifier: Apache-2.0

package services

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// approved waits until a person approves exactly this plan of changes.
func approved(in *Input, want decide.DesiredChange) *decide.Decision {
	if !needsApproval(in, want) {
		return nil
	}
	waits := decide.AwaitApproval(&in.Input, approvalReason(in, want), in.wanted.pending)
	if waits == nil {
		return nil
	}
	return cmp.Or(decide.AwaitContact(&in.Input, contactOf(in, want.Target)), waits)
}

// needsApproval reports whether a change waits for a person. Under OnCost it does if a one-time fee
// is above zero, the monthly fee rises, or either is unknown: an aggregation conversion and a
// reclaim have no quoted price. It also does if it is the first change of a service that the object
// did not order. An unreadable value needs approval whatever the policies say (R7), and so do
// unknown values.
func needsApproval(in *Input, want decide.DesiredChange) bool {
	policy := approvalOf(in)
	onCost := policy == v1alpha1.ApprovalOnCost && (costsMoney(want) || isFirstChange(in))
	return want.Unread || needsUnknownDecision(in, want) || policy == v1alpha1.ApprovalAlways || onCost
}

// approvalOf returns when a change of the service has to be approved.
func approvalOf(in *Input) v1alpha1.Approval {
	return decide.ApprovalPolicy(&in.Input, in.Service.Spec.Approval)
}

func costsMoney(want decide.DesiredChange) bool {
	if want.Operation == v1alpha1.OperationPlanChange {
		b := decide.BillOf(want.Changes)
		return b.Costs()
	}
	return want.Operation == v1alpha1.OperationAggregationConversion || want.Operation == v1alpha1.OperationReclaim
}

// untilApproved follows the text about the unreadable value.
const untilApproved = "; nothing is sent until somebody approves the change or requests another read with " +
	v1alpha1.AnnotationReconcile

// approvalReason returns why a change waits for a person.
func approvalReason(in *Input, want decide.DesiredChange) decide.ApprovalReason {
	switch policy := approvalOf(in); {
	case want.Unread:
	case needsUnknownDecision(in, want):
		return unknownValueReason(in, want)
	case policy == v1alpha1.ApprovalOnCost && isFirstChange(in) && !costsMoney(want):
		return decide.ApprovalReason{
			Why: "this would be the first change that this object makes to a service that it did not order, " +
				"and approval is OnCost, so nothing is sent until somebody approves it",
			Priced: true,
		}
	default:
		return decide.RequiredByPolicy(policy)
	}
	on, _ := basisOf(in, want.Operation)
	return decide.ApprovalReason{Why: unreadText(in, on) + untilApproved, Priced: pricing(in, want.Operation)}
}

// unreadText describes what could not be read and why. The reason is the one that this process
// knows, or otherwise the one that the status last reported.
func unreadText(in *Input, on basis) string {
	words, reading := on.what+" could not be read", in.Memory.Readings.Of(on.topic)
	switch {
	case reading.Answered() && reading.Err == nil:
		return words + " (the carrier's response does not contain it)"
	case reading.Err != nil:
		return fmt.Sprintf("%s (%s)", words, decide.ErrorText(reading.Err))
	}
	for _, condition := range in.Service.Status.Conditions {
		before, _, found := strings.Cut(condition.Message, untilApproved)
		if found && condition.Type == v1alpha1.ConditionApprovalRequired && strings.HasPrefix(before, words) {
			return before
		}
	}
	return words
}

// unknownValueReason explains why unknown values need an approval.
func unknownValueReason(in *Input, want decide.DesiredChange) decide.ApprovalReason {
	why := whyUnknown(in) + "nothing is sent until somebody approves this change"
	if !isPriced(in, want) && pricedOnceApproved(in, want) {
		return decide.ApprovalReason{Why: why + ". Whether the carrier offers it, and at which price, is read " +
			"after that approval; if it is not free, the change must be approved again"}
	}
	return decide.ApprovalReason{Why: why, Priced: true}
}

// whyUnknown explains why values are unknown. With the extension ServiceRead, the carrier can report
// the others than the plan, but does not show them for this service.
func whyUnknown(in *Input) string {
	why, unread := "", []string(nil)
	for _, change := range differences(in.wanted.changes) {
		switch {
		case change.Unknown && change.Field == decide.FieldPlan:
			why = fmt.Sprintf("health shows the plan as %q, but the carrier is not known to offer a plan with that name "+
				"for this service: it may be the declared plan, spelled differently; ", change.From)
		case change.Unknown:
			unread = append(unread, change.Field)
		}
	}
	switch account := in.Account.Object; {
	case len(unread) == 0:
	case account != nil && account.Extends(v1alpha1.ExtensionServiceRead):
		why += "the carrier does not show " + decide.ListOf(unread) + " at present; "
	default:
		why += "the carrier's API cannot report " + decide.ListOf(unread) + "; "
	}
	return why
}

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
// service, or may have. An attempt that the carrier refused has changed nothing. One that was repeated
// does not count, because its repeat does.
func mayHaveChanged(in *Input, uid string, takenOver bool, phase v1alpha1.RequestPhase) bool {
	own := uid == string(in.Service.UID) && !takenOver
	return own && phase != v1alpha1.PhaseRepeated && !decide.MayOrderAgain(phase)
}
