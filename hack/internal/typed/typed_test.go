// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"errors"
	"testing"

	"github.com/broadband-operator/broadband-operator/hack/internal/typed"
)

func TestAPackageHasItsTypesAndThoseOfItsImports(t *testing.T) {
	t.Parallel()
	read, err := typed.Load(t.Context(), "../../layout", ".")
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
