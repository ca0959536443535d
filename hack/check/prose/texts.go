// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// read returns the prose of the files below a folder, except those that programs write.
func read(folder fs.FS) ([]text, error) {
	var texts []text
	err := fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return cmp.Or(err, skipped(name))
		}
		more, err := readFile(folder, name)
		texts = append(texts, more...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the texts: %w", err)
	}
	return texts, nil
}

// skippedFolders are the folders of build results, of files that are not the project's, and of this
// tool, which contains the words.
var skippedFolders = regexp.MustCompile(`^hack/check/prose$|(^|/)(bin|testdata|\.[^/]+)$`)

func skipped(folder string) error {
	if skippedFolders.MatchString(folder) {
		return fs.SkipDir
	}
	return nil
}

// generated are the files that programs write.
var generated = regexp.MustCompile(`(^|/)zz_generated[^/]*$`)

func readFile(folder fs.FS, name string) ([]text, error) {
	extract, written := map[string]func(string, []byte) ([]text, error){
		".go": goTexts, ".md": markdownTexts,
	}[path.Ext(name)]
	if !written || generated.MatchString(name) {
		return nil, nil
	}
	source, err := fs.ReadFile(folder, name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return extract(name, source)
}

// goTexts are the comments of a Go file, and its messages: strings of more than one word.
func goTexts(name string, source []byte) ([]text, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	var texts []text
	add := func(at token.Pos, prose string) {
		texts = append(texts, text{file: name, line: files.Position(at).Line, prose: prose})
	}
	for _, group := range file.Comments {
		add(group.Pos(), blank(quotation, commentText(group)))
	}
	ast.Inspect(file, func(node ast.Node) bool {
		if value := message(node); value != "" {
			add(node.Pos(), value)
		}
		return true
	})
	return texts, nil
}

// message is the value of a string of more than one word; "" for any other node.
func message(node ast.Node) string {
	literal, isLiteral := node.(*ast.BasicLit)
	if !isLiteral || literal.Kind != token.STRING {
		return ""
	}
	value, err := strconv.Unquote(literal.Value)
	if err != nil || !strings.Contains(value, " ") {
		return ""
	}
	return value
}

// quotation matches a quotation in a comment. It is not checked, because the specification's words
// are not ours to change.
var quotation = regexp.MustCompile(`"[^"]*"`)

// commentText is a group of comments line by line, without its directives.
func commentText(group *ast.CommentGroup) string {
	lines := make([]string, 0, len(group.List))
	for _, comment := range group.List {
		line := strings.TrimPrefix(comment.Text, "//")
		if !strings.HasPrefix(line, " ") || strings.HasPrefix(line, " +") {
			line = ""
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// code matches what is not prose in Markdown: fenced blocks, code in a line, and the targets of
// links.
var code = regexp.MustCompile("(?s)```.*?```|`[^`]*`|\\]\\([^)]*\\)")

func markdownTexts(name string, source []byte) ([]text, error) {
	return []text{{file: name, line: 1, prose: blank(code, string(source))}}, nil
}

// blank replaces each match with its line breaks, so that lines keep their numbers.
func blank(what *regexp.Regexp, in string) string {
	return what.ReplaceAllStringFunc(in, func(found string) string {
		return " " + strings.Repeat("\n", strings.Count(found, "\n"))
	})
}
