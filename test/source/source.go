// SPDX-License-Identifier: Apache-2.0

// Package source finds the parts of the repository that tests read.
package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Root returns the root of the repository: the folder of the running test or the nearest folder
// above it that has a go.mod.
func Root() string {
	folder, err := os.Getwd()
	for err == nil {
		if _, statErr := os.Stat(filepath.Join(folder, "go.mod")); statErr == nil || folder == filepath.Dir(folder) {
			break
		}
		folder = filepath.Dir(folder)
	}
	return folder
}

// Reasons returns the reasons of conditions, sorted: the values of the constants of api/v1alpha1 whose
// names begin with Reason.
func Reasons(tb testing.TB) []string {
	tb.Helper()
	path := filepath.Join(Root(), "api", "v1alpha1", "condition_types.go")
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		tb.Fatal(err)
	}
	var values []string
	for _, constant := range constants(file) {
		if strings.HasPrefix(constant.Names[0].Name, "Reason") {
			values = append(values, literal(tb, constant))
		}
	}
	slices.Sort(values)
	return values
}

// constants returns the constants of a file.
func constants(file *ast.File) []*ast.ValueSpec {
	var specs []*ast.ValueSpec
	ast.Inspect(file, func(node ast.Node) bool {
		if spec, is := node.(*ast.ValueSpec); is {
			specs = append(specs, spec)
		}
		return true
	})
	return specs
}

// literal returns the value of a constant that is a literal string.
func literal(tb testing.TB, constant *ast.ValueSpec) string {
	tb.Helper()
	written, is := constant.Values[0].(*ast.BasicLit)
	if !is {
		tb.Fatalf("the value of %s is no literal", constant.Names[0].Name)
	}
	value, err := strconv.Unquote(written.Value)
	if err != nil {
		tb.Fatalf("the value of %s is no string: %v", constant.Names[0].Name, err)
	}
	return value
}
