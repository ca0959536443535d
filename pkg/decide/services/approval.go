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

// approvalIsMissing waits until a person approves exactly this plan of changes.
func approvalIsMissing(in *Input, want decide.DesiredChange) *decide.Decision {
	if !needsApproval(in, want) {
		return nil
	}
	waits := decide.AwaitApproval(&in.Input, approvalReason(in, want), in.wanted.pending)
	if waits == nil {
		return nil
	}
	return cmp.Or(decide.AwaitContact(&in.Input, contactOf(in, want.Target)), waits)
}

// needsApproval reports whether a change waits for a person. Under OnCost, a change waits if it
// costs money, or is the first change of a service that the object did not order. Changes of
// unreadable (R7) or unknown values wait whatever the policies say.
func needsApproval(in *Input, want decide.DesiredChange) bool {
	return needsApprovalAtAnyPrice(in, want) || approvalOf(in) == v1alpha1.ApprovalOnCost && costsMoney(want)
}

func needsApprovalAtAnyPrice(in *Input, want decide.DesiredChange) bool {
	policy := approvalOf(in)
	firstOnCost := policy == v1alpha1.ApprovalOnCost && isFirstChange(in)
	return want.Unread || needsUnknownDecision(in, want) || policy == v1alpha1.ApprovalAlways || firstOnCost
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

func approvalReason(in *Input, want decide.DesiredChange) decide.ApprovalReason {
	switch policy := approvalOf(in); {
	case want.Unread:
	case needsUnknownDecision(in, want):
		return unknownValueReason(in, want)
	case policy == v1alpha1.ApprovalOnCost && isFirstChange(in) && !costsMoney(want):
		return decide.ApprovalReason{
			Why: "approval is OnCost, and this would be the first change by this object, which has no orderRef, " +
				"so nothing is sent until somebody approves it",
			Priced: true,
		}
	default:
		return decide.RequiredByPolicy(policy)
	}
	on, _ := basisOf(in, want.Operation)
	return decide.ApprovalReason{Why: unreadText(in, on) + untilApproved, Priced: readsPrices(in, want.Operation)}
}

// unreadText describes what could not be read and why. The reason is the one known to this
// process, or otherwise the one last reported in the status.
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

// whyUnknown explains why values are unknown. With the extension ServiceRead, the carrier can
// report values other than the plan, but does not show them for this service.
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
		why += "the carrier does not show " + decide.ListOf(unread, "and") + " at present; "
	default:
		why += "the carrier's API cannot report " + decide.ListOf(unread, "and") + "; "
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
// service, or may have. A refused attempt has changed nothing. A repeated attempt does not count,
// because its repeat does.
func mayHaveChanged(in *Input, uid string, takenOver bool, phase v1alpha1.RequestPhase) bool {
	own := uid == string(in.Service.UID) && !takenOver
	return own && phase != v1alpha1.PhaseRepeated && !decide.MayOrderAgain(phase)
}

// pendingOf returns the plan of changes, as in Terraform; nil if there are none. The changes of an
// open request stay in it as they were sent, even if the spec has changed since.
func pendingOf(in *Input) *v1alpha1.Pending {
	if in.Service.ServiceNumber() == "" {
		return nil
	}
	var inProgress []v1alpha1.Change
	for _, open := range in.Subject.Record().OpenRequests() {
		inProgress = append(inProgress, open.Changes()...)
	}
	wanted := wantedNext(in)
	changes := slices.Concat(inProgress, differences(wanted))
	if len(changes) == 0 {
		return nil
	}
	return &v1alpha1.Pending{Hash: pendingHash(in, inProgress, wanted), Changes: changes}
}

// wantedNext returns the changes that would be sent, in addition to those in progress.
func wantedNext(in *Input) []decide.DesiredChange {
	if in.Service.OnlyObserves() || showsNothing(in) {
		return nil
	}
	all := append(slices.Clone(in.wanted.changes), desiredCancellation(in))
	return slices.DeleteFunc(all, func(want decide.DesiredChange) bool {
		open := in.Subject.Record().RequestOf(want.Operation)
		return !want.Wanted() || open != nil && !open.Phase.Ended()
	})
}

// onlySLANeedsDecision reports whether the only reason for a change is an SLA that a person has
// to decide about. The SLA is then the first of its changes; a term may be sent with it.
func onlySLANeedsDecision(in *Input, want decide.DesiredChange) bool {
	return needsUnknownDecision(in, want) && want.Changes[0].Field == decide.FieldSLA
}

func differences(wanted []decide.DesiredChange) []v1alpha1.Change {
	var changes []v1alpha1.Change
	for _, want := range wanted {
		changes = append(changes, want.Changes...)
	}
	return changes
}

// pendingHash returns the hash of the plan of changes. An approved plan keeps its hash until it is
// carried out, because one approval covers all of its changes.
func pendingHash(in *Input, inProgress []v1alpha1.Change, wanted []decide.DesiredChange) string {
	if newest := newestApproved(in); newest != nil && hasApprovedBodies(in, newest.ApprovedHash, wanted) &&
		isBeingCarriedOut(in, newest, append(inProgress, differences(wanted)...)) {
		return newest.ApprovedHash
	}
	if given := decide.Control(in.Subject, v1alpha1.AnnotationApprove); given != "" && unknownSLAIsFree(in, wanted) &&
		given == hashOf(in, withoutPrices(wanted)) {
		return given
	}
	return hashOf(in, wanted)
}

func withoutPrices(wanted []decide.DesiredChange) []decide.DesiredChange {
	bare := slices.Clone(wanted)
	for i := range bare {
		bare[i].Changes = decide.Unpriced(bare[i].Changes)
	}
	return bare
}

// hashOf returns the hash of the wanted changes as they are shown, and of the login that would
// send them: an approval for one carrier is not valid for another. Changes in progress are shown,
// but not approved. An approval given meanwhile stays valid after they have ended.
func hashOf(in *Input, wanted []decide.DesiredChange) string {
	const each = 3
	facts := append(make([]any, 0, each*(2+len(wanted))), in.Account.Memory(),
		in.Subject.GetUID(), in.Subject.GetGeneration(), in.Installation.Policies.InForce)
	if trusted := in.Service.Status.Handled.Trust; trusted != "" { // a used-up value never matches again
		facts = append(facts, trusted)
	}
	for _, want := range wanted {
		// Only attempts that reached the carrier count: others must not require approval again (R11).
		last := decide.AttemptInHash(&in.Input, want.Operation)
		facts = append(facts, last, decide.BodyHash(want.Body), want.Changes)
	}
	return decide.ApprovalHash(facts)
}

// newestApproved returns the newest attempt that was made under an approval; nil if there is
// none. The attempt contains what was left of the approved plan at that time. An attempt that was
// not sent proves no approval: the policy that decides who may approve may have been missing at
// its last check.
func newestApproved(in *Input) (newest *v1alpha1.Request) {
	for i := range in.Service.Status.Requests {
		request := &in.Service.Status.Requests[i]
		approved := request.ApprovedHash != "" && request.Phase != v1alpha1.PhaseNotSent
		if approved && (newest == nil || newest.SubmittedAt.Before(&request.SubmittedAt)) {
			newest = request
		}
	}
	return newest
}

// isBeingCarriedOut reports whether the plan of the newest approved attempt is in progress without
// a failure, and its remaining changes are exactly the ones wanted now. A completed change does not
// remain, so making the same change again needs a new plan.
func isBeingCarriedOut(in *Input, newest *v1alpha1.Request, left []v1alpha1.Change) bool {
	for i := range in.Service.Status.Requests {
		request := &in.Service.Status.Requests[i]
		if request.ApprovedHash == newest.ApprovedHash &&
			(endsPlan(request) || request.TakenOver || request.Generation != in.Service.Generation) {
			return false
		}
	}
	return !slices.ContainsFunc(left, func(change v1alpha1.Change) bool {
		same := func(planned v1alpha1.Change) bool { return decide.SameChange(planned, change) }
		return !slices.ContainsFunc(newest.Plan, same) || isCarriedOut(in, newest, change.Operation)
	})
}

// isCarriedOut reports whether the change that an operation makes in an approved plan was made
// already. The newest attempt under the approval lists what was left when it was made, so the
// change was made since: under the approval, or without it, for example because the carrier had
// meanwhile moved the service, and going back needed no approval. What the ledger has dropped
// counts as made.
func isCarriedOut(in *Input, newest *v1alpha1.Request, operation v1alpha1.Operation) bool {
	if own := in.Service.RequestOf(operation); own != nil && own.ApprovedHash == newest.ApprovedHash {
		return own.Phase == v1alpha1.PhaseSucceeded
	}
	last, known := decide.NewestWithEffect(&in.Input, operation)
	if last == nil {
		return !known
	}
	return last.Phase.Ended() && !last.SubmittedAt.Before(&newest.SubmittedAt)
}

// hasApprovedBodies reports whether the remaining changes of an approved plan would be sent as
// they were approved. An SLA is sent together with the present plan and term of the service. If
// either became known after the first attempt at the plan, the request is no longer the approved
// one.
func hasApprovedBodies(in *Input, approved string, wanted []decide.DesiredChange) bool {
	return !slices.ContainsFunc(wanted, func(want decide.DesiredChange) bool {
		sent := in.Service.RequestOf(want.Operation)
		if sent != nil && sent.ApprovedHash == approved {
			return sent.BodyHash != decide.BodyHash(want.Body)
		}
		state := in.Service.LastKnown()
		return want.Operation == v1alpha1.OperationPlanChange && in.Service.Spec.Plan == nil &&
			(knownSince(in, approved, state.Plan) || knownSince(in, approved, state.Term))
	})
}

func knownSince(in *Input, approved string, value *v1alpha1.KnownValue) bool {
	return value != nil && slices.ContainsFunc(in.Service.Status.Requests, func(request v1alpha1.Request) bool {
		return request.ApprovedHash == approved && request.SubmittedAt.Before(&value.Since)
	})
}

// endsPlan reports whether an attempt ends the plan that it is part of: it is not repeated
// automatically, or a person has ended it (R11).
func endsPlan(attempt *v1alpha1.Request) bool {
	failed := (decide.Definitive(attempt.Phase) || decide.ResultDiffers(attempt)) && !decide.AnotherInProgress(attempt)
	return failed || attempt.Phase == v1alpha1.PhaseNotAccepted
}

// unknownSLAIsFree reports whether the price of an unknown SLA has been read and is zero. The
// change is then still the one that was approved before its price was read.
func unknownSLAIsFree(in *Input, wanted []decide.DesiredChange) bool {
	return slices.ContainsFunc(wanted, func(want decide.DesiredChange) bool {
		if !onlySLANeedsDecision(in, want) {
			return false
		}
		sla, rest := want.Changes[0], decide.BillOf(want.Changes[1:]) // a term, which was shown before the prices were read
		rest.AddNTDOption(sla.NTDOption)
		return isZero(sla.OneTime) && isZero(sla.MonthlyAfter) && rest.IsFree()
	})
}

func isZero(amount *v1alpha1.Money) bool {
	cents, known := decide.Cents(amount)
	return known && cents == 0
}

// mustBePriced reports whether the price of a change has to be read before anything else is decided.
func mustBePriced(in *Input, want decide.DesiredChange) bool {
	return readsPrices(in, want.Operation) && !isPriced(in, want) && !pricedOnceApproved(in, want)
}

// isPriced reports whether the price of a change is known as well as possible: the options were
// read just now, or the recorded plan of changes has the same change with a price.
func isPriced(in *Input, want decide.DesiredChange) bool {
	switch {
	case quoteFresh(in):
		return true
	case trustsUnknown(in) && isUnlisted(in):
		return false // trusting it requires offers read now, not the ones shown earlier
	}
	recorded := shownPlan(in, want.Operation)
	bare := decide.Unpriced(recorded)
	return decide.EqualChanges(bare, decide.Unpriced(want.Changes)) && !decide.EqualChanges(bare, recorded)
}

// pricedOnceApproved reports whether the price of a change is read only after a person wants it
// sent. Until then, an unknown SLA may be trusted instead, which needs no price. In an imported
// fleet, every service may have an unknown SLA.
func pricedOnceApproved(in *Input, want decide.DesiredChange) bool {
	if !onlySLANeedsDecision(in, want) {
		return false
	}
	pending := in.wanted.pending
	return pending == nil || decide.Control(in.Subject, v1alpha1.AnnotationApprove) != pending.Hash
}
