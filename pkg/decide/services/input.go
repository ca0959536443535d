// SPDX-License-Identifier: Apache-2.0

package services

import (
	"strconv"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Input is the complete input of a decision about one service.
type Input struct {
	decide.Input

	Service *v1alpha1.BroadbandService // the subject
	Order   *Order                     // the order that orderRef names; nil if there is no such order or no orderRef

	wanted wanted // set by compare
}

// Order holds the values that a service takes over from the ServiceOrder that created it. A value
// that the order does not know is empty.
type Order struct {
	OtherAccount      string             // the CarrierAccount of the order; "" if it is that of the service
	Accepted          bool               // whether the carrier has accepted it
	ServiceID         v1alpha1.CarrierID // the service that the order created; "" until the carrier has reported it
	Plan              string
	Term              int32
	RestorationSLA    string
	AggregationMethod string
	AVCID             string
}

func carrierState(service *v1alpha1.BroadbandService) *v1alpha1.CarrierState {
	if service.Status.Carrier == nil {
		service.Status.Carrier = &v1alpha1.CarrierState{}
	}
	return service.Status.Carrier
}

// knownTerm returns the term of a plan.
func knownTerm(plan string, term int32, source v1alpha1.ValueSource, now time.Time) *v1alpha1.KnownValue {
	known := knownValue(strconv.Itoa(int(term)), source, now)
	known.Plan = plan
	return known
}

func knownValue(value string, source v1alpha1.ValueSource, now time.Time) *v1alpha1.KnownValue {
	return &v1alpha1.KnownValue{Value: value, Source: source, Since: v1alpha1.WholeSeconds(now)}
}
