// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// settleTime is how long the changes of a lane may take to end once its faults have ended. A new
// process leaves the intents of an ended one alone for two minutes, and a health request may
// follow.
const (
	settleTime = 4 * time.Minute
	settlePoll = 250 * time.Millisecond
)

// checkAll ends all faults and waits until nothing is wrong with any change. It checks again only
// the lanes with something wrong. At the end it checks all lanes.
func (d *drill) checkAll(ctx SpecContext) {
	GinkgoHelper()
	for _, l := range d.lanes {
		l.replicas = 1
	}
	findings := make([][]finding, len(d.lanes))
	defer func() { d.report(findings) }()
	all := make([]int, len(d.lanes))
	for i := range all {
		all[i] = i
	}
	var last []string
	open := all
	Eventually(ctx, func(g Gomega) {
		var wrong []string
		if wrong, open = d.check(ctx, g, open, findings); len(open) == 0 {
			wrong, open = d.check(ctx, g, all, findings)
		}
		GinkgoWriter.Printf("%s: %d not settled: %q\n", realTime().Format(time.TimeOnly), len(wrong), wrong)
		if len(wrong) > 0 {
			last = wrong
		}
		g.Expect(wrong).To(BeEmpty())
	}).WithTimeout(settleTime).WithPolling(settlePoll).Should(Succeed())
	world.Figuresf("the last to settle: %q", last)
	d.expectNoViolation()
}

// check judges some of the lanes. It returns what is wrong, and in which lanes.
func (d *drill) check(ctx SpecContext, g Gomega, at []int, findings [][]finding) (wrong []string, open []int) {
	for _, i := range at {
		d.lanes[i].replaceEnded()
		found, flaws := d.lanes[i].findings(ctx, g)
		findings[i], wrong = found, append(wrong, flaws...)
		if len(flaws) > 0 {
			open = append(open, i)
		}
	}
	return wrong, open
}

// expectNoViolation expects that no manager has broken a rule of the carrier's protocol. Two
// managers that act at once do not know of each other's polls, and the carrier may get both at the
// same moment. The lane with two such managers is therefore exempt from that one rule, as in the
// enumeration of test/prove.
func (d *drill) expectNoViolation() {
	GinkgoHelper()
	exempt := 0
	for _, l := range d.lanes {
		broken, err := l.carrier.Violations()
		Expect(err).NotTo(HaveOccurred())
		counting := slices.DeleteFunc(slices.Clone(broken), func(one simulator.Violation) bool {
			return l.fault == doubled && one.Rule == simulator.RulePollInterval
		})
		Expect(counting).To(BeEmpty(), l.fault)
		exempt += len(broken) - len(counting)
	}
	world.Figuresf("%d polls were too soon after one of another active manager", exempt)
}
