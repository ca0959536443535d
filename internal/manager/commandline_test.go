// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/test/source"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The command line", func() {
	It("explains each flag", func(ctx SpecContext) {
		var out bytes.Buffer
		Expect(run(ctx, []string{"--help"}, &out)).NotTo(Succeed())
		for _, flag := range []string{
			"kubeconfig", "allow-insecure-carrier", "operator-namespace", "leader-elect", "namespaces", "submit",
			"approval-checked-elsewhere", "carrier-hosts",
			"leader-elect-lease-duration", "leader-elect-renew-deadline", "leader-elect-retry-period",
			"metrics-bind-address", "metrics-secure", "metrics-cert-dir", "health-probe-bind-address", "version",
		} {
			Expect(out.String()).To(ContainSubstring("-" + flag))
		}
	})

	It("prints the version without a cluster", func(ctx SpecContext) {
		self, err := os.Executable()
		Expect(err).NotTo(HaveOccurred())
		manager := exec.CommandContext(ctx, self, "--version", "--kubeconfig=/none") //nolint:gosec // this test binary
		manager.Env = append(os.Environ(), asManager+"=1")
		printed, err := manager.Output()
		Expect(err).NotTo(HaveOccurred())
		Expect(string(printed)).To(Equal(versionText() + "\n"))
		Expect(versionText()).To(HavePrefix("broadband-operator devel (unknown, go1."))
	})

	It("sends its version to the carrier", func() {
		Expect(settings{}.controllerOptions().UserAgent).To(Equal("broadband-operator/" + version))
	})

	It("refuses unknown flags and arguments", func(ctx SpecContext) {
		for _, args := range [][]string{{"--submti=false"}, {"run"}, {"--kubeconfig=/does/not/exist"}} {
			Expect(run(ctx, args, GinkgoWriter)).NotTo(Succeed(), "%v", args)
		}
	})

	It("contains the time zones, which its image may not have", func() {
		for _, program := range []string{"internal/manager/run.go", "hack/run/simulator/main.go"} {
			path := filepath.Join(source.Root(), program)
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			Expect(err).NotTo(HaveOccurred())
			imported := func(one *ast.ImportSpec) string { return one.Path.Value }
			Expect(file.Imports).To(ContainElement(WithTransform(imported, Equal(`"time/tzdata"`))), program)
		}
	})

	It("reports durations of leader election that contradict each other", func() {
		const (
			lease    = "--leader-elect-lease-duration"
			deadline = "--leader-elect-renew-deadline"
			period   = "--leader-elect-retry-period"
		)
		for _, refused := range []struct {
			args []string
			text string
		}{
			{[]string{lease + "=0s"}, lease + " is 0s: "},
			{[]string{lease + "=10s"}, lease + " is 10s: it must be greater than " + deadline + ", which is 10s"},
			{[]string{deadline + "=2400ms"}, deadline + " is 2.4s: it must be greater than 2.4s"},
			{[]string{period + "=0s"}, period + " is 0s: "},
			{[]string{period + "=-1s"}, period + " is -1s: "},
		} {
			_, err := parse(refused.args, GinkgoWriter)
			Expect(err).To(MatchError(HavePrefix(refused.text)), "%v", refused.args)
		}
		started, err := parse(nil, GinkgoWriter)
		Expect(err).NotTo(HaveOccurred())
		options, err := started.managerOptions()
		Expect(err).NotTo(HaveOccurred())
		Expect(*options.LeaseDuration).To(Equal(15 * time.Second))
		Expect(*options.RenewDeadline).To(Equal(10 * time.Second))
		Expect(*options.RetryPeriod).To(Equal(2 * time.Second))
	})

	It("refuses a number of workers with which nothing would be reconciled", func() {
		for _, workers := range []string{"0", "-1"} {
			_, err := parse([]string{"--workers=" + workers}, GinkgoWriter)
			Expect(err).To(MatchError("--workers is " + workers + ": it must be at least 1"))
		}
	})

	It("refuses namespaces that cannot exist, and an empty name, which would mean all of them (R29)", func() {
		const missing = ": a name between its commas is missing; to manage all namespaces, omit --namespaces"
		for value, text := range map[string]string{
			"sites,":      `--namespaces is "sites,"` + missing,
			",sites":      `--namespaces is ",sites"` + missing,
			"sites, ,b":   `--namespaces is "sites, ,b"` + missing,
			" ":           `--namespaces is " "` + missing,
			"sites,Site":  `--namespaces is "sites,Site": "Site" is not the name of a namespace: `,
			"sites b":     `--namespaces is "sites b": "sites b" is not the name of a namespace: `,
			"sites/all":   `--namespaces is "sites/all": "sites/all" is not the name of a namespace: `,
			"sites.other": `--namespaces is "sites.other": "sites.other" is not the name of a namespace: `,
		} {
			_, err := parse([]string{"--namespaces=" + value}, GinkgoWriter)
			Expect(err).To(MatchError(HavePrefix(text)), "%q", value)
		}
		for value, namespaces := range map[string][]string{
			"": nil, "sites": {"sites"}, "sites, b": {"sites", "b"},
		} {
			started, err := parse([]string{"--namespaces=" + value}, GinkgoWriter)
			Expect(err).NotTo(HaveOccurred(), "%q", value)
			Expect(started.managed()).To(Equal(namespaces), "%q", value)
		}
	})

	It("refuses a list of hosts that it cannot read, and passes on one that it can", func() {
		for value, text := range map[string]string{
			"api.example,": `--carrier-hosts is "api.example,": a host between its commas is missing; to allow every host, ` +
				"omit the flag",
			"https://api.example": `--carrier-hosts is "https://api.example": "https://api.example": it is an address: `,
			"*":                   `--carrier-hosts is "*": "*": write each host in full, or *.example.com for all subdomains`,
		} {
			_, err := parse([]string{"--carrier-hosts=" + value}, GinkgoWriter)
			Expect(err).To(MatchError(HavePrefix(text)), "%q", value)
		}
		started, err := parse([]string{"--carrier-hosts=api.example,*.other.example:8443"}, GinkgoWriter)
		Expect(err).NotTo(HaveOccurred())
		hosts, err := started.hosts()
		Expect(err).NotTo(HaveOccurred())
		Expect(hosts.Allow("https://api.example")).To(BeTrue())
		Expect(hosts.Allow("https://api.other.example")).To(BeFalse())
	})

	It("gives managers of different namespaces leases of different names (R29)", func() {
		lease := func(args ...string) string {
			started, err := parse(args, GinkgoWriter)
			Expect(err).NotTo(HaveOccurred())
			options, err := started.managerOptions()
			Expect(err).NotTo(HaveOccurred())
			Expect(len(options.LeaderElectionID)).To(BeNumerically("<=", 63))
			return options.LeaderElectionID
		}
		Expect(lease("--namespaces=a,b")).To(Equal(lease("--namespaces=b, a")))
		names := []string{lease(), lease("--namespaces=a"), lease("--namespaces=b"), lease("--namespaces=a,b")}
		slices.Sort(names)
		Expect(slices.Compact(slices.Clone(names))).To(HaveLen(len(names)))
	})
})
