// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shownOutput is a block of output in the documentation.
var shownOutput = regexp.MustCompile("(?s)```\n(\\$ kubectl broadband .*?)\n```")

// The documentation shows output that the other tests have seen.
func TestTheDocumentationShowsRealOutput(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs", "kubectl-plugin.md"))
	if err != nil {
		t.Fatal(err)
	}
	var seen strings.Builder
	golden := filepath.Join(root, "cmd", "kubectl-broadband", "internal", "command", "testdata", "*.golden")
	files, err := filepath.Glob(golden)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file) //nolint:gosec // a file of this repository
		if err != nil {
			t.Fatal(err)
		}
		seen.WriteString(strings.ReplaceAll(string(text), "nnnnnnnnnnnnn", "sites"))
	}
	shown := shownOutput.FindAllStringSubmatch(string(page), -1)
	if len(shown) < 6 {
		t.Fatalf("the page shows %d outputs", len(shown))
	}
	for _, output := range shown {
		if !strings.Contains(seen.String(), output[1]) {
			t.Errorf("no test has seen this output:\n%s", output[1])
		}
	}
}
