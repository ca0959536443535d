// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"fmt"
	"net/http"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = It("A carrier that always takes as long is polled when its result is there, once that is known",
	func(ctx SpecContext) {
		const checks = 24
		w, process := fixture.Begin(ctx)
		line := w.Line()
		polls := make([]int, 0, checks)
		for i := range checks {
			name := fmt.Sprint("check-", i)
			Expect(w.Create(ctx, w.Check(name, line))).To(Succeed())
			since := len(w.Carrier.Calls())
			Expect(process.DriveOneShot(ctx, world.OneShot{Kind: "HealthCheck", Name: name})).To(BeTrue())
			count := 0
			for _, call := range w.Carrier.Calls()[since:] {
				if call.Operation == simulator.OpHealth && call.Method == http.MethodGet {
					count++
				}
			}
			polls = append(polls, count)
		}
		Expect(polls[0]).To(BeNumerically(">", 1), "the first ones are polled as any request of the operation")
		Expect(polls[checks-1]).To(Equal(1), "%v", polls)
	})
