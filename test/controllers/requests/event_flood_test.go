// SPDX-License-Identifier: Apache-2.0

package requests_test

import (
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The number in parentheses is that of the case in docs/security-cases.md. Each occurrence is
// reported once, and so is each attempt of a repeated request. After the first few, the attempts
// are five minutes apart.
var _ = DescribeTable("A lasting failure is reported once, and then once for each attempt (76)",
	func(ctx SpecContext, call string, fault simulator.Fault) {
		const span, apart, first = 2 * time.Hour, 5 * time.Minute, 8
		w, process := fixture.Begin(ctx)
		line := w.Line()
		fault.Times = 10_000
		Expect(w.Carrier.FailNext(call, fault)).To(Succeed())
		w.Carrier.RevokeTokens()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.ReconcileFor(ctx, w, process, span)
		events, attempts := w.Events.All(), w.Posts(line)
		Expect(len(events)).To(BeNumerically("<=", 4+attempts), "two of the account and two of Ready: %v", events)
		Expect(attempts).To(BeNumerically("<=", first+int(span/apart)))
	},
	Entry("of an identity provider that is down", "Token", simulator.Fault{Kind: simulator.FaultPage, Status: 503}),
	Entry("of an identity provider that refuses", "Token", simulator.Fault{Kind: simulator.FaultStatus, Status: 401}),
	Entry("of a carrier that is down", "*", simulator.Fault{Kind: simulator.FaultPage, Status: 503}),
	Entry("of a carrier that limits requests", "POST PlanChange",
		simulator.Fault{Kind: simulator.FaultStatus, Status: 429}),
	Entry("of a carrier that hides the service", "POST PlanChange",
		simulator.Fault{Kind: simulator.FaultStatus, Status: 404}),
)
