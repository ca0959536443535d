// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
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
		for _, text := range []string{"AVC002000000001", "loc002000000004", "SITE-015", "2000000003", "site-asks"} {
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
		Expect(s.show(ctx, "report", "--since", "yesterday").code).To(Equal(4))
		s.show(ctx, "report", "--since", "3d", "-o", "html")
		s.expectGoldenDocument("report")
	})

	It("checks the installation", func(ctx SpecContext) {
		p := newPlugin()
		ran := p.run(ctx, "check", "-n", f.Namespace)
		Expect(ran.code).To(Equal(1), "the control plane of the tests has no policies")
		Expect(ran.out).To(ContainSubstring("key-1"))
		text := p.run(ctx, "check", "-o", "json", "-n", f.Namespace).out
		Expect(strings.Count(text, "as in this version of the plugin")).To(Equal(9), text)
	})

	It("bundles everything but secrets and contacts", func(ctx SpecContext) {
		p := newPlugin()
		file := filepath.Join(p.folder, "support.tar.gz")
		ran := p.run(ctx, "bundle", "--file", file, "-n", f.Namespace)
		Expect(ran.code).To(Equal(0), ran.err)
		contents := unpacked(file)
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
		Expect(p.run(ctx, "bundle", "--file", file, "-n", f.Namespace).code).To(Equal(4), "it overwrites nothing")
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
		p := newPlugin()
		Expect(p.run(ctx, "test", "site-one", "-n", f.Namespace).out).To(ContainSubstring("No test of this service was run"))
		Expect(p.run(ctx, "test", "site-one", "port-reset", "-n", f.Namespace).code).To(Equal(4), "there is nobody to ask")
		f.whileWaiting(ctx, p)
		ran := p.run(ctx, "test", "site-one", "port-reset", "--yes", "-n", f.Namespace)
		Expect(ran.code).To(Equal(0), ran.out+ran.err)
		Expect(ran.out).To(And(ContainSubstring("created\n"), ContainSubstring("Result:\n")))
		Expect(f.Carrier.Submissions(simulator.OpDiagnosticTest, f.lines["site-one"]).Seen).To(Equal(1))
		Expect(p.run(ctx, "test", "site-one", "-n", f.Namespace).out).To(ContainSubstring("port-reset"))
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
