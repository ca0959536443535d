// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/broadband-operator/broadband-operator/hack/internal/typed"
)

// way is where the calls of a function lead.
type way struct {
	functions, files int
	returns          int // calls that lead back to a file already left
}

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

// walk follows the calls of a function, or of a method that is written as Type.Method. A call through
// an interface leads nowhere, because it does not say which method is called.
func walk(in *typed.Package, name string) (way, error) {
	start := find(in.Types, name)
	w := &walker{in: in, declared: declarations(in), seen: map[types.Object]bool{}, left: map[string]bool{}}
	if w.declared[start] == nil {
		return way{}, fmt.Errorf("%s.%s: %w", in.Types.Name(), name, errNoFunction)
	}
	w.follow("", start)
	return way{len(w.seen), len(w.left), w.returns}, nil
}

// find returns a function or method of a package; nil if there is none.
func find(in *types.Package, name string) types.Object {
	receiver, method, isMethod := strings.Cut(name, ".")
	found := in.Scope().Lookup(receiver)
	if found != nil && isMethod {
		found, _, _ = types.LookupFieldOrMethod(found.Type(), true, in, method)
	}
	return found
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
			w.follow(here, generic(w.in.Info.Uses[name]))
		}
		return true
	})
}
