// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// approval is what a person has approved: the changes that an object has shown.
type approval struct {
	uid     string
	changes []v1alpha1.Change
}

// sentAsApproved is the name under which requests that needed an approval are counted.
const sentAsApproved = "an approved request is sent"

// checkApproval checks invariant 28, Approved: if the account requires approval, a person has
// approved each chargeable request that needed it.
func (c *simulationRecorder) checkApproval(one *post, written *attempt, about *member) {
	if about.account.key.Name != limitedAccount || !isChargeable(one.class) || !c.needsApproval(one, written, about) {
		return
	}
	c.countAction(sentAsApproved)
	if given, is := c.approved[written.ApprovedHash]; !is || !given.covers(written) {
		c.report(28, fmt.Sprintf("%s %s of %s was sent, and nobody has approved that",
			one.operation, one.attempt, about.key.Name))
	}
}

// covers reports whether everything that a request changes was shown to the person who approved it.
func (a approval) covers(written *attempt) bool {
	wanted := written.Changes()
	if target := written.Target; written.Operation == v1alpha1.OperationOrderCreate {
		wanted = []v1alpha1.Change{
			{Operation: written.Operation, Field: "planName", To: target.Plan},
			{Operation: written.Operation, Field: "term", To: strconv.Itoa(int(target.Term))},
		}
	}
	notShown := func(change v1alpha1.Change) bool {
		return !slices.ContainsFunc(a.changes, func(shown v1alpha1.Change) bool {
			return shown.Operation == change.Operation && shown.Field == change.Field && shown.To == change.To
		})
	}
	return a.uid == written.UID && len(wanted) > 0 && !slices.ContainsFunc(wanted, notShown)
}

// needsApproval reports whether approval OnCost certainly applies to a request: to every order, to
// a change without a quoted price, to the first change that an object makes to a service that it
// did not order, and to any other change that costs more.
func (c *simulationRecorder) needsApproval(one *post, written *attempt, about *member) bool {
	always := []v1alpha1.Operation{
		v1alpha1.OperationOrderCreate, v1alpha1.OperationAggregationConversion, v1alpha1.OperationReclaim,
	}
	if slices.Contains(always, one.operation) {
		return true
	}
	return one.operation == v1alpha1.OperationPlanChange && (c.isFirstChange(one, about) || costsMore(written))
}

// isFirstChange reports whether an object has not changed its service yet. Only requests that were
// accepted, or that a person has claimed to be accepted, count as changes.
func (c *simulationRecorder) isFirstChange(one *post, about *member) bool {
	service, is := c.simulation.subject(about).(*v1alpha1.BroadbandService)
	if !is || service.Spec.OrderRef != nil {
		return false
	}
	return !slices.ContainsFunc(c.sent, func(other *post) bool {
		own := other != one && other.uid == one.uid && other.class != carrier.ClassQuery
		return own && (other.accepted || c.resolvedFalsely[other.attempt])
	})
}

// costsMore reports whether the monthly fee rises or there is a one-time fee, by the carrier's
// prices, or whether the current plan is unknown.
func costsMore(written *attempt) bool {
	monthly := map[string]int{
		world.PlanSlow: 45, world.PlanFast: 58, world.PlanFails: 58, world.PlanGiga: 110, world.PlanCheap: 30,
		world.PlanSetUp: 32, world.PlanNFAS: 38, world.SLAStd: 0, world.SLAFast: 10,
	}
	before, after, once := 0, 0, written.Target.NTDOption != ""
	for _, change := range written.Changes() {
		if change.Field == "plan.name" && change.From == "" {
			return true
		}
		before, after = before+monthly[change.From], after+monthly[change.To]
		once = once || change.To == world.PlanSetUp || change.To == world.PlanNFAS
	}
	return once || after > before
}

// noteApproval remembers the changes that a person has approved.
func (c *simulationRecorder) noteApproval(subject Subject) {
	if pending := pendingOf(subject); pending != nil {
		c.approved[pending.Hash] = approval{string(subject.GetUID()), pending.Changes}
	}
}
