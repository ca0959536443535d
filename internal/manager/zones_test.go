// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// withoutFiles is set in a process that can open no file.
const withoutFiles = "TEST_WITHOUT_FILES"

// TestTimeZonesNeedNoFiles loads zones in a process that can open no file, not even those of
// /usr/share/zoneinfo, which an image may not have.
func TestTimeZonesNeedNoFiles(t *testing.T) {
	if os.Getenv(withoutFiles) != "" {
		loadZonesWithoutFiles(t)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	//nolint:gosec // this test binary
	child := exec.CommandContext(t.Context(), self, "-test.run=^TestTimeZonesNeedNoFiles$")
	child.Env = append(os.Environ(), withoutFiles+"=1", "ZONEINFO=")
	if output, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, output)
	}
}

func loadZonesWithoutFiles(t *testing.T) {
	t.Helper()
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Open("zones_test.go"); err == nil {
		t.Fatal("a file could be opened")
	}
	for _, zone := range []string{"Australia/Sydney", "Australia/Perth", "Pacific/Auckland"} {
		if _, err := time.LoadLocation(zone); err != nil {
			t.Error(err)
		}
	}
}
