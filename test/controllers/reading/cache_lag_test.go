// SPDX-License-Identifier: Apache-2.0

package reading_test

import (
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// writtenButNotShown makes a service whose status has been written, while the cache still shows the
// copy from before.
func writtenButNotShown(ctx SpecContext) *describedSite {
	GinkgoHelper()
	s := beginDescribed(ctx, described())
	Expect(s.Create(ctx, s.Service(site, s.line))).To(Succeed())
	s.process.Seam.Stale = s.Read(ctx, site)
	fixture.Reconciled(ctx, s.process, site)
	return s
}

var _ = Describe("A pass that has read an older copy than this process has written", func() {
	It("calls and writes nothing, and waits for the newer copy", func(ctx SpecContext) {
		s := writtenButNotShown(ctx)
		done := len(s.process.Seam.Effects())

		Expect(fixture.Reconciled(ctx, s.process, site)).To(Equal(decide.CacheLag))
		Expect(s.process.Seam.Effects()).To(HaveLen(done))
	})

	It("does all a minute later, because the cache may be behind forever", func(ctx SpecContext) {
		s := writtenButNotShown(ctx)
		s.Clock.Advance(time.Minute)

		written := fixture.CountEffects(s.process, "update status of "+site)
		fixture.Reconciled(ctx, s.process, site)
		Expect(fixture.CountEffects(s.process, "update status of "+site)).To(Equal(written + 1))
	})
})
