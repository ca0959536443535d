// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// notOurs are the folders of build results and of files that are not compiled with the project.
var notOurs = regexp.MustCompile(`^(bin|dist)$|(^|/)(testdata|[._][^/]+)$`)

// allPackages stands for the sum of the lines.
const allPackages = "all"

// count counts the Go files of each folder, and the lines of each production package and of all.
func (f figures) count(tree fs.FS) error {
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && notOurs.MatchString(name):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		f.add(filesOfFolder, path.Dir(name), 1)
		return f.countLines(tree, name)
	})
	if err != nil {
		return fmt.Errorf("count files and lines: %w", err)
	}
	return nil
}

// countLines counts the lines of a file of production code: one that is not generated, no test, and
// not in test/, hack/ or bench/.
func (f figures) countLines(tree fs.FS, name string) error {
	if isIn("test", name) || isIn("hack", name) || isIn("bench", name) || strings.HasSuffix(name, "_test.go") {
		return nil
	}
	content, err := fs.ReadFile(tree, name)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), name, content, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		return fmt.Errorf("parse a file: %w", err) // the error names it
	}
	if ast.IsGenerated(parsed) {
		return nil
	}
	written := bytes.Count(content, []byte("\n"))
	f.add(linesOfPackage, path.Dir(name), written)
	f.add(linesOfPackage, allPackages, written)
	return nil
}

// isIn reports whether a path is that of a folder or leads below it.
func isIn(folder, name string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}
