// SPDX-License-Identifier: Apache-2.0

package services

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// sendOrHold sends a change, or explains why it is not sent.
func sendOrHold(in *Input, want decide.DesiredChange) *decide.Decision {
	if held := firstHolding(in, want, guards()); held != nil {
		return held
	}
	decision := decide.RestWorking(v1alpha1.ReasonProgressing,
		fmt.Sprintf("%s is being sent to the carrier", want.Operation))
	decision.Step = submission(in, want)
	if needsApproval(in, want) {
		return decision.ApprovedBy(&in.Input, in.wanted.pending)
	}
	return decision
}

func submission(in *Input, want decide.DesiredChange) decide.Submit {
	submit := decide.UsingUpRetry(&in.Input, decide.Submit{Request: want.Intent(&in.Input)}, lastOf(in, want.Operation))
	if _, has := describedField(in, want.Operation); has && isDescribed(in) {
		submit.Request.Before.Described = new(in.Memory.Readings.Service.Service.DescribedValues)
	}
	if pending := in.wanted.pending; pending != nil {
		submit.Request.Plan = pending.Changes
	}
	submit.Contact = contactOf(in, want.Target)
	return submit
}

// guard returns a decision if a desired change may not be sent now, or nil.
type guard func(*Input, decide.DesiredChange) *decide.Decision

// firstHolding returns the decision of the first guard that holds back a change; nil if none does.
func firstHolding(in *Input, want decide.DesiredChange, guards []guard) *decide.Decision {
	for _, guard := range guards {
		if decision := guard(in, want); decision != nil {
			return decision
		}
	}
	return nil
}

// guards lists the checks between a change and its request, in order.
func guards() []guard {
	return slices.Concat([]guard{
		policyIsObserve,    // managementPolicy Observe
		serviceIsCancelled, // a cancelled service accepts no changes
		valueIsNotOffered,  // nothing is requested that the carrier is known not to offer for the service
		priceIsUnread,      // the price is read if it has to be shown
	}, guardsAtAnyPrice(), []guard{
		approvalIsMissing,  // a person has to approve first
		requestMustWait,    // the last attempt got through, the breaker is closed, the charge limit is not exceeded
		priceIsUnconfirmed, // the approved price is still the price
		basisIsOutdated,    // the value to be changed is still as it was read
	})
}

// guardsAtAnyPrice lists the checks that follow the price and do not depend on it, in order.
func guardsAtAnyPrice() []guard {
	return []guard{
		ntdOptionIsMissing,           // a fast plan needs an NTD option
		changesAreOnlyPlanned,        // managementPolicy Plan, --submit=false, and missing admission policies
		installationIsUnacknowledged, // a new installation that nobody has acknowledged sends nothing for unknown values
		serviceIsSuspended,           // spec.suspend
		sameChangeFailed,             // a definitive failure is not retried automatically
		versionIsTooOld,              // the account's API version supports the operation and the field
		termIsUnknown,                // an SLA change includes the plan's term
		contactIsMissing,             // an NTD option needs a contact
	}
}

func policyIsObserve(in *Input, _ decide.DesiredChange) *decide.Decision {
	if !in.Service.OnlyObserves() {
		return nil
	}
	return decide.RestOn(inSync(in))
}

func changesAreOnlyPlanned(in *Input, want decide.DesiredChange) *decide.Decision {
	nothing := "nothing is sent: " + decide.DescribeChanges(want.Changes)
	if in.Service.Spec.ManagementPolicy == v1alpha1.ManagementPlan {
		return decide.RestWaiting(v1alpha1.ReasonPlanned, "managementPolicy is Plan, so "+nothing)
	}
	return in.Withheld().Rest(nothing)
}

// installationIsUnacknowledged holds back a request for an unknown value while a person has yet to
// acknowledge a new installation.
func installationIsUnacknowledged(in *Input, want decide.DesiredChange) *decide.Decision {
	if !decide.HasUnknown(want.Changes) {
		return nil
	}
	return decide.AwaitAcknowledgement(&in.Input, decide.DescribeChanges(want.Changes))
}

