// SPDX-License-Identifier: Apache-2.0

package services

import (
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
	OtherAccount      string             // the order's CarrierAccount; "" if the service has the same
	Accepted          bool               // whether the carrier has accepted it
	ServiceID         v1alpha1.CarrierID // the service that the order created; "" until the carrier has reported it
	Plan              string
	Term              int32
	RestorationSLA    string
	AggregationMethod string
	AVCID             string
}

// wanted is what the spec and the known state of a service require. It is computed once per pass.
type wanted struct {
	changes      []decide.DesiredChange // modifications, in the order in which they are sent
	cancellation decide.DesiredChange   // how the declared cancellation differs, even if that is only reported
	pending      *v1alpha1.Pending      // the plan of changes that is shown and approved; nil if there are none
}

// rulesResult is the result of the rules: for the whole object, and for each lane.
type rulesResult struct {
	both                       decide.Decision
	modification, cancellation decide.Verdict
}

// The names of aspects in messages.
const (
	nameOfPlan        = "plan"
	nameOfTerm        = "term"
	nameOfAggregation = "aggregation method"
	nameOfDSLProfile  = "DSL stability profile"
)
