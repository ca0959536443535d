// SPDX-License-Identifier: Apache-2.0

package kstatus_test

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/test/kstatus"
)

// The library has computed the table: see TestTableOfStates in hack/foreign/flux.
func TestEveryStateIsReadAsTheLibraryReadsIt(t *testing.T) {
	t.Parallel()
	table, err := fs.ReadFile(os.DirFS("testdata"), "table.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(table)))
	for _, line := range lines {
		want, object, _ := strings.Cut(strings.TrimSpace(line), " ")
		expect(t, object, kstatus.Status(want))
	}
	if len(lines) < 300 {
		t.Errorf("the table has only %d rows", len(lines))
	}
}

func expect(t *testing.T, text string, want kstatus.Status) {
	t.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), object); err != nil {
		t.Fatal(err)
	}
	if got, err := kstatus.Compute(object); err != nil || got != want {
		t.Errorf("%s: %s (%v), want %s", text, got, err, want)
	}
}
