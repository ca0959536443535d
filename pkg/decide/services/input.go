// SPDX-License-Identifier: Apache-2.0

package services

import (
	"cmp"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Input is the complete input of a decision about one service.
type Input struct {
	decide.Input

	Service *v1alpha1.BroadbandService // the subject
	Order   *Order                     // the order that orderRef names; nil if there is no such order or no orderRef
}

// Order holds the values that a service takes over from the ServiceOrder that created it. A value
// that the order does not know is empty.
type Order struct {
	Accepted          bool               // whether the carrier has accepted it
	ServiceID         v1alpha1.CarrierID // the service that the order created; "" until the carrier has reported it
	Plan              string
	Term              int32
	RestorationSLA    string
	AggregationMethod string
	AVCID             string
}

// onlyObserves reports whether the state is only read and nothing is changed.
func onlyObserves(in *Input) bool {
	return in.Service.Spec.ManagementPolicy == v1alpha1.ManagementObserve
}

// approvalOf returns when a change of the service has to be approved.
func approvalOf(in *Input) v1alpha1.Approval {
	return decide.ApprovalPolicy(&in.Input, in.Service.Spec.Approval)
}

// unknownValuesOf returns the policy for declared values that cannot be compared with the
// carrier's. The service's setting takes precedence over the account's.
func unknownValuesOf(in *Input) v1alpha1.UnknownValues {
	policy := in.Service.Spec.UnknownValues
	if in.Account.Object != nil {
		policy = cmp.Or(policy, in.Account.Object.Spec.UnknownValues)
	}
	return cmp.Or(policy, v1alpha1.UnknownAsk)
}

// unseenService is the verdict on a managed service that the carrier does not show: it is read
// before anything is sent.
func unseenService(in *Input) decide.Verdict {
	return decide.NotFoundOrForbidden(v1alpha1.OperationHealth, in.Service.ServiceNumber())
}

func carrierState(service *v1alpha1.BroadbandService) *v1alpha1.CarrierState {
	if service.Status.Carrier == nil {
		service.Status.Carrier = &v1alpha1.CarrierState{}
	}
	return service.Status.Carrier
}

func knownValue(value string, source v1alpha1.ValueSource, now time.Time) *v1alpha1.KnownValue {
	return &v1alpha1.KnownValue{Value: value, Source: source, Since: v1alpha1.WholeSeconds(now)}
}

// valueOf returns a known value, or "" if it is unknown.
func valueOf(known *v1alpha1.KnownValue) string {
	if known == nil {
		return ""
	}
	return known.Value
}

func knownPlan(in *Input) *v1alpha1.KnownValue {
	if in.Service.Status.Carrier == nil {
		return nil
	}
	return in.Service.Status.Carrier.Plan
}

func knownTerm(in *Input) *v1alpha1.KnownValue {
	if in.Service.Status.Carrier == nil {
		return nil
	}
	return in.Service.Status.Carrier.Term
}

func knownSLA(in *Input) *v1alpha1.KnownValue {
	if in.Service.Status.Carrier == nil {
		return nil
	}
	return in.Service.Status.Carrier.RestorationSLA
}

func knownAggregation(in *Input) *v1alpha1.KnownValue {
	if in.Service.Status.Carrier == nil {
		return nil
	}
	return in.Service.Status.Carrier.AggregationMethod
}

func knownDSLProfile(in *Input) *v1alpha1.KnownValue {
	if in.Service.Status.Carrier == nil {
		return nil
	}
	return in.Service.Status.Carrier.DSLStabilityProfile
}

func knownCancellation(in *Input) *v1alpha1.CancellationState {
	if in.Service.Status.Carrier == nil {
		return nil
	}
	return in.Service.Status.Carrier.Cancellation
}

// isAlterable reports whether the status is REQUESTED or IN_ERROR, "request not yet submitted to
// the carrier" (spec §3), and the carrier allows the cancellation to be altered.
func isAlterable(known *v1alpha1.CancellationState) bool {
	status := carrier.CancellationStatus(known.Status)
	requested := status == carrier.CancellationRequested || status == carrier.CancellationInError
	return requested && (known.CanAbort || known.CanReschedule)
}

// isFinal reports whether the cancellation has been submitted to the carrier or carried out. An
// aborted or rejected cancellation counts as none.
func isFinal(known *v1alpha1.CancellationState) bool {
	status := carrier.CancellationStatus(known.Status)
	none := status == "" || status == carrier.CancellationAborted || status == carrier.CancellationRejected
	return known.Cancelled || !none && !isAlterable(known)
}

// cancelled reports whether the carrier shows the service cancelled.
func cancelled(in *Input) bool {
	known := knownCancellation(in)
	return known != nil && known.Cancelled
}

// planDrifted reports drift: "drift is health differing from what health itself said after that
// success". A drifted plan is recorded as health reports it now, together with what health reported
// before.
func planDrifted(state *v1alpha1.CarrierState) bool {
	return state != nil && state.Plan != nil && state.Plan.Source == v1alpha1.SourceHealth &&
		state.Plan.AsHealth != "" && state.Plan.Value != state.Plan.AsHealth
}
