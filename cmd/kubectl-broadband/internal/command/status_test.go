// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("status", Ordered, func() {
	var f *fleetWorld

	BeforeAll(func(ctx SpecContext) { f = mixed(ctx) })

	It("shows what needs a person, and one object in full", func(ctx SpecContext) {
		s := newSession(f.World)
		Expect(s.show(ctx, "status").code).To(Equal(1))
		Expect(s.show(ctx, "status", "-l", "area=south").code).To(Equal(0))
		for _, name := range []string{
			"site-changed", "site-asks-unknown", "site-mistyped", "site-unknown-outcome", "sorder/site-ordered", "cacct/default",
		} {
			s.show(ctx, "status", name)
		}
		s.show(ctx, "status", "site-999")
		s.show(ctx, "status", "house/site-999")
		s.expectGolden("status")
	})

	It("writes the same as JSON", func(ctx SpecContext) {
		s := newSession(f.World)
		ran := s.show(ctx, "status", "-o", "json")
		s.show(ctx, "status", "site-asks-plan", "-o", "yaml")
		s.expectGoldenDocument("status-json")
		var overview struct {
			Kind  string `json:"kind"`
			Needs []any  `json:"needs"`
		}
		Expect(json.Unmarshal([]byte(ran.out), &overview)).To(Succeed())
		Expect(overview.Kind).To(Equal("Overview"))
		Expect(overview.Needs).To(HaveLen(6))
	})
})
