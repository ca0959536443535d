// SPDX-License-Identifier: Apache-2.0

package services

import (
	"cmp"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
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

// lastKnown returns what is known of the service at the carrier; before anything is, all of it is
// empty.
func lastKnown(in *Input) v1alpha1.CarrierState {
	if in.Service.Status.Carrier == nil {
		return v1alpha1.CarrierState{}
	}
	return *in.Service.Status.Carrier
}
