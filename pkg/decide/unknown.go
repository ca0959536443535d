// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// unknownValuesOf returns the policy for declared values that cannot be compared with the
// carrier's. The service's setting takes precedence over the account's.
func unknownValuesOf(in *ServiceInput) v1alpha1.UnknownValues {
	said := in.Service.Spec.UnknownValues
	if in.Account.Object != nil {
		said = cmp.Or(said, in.Account.Object.Spec.UnknownValues)
	}
	return cmp.Or(said, v1alpha1.UnknownAsk)
}

// asksWhich reports whether a person has to decide first whether the unknown values of a change are
// requested or trusted.
func asksWhich(in *ServiceInput, want desiredChange) bool {
	return hasUnknown(want.changes) && unknownValuesOf(in) != v1alpha1.UnknownRequest
}

func hasUnknown(changes []v1alpha1.Change) bool {
	return slices.ContainsFunc(changes, func(change v1alpha1.Change) bool { return change.Unknown })
}

// askingWhich explains why a person is asked about unknown values.
func askingWhich(in *ServiceInput, want desiredChange) asking {
	changes, unread := differences(desiredChanges(in)), []string(nil)
	why := ""
	for _, change := range changes {
		switch {
		case change.Unknown && change.Field == fieldPlan:
			why = fmt.Sprintf("health names the plan %q, and the carrier is not known to offer a plan of that name for "+
				"this service: it may be the declared plan, spelled differently; ", change.From)
		case change.Unknown:
			unread = append(unread, change.Field)
		}
	}
	if len(unread) > 0 {
		why += "the carrier has no read of " + listOf(unread) + "; "
	}
	why += "nothing is sent before it is approved"
	if !isPriced(in, want) && pricedOnceApproved(in, want) {
		return asking{why: why + ", and what it costs is read then, and asked about unless it is free"}
	}
	return asking{why: why, priced: true}
}

// pricedOnceApproved reports whether the price of a change is read only after a person wants it
// sent: an unknown SLA may be trusted instead, and then its price is not needed. With
// managementPolicy Plan, all prices are shown.
func pricedOnceApproved(in *ServiceInput, want desiredChange) bool {
	if !asksOnlySLA(in, want) {
		return false
	}
	pending := pendingOf(in)
	return pending == nil || control(in.Subject, v1alpha1.AnnotationApprove) != pending.Hash
}

// asksOnlySLA reports whether a change consists only of an SLA that a person has to decide about.
func asksOnlySLA(in *ServiceInput, want desiredChange) bool {
	planned := in.Service.Spec.ManagementPolicy == v1alpha1.ManagementPlan
	return !planned && asksWhich(in, want) && len(only(want.changes, fieldSLA)) == len(want.changes)
}

// isFreeAsApproved reports whether an unknown SLA that was approved before its price was read
// turned out to be free: then it is the change that was approved.
func isFreeAsApproved(in *ServiceInput, wanted []desiredChange) bool {
	return slices.ContainsFunc(wanted, func(want desiredChange) bool {
		return asksOnlySLA(in, want) && isZero(want.changes[0].OneTime) && isZero(want.changes[0].MonthlyAfter)
	})
}

func isZero(amount *v1alpha1.Money) bool {
	cents, known := hundredths(amount)
	return known && cents == 0
}

// trustWords explains how to trust the unknown values of a plan of changes instead; "" if there are
// none.
func trustWords(in *Input, pending *v1alpha1.Pending) string {
	if !hasUnknown(pending.Changes) {
		return ""
	}
	words := fmt.Sprintf("; or, where the service has the unknown values already, have them believed with %s=%s",
		v1alpha1.AnnotationTrust, pending.Hash)
	given := control(in.Subject, v1alpha1.AnnotationTrust)
	if given != "" && given != in.Subject.Controls().Trust && given != pending.Hash {
		words += fmt.Sprintf("; the annotation trust=%s is for another plan of changes", given)
	}
	return words
}

// isAtFirstSight reports whether the plan is only known by its name in health: no request of ours
// has concerned it, and no person has confirmed it.
func isAtFirstSight(in *ServiceInput) bool {
	plan := knownPlan(in)
	return plan != nil && plan.Source == v1alpha1.SourceHealth && baselineOf(in) == nil &&
		reachedOf(&in.Input, v1alpha1.OperationPlanChange) == nil
}

// comparesSpelling reports whether the carrier's offers have to be read before a plan with a
// different name counts as different from the declared one: health may spell the same plan
// differently.
func comparesSpelling(in *ServiceInput) bool {
	declared := in.Service.Spec.Plan
	return declared != nil && isAtFirstSight(in) && !sameName(declared.Name, knownPlan(in).Value) &&
		unknownValuesOf(in) != v1alpha1.UnknownRequest
}

// asksAboutPlan reports whether a person may have to decide about a plan change because of unknown
// values. Its price is read for that decision.
func asksAboutPlan(in *ServiceInput) bool {
	return comparesSpelling(in) || asksWhich(in, desiredChange{changes: slaChanges(in)})
}

// isUnlisted reports whether the plan named in health is not known to be offered for the service,
// so that the change may be one to the same plan. Offers that are too old are not read again for
// this: the shown changes still contain the result.
func isUnlisted(in *ServiceInput) bool {
	switch {
	case !comparesSpelling(in):
		return false
	case quoteFresh(in):
		return !offers(in, knownPlan(in).Value)
	}
	return hasUnknown(only(shownPlan(in, v1alpha1.OperationPlanChange), fieldPlan))
}

// offers reports whether the carrier is known to offer a plan.
func offers(in *ServiceInput, name string) bool {
	for _, offer := range in.Memory.Readings.Options.Options.Plans {
		if sameName(offer.Plan, name) {
			return true
		}
	}
	return false
}
