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

// calm is how long the errands of a lane may take to end once its faults have ended: the two
// minutes in which a new process leaves the intents of an ended one alone, and the health request
// that may follow.
const (
	calm     = 4 * time.Minute
	calmPoll = 250 * time.Millisecond
)

// judge ends all faults and waits until nothing is wrong with any errand. Only lanes with something
// wrong are checked again, and at the end all of them.
func (d *drill) judge(ctx SpecContext) {
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
		if wrong, open = d.look(ctx, g, open, findings); len(open) == 0 {
			wrong, open = d.look(ctx, g, all, findings)
		}
		GinkgoWriter.Printf("%s: %d not at rest: %q\n", realTime().Format(time.TimeOnly), len(wrong), wrong)
		if len(wrong) > 0 {
			last = wrong
		}
		g.Expect(wrong).To(BeEmpty())
	}).WithTimeout(calm).WithPolling(calmPoll).Should(Succeed())
	world.Figuresf("the last that came to rest: %q", last)
	d.expectLawful()
}

// look judges some of the lanes, and returns what is wrong and in which of them.
func (d *drill) look(ctx SpecContext, g Gomega, at []int, findings [][]finding) (wrong []string, open []int) {
	for _, i := range at {
		d.lanes[i].attend()
		found, flaws := d.lanes[i].judge(ctx, g)
		findings[i], wrong = found, append(wrong, flaws...)
		if len(flaws) > 0 {
			open = append(open, i)
		}
	}
	return wrong, open
}

// expectLawful expects that no manager has broken a rule of the carrier's protocol. Two managers
// that act at once do not know of each other's polls, which the carrier may get at the same moment:
// the lane in which two act is exempt from that one rule, as in the enumeration of test/prove.
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
