// SPDX-License-Identifier: Apache-2.0

// Package reading_test tests how the state of a service is read from the carrier, and how drift is
// shown.
package reading_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
)

// site is the name of the object of a spec.
const site = fixture.Site

func TestControllers(t *testing.T) { fixture.Run(t, "reading") }
