// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/hack/internal/typed"
)

// edge is a file that refers to another.
type edge struct{ from, to string }

// references are the names that one file uses and another declares, by edge.
type references map[edge][]string

// referencesOf finds the names in each file that another file of the package declares.
func referencesOf(in *typed.Package) references {
	found := references{}
	seen := map[string]map[types.Object]bool{}
	for used, object := range in.Info.Uses {
		object = generic(object)
		from, to := fileOf(in, used.Pos()), fileOf(in, object.Pos())
		if object.Pkg() != in.Types || from == to || !isDeclaredByItself(object) || seen[from][object] {
			continue
		}
		if seen[from] == nil {
			seen[from] = map[types.Object]bool{}
		}
		seen[from][object] = true
		found[edge{from, to}] = append(found[edge{from, to}], object.Name())
	}
	return found
}

// isDeclaredByItself reports whether an object is one that a reader looks up: a type, a function, a
// method, a constant or a variable of the package, and not a field.
func isDeclaredByItself(object types.Object) bool {
	function, isFunction := object.(*types.Func)
	return isFunction && function.Signature() != nil || object.Parent() == object.Pkg().Scope()
}

// generic returns the declared method for a method of an instantiated generic type, and every
// other object unchanged.
func generic(object types.Object) types.Object {
	if function, is := object.(*types.Func); is {
		return function.Origin()
	}
	return object
}

func fileOf(in *typed.Package, at token.Pos) string {
	return filepath.Base(in.Fset.Position(at).Filename)
}

func (r references) sum() (sum int) {
	for _, names := range r {
		sum += len(names)
	}
	return sum
}

// order returns the files so that few references run from a later file to an earlier one. It
// repeatedly takes the file with the smallest surplus, and then improves the resulting order.
func (r references) order() []string {
	files := map[string]bool{}
	for one := range r {
		files[one.from], files[one.to] = true, true
	}
	var order []string
	for len(files) > 0 {
		first := slices.MinFunc(sorted(files), func(a, b string) int {
			return cmp.Or(cmp.Compare(r.surplus(a, files), r.surplus(b, files)), cmp.Compare(a, b))
		})
		order = append(order, first)
		delete(files, first)
	}
	return r.improved(order)
}

// surplus is how many more references lead to a file than from it, among these files.
func (r references) surplus(file string, among map[string]bool) (surplus int) {
	for other := range among {
		surplus += len(r[edge{other, file}]) - len(r[edge{file, other}])
	}
	return surplus
}

// improved moves single files as long as that leaves fewer references against the order.
func (r references) improved(order []string) []string {
	for {
		better, change := r.bestMove(order)
		if change == 0 {
			return order
		}
		order = better
	}
}

// bestMove moves one file to the place that leaves the fewest references against the order, and
// returns the change in their number.
func (r references) bestMove(order []string) ([]string, int) {
	best, least := order, 0
	for from, file := range order {
		others := slices.Delete(slices.Clone(order), from, from+1)
		sums := r.againstAt(file, others)
		for to, sum := range sums {
			if change := sum - sums[from]; change < least {
				best, least = slices.Insert(slices.Clone(others), to, file), change
			}
		}
	}
	return best, least
}

// againstAt returns, for each place of a file among the others, how many more of its references
// and those to it are against the order than in the first place.
func (r references) againstAt(file string, others []string) []int {
	sums := make([]int, len(others)+1)
	for i, other := range others {
		sums[i+1] = sums[i] + len(r[edge{file, other}]) - len(r[edge{other, file}])
	}
	return sums
}

// against returns the references from a file to one that comes before it in the order.
func (r references) against(order []string) references {
	at := map[string]int{}
	for i, file := range order {
		at[file] = i
	}
	found := references{}
	for one, names := range r {
		if at[one.to] < at[one.from] {
			found[one] = names
		}
	}
	return found
}

// print lists the references, the most frequent first.
func (r references) print(out io.Writer) {
	all := make([]edge, 0, len(r))
	for one := range r {
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b edge) int {
		return cmp.Or(cmp.Compare(len(r[b]), len(r[a])), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	for _, one := range all {
		slices.Sort(r[one])
		printf(out, "%5d  %s -> %s: %s\n", len(r[one]), one.from, one.to, strings.Join(r[one], ", "))
	}
}

func sorted(files map[string]bool) []string {
	all := make([]string, 0, len(files))
	for file := range files {
		all = append(all, file)
	}
	slices.Sort(all)
	return all
}

// declarations are the functions of a package by their objects.
func declarations(in *typed.Package) map[types.Object]*ast.FuncDecl {
	found := map[types.Object]*ast.FuncDecl{}
	for _, file := range in.Syntax {
		for _, declared := range file.Decls {
			if function, is := declared.(*ast.FuncDecl); is {
				found[in.Info.Defs[function.Name]] = function
			}
		}
	}
	return found
}
