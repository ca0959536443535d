// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"strings"

	"github.com/onsi/gomega/gexec"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("kubectl get -w", func() {
	It("prints a line where one of its columns has changed, and no other", func(ctx SpecContext) {
		w, process := begin(ctx)
		command, err := plane.KubectlIn(GinkgoT().TempDir(), "-n", w.Namespace, "get", "bbs", "--watch")
		Expect(err).NotTo(HaveOccurred())
		watch, err := gexec.Start(command, nil, GinkgoWriter)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { watch.Kill() })
		lines := func() []string {
			var told []string
			for line := range strings.Lines(string(watch.Out.Contents())) {
				told = append(told, ages.ReplaceAllString(strings.TrimRight(line, " \n"), ""))
			}
			return told
		}
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		Eventually(ctx, lines).Should(ContainElement(ContainSubstring(site)), "it watches")
		process.Drive(ctx, site)
		Eventually(ctx, lines).Should(ContainElement(ContainSubstring("InSync")))
		told := lines()
		for i := range told[1:] {
			Expect(told[i+1]).NotTo(Equal(told[i]), "%s", strings.Join(told, "\n"))
		}
		AddReportEntry("watch", strings.Join(told, "\n"))
		GinkgoWriter.Println(strings.Join(told, "\n"))
	})
})
