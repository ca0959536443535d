// SPDX-License-Identifier: Apache-2.0

// Package ledger_test tests RequestLedgers: what they keep, how long, and what a lost one prevents.
package ledger_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
)

// site is the name of the object of a spec.
const site = fixture.Site

func TestControllers(t *testing.T) { fixture.Run(t, "ledger") }
