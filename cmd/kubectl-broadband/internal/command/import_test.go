// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"fmt"
	"net/http"
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
		mapped := []string{"import", "--csv", "fleet.csv", "--map", "plan=Tariff name"}
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
		Expect(html).To(And(HavePrefix("<!DOCTYPE html>"), ContainSubstring(">other plan</td>")))
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
		f := startFleet(ctx)
		GinkgoT().Chdir(GinkgoT().TempDir())
		const all, lost = 10_000, 37
		list := "service id,plan,term\n"
		for i := range all {
			list += fmt.Sprintf("%d,Home 50/20,12\n", firstLine+int64(i))
		}
		Expect(os.WriteFile("fleet.csv", []byte(list), 0o600)).To(Succeed())
		p := newPlugin()
		p.edit = func(environment *command.Environment) { environment.Terminal = true }
		started := time.Now() //nolint:forbidigo // the time is printed
		ran := p.run(ctx, "import", "--csv", "fleet.csv", "-n", f.Namespace)
		took := time.Since(started) //nolint:forbidigo // the time is printed
		world.Figuresf("  import of a list of %d services: %s", all, took.Round(100*time.Millisecond))
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
		Expect(newPlugin().run(ctx, "import", "--csv", "fleet.csv", "-n", f.Namespace).out).To(
			HavePrefix("fleet: 37 manifests written, 9963 as before, 0 kept"), "without a terminal there is no bar")
	})

	It("writes manifests that kubectl applies, and reports on them", func(ctx SpecContext) {
		f := startFleet(ctx)
		GinkgoT().Chdir(GinkgoT().TempDir())
		list := "name,service id,plan,term\n"
		for _, name := range []string{"site-two", "site-one"} {
			list += fmt.Sprintf("%s,%d,Home 50/20,12\n", name, f.line(name))
		}
		Expect(os.WriteFile("fleet.csv", []byte(list), 0o600)).To(Succeed())
		p := newPlugin()
		ran := p.run(ctx, "import", "--csv", "fleet.csv", "-n", f.Namespace)
		Expect(ran.out).To(ContainSubstring(
			"\nNext: kubectl apply --server-side -f fleet, then kubectl broadband import --report"))
		_, err := plane.Kubectl("apply", "-f", "fleet")
		Expect(err).NotTo(HaveOccurred())
		for _, name := range []string{"site-one", "site-two"} {
			Expect(f.drive(ctx, name).Spec.ManagementPolicy).To(Equal(v1alpha1.ManagementPlan))
		}
		Expect(p.run(ctx, "import", "--report", "-n", f.Namespace).out).To(HavePrefix("2 services: the carrier has"))
		Expect(p.run(ctx, "import", "--accept", "-n", f.Namespace).out).To(HaveSuffix(
			"Next: kubectl apply --server-side -f fleet, then kubectl broadband import --report --folder fleet\n"))
	})

	It("names every line that cannot be imported, on the screen or in a file", func(ctx SpecContext) {
		GinkgoT().Chdir(GinkgoT().TempDir())
		list := "name,service id,plan,term\na,1,Home,12\nb,x,Home,12\nc,3,Home,\nd,1,Home,1\n" +
			strings.Repeat("e,1.2E+06,Home,12\n", 20)
		Expect(os.WriteFile("fleet.csv", []byte(list), 0o600)).To(Succeed())
		arguments := []string{"import", "--csv", "fleet.csv", "--errors", "mistakes.txt"}
		ran := newPlugin().run(ctx, arguments...)
		Expect(ran.code).To(Equal(4))
		Expect(ran.err).To(And(HavePrefix("error: nothing is written; the list has 23 mistakes:\n"),
			ContainSubstring("line 3: \"x\""), ContainSubstring("line 4: plan and term"),
			ContainSubstring("line 5: service 1 is in line 2 too"),
			HaveSuffix("and 3 more: --errors FILE writes all of them into a file\n")))
		Expect("fleet").NotTo(BeADirectory())
		written, err := os.ReadFile("mistakes.txt")
		Expect(err).NotTo(HaveOccurred())
		Expect(strings.Count(string(written), "\nline ")).To(Equal(23))

		By("a file that is no list of mistakes, which is kept")
		arguments[4] = "fleet.csv"
		Expect(newPlugin().run(ctx, arguments...).err).To(ContainSubstring("the file exists, and is no list of mistakes"))
		Expect(os.ReadFile("fleet.csv")).To(BeEquivalentTo(list))
	})

	It("keeps what a changed list contradicts, and says so", func(ctx SpecContext) {
		f := startFleet(ctx)
		GinkgoT().Chdir(GinkgoT().TempDir())
		p := newPlugin()
		run := func(list string, more ...string) result {
			Expect(os.WriteFile("fleet.csv", []byte(list), 0o600)).To(Succeed())
			return p.run(ctx, append([]string{"import", "--csv", "fleet.csv", "-n", f.Namespace}, more...)...)
		}
		Expect(run("name,service id,Customer\nSite A,1001,x\nSite B,1002,x\nSite C,1003,x\n").out).To(
			ContainSubstring("\nNot read: \"Customer\" (--map FIELD=HEADER"))
		before, err := filepath.Glob("fleet/*")
		Expect(err).NotTo(HaveOccurred())
		changed := run("name,service id\nSite Z,1001\nSite B,9002\nSite C,1003\n", "--errors", "changes.txt")
		Expect(changed.code).To(Equal(1))
		Expect(changed.out).To(And(
			HavePrefix("fleet: 0 manifests written, 1 as before, 2 kept although they differ from the list."),
			ContainSubstring(`line 2: the service 1001 is "site-a" in fleet/site-a.yaml, and "site-z" in the list`),
			ContainSubstring(`line 3: "site-b" is the service 1002 in fleet/site-b.yaml, and 9002 in the list`)))
		Expect(filepath.Glob("fleet/*")).To(Equal(before))
		Expect(os.ReadFile("changes.txt")).To(ContainSubstring("\nline 2: "))

		By("a file of the name of a manifest, which has something else")
		Expect(os.WriteFile("fleet/site-d.yaml", []byte("kind: Secret\n"), 0o600)).To(Succeed())
		Expect(run("name,service id\nSite D,1004\n").err).To(
			ContainSubstring("fleet/site-d.yaml exists and has another manifest"))
		Expect(os.ReadFile("fleet/site-d.yaml")).To(BeEquivalentTo("kind: Secret\n"))
	})

	It("says whether the account exists, if a cluster answers", func(ctx SpecContext) {
		f := startFleet(ctx)
		GinkgoT().Chdir(GinkgoT().TempDir())
		p := newPlugin()
		arguments := [...]string{"import", "--service-ids", "007", "-n", f.Namespace, "--account", "retail"}
		ran := p.run(ctx, arguments[:]...)
		Expect(ran.code).To(Equal(1))
		Expect(ran.out).To(ContainSubstring(fmt.Sprintf(
			"There is no CarrierAccount \"retail\" in the namespace %q; it has \"default\". The services wait", f.Namespace)))
		unreachable := p.run(ctx, append(arguments[:], "--server", "https://127.0.0.1:1")...)
		Expect(unreachable.code).To(BeZero(), unreachable.err)
		Expect(unreachable.out).To(ContainSubstring("Not checked, because no cluster has answered: whether there is a "))
		Expect(p.run(ctx, "import", "--service-ids", "7", "--folder", "other", "--account", "The account").err).To(
			ContainSubstring("nothing is written: \"The account\" cannot be the name of a CarrierAccount"))
		Expect("other").NotTo(BeADirectory())
	})

	It("finds everything that is planted in a list of 200, at the calls that the guide names", func(ctx SpecContext) {
		f := startFleet(ctx, func(account *v1alpha1.CarrierAccount) {
			account.Spec.Approval, account.Spec.UnknownValues = "", "" // as docs/importing.md says
		})
		GinkgoT().Chdir(GinkgoT().TempDir())
		list, before := f.plantedList(), len(f.Carrier.Calls())
		twice := strings.Repeat(fmt.Sprintf(`Twice;"=""00%d""";Home 50/20;12;Standard`+"\r\n", f.lines["site-040"]), 10)
		Expect(os.WriteFile("fleet.csv", []byte(list+twice), 0o600)).To(Succeed())
		p := newPlugin()
		refused := p.run(ctx, "import", "--csv", "fleet.csv", "-n", f.Namespace)
		Expect(refused.code).To(Equal(4))
		Expect(strings.Count(refused.err, fmt.Sprintf("service %d is in line 42 too", f.lines["site-040"]))).To(Equal(10))
		Expect(os.WriteFile("fleet.csv", []byte(list), 0o600)).To(Succeed())
		written := p.run(ctx, "import", "--csv", "fleet.csv", "-n", f.Namespace)
		Expect(written.code).To(BeZero(), written.err)
		Expect(written.out).To(HavePrefix("fleet: 200 manifests written"))
		f.apply(ctx)

		reported := p.run(ctx, "import", "--report", "-n", f.Namespace)
		Expect(reported.code).To(Equal(1))
		table, rest, _ := strings.Cut(reported.out, "\n\n")
		Expect(strings.Count(table, "\nsite-")).To(Equal(20+15+12), table)
		Expect(rest).To(And(HavePrefix("180 services: restorationSLA cannot be read: "),
			ContainSubstring("\n200 services: 20 unknown number, 15 other plan, 12 spelling, 180 cannot be read\n")))
		expectImportCalls(f.Carrier.Calls()[before:])
		accepted := p.run(ctx, "import", "--accept", "-n", f.Namespace)
		Expect(accepted.code).To(BeZero(), accepted.err)
		Expect(accepted.out).To(HavePrefix("27 manifests changed to what the carrier has.\n" +
			"Left: 200 services: 20 unknown number, 180 cannot be read\n"))
	})
})

