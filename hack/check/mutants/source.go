// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/hack/internal/typed"
)

// target is a package from which mutants are drawn.
type target struct {
	folder string   // below the root
	files  []string // patterns of the names of its files; tests are never mutated
}

// has reports whether a file of the package can be mutated.
func (t target) has(path string) bool {
	return slices.ContainsFunc(t.files, func(pattern string) bool {
		fits, err := filepath.Match(pattern, filepath.Base(path))
		return fits && err == nil
	})
}

// allOf returns a target with all files of a package.
func allOf(folder string) target { return target{folder, []string{"*.go"}} }

// kindFiles are the functions by which a pass handles the objects of a kind.
const kindFiles = "kind*.go"

// targets returns the code that decides on a request, sends it and remembers it, and the part of the
// plugin that limits what a person approves. How the controllers are set up and watch is left out.
func targets() []target {
	return []target{
		allOf(ofDecisions),
		allOf(ofDecisions + "/services"),
		allOf(ofDecisions + "/orders"),
		allOf(ofDecisions + "/appointments"),
		allOf(ofDecisions + "/oneshots"),
		allOf(ofSteps),
		allOf(ofLedgers),
		allOf(ofSessions),
		allOf(ofStatus),
		allOf(ofControllers + "/pass"),
		{ofControllers + "/installation", []string{"marker.go"}},
		{ofControllers + "/accounts", []string{"login.go"}},
		{ofControllers + "/services", []string{kindFiles}},
		{ofControllers + "/orders", []string{kindFiles, "rejection.go"}},
		{ofControllers + "/appointments", []string{kindFiles}},
		{ofControllers + "/oneshots", []string{kindFiles, "diagnostictest.go"}},
		{ofControllers + "/ledgers", []string{"reconciler.go", "upkeep.go", "continued.go", "withoutholder.go"}},
		{ofControllers + "/notifications", []string{"notifications.go", "rejected.go"}},
		{ofTypes, []string{"*_access.go", "requestledger_account.go"}},
		allOf(ofClient),
		allOf(ofClient + "/internal/transport"),
		{ofJudgment, []string{"bill.go", "decision.go"}},
	}
}

// code is a parsed and type-checked package.
type code struct {
	target

	pkg   *typed.Package
	texts map[string][]byte // path → content, of the files that match the target
}

var errNotRead = errors.New("the code does not compile")

// readCode reads the targets below a root, in their order.
func readCode(ctx context.Context, root string, wanted []target) ([]code, error) {
	all := make([]code, 0, len(wanted))
	for _, t := range wanted {
		found, err := readPackage(ctx, root, t)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", t.folder, err)
		}
		all = append(all, found)
	}
	return all, nil
}

func readPackage(ctx context.Context, root string, t target) (code, error) {
	found, err := typed.Load(ctx, root, "./"+t.folder)
	if err != nil {
		return code{}, fmt.Errorf("load the package: %w", err)
	}
	read := code{target: t, pkg: found, texts: map[string][]byte{}}
	for _, path := range read.pkg.Files {
		if !t.has(path) {
			continue
		}
		if read.texts[path], err = os.ReadFile(path); err != nil { //nolint:gosec // a file of this tree
			return code{}, fmt.Errorf("read a file: %w", err)
		}
	}
	return read, nil
}

// path returns the path of a file of the package.
func (c code) path(file *ast.File) string { return c.pkg.Fset.File(file.FileStart).Name() }

// files returns the files that match the target, sorted by name.
func (c code) files() []*ast.File {
	found := slices.DeleteFunc(slices.Clone(c.pkg.Syntax), func(file *ast.File) bool {
		return c.texts[c.path(file)] == nil
	})
	slices.SortFunc(found, func(a, b *ast.File) int { return strings.Compare(c.path(a), c.path(b)) })
	return found
}

// compiles reports whether the package compiles with a file's content replaced.
func (c code) compiles(path string, text []byte) bool {
	changed, err := parser.ParseFile(c.pkg.Fset, path, text, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	files := []*ast.File{changed}
	for _, file := range c.pkg.Syntax {
		if c.path(file) != path {
			files = append(files, file)
		}
	}
	check := c.pkg.Config
	check.Importer = imported(c.pkg.Types.Imports())
	_, err = check.Check(c.pkg.Types.Path(), c.pkg.Fset, files, nil)
	return err == nil
}

// imported are the packages that a package already imports. They suffice, because a mutant adds no
// imports.
type imported []*types.Package

// Import returns one of the imported packages.
func (all imported) Import(path string) (*types.Package, error) {
	for _, one := range all {
		if one.Path() == path {
			return one, nil
		}
	}
	return nil, fmt.Errorf("%w: nothing imports %s", errNotRead, path)
}
