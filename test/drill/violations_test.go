// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// expectLawful: no manager has broken a rule of the carrier's protocol. Two managers that act at
// once do not know of each other's polls, which the carrier may see at the same moment: the lane
// that has two act is exempt from that one rule, as in the enumeration of test/prove.
func (d *drill) expectLawful() {
	GinkgoHelper()
	exempt := 0
	for _, l := range d.lanes {
		broken, err := l.carrier.Violations()
		Expect(err).NotTo(HaveOccurred())
		counting := slices.DeleteFunc(slices.Clone(broken), func(one simulator.Violation) bool {
			return l.trouble == doubled && one.Rule == simulator.RulePollInterval
		})
		Expect(counting).To(BeEmpty(), l.trouble)
		exempt += len(broken) - len(counting)
	}
	world.Figuresf("%d polls came too soon after one of another manager that was active, too", exempt)
}