func serviceIsSuspended(in *Input, want decide.DesiredChange) *decide.Decision {
	if !in.Service.Spec.Suspend {
		return nil
	}
	return decide.RestWaiting(v1alpha1.ReasonSuspended,
		"spec.suspend is true, so nothing is sent: "+decide.DescribeChanges(want.Changes))
}

// versionIsTooOld rejects what the account's API version does not have: a field that a later
// version added (spec §9) or, if the account is strict, the whole operation.
func versionIsTooOld(in *Input, want decide.DesiredChange) *decide.Decision {
	unsupported, ok := errors.AsType[*carrier.UnsupportedVersionError](versionError(in, want))
	if !ok {
		return nil
	}
	advice := decide.RaiseVersion
	if unsupported.Field != "" {
		advice = "raise spec.apiVersion of the CarrierAccount"
	}
	return decide.RestStuck(v1alpha1.ReasonUnsupportedByAPIVersion,
		unsupported.Error()+": "+advice+", or remove the field from spec")
}

// versionError validates the request against the version rules of spec §9. A contact from a Secret
// counts as given, because the Secret is read when the request is sent.
func versionError(in *Input, want decide.DesiredChange) error {
	if want.Operation != v1alpha1.OperationPlanChange {
		return decide.CheckSupported(&in.Input, carrier.Operation(want.Operation))
	}
	var to v1alpha1.Contact
	if plan := in.Service.Spec.Plan; plan != nil && (plan.Contact != nil || plan.ContactSecretRef != nil) {
		const given = "given"
		to = v1alpha1.Contact{Name: given, Phone: given, Email: given}
	}
	version := decide.CallVersion(in.Account.Object, carrier.PlanChange)
	return planChangeRequest(in.Service.ServiceNumber(), want.Target, to).Check(version)
}

func termIsUnknown(_ *Input, want decide.DesiredChange) *decide.Decision {
	if want.Operation != v1alpha1.OperationPlanChange || want.Target.Term != 0 {
		return nil
	}
	return decide.RestStuck(v1alpha1.ReasonTermUnknown, fmt.Sprintf(
		"the restoration SLA is sent together with the plan and its term, but the term of plan %q is not known: "+
			"declare spec.plan with name and term", want.Target.Plan))
}

// contactIsMissing requires contact details for the installation of an NTD, from version 8 on (spec
// §9).
func contactIsMissing(in *Input, want decide.DesiredChange) *decide.Decision {
	if err := versionError(in, want); err != nil {
		return decide.RestStuck(v1alpha1.ReasonContactRequired,
			err.Error()+": set spec.plan.contactSecretRef or spec.plan.contact")
	}
	return decide.ContactIsUnreadable(&in.Input, contactOf(in, want.Target))
}

// requestMustWait holds back a change for the reasons that apply to every kind.
func requestMustWait(in *Input, want decide.DesiredChange) *decide.Decision {
	return decide.MustWait(&in.Input, want)
}

// unreadNeedsApproval reports whether a change whose basis could not be read (R7) waits for an
// approval or has one. The message of that approval contains the carrier's response.
func unreadNeedsApproval(in *Input) bool {
	return slices.ContainsFunc(in.wanted.changes, func(want decide.DesiredChange) bool {
		return want.Unread && policyIsObserve(in, want) == nil && changesAreOnlyPlanned(in, want) == nil &&
			serviceIsSuspended(in, want) == nil
	})
}

// serviceIsCancelled holds back a modification of a cancelled service, because the carrier
// accepts none until the service is reclaimed. If it is still cancelled after a successful
// reclaim, a person has to decide.
func serviceIsCancelled(in *Input, want decide.DesiredChange) *decide.Decision {
	known := in.Service.LastKnown().Cancellation
	if !isCancelled(in) {
		return nil
	}
	since := cmp.Or(known.CancelledOn, "an unknown day")
	reclaim := decide.ReachedOf(&in.Input, v1alpha1.OperationReclaim)
	done := reclaim != nil && reclaim.Phase == v1alpha1.PhaseSucceeded &&
		reclaim.Generation == in.Subject.GetGeneration() && !decide.RetryRequested(&in.Input, reclaim)
	switch {
	case want.Operation != v1alpha1.OperationReclaim:
		return decide.RestStuck(v1alpha1.ReasonCancelled, fmt.Sprintf(
			"the carrier shows the service as cancelled since %s and accepts no changes: reclaim the service "+
				"(disconnection: Reclaim) so that %s can be sent, or remove that change from spec", since, want.Operation))
	case done:
		return decide.RequeueAt(decide.RestStuck(v1alpha1.ReasonCancelled, fmt.Sprintf(
			"the carrier shows the service as cancelled since %s although reclaim attempt %s succeeded: ask the carrier, "+
				"or, to reclaim the service once more, run: %s%s", since, reclaim.AttemptID, decide.RetryHint(&in.Input, reclaim),
			decide.WhyRetryIgnored(&in.Input, reclaim))), decide.RetryDue(&in.Input, reclaim))
	}
	return nil
}

