// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	. "github.com/onsi/gomega"
)

// TestMain makes this binary run as the carrier, the naive operator and the replay limit, too.
func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt) //nolint:forbidigo // no test runs yet
	isRole, err := runRole(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	if isRole {
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// measured runs some scenarios at a small size, and returns the results by scenario and contestant.
func measured(t *testing.T, scale float64, names ...string) map[string]map[string]*result {
	t.Helper()
	g := NewWithT(t)
	RegisterFailHandler(func(message string, _ ...int) { panic(message) })
	self, err := os.Executable()
	g.Expect(err).NotTo(HaveOccurred())
	t.Chdir("..") // the root of the repository has what the control plane is started with
	with := settings{state: filepath.Join(t.TempDir(), "bench"), scale: scale, self: self}
	with.manager = filepath.Join(t.TempDir(), "manager")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", with.manager, ".") //nolint:gosec // our own program
	printed, err := build.CombinedOutput()
	g.Expect(err).NotTo(HaveOccurred(), string(printed))
	found := map[string]map[string]*result{}
	for _, name := range names {
		with.only, found[name] = name, map[string]*result{}
		results, err := runAll(t.Context(), with, t.Output(), func([]result) error { return nil })
		g.Expect(err).NotTo(HaveOccurred())
		for i := range results {
			found[name][results[i].contestant] = &results[i]
		}
	}
	return found
}

// The short form for every change. It checks what no load of the machine decides: counts, and ratios
// of counts. Times are printed.
func TestCountsOfAShortRun(t *testing.T) {
	g := NewWithT(t)
	runs := measured(t, 0.02, burst, idle, kills)

	own, limit := runs[burst][product], runs[burst][limitName]
	changes := own.changes
	g.Expect(own.traffic.carried).To(HaveLen(changes), "services that the carrier changed")
	g.Expect(own.traffic.posts).To(Equal(limit.traffic.posts), "POSTs")
	g.Expect(own.traffic.refused).To(BeZero(), "POSTs that the carrier refused")
	g.Expect(sum(own.writes)).To(BeNumerically("<=", sum(limit.writes)+1), "writes; one records the login")
	g.Expect(own.events).To(BeNumerically("<=", 2*changes), "Events")
	g.Expect(limit.traffic.polls).To(HaveKeyWithValue(simulator.OpPlanChange, changes), "polls of the limit")
	read := runs[burst][naiveName].traffic.posts[simulator.OpHealth]
	g.Expect(read).To(Equal(2*changes), "readings of the naive operator")

	g.Expect(callsAndWrites(runs[idle][product])).To(BeZero(), "calls and writes at rest and after a restart")
	g.Expect(callsAndWrites(runs[idle][naiveName])).To(BeNumerically(">=", 2*4), "those of the naive operator")

	g.Expect(runs[kills][product].traffic.carried).To(HaveLen(runs[kills][product].changes))
	g.Expect(runs[kills][product].traffic.duplicates()).To(BeZero(), "plan changes carried out twice")
}

// A run fails at once if a process ends by itself, and a process can be ended twice.
func TestAContestantThatEndsEndsTheRun(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p, err := launch(t.Context(), filepath.Join(t.TempDir(), "log"), "false")
	g.Expect(err).NotTo(HaveOccurred())
	g.Eventually(p.check).Should(MatchError(ContainSubstring("ended (exit status 1)")))
	g.Expect(errors.Join(p.kill(), p.kill())).To(Succeed(), "it is gone already")
}
