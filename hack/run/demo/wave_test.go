// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/hack/internal/machine"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/gomega"
)

func TestOnlyWritesOfTheOperatorsObjectsAreCounted(t *testing.T) {
	t.Parallel()
	const ours = `group="wholesale.broadband",resource="broadbandservices",subresource="status",`
	var page strings.Builder
	for _, line := range []string{
		`{code="200",dry_run="",` + ours + `verb="PUT"} 40`,
		`{code="201",dry_run="",` + strings.Replace(ours, "broadbandservices", "requestledgers", 1) + `verb="POST"} 2`,
		`{code="409",dry_run="",` + ours + `verb="PUT"} 100`,
		`{code="200",dry_run="All",` + ours + `verb="APPLY"} 100`,
		`{code="200",dry_run="",` + ours + `verb="LIST"} 100`,
		`{code="200",dry_run="",group="coordination.k8s.io",resource="leases",verb="PUT"} 100`,
	} {
		page.WriteString("apiserver_request_total" + line + "\n")
	}
	sum, err := countWrites(page.String())
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(sum).To(Equal(42))
}

func TestTheProgressOfAWaveIsALineForEachTenth(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	d := &demo{settings: settings{wave: 20}}
	d.Machine = machine.New(machine.Settings{Name: "demo"}, &out, func() time.Time { return time.Time{} })
	line := progressLine{demo: d}
	for _, ready := range []int{0, 1, 2, 3, 3, 11, 20} {
		line.show(ready, 20-ready)
	}
	NewWithT(t).Expect(out.String()).To(Equal(`demo: 2 of 20 are InSync, 18 have a request, 0 s
demo: 11 of 20 are InSync, 9 have a request, 0 s
demo: 20 of 20 are InSync, 0 have a request, 0 s
`))
}

// The wave itself checks that each plan was changed once. It needs a control plane of its own, so it
// runs at full size only.
func TestAWaveChangesEveryPlanOnceAndPrintsWhatItTook(t *testing.T) {
	t.Parallel()
	for _, size := range world.Scale(nil, []string{"12"}) {
		NewWithT(t).Expect(runDemo(t, "-wave="+size)).To(MatchRegexp(
			size + ` of ` + size + ` are InSync, 0 have a request, \d+ s\n` +
				`demo: ` + size + ` plan changes in \d+\.\d s, one for each service: 48 calls to the carrier, ` +
				`\d+ polls while a request was in progress, \d+ writes\n` +
				`demo: each change took 4\.00 calls, \d\.\d\d polls, \d\.\d\d writes and \d+\.\d{3} s\n`))
	}
}

// The demo tries by itself what it suggests. One suggestion takes two minutes, so it does this at full
// size only.
func TestWhatTheDemoSuggestsWorksWhenItIsPasted(t *testing.T) {
	t.Parallel()
	for _, flag := range world.Scale(nil, []string{"-try"}) {
		NewWithT(t).Expect(runDemo(t, flag)).To(And(ContainSubstring("demo: every sample has the expected state"),
			ContainSubstring("1. Approve the change"), ContainSubstring("2. Lose the"), ContainSubstring("3. Edit a plan")))
	}
}

func TestAManagerThatIsKilledBeforeTheResponseLeadsToOneChange(t *testing.T) {
	t.Parallel()
	for _, flag := range world.Scale(nil, []string{"-kill"}) {
		NewWithT(t).Expect(runDemo(t, flag)).To(ContainSubstring(
			"demo: bbs/faster is InSync: the carrier carried out one change, and nothing was sent twice"))
	}
}

// runDemo runs the demo to its end, and returns what it printed.
func runDemo(t *testing.T, flag string) string {
	t.Helper()
	g, bin := NewWithT(t), filepath.Join(t.TempDir(), "bin")
	build(t, "../../..", bin)
	assets, err := filepath.Abs("../../../bin/controlplane")
	g.Expect(err).NotTo(HaveOccurred())
	assets = cmp.Or(os.Getenv("KUBEBUILDER_ASSETS"), assets)
	ctx, cancel := context.WithTimeout(t.Context(), 3*ready)
	defer cancel()
	demo := exec.CommandContext(ctx, os.Args[0], //nolint:gosec // itself
		flag, "-timeout="+ready.String(), "-bin="+bin, "-state="+filepath.Join(bin, "demo"), "-assets="+assets)
	demo.Dir, demo.Env = "../../..", append(os.Environ(), runsDemo+"=1")
	demo.Cancel = func() error { return demo.Process.Signal(os.Interrupt) }
	printed, err := demo.CombinedOutput()
	g.Expect(err).NotTo(HaveOccurred(), string(printed))
	return string(printed)
}
