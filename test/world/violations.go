// SPDX-License-Identifier: Apache-2.0

package world

import (
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// Provokes declares the rules of the carrier that a test makes the operator break, for example by
// giving it a wrong key.
func (w *World) Provokes(rules ...simulator.Rule) {
	for _, rule := range rules {
		w.provoked[rule] = true
	}
}

// expectNoViolation expects that the operator has broken only the rules that the test provokes.
func (w *World) expectNoViolation() {
	ginkgo.GinkgoHelper()
	unprovoked := slices.DeleteFunc(w.Carrier.Violations(), func(violation simulator.Violation) bool {
		return w.provoked[violation.Rule]
	})
	gomega.Expect(unprovoked).To(gomega.BeEmpty(), "calls that the carrier's specification forbids")
}
