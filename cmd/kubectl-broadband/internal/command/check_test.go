// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"bytes"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/command"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
	"github.com/broadband-operator/broadband-operator/config"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("check", func() {
	It("compares the admission policies with those of its version, and looks for their bindings", func(ctx SpecContext) {
		f := startFleet(ctx)
		for _, name := range []string{"annotations", "retry"} {
			f.createPolicy(ctx, name)
		}
		out := f.checks(ctx)
		for name, detail := range map[string]string{
			"annotations": "Binding", "approval": "", "ledgers": "", "ledger-crd": "", "retry": "Binding",
		} {
			detail = "ValidatingAdmissionPolicy" + detail + " broadband-operator-" + name +
				" is not installed: install the manifests or the chart of this version (docs/install.md)"
			Expect(checkOf(out, "broadband-operator-"+name)).To(And(ContainSubstring("failed"), HaveSuffix(detail)))
		}
	})

	It("expects the policy of RequestLedgers for the namespace of the operator", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.createPolicy(ctx, "ledgers")
		Expect(checkOf(f.checks(ctx), "broadband-operator-ledgers")).To(
			ContainSubstring("Binding broadband-operator-ledgers is not installed"))
		Expect(checkOf(f.checks(ctx, "--operator-namespace=carriers"), "broadband-operator-ledgers")).To(And(
			ContainSubstring("failed"),
			ContainSubstring("permits system:serviceaccount:broadband-operator:broadband-operator-manager"),
			ContainSubstring("the operator is system:serviceaccount:carriers:broadband-operator-manager")))
	})

	It("says what is wrong with an account", func(ctx SpecContext) {
		f := startFleet(ctx, func(account *v1alpha1.CarrierAccount) {
			account.Spec.APIVersion = 7
			account.Spec.Extensions = []v1alpha1.Extension{v1alpha1.ExtensionTestTypes}
			account.Spec.Auth.Keys = append(account.Spec.Auth.Keys, v1alpha1.SigningKey{
				KeyID: "key-2", PrivateKeySecretRef: v1alpha1.SecretKeyReference{Name: "lost", Key: "tls.key"},
			})
		})
		out := f.checks(ctx)
		Expect(checkOf(out, "key key-1")).To(HaveSuffix("the Secret has the key"))
		Expect(checkOf(out, "key key-2")).To(HaveSuffix("there is no Secret lost"))
		Expect(checkOf(out, "API version")).To(And(ContainSubstring("warning"), HaveSuffix("version 7; 8 is the newest")))
		Expect(checkOf(out, "extensions")).To(HaveSuffix("none was called yet"))
	})
})

// createPolicy creates an admission policy of this version. Without a binding it has no effect on the
// other specs.
func (*fleetWorld) createPolicy(ctx SpecContext, name string) {
	GinkgoHelper()
	text, err := config.Manifests.ReadFile("policy/" + name + ".yaml")
	Expect(err).NotTo(HaveOccurred())
	first, _, _ := bytes.Cut(text, []byte("\n---\n"))
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{}
	Expect(yaml.Unmarshal(first, policy)).To(Succeed())
	Expect(plane.Client.Create(ctx, policy)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(plane.Client.Delete(ctx, policy)).To(Succeed()) })
}

// checks is the output of the command check without a terminal, so that each check is one line.
func (f *fleetWorld) checks(ctx SpecContext, flags ...string) string {
	p := newPlugin()
	p.edit = func(environment *command.Environment) { environment.Style = table.Style{} }
	return p.run(ctx, append([]string{"check", "-n", f.Namespace}, flags...)...).out
}

// checkOf is the line of a check.
func checkOf(out, text string) string {
	lines := strings.Split(out, "\n")
	at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, text) })
	return strings.TrimSpace(lines[max(0, at)])
}
