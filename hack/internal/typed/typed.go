// SPDX-License-Identifier: Apache-2.0

// Package typed reads a Go package with its syntax and types. What it imports is read from the export
// data that the go command compiles.
package typed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Package is a package without its tests.
type Package struct {
	Config types.Config // with which it was checked
	Files  []string     // paths of its files
	Fset   *token.FileSet
	Syntax []*ast.File // in the order of Files
	Types  *types.Package
	Info   *types.Info
}

// ErrNotOne reports that a pattern does not stand for one package that compiles.
var ErrNotOne = errors.New("it is not one package that compiles")

// listed is what the go command says about a package.
type listed struct {
	ImportPath      string   `json:"ImportPath"`
	Dir             string   `json:"Dir"`
	Export          string   `json:"Export"` // the file with its export data
	CompiledGoFiles []string `json:"CompiledGoFiles"`
	DepOnly         bool     `json:"DepOnly"` // it is only imported
	Module          *struct {
		GoVersion string `json:"GoVersion"`
	} `json:"Module"`
}

// Load reads the package that a pattern stands for, as seen from a folder.
func Load(ctx context.Context, folder, pattern string) (*Package, error) {
	all, err := list(ctx, folder, pattern)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	var found []listed
	for _, one := range all {
		exports[one.ImportPath] = one.Export
		if !one.DepOnly {
			found = append(found, one)
		}
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%s: %w", pattern, ErrNotOne)
	}
	return check(found[0], exports)
}

// list returns the packages of a pattern and all that they import.
func list(ctx context.Context, folder, pattern string) ([]listed, error) {
	const fields = "ImportPath,Dir,Export,CompiledGoFiles,DepOnly,Module"
	args := []string{"list", "-export", "-deps", "-compiled", "-json=" + fields, "--", pattern}
	command := exec.CommandContext(ctx, "go", args...) //nolint:gosec // the pattern cannot be a flag
	var failure bytes.Buffer
	command.Dir, command.Stderr = folder, &failure
	written, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w: %s", pattern, ErrNotOne, err, bytes.TrimSpace(failure.Bytes()))
	}
	var all []listed
	for decoder := json.NewDecoder(bytes.NewReader(written)); ; {
		var one listed
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("read what the go command says about %s: %w", pattern, err)
		}
		all = append(all, one)
	}
}

// parse reads the files of a package.
func (p *Package) parse(found listed) error {
	for _, name := range found.CompiledGoFiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(found.Dir, name)
		}
		file, err := parser.ParseFile(p.Fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("parse a file of %s: %w", found.ImportPath, err)
		}
		p.Files, p.Syntax = append(p.Files, name), append(p.Syntax, file)
	}
	return nil
}

// check parses a package and computes its types.
func check(found listed, exports map[string]string) (*Package, error) {
	read := &Package{Fset: token.NewFileSet(), Info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{},
	}}
	if err := read.parse(found); err != nil {
		return nil, err
	}
	read.Config = types.Config{Sizes: types.SizesFor("gc", runtime.GOARCH)}
	if found.Module != nil {
		read.Config.GoVersion = "go" + found.Module.GoVersion
	}
	config := read.Config
	config.Importer = importer.ForCompiler(read.Fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	var err error
	if read.Types, err = config.Check(found.ImportPath, read.Fset, read.Syntax, read.Info); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", found.ImportPath, ErrNotOne, err)
	}
	return read, nil
}
