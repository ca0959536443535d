// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"os"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("An error", func() {
	DescribeTable("says what to do",
		func(ctx SpecContext, todo string, arguments ...string) {
			GinkgoT().Chdir(GinkgoT().TempDir())
			other := []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n")
			Expect(os.WriteFile("other.yaml", other, 0o600)).To(Succeed())
			twice := []byte("apiVersion: wholesale.broadband/v1alpha1\nkind: BroadbandService\nmetadata: {name: a}\n" +
				"spec:\n  suspend: true\n  suspend: false\n")
			Expect(os.WriteFile("twice.yaml", twice, 0o600)).To(Succeed())
			ran := newPlugin().run(ctx, arguments...)
			Expect(ran.code).To(Equal(4))
			Expect(ran.out).To(BeEmpty())
			Expect(ran.err).To(And(HavePrefix("error: "), ContainSubstring(todo)))
		},
		Entry("nobody listens", "check --server and --context, and whether the API server runs",
			"status", "--server", "https://127.0.0.1:1"),
		Entry("a context that does not exist", `context "nowhere" does not exist`, "status", "--context", "nowhere"),
		Entry("a right that is missing", "ask for one of the roles of broadband-operator", "status", "--as", "nobody"),
		Entry("an object that does not exist", "kubectl get bbs -A lists all", "status", "site-999"),
		Entry("a kind that does not exist", "use one of cacct, bbs, sorder", "approve", "house/site-999"),
		Entry("a kind that is never approved", "this command is not for a CarrierAccount", "approve", "cacct/default"),
		Entry("nothing selected", "select them with -l, -f or --all", "retry"),
		Entry("labels and files", "use one of names, -f, and -l or --all", "approve", "-f", "other.yaml", "-l", "site=north"),
		Entry("all and files", "use one of names, -f, and -l or --all", "approve", "-f", "other.yaml", "--all"),
		Entry("names and labels", "use one of names, -f, and -l or --all", "retry", "site-014", "-l", "site=north"),
		Entry("names and files", "use one of names, -f, and -l or --all", "plan", "site-014", "-f", "other.yaml"),
		Entry("a name and labels", "use one of names, -f, and -l or --all", "status", "site-014", "-l", "site=north"),
		Entry("a wrong selector", "--selector", "status", "-l", "=="),
		Entry("a wrong amount", "write it like 120.00", "approve", "--all", "--max-one-time", "much"),
		Entry("a wrong format", "one of table, json, yaml, markdown, html", "plan", "-o", "pdf"),
		Entry("manifests of other kinds", "no manifest of wholesale.broadband", "plan", "-f", "other.yaml"),
		Entry("a key twice in a manifest",
			`twice.yaml: line 6: mapping key "suspend" already defined at line 5: remove one of the two`,
			"plan", "-f", "twice.yaml"),
		Entry("a flag of another command", "unknown flag: --prices: kubectl broadband status --help lists the flags",
			"status", "--prices"),
		Entry("an import of nothing", "csv", "import"),
		Entry("a report of an empty folder", "import with --csv first", "import", "--report", "--folder", "none"),
	)
})
