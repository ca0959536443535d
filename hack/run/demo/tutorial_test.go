// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// The tests start this program as their child, so that only the manager, the simulator and the plugin
// have to be built.
const runsDemo = "TEST_RUNS_DEMO"

func TestMain(m *testing.M) {
	if os.Getenv(runsDemo) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

const tutorial = "docs/tutorial.md"

// step is a block of commands of the tutorial, and the block after it with their output.
type step struct{ commands, output string }

var stepPattern = regexp.MustCompile("(?s)\n```sh\n(.*?)```\n(?:\n```\n(.*?)```\n)?")

// A newcomer who pastes each block of the tutorial gets the output that it shows, and a service of
// their own is changed. GOLDEN=1 writes the output into the tutorial.
func TestTheCommandsOfTheTutorialDoWhatItShows(t *testing.T) {
	g := NewWithT(t)
	t.Chdir("../../..")
	page, err := os.ReadFile(tutorial)
	g.Expect(err).NotTo(HaveOccurred())
	readme, err := os.ReadFile("README.md")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(readme)).To(ContainSubstring("("+tutorial+")"), "a newcomer starts at the README")
	blocks := stepPattern.FindAllStringSubmatch(string(page), -1)
	g.Expect(len(blocks)).To(BeNumerically(">", 2))
	steps := make([]step, len(blocks))
	for i, block := range blocks {
		steps[i] = step{commands: block[1], output: block[2]}
	}
	g.Expect(steps[0].commands).To(HaveSuffix("cd broadband-operator\nmake demo\n"), "the test does this by itself")
	folder := startDemo(t)
	printed := paste(t, folder, steps[1:])
	if os.Getenv("GOLDEN") != "" {
		write(t, tutorial, withOutput(page, printed))
		return
	}
	for i, one := range steps[1:] {
		g.Expect(normalized(printed[i])).To(BeComparableTo(normalized(one.output)), one.commands)
	}
	expectOneRequestOfEachKind(t, folder)
}

// expectOneRequestOfEachKind checks at the carrier that the tutorial sent every request once.
func expectOneRequestOfEachKind(t *testing.T, folder string) {
	t.Helper()
	end := paste(t, folder, []step{{commands: `source bin/demo/env
service=$(curl -sf "$CARRIER/orders" | sed 's/{"id"/\n&/g' | grep SITE-020 | sed 's/.*"serviceId":\([0-9]*\).*/\1/')
for what in OrderCreate?subject=SITE-020 PlanChange?subject=$service AggregationConversion?subject=$service; do
  curl -sf "$CARRIER/submissions/$what"
done
curl -sf "$CARRIER/services/$service" | grep -oE '"(plan|aggregationMethod)":"[^"]*"'
curl -sf "$CARRIER/violations"
`}})
	const once = `{"seen":1,"processed":1}` + "\n"
	NewWithT(t).Expect(end[0]).To(Equal(once + once + once +
		"\"plan\":\"Home 250/25\"\n\"aggregationMethod\":\"ETHERNET\"\nnull\n"))
}

// startDemo starts what `make demo` starts, but with a faster carrier and only the samples that its
// suggestions need. It returns the folder that stands for the user's copy of the repository.
func startDemo(t *testing.T) string {
	t.Helper()
	g, folder := NewWithT(t), t.TempDir()
	bin, samples := filepath.Join(folder, "bin"), filepath.Join(folder, "samples")
	g.Expect(os.MkdirAll(samples, 0o700)).To(Succeed())
	build(t, ".", bin)
	for _, sample := range []string{"carrieraccount.yaml", "broadbandservice-approval.yaml"} {
		content, err := os.ReadFile(filepath.Join("config", "samples", sample)) //nolint:gosec // our own samples
		g.Expect(err).NotTo(HaveOccurred())
		write(t, filepath.Join(samples, sample), content)
	}
	carrier, err := os.ReadFile("hack/run/demo/carrier.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	delays := regexp.MustCompile(`(?m)^delays:\n( {2}\w+: \ds\n)+`)
	g.Expect(string(carrier)).To(MatchRegexp(delays.String()))
	faster := delays.ReplaceAllString(string(carrier), "delays: {default: 500ms}\n")
	seed := filepath.Join(folder, "carrier.yaml")
	write(t, seed, []byte(faster))

	assets := os.Getenv("KUBEBUILDER_ASSETS")
	if assets == "" {
		assets = "bin/controlplane"
	}
	// This context does not end the demo. launch interrupts it, so that the demo can end its own
	// children.
	ctx := context.WithoutCancel(t.Context())
	launch(t, exec.CommandContext(ctx, os.Args[0], //nolint:gosec // itself
		"-bin="+bin, "-state="+filepath.Join(bin, "demo"), "-samples="+samples, "-carrier="+seed, "-assets="+assets))
	return folder
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	NewWithT(t).Expect(os.WriteFile(path, content, 0o600)).To(Succeed()) //nolint:gosec // our own paths
}

// build builds the programs that the demo and the tutorial use. root is the top of the repository.
func build(t *testing.T, root, bin string) {
	t.Helper()
	for name, source := range map[string]string{
		"manager": ".", "simulator": "./hack/run/simulator", "kubectl-broadband": "./cmd/kubectl-broadband",
	} {
		command := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", //nolint:gosec // our programs
			"-o", filepath.Join(bin, name), source)
		command.Dir = root
		output, err := command.CombinedOutput()
		NewWithT(t).Expect(err).NotTo(HaveOccurred(), string(output))
	}
}

