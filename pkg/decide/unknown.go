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
func unknownValuesOf(v *ServiceView) v1alpha1.UnknownValues {
	said := v.Service.Spec.UnknownValues
	if v.Account.Object != nil {
		said = cmp.Or(said, v.Account.Object.Spec.UnknownValues)
	}
	return cmp.Or(said, v1alpha1.UnknownAsk)
}

// asksWhich says whether a person has to say first whether the unknown values of a wish are requested
// or believed.
func asksWhich(v *ServiceView, w wish) bool {
	return hasUnknown(w.changes) && unknownValuesOf(v) != v1alpha1.UnknownRequest
}

func hasUnknown(changes []v1alpha1.Change) bool {
	return slices.ContainsFunc(changes, func(change v1alpha1.Change) bool { return change.Unknown })
}

// askingWhich is why a person is asked about unknown values.
func askingWhich(v *ServiceView, w wish) asking {
	changes, unread := differences(wishes(v)), []string(nil)
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
	if !isPriced(v, w) && pricedOnceApproved(v, w) {
		return asking{why: why + ", and what it costs is read then, and asked about unless it is free"}
	}
	return asking{why: why, priced: true}
}

// pricedOnceApproved says whether the price of a wish is not read before somebody wants it sent: an
// unknown SLA may as well be believed, and then nobody needs to know. managementPolicy Plan shows all
// prices.
func pricedOnceApproved(v *ServiceView, w wish) bool {
	if !asksOnlySLA(v, w) {
		return false
	}
	pending := pendingOf(v)
	return pending == nil || control(v.Subject, v1alpha1.AnnotationApprove) != pending.Hash
}

// asksOnlySLA says whether all that a wish would change is an SLA that is asked about.
func asksOnlySLA(v *ServiceView, w wish) bool {
	planned := v.Service.Spec.ManagementPolicy == v1alpha1.ManagementPlan
	return !planned && asksWhich(v, w) && len(only(w.changes, fieldSLA)) == len(w.changes)
}

// isFreeAsApproved says whether an unknown SLA that was approved before its price was read costs
// nothing: that is the change that was approved.
func isFreeAsApproved(v *ServiceView, wanted []wish) bool {
	return slices.ContainsFunc(wanted, func(w wish) bool {
		return asksOnlySLA(v, w) && isZero(w.changes[0].OneTime) && isZero(w.changes[0].MonthlyAfter)
	})
}

func isZero(amount *v1alpha1.Money) bool {
	cents, known := hundredths(amount)
	return known && cents == 0
}

// trustWords say how the unknown values of a plan of changes are believed instead; "" where there are
// none.
func trustWords(v *View, pending *v1alpha1.Pending) string {
	if !hasUnknown(pending.Changes) {
		return ""
	}
	words := fmt.Sprintf("; or, where the service has the unknown values already, have them believed with %s=%s",
		v1alpha1.AnnotationTrust, pending.Hash)
	given := control(v.Subject, v1alpha1.AnnotationTrust)
	if given != "" && given != v.Subject.Controls().Trust && given != pending.Hash {
		words += fmt.Sprintf("; the annotation trust=%s is for another plan of changes", given)
	}
	return words
}

// isAtFirstSight says whether the plan is only known by what health names it: no request of ours has
// been about it, and nobody has said what it is.
func isAtFirstSight(v *ServiceView) bool {
	plan := knownPlan(v)
	return plan != nil && plan.Source == v1alpha1.SourceHealth && baselineOf(v) == nil &&
		reachedOf(&v.View, v1alpha1.OperationPlanChange) == nil
}

// comparesSpelling says whether the carrier's offers have to be read before a plan that differs from
// the declared one is called another: health may spell the same plan otherwise.
func comparesSpelling(v *ServiceView) bool {
	declared := v.Service.Spec.Plan
	return declared != nil && isAtFirstSight(v) && !sameName(declared.Name, knownPlan(v).Value) &&
		unknownValuesOf(v) != v1alpha1.UnknownRequest
}

// asksAboutPlan says whether a person may have to be asked about a plan change because of what is
// unknown: what it costs is read for that.
func asksAboutPlan(v *ServiceView) bool {
	return comparesSpelling(v) || asksWhich(v, wish{changes: slaChanges(v)})
}

// isUnlisted says whether the plan that health names is not known to be one that the carrier offers
// for the service: a change from it may be one to the same plan. Offers that are too old are not asked
// again for that: the changes that are shown say what they said.
func isUnlisted(v *ServiceView) bool {
	switch {
	case !comparesSpelling(v):
		return false
	case quoteFresh(v):
		return !offers(v, knownPlan(v).Value)
	}
	return hasUnknown(only(shownPlan(v, v1alpha1.OperationPlanChange), fieldPlan))
}

// offers says whether the carrier is known to offer a plan.
func offers(v *ServiceView, name string) bool {
	for _, offer := range v.Memory.Readings.Options.Options.Plans {
		if sameName(offer.Plan, name) {
			return true
		}
	}
	return false
}
