// SPDX-License-Identifier: Apache-2.0

// Package kubectl_test tests what people see and do with kubectl.
package kubectl_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
)

// site is the name of the object of a spec.
const site = fixture.Site

// The managers of another package would add Events about the ledger that is printed.
func TestControllers(t *testing.T) { fixture.RunAlone(t, "kubectl") }
