// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

// top.go refers to middle.go and bottom.go. middle.go refers to bottom.go and, against that order,
// to top.go.
func TestLayoutOfASample(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), &out, []string{"./testdata/sample", "Start"}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"3 files, 4 references from file to file, 1 of them against the order\n",
		"Start passes through 4 functions of 3 files, and returns 1 times to a file that it had left\n",
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("want %q in:\n%s", line, out.String())
		}
	}
}

func TestLayoutNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	for words, args := range map[string][]string{
		"usage":                            nil,
		"it is not one package":            {"./nowhere"},
		"the package has no such function": {"./testdata/sample", "End"},
	} {
		err := run(t.Context(), &strings.Builder{}, args)
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v: %v", args, err)
		}
	}
}
