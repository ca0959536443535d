// SPDX-License-Identifier: Apache-2.0

package world

import (
	"os"
	"runtime/debug"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

// reportFile returns the prefix of the report files of a measured run (hack/check/testtimes), or "".
func reportFile() string { return os.Getenv("TEST_REPORT") }

// RunSpecs runs the specs of a package. The log is shown if a spec fails. Most waits are for another
// process: a minute catches what hangs, and the failure shows what was awaited, which the time limit
// of go test would not.
func RunSpecs(t *testing.T, description string) {
	t.Helper()
	gomega.RegisterFailHandler(ginkgo.Fail)
	gomega.SetDefaultEventuallyTimeout(time.Minute)
	gomega.EnforceDefaultTimeoutsWhenUsingContexts()
	klog.SetLogger(ginkgo.GinkgoLogr)
	ctrl.SetLogger(ginkgo.GinkgoLogr)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	suite, reporter := ginkgo.GinkgoConfiguration()
	if file := reportFile(); file != "" {
		reporter.JSONReport = file + ".specs.json"
	}
	ginkgo.RunSpecs(t, description, suite, reporter)
}
