// SPDX-License-Identifier: Apache-2.0

package services

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// wanted is what the spec and the known state of a service require. It is found out once in a pass.
type wanted struct {
	changes      []decide.DesiredChange // modifications, in the order in which they are sent
	cancellation decide.DesiredChange   // how the declared cancellation differs, even if that is only reported
	pending      *v1alpha1.Pending      // the plan of changes that is shown and approved; nil if there are none
}

// compare finds out what is wanted. The known state may not change after it in the same pass.
func compare(in *Input) {
	in.wanted = wanted{changes: desiredChanges(in), cancellation: withBody(in, cancellationDiffers(in))}
	in.wanted.pending = pendingOf(in)
}

// desiredChanges returns the modifications that are needed, in the order in which they are sent.
// They are sent one at a time, because the carrier takes none while another one is in progress.
func desiredChanges(in *Input) []decide.DesiredChange {
	var wanted []decide.DesiredChange
	if endedAsWanted(in) {
		return nil
	}
	for _, compare := range []func(*Input) decide.DesiredChange{
		desiredReclaim,     // a disconnected service accepts no other modification
		desiredPlanChange,  // plan and restoration SLA
		desiredAggregation, // aggregation method
		desiredDSLProfile,  // DSL stability profile
	} {
		if want := compare(in); want.Wanted() {
			wanted = append(wanted, withBody(in, want))
		}
	}
	return wanted
}

// failedChange returns the decision about a change that is held back after a definitive failure;
// nil if there is none.
func failedChange(in *Input) *decide.Decision {
	for _, want := range in.wanted.changes {
		if failed := refused(in, want); failed != nil {
			return failed
		}
	}
	return nil
}

// desiredReclaim returns the request that reclaims a disconnected service.
func desiredReclaim(in *Input) decide.DesiredChange {
	if in.Service.Spec.Disconnection != v1alpha1.DisconnectionReclaim || !cancelled(in) {
		return decide.DesiredChange{}
	}
	return orUnread(in, decide.DesiredChange{Operation: v1alpha1.OperationReclaim, Changes: []v1alpha1.Change{{
		Operation: v1alpha1.OperationReclaim, Field: fieldDisconnection, From: "cancelled", To: "connected",
	}}})
}

// desiredAggregation compares the declared aggregation method.
func desiredAggregation(in *Input) decide.DesiredChange {
	declared := in.Service.Spec.AggregationMethod
	change := v1alpha1.Change{
		Operation: v1alpha1.OperationAggregationConversion, Field: fieldAggregation, To: declared,
	}
	known, target := in.Service.LastKnown().AggregationMethod, v1alpha1.RequestTarget{AggregationMethod: declared}
	return desiredUnreadable(in, change, known, target)
}

// desiredDSLProfile compares the declared DSL stability profile.
func desiredDSLProfile(in *Input) decide.DesiredChange {
	declared := in.Service.Spec.DSLStabilityProfile
	change := v1alpha1.Change{
		Operation: v1alpha1.OperationDSLStabilityProfileChange, Field: fieldDSLProfile, To: declared,
	}
	known, target := in.Service.LastKnown().DSLStabilityProfile, v1alpha1.RequestTarget{DSLStabilityProfile: declared}
	return desiredUnreadable(in, change, known, target)
}

// desiredUnreadable compares a declared value that the carrier's documented API cannot report. An
// unknown value is requested or trusted, as unknownValues or a person decides.
func desiredUnreadable(
	in *Input, change v1alpha1.Change, known *v1alpha1.KnownValue, target v1alpha1.RequestTarget,
) decide.DesiredChange {
	if change.To == "" || decide.SameName(known.ValueOrEmpty(), change.To) || onlyReportsDrift(in, change.Field) {
		return decide.DesiredChange{}
	}
	change.From, change.Unknown = oldValue(in, change.Field, known)
	return decide.DesiredChange{Operation: change.Operation, Target: target, Changes: []v1alpha1.Change{change}}
}

// oldValue returns the value that a change replaces, or that it is not known.
func oldValue(in *Input, field string, known *v1alpha1.KnownValue) (from string, unknown bool) {
	if known == nil || isUnconfirmed(in, field) {
		return "", true
	}
	return known.Value, false
}

// needsUnknownDecision reports whether a person has to decide first whether the unknown values of a
// change are requested or trusted.
func needsUnknownDecision(in *Input, want decide.DesiredChange) bool {
	policy := decide.UnknownValuesPolicy(&in.Input, in.Service.Spec.UnknownValues)
	return policy != v1alpha1.UnknownRequest && decide.HasUnknown(want.Changes)
}
