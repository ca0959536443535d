// SPDX-License-Identifier: Apache-2.0

// Package typed reads Go packages with their syntax and types. What they import is read from the
// export data that the go command compiles.
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
	"strings"
)

// Package is a package without its tests.
type Package struct {
	Folder string       // as seen from the folder that Load was called with; with slashes
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
	found, from, err := list(ctx, folder, pattern)
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%s: %w", pattern, ErrNotOne)
	}
	return from.check(found[0])
}

// LoadAll reads all packages that patterns stand for, as seen from a folder.
func LoadAll(ctx context.Context, folder string, patterns ...string) ([]*Package, error) {
	found, from, err := list(ctx, folder, patterns...)
	if err != nil {
		return nil, err
	}
	all := make([]*Package, 0, len(found))
	for _, one := range found {
		read, err := from.check(one)
		if err != nil {
			return nil, err
		}
		all = append(all, read)
	}
	return all, nil
}

// source is what packages are checked with: one importer, so that what they share is read once.
type source struct {
	folder   string // absolute
	fset     *token.FileSet
	importer types.Importer
}

// list returns the packages that patterns stand for, and where what they import is read from.
func list(ctx context.Context, folder string, patterns ...string) ([]listed, source, error) {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return nil, source{}, fmt.Errorf("find %s: %w", folder, err)
	}
	all, err := ask(ctx, absolute, patterns)
	if err != nil {
		return nil, source{}, err
	}
	exports := map[string]string{}
	var found []listed
	for _, one := range all {
		exports[one.ImportPath] = one.Export
		if !one.DepOnly {
			found = append(found, one)
		}
	}
	fset := token.NewFileSet()
	return found, source{absolute, fset, importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}, nil
}

// ask returns what the go command lists: the packages of the patterns and all that they import.
func ask(ctx context.Context, folder string, patterns []string) ([]listed, error) {
	const fields = "ImportPath,Dir,Export,CompiledGoFiles,DepOnly,Module"
	args := append([]string{"list", "-export", "-deps", "-compiled", "-json=" + fields, "--"}, patterns...)
	command := exec.CommandContext(ctx, "go", args...) //nolint:gosec // no pattern can be a flag
	var failure bytes.Buffer
	command.Dir, command.Stderr = folder, &failure
	written, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w: %s",
			strings.Join(patterns, " "), ErrNotOne, err, bytes.TrimSpace(failure.Bytes()))
	}
	var all []listed
	for decoder := json.NewDecoder(bytes.NewReader(written)); ; {
		var one listed
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("read what the go command says about %q: %w", patterns, err)
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
func (s source) check(found listed) (*Package, error) {
	folder, err := filepath.Rel(s.folder, found.Dir)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", found.ImportPath, err)
	}
	read := &Package{Folder: filepath.ToSlash(folder), Fset: s.fset, Info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{},
	}}
	err = read.parse(found)
	if err != nil {
		return nil, err
	}
	read.Config = types.Config{Sizes: types.SizesFor("gc", runtime.GOARCH)}
	if found.Module != nil {
		read.Config.GoVersion = "go" + found.Module.GoVersion
	}
	config := read.Config
	config.Importer = s.importer
	if read.Types, err = config.Check(found.ImportPath, read.Fset, read.Syntax, read.Info); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", found.ImportPath, ErrNotOne, err)
	}
	return read, nil
}
