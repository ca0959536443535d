// SPDX-License-Identifier: Apache-2.0

package world

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

// reportFile is where a run that is measured (hack/testtimes) wants to know what took how long: the
// beginning of the names of its files, or nothing.
func reportFile() string { return os.Getenv("TEST_REPORT") }

// RunSpecs runs the specs of a package. What is logged is shown when a spec fails.
func RunSpecs(t *testing.T, description string) {
	t.Helper()
	gomega.RegisterFailHandler(ginkgo.Fail)
	klog.SetLogger(ginkgo.GinkgoLogr)
	ctrl.SetLogger(ginkgo.GinkgoLogr)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(moreRoom)
	}
	suite, reporter := ginkgo.GinkgoConfiguration()
	if file := reportFile(); file != "" {
		reporter.JSONReport = file + ".specs.json"
	}
	ginkgo.RunSpecs(t, description, suite, reporter)
}