// The planted services: the first have a number that is no service, the next another plan, and the
// next a plan that is spelled with another space.
const (
	planted      = 200
	wrongNumbers = 20
	otherPlans   = 15
	spelled      = 12
)

// plantedList returns a list as a spreadsheet writes it, and adds its services to the carrier.
func (f *fleetWorld) plantedList() string {
	list := "\ufeffSite;Service no.;Plan;Months;SLA\r\n"
	for i := range planted {
		name := fmt.Sprintf("site-%03d", i)
		number, plan := int64(3_000_000_001+i), world.PlanSlow
		if i >= wrongNumbers {
			number = f.line(name, func(line *simulator.Service) {
				if i < wrongNumbers+otherPlans {
					line.Plan = world.PlanFast
				}
			})
		}
		if i >= wrongNumbers+otherPlans && i < wrongNumbers+otherPlans+spelled {
			plan = strings.Replace(plan, " ", "  ", 1)
		}
		list += fmt.Sprintf("%s;%d;%s;12;Standard\r\n", name, number, plan)
	}
	return list + ";;;;\r\n"
}

// expectImportCalls counts the calls that docs/importing.md names, apart from those that are
// repeated while the carrier is working.
func expectImportCalls(calls []simulator.Call) {
	GinkgoHelper()
	counts := make(map[string]int)
	for _, call := range calls {
		if call.Operation != simulator.OpToken && call.Status != http.StatusAccepted {
			counts[call.Method+" "+string(call.Operation)]++
		}
	}
	Expect(counts).To(Equal(map[string]int{
		"GET " + string(simulator.OpCancellationRead): planted,
		"POST " + string(simulator.OpHealth):          planted,
		"GET " + string(simulator.OpHealth):           planted - wrongNumbers,
		"POST " + string(simulator.OpPlanOptions):     otherPlans,
		"GET " + string(simulator.OpPlanOptions):      otherPlans,
	}))
	world.Figuresf("  calls of an import of %d services: %v", planted, counts)
}

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
		for range 6 {
			f.awaitCached(ctx, name) // else a pass on an outdated status, 20 s later, would read again
			result, err := f.process.Reconcile(ctx, name)
			Expect(err).NotTo(HaveOccurred())
			f.Clock.Advance(min(result.RequeueAfter, 20*time.Second))
		}
	}
	return names
}
