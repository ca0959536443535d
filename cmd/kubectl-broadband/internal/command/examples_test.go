// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// exampleLine is an example in the help of a command.
var exampleLine = regexp.MustCompile(`(?m)^ {2}kubectl broadband (.+)$`)

// listedCommand is a command in the help of the plugin.
var listedCommand = regexp.MustCompile(`(?m)^ {2}([a-z]+) +[A-Z]`)

var _ = Describe("The help", func() {
	It("has examples for each command, which work", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-014", asksAlways, withLabel("site", "north"))
		f.add(ctx, "site-012", asksUnknown, withSLA(world.SLAFast), withPlan(world.PlanSlow))
		f.add(ctx, "site-013", withPlan(world.PlanFails))
		f.loseNext("AggregationConversion", true)
		f.add(ctx, "site-015", withoutPlan, withEthernet)
		Expect(f.Create(ctx, f.Order("site-new", "SITE-015", func(order *v1alpha1.ServiceOrder) {
			order.Spec.Approval = v1alpha1.ApprovalAlways
		}))).To(Succeed())
		f.process.DriveOrder(ctx, "site-new")

		p := newPlugin()
		folder := GinkgoT().TempDir()
		f.lines["site-016"] = f.line("site-016")
		Expect(os.Mkdir(filepath.Join(folder, "manifests"), 0o750)).To(Succeed())
		f.manifest(filepath.Join(folder, "manifests"), "site-016")
		csv := "name,service id,plan,term\nsite-900,900,Home 50/20,12\n"
		Expect(os.WriteFile(filepath.Join(folder, "fleet.csv"), []byte(csv), 0o600)).To(Succeed())
		GinkgoT().Chdir(folder)
		ran := 0
		for _, found := range listedCommand.FindAllStringSubmatch(p.run(ctx, "--help").out, -1) {
			_, help, _ := strings.Cut(p.run(ctx, found[1], "--help").out, "Examples:\n")
			help, _, _ = strings.Cut(help, "\n\n")
			examples := exampleLine.FindAllStringSubmatch(help, -1)
			if found[1] == "completion" || found[1] == "help" {
				continue
			}
			Expect(examples).NotTo(BeEmpty(), found[1])
			for _, example := range examples {
				f.runExample(ctx, p, example[1])
				ran++
			}
		}
		Expect(ran).To(BeNumerically(">", 20))
	})

	It("completes the names of live objects", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-014", withPlan(world.PlanSlow))
		p := newPlugin()
		Expect(p.run(ctx, "__complete", "status", "-n", f.Namespace, "").out).To(ContainSubstring("site-014\n"))
		Expect(p.run(ctx, "__complete", "status", "-n", f.Namespace, "cacct/").out).To(ContainSubstring("cacct/default\n"))
		Expect(p.run(ctx, "__complete", "resolve", "--outcome", "").out).To(ContainSubstring("NotAccepted\n"))
		for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
			Expect(p.run(ctx, "completion", shell).out).To(ContainSubstring("broadband"), shell)
		}
	})
})

// runExample runs an example in the namespace of the world. The example may find something that
// needs a person, but must not fail.
func (f *fleetWorld) runExample(ctx SpecContext, p *plugin, example string) {
	GinkgoHelper()
	arguments := strings.Fields(example)
	stands := map[string]string{"resolve": "site-015", "retry": "site-013", "trust": "site-012"}
	if name, is := stands[arguments[0]]; is && arguments[1] == "site-014" {
		arguments[1] = name // an object in the state that the command is for
	}
	if strings.HasPrefix(example, "test") || strings.HasPrefix(example, "offers") {
		f.whileWaiting(ctx, p)
		defer func() { p.edit = nil }()
	}
	if !strings.Contains(example, "-A") {
		arguments = append(arguments, "-n", f.Namespace)
	}
	ran := p.run(ctx, arguments...)
	withoutTerminal := ran.code == 4 && strings.Contains(ran.err, "there is no terminal to ask at")
	if !withoutTerminal {
		Expect(ran.code).To(BeNumerically("<", 4), "%s: %s", example, ran.err)
	}
}

func withEthernet(s *v1alpha1.BroadbandService) { s.Spec.AggregationMethod = "ETHERNET" }
