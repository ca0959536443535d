// SPDX-License-Identifier: Apache-2.0

package world

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

// reportsFolder is where a run that is measured (hack/test.sh) wants to know what took how long; none
// when it is empty.
func reportsFolder() string { return os.Getenv("TEST_REPORTS") }

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
	if folder := reportsFolder(); folder != "" {
		name, err := packageName()
		if err != nil {
			t.Fatal(err)
		}
		reporter.JSONReport = filepath.Join(folder, name+".specs.json")
	}
	ginkgo.RunSpecs(t, description, suite, reporter)
}

// packageName is the folder of the package that is tested, as the name of a file.
func packageName() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(Root(), folder)
	return strings.ReplaceAll(relative, string(filepath.Separator), "_"), err
}
