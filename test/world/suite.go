// SPDX-License-Identifier: Apache-2.0

package world

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

// RunSpecs runs the specs of a package. The log is shown if a spec fails. Most waits are for
// another process. A wait fails after a minute and shows what was awaited, which the time limit of
// go test would not show.
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
	if folder := os.Getenv("TEST_REPORTS"); folder != "" { // of hack/check/test.sh
		reporter.JSONReport = fmt.Sprintf("%s/%d.specs.json", folder, os.Getpid())
	}
	ginkgo.RunSpecs(t, description, suite, reporter)
}
