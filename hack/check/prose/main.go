// SPDX-License-Identifier: Apache-2.0

// Prose reports words that the project does not use. It checks the texts that people read: comments
// and messages of Go files, and Markdown. words.yaml lists the words, each with the words to use
// instead.
//
//	go run ./hack/check/prose [FOLDER]
//
// Directives, generated files, code in Markdown, and quotations in comments are not checked. vale,
// the usual tool, reads Go comments only when it is built with a C compiler, which `make verify`
// must not need.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	folder := "."
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	found, err := run(folder, os.Stdout)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(2)
	case found > 0:
		fmt.Fprintf(os.Stderr, "prose: %d words that hack/check/prose/words.yaml rules out\n", found)
		os.Exit(1)
	}
}

// run reports every ruled-out word below a folder, and returns how many there are.
func run(folder string, out io.Writer) (int, error) {
	rules, err := readRules(words)
	if err != nil {
		return 0, err
	}
	texts, err := read(os.DirFS(folder))
	if err != nil {
		return 0, err
	}
	var found []finding
	for _, text := range texts {
		found = append(found, rules.check(text)...)
	}
	return len(found), report(found, out)
}

func report(found []finding, out io.Writer) error {
	for _, finding := range found {
		if _, err := fmt.Fprintln(out, finding); err != nil {
			return fmt.Errorf("report %s: %w", finding, err)
		}
	}
	return nil
}
