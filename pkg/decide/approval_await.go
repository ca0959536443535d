// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// ApprovalPolicy combines two policies: the stricter one counts (R9). An account without a policy
// uses the schema's default.
func ApprovalPolicy(in *Input, own v1alpha1.Approval) v1alpha1.Approval {
	asked := []v1alpha1.Approval{own}
	if in.Account.Object != nil {
		asked = append(asked, cmp.Or(in.Account.Object.Spec.Approval, v1alpha1.ApprovalOnCost))
	}
	switch {
	case slices.Contains(asked, v1alpha1.ApprovalAlways):
		return v1alpha1.ApprovalAlways
	case slices.Contains(asked, v1alpha1.ApprovalOnCost):
		return v1alpha1.ApprovalOnCost
	}
	return v1alpha1.ApprovalAutomatic
}

// UnknownValuesPolicy returns the policy for declared values that cannot be compared with the
// carrier's. The object's own setting takes precedence over the account's.
func UnknownValuesPolicy(in *Input, own v1alpha1.UnknownValues) v1alpha1.UnknownValues {
	if in.Account.Object != nil {
		own = cmp.Or(own, in.Account.Object.Spec.UnknownValues)
	}
	return cmp.Or(own, v1alpha1.UnknownAsk)
}

// ApprovalReason is the reason why a person's approval is needed.
type ApprovalReason struct {
	Why    string
	Priced bool   // whether the price was requested from the carrier, where it quotes one
	Fees   string // the fees, where they are not part of the changes
}

// RequiredByPolicy returns the reason for an approval that a policy requires.
func RequiredByPolicy(policy v1alpha1.Approval) ApprovalReason {
	return ApprovalReason{
		Why:    fmt.Sprintf("approval is %s, so nothing is sent until somebody approves this", policy),
		Priced: true,
	}
}

// AwaitApproval returns nil if the pending plan of changes is the approved one, otherwise a
// decision that waits for the approval.
func AwaitApproval(in *Input, ask ApprovalReason, pending *v1alpha1.Pending) *Decision {
	if pending == nil {
		return RestWorking(v1alpha1.ReasonProgressing, "the request in progress has to end first")
	}
	withheld := in.Installation.Policies.Withheld() // anybody who may edit the object could approve it
	if decision := withheld.Rest("nothing is sent: " + DescribeChanges(pending.Changes)); decision != nil {
		return decision
	}
	given := Control(in.Subject, v1alpha1.AnnotationApprove)
	if given == pending.Hash {
		return nil
	}
	void, costs := otherApproval(in), ask.Fees
	if ask.Priced {
		costs = unquoted(pending.Changes)
	}
	if void != "" {
		void = "; " + void
	}
	return RestWaiting(v1alpha1.ReasonAwaitingApproval, fmt.Sprintf(
		"%s: %s%s; approve with: %s%s%s", ask.Why, DescribeChanges(pending.Changes), costs,
		AnnotateCommand(in, v1alpha1.AnnotationApprove, pending.Hash), TrustText(in, pending), void))
}

// otherApproval describes the approve annotation, if it does not approve what is pending; "" if
// there is none or it is used up.
func otherApproval(in *Input) string {
	given := Control(in.Subject, v1alpha1.AnnotationApprove)
	if given == "" || given == in.Subject.Record().Controls().Approve {
		return ""
	}
	return fmt.Sprintf("the approval %s is for another plan of changes, or for another price: "+
		"approve the present one, status.pending.hash", given)
}

// NewPending returns a plan of changes with a hash over all that is to be approved. An old approval
// never matches, nor does an approval that was set while the policy was missing. The hash covers
// only attempts that reached the carrier, so that a pause at the carrier does not require another
// approval (R11).
func NewPending(
	in *Input, last string, body []byte, changes []v1alpha1.Change, fees *v1alpha1.OrderFees,
) *v1alpha1.Pending {
	return &v1alpha1.Pending{Hash: ApprovalHash([]any{
		in.Account.Memory(), in.Subject.GetUID(), in.Subject.GetGeneration(), in.Installation.Policies.InForce,
		last, BodyHash(body), changes, fees,
	}), Changes: changes}
}

// ApprovedBy lets a submitted request use up the approval of its plan. A nil plan needed no
// approval.
func (d *Decision) ApprovedBy(in *Input, plan *v1alpha1.Pending) *Decision {
	submit, submits := d.Step.(Submit)
	if submits && plan != nil {
		submit.Request.ApprovedHash = plan.Hash
		submit.Approve = Control(in.Subject, v1alpha1.AnnotationApprove)
		d.Step = submit
	}
	return d
}

func hasFee(c v1alpha1.Change) bool {
	bought := c.NTDOption != nil && c.NTDOption.Charge != v1alpha1.Charge{}
	return c.OneTime != nil || c.MonthlyAfter != nil || c.NFAS != nil || bought
}

// unquoted returns a note if the carrier charges nothing for changes, or quotes no price. Without
// it, they would look free, or the fee of a device like the whole price.
func unquoted(changes []v1alpha1.Change) string {
	var fields []string
	rows, priced := PricedRows(changes), false
	for _, i := range rows {
		priced = priced || hasFee(changes[i])
		if changes[i].OneTime == nil && changes[i].MonthlyAfter == nil {
			fields = append(fields, changes[i].Field)
		}
	}
	switch {
	case len(rows) == 0:
		return "; the carrier does not charge for it"
	case len(fields) == 0:
		return ""
	case priced:
		return "; the carrier quotes no price for " + ListOf(fields, "and")
	}
	return "; the carrier quotes no price"
}
