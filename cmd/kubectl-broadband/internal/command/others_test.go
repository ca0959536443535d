// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("find, report, check and bundle", Ordered, func() {
	var f *fleetWorld

	BeforeAll(func(ctx SpecContext) { f = mixed(ctx) })

	It("finds objects by the numbers and ids of the carrier", func(ctx SpecContext) {
		s := newSession(f.World)
		for _, text := range []string{
			"AVC002000000001", "loc002000000004", "PRI002000000002", "SITE-015", "2000000003", "site-asks",
		} {
			Expect(s.show(ctx, "find", text).code).To(Equal(0), text)
		}
		Expect(s.show(ctx, "find", "AVC999").code).To(Equal(1))
		s.expectGolden("find")
	})

	It("reports what was changed and spent", func(ctx SpecContext) {
		s := newSession(f.World)
		Expect(s.show(ctx, "report", "--since", "30d").code).To(Equal(0))
		Expect(s.show(ctx, "report", "--since", "1d").code).To(Equal(0))
		Expect(s.show(ctx, "report", "--since", "2026-03-01", "-o", "csv").code).To(Equal(0))
		Expect(s.show(ctx, "report", "--by", "area").code).To(Equal(0))
		Expect(s.show(ctx, "report", "-l", "area=north").code).To(Equal(0))
		Expect(s.show(ctx, "report", "-l", "area=north=south").code).To(Equal(4))
		Expect(s.show(ctx, "report", "--since", "yesterday").code).To(Equal(4))
		s.show(ctx, "report", "--since", "30d", "-o", "html")
		s.expectGoldenDocument("report")
	})

	It("checks the installation", func(ctx SpecContext) {
		s := newSession(f.World)
		Expect(s.show(ctx, "check").code).To(Equal(1), "the control plane of the tests has no policies")
		s.expectGolden("check")
	})

	It("writes the same as JSON", func(ctx SpecContext) {
		s := newSession(f.World)
		s.show(ctx, "find", "PRI002000000002", "-o", "json")
		s.show(ctx, "report", "--since", "30d", "-o", "json")
		s.show(ctx, "check", "-o", "json")
		s.expectGoldenDocument("json")
	})

	It("bundles everything but secrets and contacts", func(ctx SpecContext) {
		GinkgoT().Chdir(GinkgoT().TempDir())
		s := newSession(f.World)
		Expect(s.show(ctx, "bundle", "--file", "support.tar.gz").code).To(Equal(0))
		Expect(s.show(ctx, "bundle", "--file", "support.tar.gz").code).To(Equal(4), "it overwrites nothing")
		s.expectGolden("bundle")
		contents := unpacked("support.tar.gz")
		Expect(contents).To(HaveKey("broadband-support/broadbandservices.yaml"))
		Expect(contents["broadband-support/broadbandservices.yaml"]).To(ContainSubstring("name: site-unknown-outcome"))
		Expect(contents["broadband-support/requestledgers.yaml"]).To(ContainSubstring("attemptID"))
		order := f.ReadOrder(ctx, "site-ordered").Spec.Contact
		for name, text := range contents {
			for _, secret := range []string{
				canaryName, canaryPhone, canaryEmail, order.Name, order.Phone, order.Email, "PRIVATE KEY",
			} {
				Expect(text).NotTo(ContainSubstring(secret), name)
			}
		}
	})
})

var _ = Describe("bundle", func() {
	It("has the check of an operator in another namespace, and the ledgers of diagnostic tests", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-one", withPlan(world.PlanSlow))
		f.createPolicy(ctx, "ledgers")
		p := newPlugin()
		f.whileWaiting(ctx, p)
		Expect(p.run(ctx, "test", "site-one", "port-reset", "--yes", "-n", f.Namespace).code).To(BeZero())
		GinkgoT().Chdir(GinkgoT().TempDir())
		Expect(p.run(ctx, "bundle", "--operator-namespace", "carriers", "-n", f.Namespace).code).To(BeZero())
		contents := unpacked("broadband-support.tar.gz")
		Expect(contents["broadband-support/checks.yaml"]).To(
			ContainSubstring("the operator is system:serviceaccount:carriers:broadband-operator-manager"))
		Expect(contents["broadband-support/requestledgers.yaml"]).To(ContainSubstring("operation: DiagnosticTest"))
	})
})

// unpacked are the files of a .tar.gz.
func unpacked(file string) map[string]string {
	GinkgoHelper()
	packed, err := os.Open(file) //nolint:gosec // the file of this test
	Expect(err).NotTo(HaveOccurred())
	defer func() { Expect(packed.Close()).To(Succeed()) }()
	plain, err := gzip.NewReader(packed)
	Expect(err).NotTo(HaveOccurred())
	contents, archive := make(map[string]string), tar.NewReader(plain)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return contents
		}
		Expect(err).NotTo(HaveOccurred())
		text, err := io.ReadAll(io.LimitReader(archive, 1<<24)) //nolint:forbidigo // bounded here
		Expect(err).NotTo(HaveOccurred())
		contents[header.Name] = string(text)
	}
}

var _ = Describe("test", func() {
	It("runs a diagnostic test once, and shows its progress and result", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-one", withPlan(world.PlanSlow))
		s := newSession(f.World)
		Expect(s.show(ctx, "test", "site-one").code).To(BeZero())
		Expect(s.show(ctx, "test", "site-one", "port-reset").code).To(Equal(4), "there is nobody to ask")
		f.whileWaiting(ctx, s.plugin)
		Expect(s.show(ctx, "test", "site-one", "port-reset", "--yes").code).To(BeZero())
		Expect(f.Carrier.Submissions(simulator.OpDiagnosticTest, f.lines["site-one"]).Seen).To(Equal(1))
		Expect(s.show(ctx, "test", "site-one").code).To(BeZero())
		Expect(s.run(ctx, "report", "-o", "csv", "-n", f.Namespace).out).To(ContainSubstring(
			"service 2000000001,DiagnosticTest,\"testType \"\"port-reset\"\"\",Succeeded"))
		s.expectGolden("test")
	})

	It("says why there is no result", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-one", withPlan(world.PlanSlow))
		found := `{"result":{"id":"x","result":"` + strings.Repeat("x", 20_000) + `"}}`
		Expect(f.Carrier.FailNext("GET "+string(simulator.OpDiagnosticTest), simulator.Fault{
			Kind: simulator.FaultBody, Status: 200, Body: found,
		})).To(Succeed())
		p := newPlugin()
		f.whileWaiting(ctx, p)
		ran := p.run(ctx, "test", "site-one", "port-reset", "--yes", "-n", f.Namespace)
		Expect(ran.code).To(BeZero(), ran.err)
		Expect(ran.out).To(HaveSuffix("DiagnosticTest is done: its result is too long to be shown.\n"))
	})

	It("does not wait for a test that waits for an approval", func(ctx SpecContext) {
		f := startFleet(ctx, func(account *v1alpha1.CarrierAccount) { account.Spec.Approval = v1alpha1.ApprovalAlways })
		f.add(ctx, "site-one", withPlan(world.PlanSlow))
		p := newPlugin()
		f.whileWaiting(ctx, p)
		ran := p.run(ctx, "test", "site-one", "port-reset", "--yes", "-n", f.Namespace)
		Expect(ran.code).To(Equal(4))
		Expect(ran.err).To(ContainSubstring("kubectl broadband approve -n " + f.Namespace + " dtest/site-one-"))
		Expect(f.Carrier.Submissions(simulator.OpDiagnosticTest, f.lines["site-one"]).Seen).To(BeZero())
	})
})