// priceIsUnconfirmed reads the prices again just before the POST. A different fee changes the
// hash, so the approval no longer matches.
func priceIsUnconfirmed(in *Input, want decide.DesiredChange) *decide.Decision {
	asked := in.Memory.Readings.Options.Token == decide.Control(in.Subject, v1alpha1.AnnotationApprove)
	if !readsPrices(in, want.Operation) || quoteFresh(in) && (asked || !needsApproval(in, want)) {
		return nil
	}
	return withBasis(in, want, askPrice(in))
}

// priceIsUnread waits for the prices of a change if they have to be shown.
func priceIsUnread(in *Input, want decide.DesiredChange) *decide.Decision {
	if !mustBePriced(in, want) || sameChangeFailed(in, want) != nil {
		return nil
	}
	price := askPrice(in)
	isHeld := firstHolding(in, want, append(guardsAtAnyPrice(), requestMustWait)) != nil
	if isHeld || needsApprovalAtAnyPrice(in, want) {
		return price
	}
	return withBasis(in, want, price)
}

// withBasis reads the basis of a change at the same time as its price, so that neither waits for
// the other. While the price cannot be read, the basis is not read, because it would not be used.
func withBasis(in *Input, want decide.DesiredChange, price *decide.Decision) *decide.Decision {
	basis, fails := basisIsOutdated(in, want), !in.Memory.Readings.Options.FailingSince.IsZero()
	if basis != nil && price.Transient && !fails && decide.IsRest(price.Step) {
		price.Step, price.RequeueAt = basis.Step, decide.Earlier(price.RequeueAt, basis.RequeueAt)
	}
	return price
}

// ntdOptionIsMissing requires an NTD option for a fast plan, if its speed is known (spec §4).
func ntdOptionIsMissing(in *Input, want decide.DesiredChange) *decide.Decision {
	if want.Operation != v1alpha1.OperationPlanChange || want.Target.NTDOption != "" {
		return nil
	}
	offers := in.Memory.Readings.Options.Options.Plans
	if len(offers) == 0 {
		return optionMissed(in)
	}
	for _, offer := range offers {
		speed, _, _ := strings.Cut(string(offer.SpeedDown.Speed), ".")
		mbit, whole := carrier.Number(speed).Int()
		if decide.SameName(offer.Plan, want.Target.Plan) && whole && mbit > fastPlan {
			return decide.RestStuck(v1alpha1.ReasonNTDOptionRequired, fmt.Sprintf(
				"plan %q is faster than %d MBit/s and needs an NTD option: set spec.plan.ntdOption%s",
				want.Target.Plan, fastPlan, optionNames(offer.NTDOptions)))
		}
	}
	return nil
}

// fastPlan is the speed in MBit/s above which a plan needs an NTD option (spec §4).
const fastPlan = 1000

// optionMissed repeats the verdict already recorded for this generation. The offers are forgotten
// on a restart, and they are not read again for this verdict.
func optionMissed(in *Input) *decide.Decision {
	if ready := in.ShownReady(); ready.Reason == v1alpha1.ReasonNTDOptionRequired {
		return decide.RestStuck(ready.Reason, ready.Message)
	}
	return nil
}

func optionNames(options []carrier.NTDOption) string {
	names := make([]string, 0, len(options))
	for _, option := range options {
		names = append(names, decide.Bounded(option.Option, 100))
	}
	if len(names) == 0 {
		return ""
	}
	return " to one of " + strings.Join(names[:min(len(names), 10)], ", ")
}
