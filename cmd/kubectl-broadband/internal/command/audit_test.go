// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/onsi/gomega/gbytes"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/command"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// A command that only shows something must change nothing, neither an object nor anything at the
// carrier. The audit log of the API server contains every request of the plugin.
var _ = Describe("The commands that only read", func() {
	It("write nothing and send nothing, by the audit log and the carrier's journal", func(ctx SpecContext) {
		f := mixed(ctx)
		GinkgoT().Chdir(GinkgoT().TempDir())
		f.writeReaderFiles()
		reader := "reader-in-" + f.Namespace
		calls := len(f.Carrier.Calls())
		for _, line := range readingCommands {
			ran := newPlugin().run(ctx, f.asReader(reader, strings.Fields(line)...)...)
			Expect(ran.code).To(BeNumerically("<", 4), "%s: %s", line, ran.err)
		}
		f.watchOnce(ctx, reader)
		Expect(audit.Actions(reader)).NotTo(HaveKey("get secrets"), "a support case contains no secret")
		Expect(newPlugin().run(ctx, f.asReader(reader, "check")...).code).To(Equal(1))
		Expect(f.Carrier.Calls()).To(HaveLen(calls))

		Expect(newPlugin().run(ctx, f.asReader(reader, "approve", "site-asks-plan", "--yes")...).code).To(BeZero())
		const approval = "patch broadbandservices"
		Eventually(func() map[string]int { return audit.Actions(reader) }).WithTimeout(time.Minute).Should(
			HaveKeyWithValue(approval, 1), "the log has what is written, so it would have had another write")
		actions := audit.Actions(reader)
		Expect(actions).To(HaveKeyWithValue(approval+" (dry run)", 3), "each manifest of plan -f is applied in a dry run")
		Expect(slices.DeleteFunc(slices.Collect(maps.Keys(actions)), onlyReads)).To(ConsistOf(
			approval, approval+" (dry run)", "create selfsubjectaccessreviews", "create selfsubjectreviews"))
	})
})

// readingCommands has every command that only shows something, in its variants.
var readingCommands = []string{
	"status", "status -A", "status -l area=north -o json", "status site-changed", "status site-unknown-outcome",
	"status sorder/site-ordered", "status cacct/default",
	"plan", "plan site-asks-plan", "plan -l area=north", "plan -f manifests/", "plan --all -o json",
	"approve --all --dry-run", "approve -f manifests/site-asks-plan.yaml --dry-run", "trust --all --dry-run",
	"retry --all --dry-run", "resolve --all", "resolve site-unknown-outcome --outcome Succeeded --dry-run",
	"find AVC002000000001", "find -A SITE-015 -o json", "test site-changed", "report --since 30d", "report -o csv",
	"import --csv fleet.csv --folder fleet", "import --service-ids 900 --folder more", "import --report --folder fleet",
	"import --report --folder fleet -o html", "import --accept --folder fleet", "bundle --file support.tar.gz",
	"__complete status s", "completion bash",
}

// asReader returns arguments with which the plugin runs as a user of its own, who may do everything.
func (f *fleetWorld) asReader(reader string, arguments ...string) []string {
	if !slices.Contains(arguments, "-A") {
		arguments = append(arguments, "-n", f.Namespace)
	}
	return append([]string{"--as", reader, "--as-group", "system:masters"}, arguments...)
}

// writeReaderFiles writes the manifests of a new service and of two live ones, and the list for an
// import. kubectl applies one of the manifests.
func (f *fleetWorld) writeReaderFiles() {
	GinkgoHelper()
	Expect(os.Mkdir("manifests", 0o750)).To(Succeed())
	f.line("site-new")
	for _, name := range []string{"site-new", "site-asks-plan", "site-in-sync"} {
		f.manifest("manifests", name, asksAlways)
	}
	_, err := plane.Kubectl("apply", "-n", f.Namespace, "-f", filepath.Join("manifests", "site-in-sync.yaml"))
	Expect(err).NotTo(HaveOccurred())
	list := fmt.Sprintf("name,service id,plan,term\nsite-changed,%d,Home 50/20,12\n", f.lines["site-changed"])
	Expect(os.WriteFile("fleet.csv", []byte(list), 0o600)).To(Succeed())
}

// watchOnce runs status --watch until it has shown something.
func (f *fleetWorld) watchOnce(ctx SpecContext, reader string) {
	GinkgoHelper()
	p, screen := newPlugin(), gbytes.NewBuffer()
	p.edit = func(environment *command.Environment) { environment.Out = screen }
	watching, interrupt := context.WithCancel(ctx)
	ended := make(chan int, 1)
	go func() { ended <- p.run(watching, f.asReader(reader, "status", "--watch")...).code }()
	Eventually(screen).WithTimeout(time.Minute).Should(gbytes.Say("APPROVE: "))
	Eventually(func() map[string]int { return audit.Actions(reader) }).WithTimeout(time.Minute).Should(
		HaveKey("watch broadbandservices"))
	interrupt()
	Eventually(ended).WithTimeout(time.Minute).Should(Receive(BeZero()))
}

func onlyReads(action string) bool {
	verb, _, _ := strings.Cut(action, " ")
	return slices.Contains([]string{"get", "list", "watch"}, verb)
}
