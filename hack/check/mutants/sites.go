// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// site is one change that an operator makes to the code.
type site struct {
	file     string // below the root
	line     int
	function string // containing function, with its folder: stable when lines move
	operator string
	shown    string // the changed line; the original one if code is removed or nil returned; what is dropped

	path     string
	from, to int    // offsets of the piece that is replaced
	becomes  string // the replacement
}

// sites returns all changes of a package that can be drawn, in source order.
func (c code) sites() []site {
	var all []site
	for _, file := range c.files() {
		for _, declared := range file.Decls {
			all = append(all, c.sitesIn(file, declared)...)
		}
	}
	return all
}

// sitesIn returns the sites of one declaration.
func (c code) sitesIn(file *ast.File, declared ast.Decl) []site {
	var all []site
	function := c.folder + "." + nameOf(declared)
	ast.PreorderStack(declared, []ast.Node{file}, func(node ast.Node, above []ast.Node) bool {
		if idle(node, c.pkg.Info) {
			return false
		}
		for _, operator := range operators() {
			for _, changed := range operator(place{node, above, c.pkg.Info}) {
				all = append(all, c.site(file, function, changed))
			}
		}
		return true
	})
	return all
}

// site returns a change with its location.
func (c code) site(file *ast.File, function string, changed change) site {
	where := c.path(file)
	text, at := c.texts[where], c.pkg.Fset.Position(changed.from)
	found := site{
		file: c.folder + "/" + filepath.Base(where), line: at.Line, function: function, operator: changed.operator,
		path: where, from: at.Offset, to: c.pkg.Fset.Position(changed.to).Offset,
	}
	sound := string(text[found.from:found.to])
	found.becomes = strings.ReplaceAll(changed.becomes, "%s", sound)
	switch changed.operator {
	case dropsOperand, dropsElement:
		found.shown = inLine(nil, sound, nil)
	case removes, returnNil: // the removed code is more informative than the rest of the line
		found.shown = inLine(text[:found.from], sound, text[found.to:])
	default:
		found.shown = inLine(text[:found.from], found.becomes, text[found.to:])
	}
	return found
}

// inLine returns the line that contains a piece of text, given what comes before and after it,
// without indentation and line breaks.
func inLine(before []byte, piece string, after []byte) string {
	begins := bytes.LastIndexByte(before, '\n') + 1
	rest, _, _ := bytes.Cut(after, []byte("\n"))
	return strings.Join(strings.Fields(string(before[begins:])+piece+string(rest)), " ")
}

// broken returns the content of the file with the change.
func (s site) broken(text []byte) []byte {
	return slices.Concat(text[:s.from], []byte(s.becomes), text[s.to:])
}

// nameOf returns the name of a declaration, with its receiver.
func nameOf(declared ast.Decl) string {
	switch declared := declared.(type) {
	case *ast.FuncDecl:
		if declared.Recv == nil {
			return declared.Name.Name
		}
		return "(" + types.ExprString(declared.Recv.List[0].Type) + ")." + declared.Name.Name
	case *ast.GenDecl:
		for _, spec := range declared.Specs {
			if values, ok := spec.(*ast.ValueSpec); ok {
				return values.Names[0].Name
			}
		}
	}
	return ""
}

// idle reports whether a change of a node cannot be observed: in logging, in a call of make, and in
// a panic, which a process without a defect never reaches.
func idle(node ast.Node, info *types.Info) bool {
	if statement, ok := node.(*ast.ExprStmt); ok {
		node = statement.X
	}
	call, ok := node.(*ast.CallExpr)
	if !ok {
		return false
	}
	var called *ast.Ident
	switch function := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		called = function
	case *ast.SelectorExpr:
		called = function.Sel
	default:
		return false
	}
	switch object := info.Uses[called].(type) {
	case *types.Builtin:
		return object.Name() == "make" || object.Name() == "panic"
	case *types.Func:
		return object.Pkg() != nil && slices.Contains(loggers(), object.Pkg().Path())
	}
	return false
}

// loggers are the logging packages.
func loggers() []string {
	return []string{"log", "log/slog", "github.com/go-logr/logr", "k8s.io/klog/v2"}
}
