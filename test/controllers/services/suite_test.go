// SPDX-License-Identifier: Apache-2.0

// Package services_test tests how a BroadbandService is changed at the carrier: prices, approvals,
// requests whose outcome is unknown, and conflicts between objects.
package services_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
)

// site is the name of the object of a spec.
const site = fixture.Site

func TestControllers(t *testing.T) { fixture.Run(t, "services") }
