// SPDX-License-Identifier: Apache-2.0

package kubectl_test

import (
	"strings"

	"github.com/onsi/gomega/gexec"

	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("kubectl get -w", func() {
	It("prints a line only when one of the columns has changed", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		command, err := fixture.Plane.KubectlIn(GinkgoT().TempDir(), "-n", w.Namespace, "get", "bbs", "--watch")
		Expect(err).NotTo(HaveOccurred())
		watch, err := gexec.Start(command, nil, GinkgoWriter)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { watch.Kill() })
		lines := func() []string {
			var printed []string
			for line := range strings.Lines(string(watch.Out.Contents())) {
				printed = append(printed, ages.ReplaceAllString(strings.TrimRight(line, " \n"), ""))
			}
			return printed
		}
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		Eventually(ctx, lines).Should(ContainElement(ContainSubstring(site)), "it watches")
		process.Drive(ctx, site)
		Eventually(ctx, lines).Should(ContainElement(ContainSubstring("InSync")))
		printed := lines()
		for i := range printed[1:] {
			Expect(printed[i+1]).NotTo(Equal(printed[i]), "%s", strings.Join(printed, "\n"))
		}
		AddReportEntry("watch", strings.Join(printed, "\n"))
		GinkgoWriter.Println(strings.Join(printed, "\n"))
	})
})