// ready is how long the demo may take on a slow and busy machine until it suggests what to try.
const ready = 10 * time.Minute

// launch runs the demo until the test ends, and waits until it suggests what to try.
func launch(t *testing.T, demo *exec.Cmd) {
	t.Helper()
	g, printed := NewWithT(t), &screen{}
	demo.Env = append(os.Environ(), runsDemo+"=1")
	demo.Stdout, demo.Stderr = printed, printed
	ended := make(chan error, 1)
	g.Expect(demo.Start()).To(Succeed())
	go func() { ended <- demo.Wait() }()
	t.Cleanup(func() {
		demo.Process.Signal(os.Interrupt) //nolint:errcheck,gosec // it may have ended
		if err := <-ended; err != nil {
			t.Errorf("the demo ended with %v:\n%s", err, printed)
		}
	})
	g.Eventually(printed.String).WithTimeout(ready).Should(ContainSubstring("Ctrl-C stops everything."))
}

// screen is what a program has printed so far.
type screen struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (s *screen) Write(text []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.text.Write(text)
}

func (s *screen) String() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.text.String()
}

// paste runs the commands of the steps in one shell, like somebody who pastes them, and returns the
// output of each step.
func paste(t *testing.T, folder string, steps []step) []string {
	t.Helper()
	const end = "the output of the step ends here"
	var script strings.Builder
	for _, one := range steps {
		script.WriteString(one.commands + "echo '" + end + "'\n")
	}
	ctx, cancel := context.WithTimeout(t.Context(), ready)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", script.String()) //nolint:gosec // the tutorial
	shell.Dir = folder
	output, err := shell.CombinedOutput()
	printed := strings.Split(logged.ReplaceAllString(string(output), ""), end+"\n")
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred(), string(output))
	g.Expect(printed).To(HaveLen(len(steps)+1), string(output))
	return printed[:len(steps)]
}

// logged matches what kubectl logs if an API server is slow: a watch that begins only after 10 s.
var logged = regexp.MustCompile(`(?m)^(I\d{4} [\d:.]{15} |Trace\[).*\n`)

func TestWhatKubectlLogsIsNotComparedWithTheTutorial(t *testing.T) {
	const output = "annotated\n" +
		"I1126 19:42:01.123456   12345 trace.go:236] Trace[1]: \"Reflector WatchList\" (total time: 12000ms):\n" +
		"Trace[1]: [12.0s] [12.0s] END\n" +
		"I am output\ncondition met\n"
	NewWithT(t).Expect(logged.ReplaceAllString(output, "")).To(Equal("annotated\nI am output\ncondition met\n"))
}

// changing matches what differs from run to run: hashes, attempt ids, numbers of the carrier,
// addresses, times, ages, and the spaces that fill columns.
var changing = regexp.MustCompile(`\bp[0-9a-f]{8,32}\b` +
	`|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}` +
	`|\b90071992547[0-9]{5}\b|127\.0\.0\.1:[0-9]+` +
	`|\b20[0-9]{2}-[0-9]{2}-[0-9]{2}([T ][0-9:]{8})?(Z| [+-][0-9]{2}:[0-9]{2})?` +
	`|\b([0-9]+[hms])+\b| +`)

// normalized replaces what differs from run to run.
func normalized(output string) string { return changing.ReplaceAllString(output, " ") }

// withOutput returns the tutorial with the output of each step but the first.
func withOutput(page []byte, printed []string) []byte {
	number := -1
	return stepPattern.ReplaceAllFunc(page, func(block []byte) []byte {
		number++
		commands := "\n```sh\n" + string(stepPattern.FindSubmatch(block)[1]) + "```\n"
		if number == 0 || printed[number-1] == "" {
			return []byte(commands)
		}
		return []byte(commands + "\n```\n" + strings.TrimSuffix(printed[number-1], "\n") + "\n```\n")
	})
}
