// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/command"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("import", func() {
	It("makes manifests, compares them with the carrier, and accepts what it has; nothing is sent", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.line("site-same")
		f.line("site-other", func(line *simulator.Service) { line.Plan = world.PlanFast })
		f.line("site-spelled")
		f.line("site-ended", func(line *simulator.Service) {
			line.Cancellation = &simulator.Cancellation{Status: "REQUESTED", RequestDate: "2099-06-30"}
		})
		list := "Site,Service No.,Tariff name,Months,SLA\n"
		for _, row := range []string{
			"Site same,%d,Home 50/20,12,", "Site other,%d,Home 50/20,12,", "Site spelled,%d,HOME  50/20,12,Standard",
			"Site ended,%d,Home 50/20,12,",
		} {
			name := strings.ToLower(strings.ReplaceAll(strings.SplitN(row, ",", 2)[0], " ", "-"))
			list += fmt.Sprintf(row, f.lines[name]) + "\n"
		}
		list += "Nobody,4711,Home 50/20,12,\n"
		GinkgoT().Chdir(GinkgoT().TempDir())
		Expect(os.WriteFile("fleet.csv", []byte(list), 0o600)).To(Succeed())
		s := newSession(f.World)
		Expect(s.show(ctx, "import", "--csv", "fleet.csv").code).To(Equal(4))
		mapped := []string{"import", "--csv", "fleet.csv", "--map", "serviceID=Service No.", "--map", "plan=Tariff name"}
		Expect(s.show(ctx, mapped...).code).To(Equal(0))
		Expect(os.Remove(filepath.Join("fleet", "nobody.yaml"))).To(Succeed())
		Expect(s.show(ctx, mapped...).code).To(Equal(0), "it continues where it was")
		text, err := os.ReadFile(filepath.Join("fleet", "site-spelled.yaml"))
		Expect(err).NotTo(HaveOccurred())
		s.text.WriteString("$ cat fleet/site-spelled.yaml\n" + normalized(f.World, string(text)) + "\n")
		Expect(s.show(ctx, "import", "--report").code).To(Equal(1))

		applied := f.apply(ctx)
		Expect(s.show(ctx, "import", "--report").code).To(Equal(1))
		Expect(s.show(ctx, "import", "--report", "-o", "csv").code).To(Equal(1))
		html := s.run(ctx, "import", "--report", "-o", "html", "-n", f.Namespace).out
		Expect(html).To(And(HavePrefix("<!DOCTYPE html>"), ContainSubstring("<td>other plan</td>")))
		Expect(s.show(ctx, "import", "--report", "-o", "json").code).To(Equal(1))
		Expect(s.show(ctx, "import", "--accept").code).To(Equal(0))
		Expect(f.apply(ctx)).To(Equal(applied))
		Expect(s.show(ctx, "import", "--report").code).To(Equal(1), "what nobody can accept is left")
		s.expectGoldenDocument("import")
		for _, line := range f.lines {
			Expect(f.Posts(line)).To(BeZero())
		}
	})

	It("imports 10,000 services with a progress bar, and continues after an interruption", func(ctx SpecContext) {
		GinkgoT().Chdir(GinkgoT().TempDir())
		const all, lost = 10_000, 37
		list := "service id,plan,term\n"
		for i := range all {
			list += fmt.Sprintf("%d,Home 50/20,12\n", firstLine+int64(i))
		}
		Expect(os.WriteFile("fleet.csv", []byte(list), 0o600)).To(Succeed())
		p := newPlugin()
		p.edit = func(environment *command.Environment) { environment.Terminal = true }
		ran := p.run(ctx, "import", "--csv", "fleet.csv")
		Expect(ran.code).To(BeZero(), ran.err)
		Expect(strings.Count(ran.out, "\r")).To(Equal(100), "a step for each hundredth")
		Expect(ran.out).To(And(ContainSubstring("\r["+strings.Repeat("#", 20)+strings.Repeat(" ", 20)+"] 5000 of 10000"),
			ContainSubstring("10000 of 10000\nfleet: 10000 manifests written, 0 as before")))
		files, err := filepath.Glob(filepath.Join("fleet", "*.yaml"))
		Expect(err).NotTo(HaveOccurred())
		Expect(files).To(HaveLen(all))
		for _, file := range files[all-lost:] {
			Expect(os.Remove(file)).To(Succeed())
		}
		Expect(newPlugin().run(ctx, "import", "--csv", "fleet.csv").out).To(
			HavePrefix("fleet: 37 manifests written, 9963 as before, 0 kept"), "without a terminal there is no bar")
	})

	It("writes a kustomization that kubectl applies, and reports on it", func(ctx SpecContext) {
		f := startFleet(ctx)
		GinkgoT().Chdir(GinkgoT().TempDir())
		list := "name,service id,plan,term\n"
		for _, name := range []string{"site-two", "site-one"} {
			list += fmt.Sprintf("%s,%d,Home 50/20,12\n", name, f.line(name))
		}
		Expect(os.WriteFile("fleet.csv", []byte(list), 0o600)).To(Succeed())
		p := newPlugin()
		ran := p.run(ctx, "import", "--csv", "fleet.csv", "--kustomize", "-n", f.Namespace)
		Expect(ran.out).To(ContainSubstring(
			"\nNext: kubectl apply --server-side -k fleet, then kubectl broadband import --report"))
		_, err := plane.Kubectl("apply", "-k", "fleet")
		Expect(err).NotTo(HaveOccurred())
		for _, name := range []string{"site-one", "site-two"} {
			Expect(f.drive(ctx, name).Spec.ManagementPolicy).To(Equal(v1alpha1.ManagementPlan))
		}
		Expect(p.run(ctx, "import", "--report", "-n", f.Namespace).out).To(HavePrefix("2 services: the carrier has"))
		Expect(p.run(ctx, "import", "--accept", "-n", f.Namespace).out).To(
			HaveSuffix("Next: kubectl apply --server-side -k fleet\n"))
	})

	It("names every line that cannot be imported, and writes nothing", func(ctx SpecContext) {
		GinkgoT().Chdir(GinkgoT().TempDir())
		list := "name,service id,plan,term\na,1,Home,12\nb,x,Home,12\nc,3,Home,\nd,1,Home,1\n"
		Expect(os.WriteFile("fleet.csv", []byte(list), 0o600)).To(Succeed())
		ran := newPlugin().run(ctx, "import", "--csv", "fleet.csv")
		Expect(ran.code).To(Equal(4))
		Expect(ran.err).To(And(ContainSubstring("line 3: \"x\""), ContainSubstring("line 4: plan and term"),
			ContainSubstring("line 5: service 1 is in line 2 too")))
		Expect("fleet").NotTo(BeADirectory())
	})
})

// apply applies the folder of an import with kubectl, and lets the operator read the services. It
// returns their names.
func (f *fleetWorld) apply(ctx SpecContext) []string {
	GinkgoHelper()
	_, err := plane.Kubectl("apply", "-f", "fleet")
	Expect(err).NotTo(HaveOccurred())
	files, err := filepath.Glob(filepath.Join("fleet", "*.yaml"))
	Expect(err).NotTo(HaveOccurred())
	names := make([]string, 0, len(files))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		names = append(names, name)
		f.awaitCached(ctx, name)
		for range 6 {
			result, err := f.process.Reconcile(ctx, name)
			Expect(err).NotTo(HaveOccurred())
			f.Clock.Advance(min(result.RequeueAfter, 20*time.Second))
		}
	}
	return names
}
