// SPDX-License-Identifier: Apache-2.0

package world

import (
	"fmt"
	"os"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
)

// Figuresf keeps a line of figures for the end of the run.
func Figuresf(format string, values ...any) {
	ginkgo.AddReportEntry(fmt.Sprintf(format, values...), ginkgo.ReportEntryVisibilityNever) // shown at the end, once
}

// ShowFigures prints the figures after the name of a suite when the suite has ended, because Ginkgo
// shows the output of a spec only if the spec fails.
func ShowFigures(suite string) bool {
	return ginkgo.ReportAfterSuite("figures", func(report ginkgo.Report) {
		for _, spec := range report.SpecReports {
			for _, line := range spec.ReportEntries {
				_, err := fmt.Fprintf(os.Stdout, "%s: %s\n", suite, line.Name)
				gomega.Expect(err).NotTo(gomega.HaveOccurred())
			}
		}
	})
}
