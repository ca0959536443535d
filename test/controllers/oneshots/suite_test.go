// SPDX-License-Identifier: Apache-2.0

// Package oneshots_test tests the objects that lead to one request: DiagnosticTests and the kinds of
// queries.
package oneshots_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
)

// site is the name of the object of a spec.
const site = fixture.Site

func TestControllers(t *testing.T) { fixture.Run(t, "oneshots") }
