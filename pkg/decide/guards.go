// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"errors"
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// desiredChanges returns the modifications that are needed, in the order in which they are sent.
// They are sent one at a time: the carrier takes one "only when no other modification is in
// progress".
func desiredChanges(in *ServiceInput) []desiredChange {
	var wanted []desiredChange
	if endedAsWanted(in) {
		return nil
	}
	for _, compare := range []func(*ServiceInput) desiredChange{
		desiredReclaim,     // a disconnected service accepts no other modification
		desiredPlanChange,  // plan and restoration SLA
		desiredAggregation, // aggregation method
		desiredDSLProfile,  // DSL stability profile
	} {
		if want := compare(in); want.wanted() {
			wanted = append(wanted, want.of(in))
		}
	}
	return wanted
}

// of adds the body that the change is sent with.
func (want desiredChange) of(in *ServiceInput) desiredChange {
	want.body = Body(want.operation, in.Service.ServiceNumber(), want.target, v1alpha1.Contact{})
	return want
}

// guard returns a decision if a desired change may not be sent now, or nil.
type guard func(*ServiceInput, desiredChange) *Decision

// guards lists the checks between a change and its request, in order.
func guards() []guard {
	return []guard{
		observing,        // managementPolicy Observe
		disconnected,     // a cancelled service accepts no changes
		priced,           // the price is read if it has to be shown
		optionGiven,      // a fast plan needs an NTD option
		planning,         // managementPolicy Plan, and --submit=false
		firstAsked,       // a new installation that nobody has acknowledged sends nothing for unknown values
		suspended,        // spec.suspend
		refused,          // a definitive failure is not retried automatically
		versionSupported, // the account's API version supports the operation and the field
		termKnown,        // an SLA change includes the plan's term
		contactGiven,     // an NTD option needs a contact
		approved,         // a person has to approve first
		sendable,         // the last attempt got through, the breaker is closed, the charge limit is not exceeded
		confirmed,        // the approved price is still the price
		refreshed,        // the value to be changed is still as it was read
	}
}

// sendable holds back a change for the reasons that apply to every kind.
func sendable(in *ServiceInput, want desiredChange) *Decision { return maySend(&in.Input, want) }

// modifications sends the first change that may be sent. A change that is held back does not hold
// back the others. If all are held back, a verdict about work in progress is reported before one
// that waits for a person.
func modifications(in *ServiceInput) *Decision {
	var held *Decision
	for _, want := range desiredChanges(in) {
		decision := judge(in, want)
		if !isRest(decision.Step) {
			return decision
		}
		held = weightier(held, decision)
		if decision.Verdict.Reason == v1alpha1.ReasonProgressing {
			break // it is about to be sent: the others wait their turn
		}
	}
	return held
}

// judge sends a change, or explains why it is not sent.
func judge(in *ServiceInput, want desiredChange) *Decision {
	for _, guard := range guards() {
		if decision := guard(in, want); decision != nil {
			return decision
		}
	}
	decision := working(v1alpha1.ReasonProgressing, fmt.Sprintf("%s is being sent to the carrier", want.operation))
	decision.Step = want.submit(in)
	return decision
}

func (want desiredChange) submit(in *ServiceInput) Submit {
	submit := usingUpRetry(&in.Input, Submit{Request: want.intent(&in.Input)}, lastOf(in, want.operation))
	pending := pendingOf(in)
	if pending != nil {
		submit.Request.Plan = pending.Changes
	}
	if needsApproval(in, want) {
		submit.Request.ApprovedHash = pending.Hash
		submit.Approve = control(in.Subject, v1alpha1.AnnotationApprove)
	}
	if plan := in.Service.Spec.Plan; plan != nil && want.target.NTDOption != "" {
		submit.Contact.Inline = plan.Contact
		if plan.ContactSecretRef != nil {
			submit.Contact.Secret = plan.ContactSecretRef.Name
		}
	}
	return submit
}

// onlyObserves reports whether the state is only read and nothing is changed.
func onlyObserves(in *ServiceInput) bool {
	return in.Service.Spec.ManagementPolicy == v1alpha1.ManagementObserve
}

func observing(in *ServiceInput, _ desiredChange) *Decision {
	if !onlyObserves(in) {
		return nil
	}
	return &Decision{Step: Rest{}, Verdict: inSync(in)}
}

func planning(in *ServiceInput, want desiredChange) *Decision {
	switch {
	case in.Service.Spec.ManagementPolicy == v1alpha1.ManagementPlan:
		return waiting(v1alpha1.ReasonPlanned, "managementPolicy is Plan, nothing is sent: "+describe(want.changes))
	case in.withheld() != "":
		return waiting(v1alpha1.ReasonPlanned, in.withheld()+", nothing is sent: "+describe(want.changes))
	}
	return nil
}

func suspended(in *ServiceInput, want desiredChange) *Decision {
	if !in.Service.Spec.Suspend {
		return nil
	}
	return waiting(v1alpha1.ReasonSuspended, "spec.suspend is true, nothing is sent: "+describe(want.changes))
}

// versionSupported rejects what the API version does not have: "An operation whose family does not
// exist at apiVersion is refused by us". Some fields were also added in later versions, spec §9.
func versionSupported(in *ServiceInput, want desiredChange) *Decision {
	err := want.check(in)
	if _, unsupported := errors.AsType[*carrier.UnsupportedVersionError](err); !unsupported {
		return nil
	}
	return stuck(v1alpha1.ReasonUnsupportedByAPIVersion, err.Error()+
		": raise apiVersion of the CarrierAccount, or remove the field from spec")
}

// check validates the request against the version rules of spec §9. A contact from a Secret counts
// as given, because the Secret is read when the request is sent.
func (want desiredChange) check(in *ServiceInput) error {
	if want.operation != v1alpha1.OperationPlanChange {
		return supported(&in.Input, carrier.Operation(want.operation))
	}
	var to v1alpha1.Contact
	if plan := in.Service.Spec.Plan; plan != nil && (plan.Contact != nil || plan.ContactSecretRef != nil) {
		const given = "given"
		to = v1alpha1.Contact{Name: given, Phone: given, Email: given}
	}
	return planChangeRequest(in.Service.ServiceNumber(), want.target, to).Check(int(in.Account.Object.Spec.APIVersion))
}

func termKnown(_ *ServiceInput, want desiredChange) *Decision {
	if want.operation != v1alpha1.OperationPlanChange || want.target.Term != 0 {
		return nil
	}
	return stuck(v1alpha1.ReasonTermUnknown, fmt.Sprintf(
		"the restoration SLA is sent together with the plan and its term, and the term of plan %q is not known: "+
			"declare spec.plan with name and term", want.target.Plan))
}

// contactGiven requires contact details, which are "required when ntdOption is set, from version
// 8".
func contactGiven(in *ServiceInput, want desiredChange) *Decision {
	if err := want.check(in); err != nil {
		return stuck(v1alpha1.ReasonContactRequired, err.Error()+": set spec.plan.contactSecretRef or spec.plan.contact")
	}
	if want.target.NTDOption == "" || in.Memory.ContactErr == nil || !in.Now.Before(in.Memory.ContactAgain) {
		return nil
	}
	return lookAgain(stuck(v1alpha1.ReasonContactRequired, in.Memory.ContactErr.Error()), in.Memory.ContactAgain)
}
