// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// pricing is a request for the options, which was accepted just now, of a service that was ordered.
func pricing(in *services.Input) {
	in.Service.Spec.OrderRef = &v1alpha1.OrderReference{Name: "order"}
	in.Memory.Readings.Options = decide.Reading{
		State: decide.ReadingOpen, RequestedAt: in.Now, LastPoll: in.Now, Token: in.Memory.Readings.Options.Token,
	}
}

func TestThePlanIsReadWhileThePriceIsRead(t *testing.T) {
	onCost, always := approval(v1alpha1.ApprovalOnCost), approval(v1alpha1.ApprovalAlways)
	unordered := func(in *services.Input) { in.Service.Spec.OrderRef = nil }
	suspended := func(in *services.Input) { in.Service.Spec.Suspend = true }
	aMinuteAgo := func(in *services.Input) { in.Memory.Readings.Options.RequestedAt = in.Now.Add(-time.Minute) }
	failing := func(in *services.Input) { in.Memory.Readings.Options.FailingSince = in.Now.Add(-time.Hour) }
	both, priceOnly := working("StartReading health"), working("Rest")
	cases{
		"a price may need no approval":          {settled(wanting, neverRead, onCost, pricing), both},
		"the plan was read just now":            {settled(wanting, onCost, pricing), priceOnly},
		"any price needs an approval":           {settled(wanting, neverRead, always, pricing), priceOnly},
		"the first change needs an approval":    {settled(wanting, neverRead, onCost, pricing, unordered), priceOnly},
		"something else holds the change back":  {settled(wanting, neverRead, onCost, pricing, suspended), priceOnly},
		"the price is not there after a minute": {settled(wanting, neverRead, onCost, pricing, aMinuteAgo), priceOnly},
		"the price has been failing":            {settled(wanting, neverRead, onCost, pricing, failing), priceOnly},
		"approved, and the price is read again": {
			settled(wanting, always, quoted("45.00", "58.00"), approvedAsShown, neverRead, pricing), both,
		},
	}.run(t)
}
