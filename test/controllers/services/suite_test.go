// SPDX-License-Identifier: Apache-2.0

// Package services_test tests how a BroadbandService is changed at the carrier: what is a change, what
// it costs, and who approves it.
package services_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
)

// site is the name of the object of a spec.
const site = fixture.Site

func TestControllers(t *testing.T) { fixture.Run(t, "services") }
