// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// killAt has a process of its own die at each of the cuts. What it leaves behind is the
// next one's, beside its own errand.
func (l *lane) killAt(ctx SpecContext, cuts []cut) {
	GinkgoHelper()
	for _, cut := range cuts {
		dies := l.start()
		e := l.prepare(cut.sort)
		point := l.point(e, cut, func(call) error { return l.kill(dies) })
		Expect(l.Create(ctx, e.object)).To(Succeed())
		if cut.sort.provoke != nil {
			cut.sort.provoke(ctx, l, e)
		}
		awaitStruck(ctx, point, cut)
		Expect(dies.gone).To(BeClosed())
		l.struck++
	}
	l.start()
}
