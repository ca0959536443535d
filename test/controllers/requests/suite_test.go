// SPDX-License-Identifier: Apache-2.0

// Package requests_test tests what becomes of the requests for a service: lost and wrong responses,
// outcomes that are unknown, what a person resolves, and retries.
package requests_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
)

// site is the name of the object of a spec.
const site = fixture.Site

func TestControllers(t *testing.T) { fixture.Run(t, "requests") }
