// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/broadband-operator/broadband-operator/hack/internal/typed"
)

func TestAPackageHasItsTypesAndThoseOfItsImports(t *testing.T) {
	t.Parallel()
	read, err := typed.Load(t.Context(), "../../check/layout", ".")
	if err != nil {
		t.Fatal(err)
	}
	if read.Types.Name() != "main" || len(read.Files) != len(read.Syntax) || len(read.Info.Uses) == 0 {
		t.Errorf("%s: %d files, %d parsed, %d uses", read.Types, len(read.Files), len(read.Syntax), len(read.Info.Uses))
	}
	run := read.Types.Scope().Lookup("run").Type().String()
	if want := "func(ctx context.Context, out io.Writer, args []string) error"; run != want {
		t.Errorf("%s, want %s", run, want)
	}
}

func TestWhatIsNotOnePackageIsRefused(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"./nowhere", "./testdata/...", "../...", "-json"} {
		if _, err := typed.Load(t.Context(), ".", pattern); !errors.Is(err, typed.ErrNotOne) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}

func TestPackagesAreReadTogether(t *testing.T) {
	t.Parallel()
	all, err := typed.LoadAll(t.Context(), "../..", "./check/layout", "./internal/typed")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, read := range all {
		found[read.Folder] = read.Types.Name()
	}
	if want := map[string]string{"check/layout": "main", "internal/typed": "typed"}; !maps.Equal(found, want) {
		t.Errorf("%v, want %v", found, want)
	}
}

func TestPackagesAreRefusedIfOneIsNone(t *testing.T) {
	t.Parallel()
	if _, err := typed.LoadAll(t.Context(), ".", ".", "./nowhere"); !errors.Is(err, typed.ErrNotOne) {
		t.Error(err)
	}
}
