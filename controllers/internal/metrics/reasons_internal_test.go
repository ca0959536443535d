// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The label has every reason of the API, and no other.
func TestTheReasonsAreThoseOfTheAPI(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../../../api/v1alpha1/condition_types.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	ast.Inspect(file, func(node ast.Node) bool {
		constant, is := node.(*ast.ValueSpec)
		if is && strings.HasPrefix(constant.Names[0].Name, "Reason") {
			literal, isText := constant.Values[0].(*ast.BasicLit)
			if !isText {
				t.Fatalf("%s is no text", constant.Names[0].Name)
			}
			want = append(want, strings.Trim(literal.Value, `"`))
		}
		return true
	})
	slices.Sort(want)
	if diff := cmp.Diff(want, reasons()); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	for _, reason := range []string{"InventedByATenant", ""} {
		if label := newKnownReasons().label(reason); label != reasonOther {
			t.Errorf("the reason %q has the label %q", reason, label)
		}
	}
}
