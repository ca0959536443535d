// SPDX-License-Identifier: Apache-2.0

// Package cancellation_test tests how the cancellation of a service is moved, aborted and reclaimed.
package cancellation_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
)

// site is the name of the object of a spec.
const site = fixture.Site

func TestControllers(t *testing.T) { fixture.Run(t, "cancellation") }
