// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"errors"
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// wishes are the modifications that are wanted, in the order in which they are sent,
// one at a time: the carrier takes one "only when no other modification is in progress".
func wishes(v *ServiceView) []wish {
	var wanted []wish
	if endedAsWanted(v) {
		return nil
	}
	for _, compare := range []func(*ServiceView) wish{
		reclaimWish,     // a service that is disconnected takes no other
		planChangeWish,  // plan and restoration SLA
		aggregationWish, // aggregation method
		dslProfileWish,  // DSL stability profile
	} {
		if w := compare(v); w.wanted() {
			wanted = append(wanted, w.of(v))
		}
	}
	return wanted
}

// of completes a wish with the body that it is sent with.
func (w wish) of(v *ServiceView) wish {
	w.body = Body(w.operation, v.Service.ServiceNumber(), w.target, v1alpha1.Contact{})
	return w
}

// guard answers when a wanted change may not be sent now.
type guard func(*ServiceView, wish) *Decision

// guards stand between a wish and its request, in this order.
func guards() []guard {
	return []guard{
		observing,        // managementPolicy Observe
		disconnected,     // a cancelled service takes no changes
		priced,           // what it costs is read, where somebody is to see it
		optionGiven,      // a fast plan carries an NTD option
		planning,         // managementPolicy Plan, and --submit=false
		firstAsked,       // a new installation that nobody has acknowledged asks for nothing unknown
		suspended,        // spec.suspend
		refused,          // a definitive failure is not repeated by itself
		versionSupported, // the account's API version has the operation and the field
		termKnown,        // an SLA change carries the plan's term
		contactGiven,     // an NTD option carries a contact
		approved,         // a person has to agree first
		sendable,         // the last attempt got there, the breaker is closed, not too much is spent
		confirmed,        // the price that was agreed to is still the price
		refreshed,        // and what it changes is still as it was read
	}
}

// sendable holds a wish back for the reasons of every kind.
func sendable(v *ServiceView, w wish) *Decision { return maySend(&v.View, w) }

// modifications sends the first wish that may be sent. One that may not does not keep
// the others back; what is said then is what goes on, before what waits for a person.
func modifications(v *ServiceView) *Decision {
	var held *Decision
	for _, w := range wishes(v) {
		decision := judge(v, w)
		if !rests(decision.Step) {
			return decision
		}
		held = weightier(held, decision)
		if decision.Verdict.Reason == v1alpha1.ReasonProgressing {
			break // it is about to go: the others keep their place behind it
		}
	}
	return held
}

// judge sends a wish, or says why not.
func judge(v *ServiceView, w wish) *Decision {
	for _, guard := range guards() {
		if decision := guard(v, w); decision != nil {
			return decision
		}
	}
	decision := working(v1alpha1.ReasonProgressing, fmt.Sprintf("%s is being sent to the carrier", w.operation))
	decision.Step = w.submit(v)
	return decision
}

func (w wish) submit(v *ServiceView) Submit {
	submit := usingUpRetry(&v.View, Submit{Request: w.intent(&v.View)}, lastOf(v, w.operation))
	pending := pendingOf(v)
	if pending != nil {
		submit.Request.Plan = pending.Changes
	}
	if needsApproval(v, w) {
		submit.Request.ApprovedHash = pending.Hash
		submit.Approve = control(v.Subject, v1alpha1.AnnotationApprove)
	}
	if plan := v.Service.Spec.Plan; plan != nil && w.target.NTDOption != "" {
		submit.Contact.Inline = plan.Contact
		if plan.ContactSecretRef != nil {
			submit.Contact.Secret = plan.ContactSecretRef.Name
		}
	}
	return submit
}

// onlyObserves says whether the state is read and nothing is changed.
func onlyObserves(v *ServiceView) bool {
	return v.Service.Spec.ManagementPolicy == v1alpha1.ManagementObserve
}

func observing(v *ServiceView, _ wish) *Decision {
	if !onlyObserves(v) {
		return nil
	}
	return &Decision{Step: Rest{}, Verdict: inSync(v)}
}

func planning(v *ServiceView, w wish) *Decision {
	switch {
	case v.Service.Spec.ManagementPolicy == v1alpha1.ManagementPlan:
		return waiting(v1alpha1.ReasonPlanned, "managementPolicy is Plan, nothing is sent: "+describe(w.changes))
	case v.withheld() != "":
		return waiting(v1alpha1.ReasonPlanned, v.withheld()+", nothing is sent: "+describe(w.changes))
	}
	return nil
}

func suspended(v *ServiceView, w wish) *Decision {
	if !v.Service.Spec.Suspend {
		return nil
	}
	return waiting(v1alpha1.ReasonSuspended, "spec.suspend is true, nothing is sent: "+describe(w.changes))
}

// versionSupported: "An operation whose family does not exist at apiVersion is
// refused by us"; and fields came with versions too, spec §9.
func versionSupported(v *ServiceView, w wish) *Decision {
	err := w.check(v)
	if _, unsupported := errors.AsType[*carrier.UnsupportedVersionError](err); !unsupported {
		return nil
	}
	return stuck(v1alpha1.ReasonUnsupportedByAPIVersion, err.Error()+
		": raise apiVersion of the CarrierAccount, or remove the field from spec")
}

// check holds the request against the version rules of spec §9. A contact that will
// come from a Secret counts as given: it is read at sending.
func (w wish) check(v *ServiceView) error {
	if w.operation != v1alpha1.OperationPlanChange {
		return supported(&v.View, carrier.Operation(w.operation))
	}
	var to v1alpha1.Contact
	if plan := v.Service.Spec.Plan; plan != nil && (plan.Contact != nil || plan.ContactSecretRef != nil) {
		const given = "given"
		to = v1alpha1.Contact{Name: given, Phone: given, Email: given}
	}
	return planChangeRequest(v.Service.ServiceNumber(), w.target, to).Check(int(v.Account.Object.Spec.APIVersion))
}

func termKnown(_ *ServiceView, w wish) *Decision {
	if w.operation != v1alpha1.OperationPlanChange || w.target.Term != 0 {
		return nil
	}
	return stuck(v1alpha1.ReasonTermUnknown, fmt.Sprintf(
		"the restoration SLA is sent together with the plan and its term, and the term of plan %q is not known: "+
			"declare spec.plan with name and term", w.target.Plan))
}

// contactGiven: contact details are "required when ntdOption is set, from version 8".
func contactGiven(v *ServiceView, w wish) *Decision {
	if err := w.check(v); err != nil {
		return stuck(v1alpha1.ReasonContactRequired, err.Error()+": set spec.plan.contactSecretRef or spec.plan.contact")
	}
	if w.target.NTDOption == "" || v.Memory.ContactErr == nil || !v.Now.Before(v.Memory.ContactAgain) {
		return nil
	}
	return lookAgain(stuck(v1alpha1.ReasonContactRequired, v.Memory.ContactErr.Error()), v.Memory.ContactAgain)
}
