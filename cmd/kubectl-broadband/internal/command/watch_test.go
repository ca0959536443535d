// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"context"
	"time"

	"github.com/onsi/gomega/gbytes"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/command"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("status --watch", func() {
	It("redraws a terminal in place whenever something changes, and ends when it is interrupted", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-one", withPlan(world.PlanSlow))
		p, screen := newPlugin(), gbytes.NewBuffer()
		p.edit = func(environment *command.Environment) {
			environment.Out, environment.Terminal = screen, true
			environment.Wait = func(time.Duration) <-chan time.Time {
				return time.After(time.Millisecond) //nolint:forbidigo // a shorter pause
			}
		}
		watching, interrupt := context.WithCancel(ctx)
		ended := make(chan int, 1)
		go func() { ended <- p.run(watching, "status", "-w", "-n", f.Namespace).code }()
		Eventually(screen).WithTimeout(time.Minute).Should(gbytes.Say("\x1b\\[HNothing needs you"))
		f.Edit(ctx, "site-one", asksAlways)
		f.Edit(ctx, "site-one", withPlan(world.PlanFast))
		Eventually(screen).WithTimeout(time.Minute).Should(gbytes.Say("\x1b\\[HSINCE .*: 0 of 1 done, 1 in progress"))
		f.process.Drive(ctx, "site-one")
		Eventually(screen).WithTimeout(time.Minute).Should(gbytes.Say("0 of 1 done, 1 needing a person\x1b\\[K\n"))
		Eventually(screen).WithTimeout(time.Minute).Should(gbytes.Say("APPROVE: .*\x1b\\[K\n"))
		interrupt()
		Eventually(ended).WithTimeout(time.Minute).Should(Receive(Equal(0)))
	})
})
