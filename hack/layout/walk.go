// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"io"

	"github.com/broadband-operator/broadband-operator/hack/internal/typed"
)

// walker follows calls as a reader does: each function once, in the order in which the code names
// them. A call returns to a file if the walk has been there before and the file is not the
// caller's.
type walker struct {
	in       *typed.Package
	declared map[types.Object]*ast.FuncDecl

	seen    map[types.Object]bool
	left    map[string]bool // files that the walk has been to
	returns int
}

var errNoFunction = errors.New("the package has no such function")

// walk prints the number of files that the calls of a function lead through, and how often they
// return to a file that they had left.
func walk(out io.Writer, in *typed.Package, name string) error {
	start := in.Types.Scope().Lookup(name)
	w := &walker{in: in, declared: declarations(in), seen: map[types.Object]bool{}, left: map[string]bool{}}
	if w.declared[start] == nil {
		return fmt.Errorf("%s.%s: %w", in.Types.Name(), name, errNoFunction)
	}
	w.follow("", start)
	printf(out, "%s passes through %d functions of %d files, and returns %d times to a file that it had left\n",
		name, len(w.seen), len(w.left), w.returns)
	return nil
}

func (w *walker) follow(from string, function types.Object) {
	if w.seen[function] || w.declared[function] == nil {
		return
	}
	w.seen[function] = true
	here := fileOf(w.in, function.Pos())
	if here != from && w.left[here] {
		w.returns++
	}
	w.left[here] = true
	ast.Inspect(w.declared[function], func(node ast.Node) bool {
		if name, is := node.(*ast.Ident); is {
			w.follow(here, w.in.Info.Uses[name])
		}
		return true
	})
}
