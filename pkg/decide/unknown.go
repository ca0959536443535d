// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// unknownValuesOf is what becomes of declared values that cannot be compared with the carrier's. What
// the service says counts before what its account says.
func unknownValuesOf(in *ServiceInput) v1alpha1.UnknownValues {
	said := in.Service.Spec.UnknownValues
	if in.Account.Object != nil {
		said = cmp.Or(said, in.Account.Object.Spec.UnknownValues)
	}
	return cmp.Or(said, v1alpha1.UnknownAsk)
}

// asksWhich says whether a person has to decide first whether the unknown values of a change are
// requested or believed.
func asksWhich(in *ServiceInput, want desiredChange) bool {
	return hasUnknown(want.changes) && unknownValuesOf(in) != v1alpha1.UnknownRequest
}

func hasUnknown(changes []v1alpha1.Change) bool {
	return slices.ContainsFunc(changes, func(change v1alpha1.Change) bool { return change.Unknown })
}

// askingWhich is why a person is asked about unknown values.
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

// pricedOnceApproved says whether the price of a change is not read before somebody wants it sent: an
// unknown SLA may as well be believed, and then nobody needs to know. managementPolicy Plan shows all
// prices.
func pricedOnceApproved(in *ServiceInput, want desiredChange) bool {
	if !asksOnlySLA(in, want) {
		return false
	}
	pending := pendingOf(in)
	return pending == nil || control(in.Subject, v1alpha1.AnnotationApprove) != pending.Hash
}

// asksOnlySLA says whether all that a change would change is an SLA that is asked about.
func asksOnlySLA(in *ServiceInput, want desiredChange) bool {
	planned := in.Service.Spec.ManagementPolicy == v1alpha1.ManagementPlan
	return !planned && asksWhich(in, want) && len(only(want.changes, fieldSLA)) == len(want.changes)
}

// isFreeAsApproved says whether an unknown SLA that was approved before its price was read costs
// nothing: that is the change that was approved.
func isFreeAsApproved(in *ServiceInput, wanted []desiredChange) bool {
	return slices.ContainsFunc(wanted, func(want desiredChange) bool {
		return asksOnlySLA(in, want) && isZero(want.changes[0].OneTime) && isZero(want.changes[0].MonthlyAfter)
	})
}

func isZero(amount *v1alpha1.Money) bool {
	cents, known := hundredths(amount)
	return known && cents == 0
}

// trustWords say how the unknown values of a plan of changes are believed instead; "" where there are
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

// isAtFirstSight says whether the plan is only known by what health names it: no request of ours has
// been about it, and nobody has said what it is.
func isAtFirstSight(in *ServiceInput) bool {
	plan := knownPlan(in)
	return plan != nil && plan.Source == v1alpha1.SourceHealth && baselineOf(in) == nil &&
		reachedOf(&in.Input, v1alpha1.OperationPlanChange) == nil
}

// comparesSpelling says whether the carrier's offers have to be read before a plan that differs from
// the declared one is called another: health may spell the same plan otherwise.
func comparesSpelling(in *ServiceInput) bool {
	declared := in.Service.Spec.Plan
	return declared != nil && isAtFirstSight(in) && !sameName(declared.Name, knownPlan(in).Value) &&
		unknownValuesOf(in) != v1alpha1.UnknownRequest
}

// asksAboutPlan says whether a person may have to be asked about a plan change because of what is
// unknown: what it costs is read for that.
func asksAboutPlan(in *ServiceInput) bool {
	return comparesSpelling(in) || asksWhich(in, desiredChange{changes: slaChanges(in)})
}

// isUnlisted says whether the plan that health names is not known to be one that the carrier offers
// for the service: a change from it may be one to the same plan. Offers that are too old are not asked
// again for that: the changes that are shown say what they said.
func isUnlisted(in *ServiceInput) bool {
	switch {
	case !comparesSpelling(in):
		return false
	case quoteFresh(in):
		return !offers(in, knownPlan(in).Value)
	}
	return hasUnknown(only(shownPlan(in, v1alpha1.OperationPlanChange), fieldPlan))
}

// offers says whether the carrier is known to offer a plan.
func offers(in *ServiceInput, name string) bool {
	for _, offer := range in.Memory.Readings.Options.Options.Plans {
		if sameName(offer.Plan, name) {
			return true
		}
	}
	return false
}
