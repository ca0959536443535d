// SPDX-License-Identifier: Apache-2.0

// Package account_test tests CarrierAccounts: logins, keys, hosts, and carriers that do not answer.
package account_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
)

// site is the name of the object of a spec.
const site = fixture.Site

func TestControllers(t *testing.T) { fixture.Run(t, "account") }
