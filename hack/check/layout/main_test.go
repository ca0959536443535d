// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

// top.go refers to middle.go and bottom.go. middle.go refers to bottom.go and, against that order,
// to top.go. queue.go and load.go refer to each other.
func TestLayoutOfASample(t *testing.T) {
	t.Parallel()
	for start, found := range map[string]string{
		"Start":        "Start passes through 4 functions of 3 files, and returns 1 times",
		"server.Serve": "server.Serve passes through 5 functions of 3 files, and returns 1 times",
	} {
		var out strings.Builder
		if err := run(t.Context(), &out, []string{"./testdata/sample", start}); err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{
			"5 files, 8 references from file to file, 2 of them against the order\n",
			found + " to a file that it had left\n",
		} {
			if !strings.Contains(out.String(), line) {
				t.Errorf("want %q in:\n%s", line, out.String())
			}
		}
	}
}

func TestLayoutNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	for _, refused := range []struct {
		words string
		args  []string
	}{
		{"usage", []string{"-lower", "./testdata/sample"}},
		{"usage", []string{"-raise"}},
		{"usage", []string{"./testdata/sample", "Start", "End"}},
		{"it is not one package", []string{"./nowhere"}},
		{"sample.End: the package has no such function", []string{"./testdata/sample", "End"}},
		{"sample.server.Stop: the package has no such function", []string{"./testdata/sample", "server.Stop"}},
	} {
		err := run(t.Context(), &strings.Builder{}, refused.args)
		if err == nil || !strings.Contains(err.Error(), refused.words) {
			t.Errorf("%v: %v", refused.args, err)
		}
	}
}
