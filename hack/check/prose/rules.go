// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	_ "embed"
)

//go:embed words.yaml
var words []byte

// rule is one or more words, and what to write in their place.
type rule struct {
	Not string `json:"not"` // a regular expression, matched without regard to case, at the limits of words
	Use string `json:"use"`

	pattern *regexp.Regexp
}

type rules []rule

var errNoUse = errors.New("it does not say what to use")

// readRules fails on an expression that cannot be compiled and on a word without a replacement.
func readRules(from []byte) (rules, error) {
	var listed rules
	if err := yaml.UnmarshalStrict(from, &listed); err != nil {
		return nil, fmt.Errorf("words.yaml: %w", err)
	}
	for i := range listed {
		pattern, err := regexp.Compile(`(?i)\b(?:` + strings.ReplaceAll(listed[i].Not, " ", `\s+`) + `)\b`)
		if err != nil {
			return nil, fmt.Errorf("words.yaml: %w", err)
		}
		if listed[i].Use == "" {
			return nil, fmt.Errorf("words.yaml: %q: %w", listed[i].Not, errNoUse)
		}
		listed[i].pattern = pattern
	}
	return listed, nil
}

// text is a piece of prose and where it begins.
type text struct {
	file  string
	line  int // of its first line, from 1
	prose string
}

// finding is an occurrence of a word that the project does not use.
type finding struct {
	file      string
	line      int
	word, use string
}

// String returns the finding in the form in which a compiler reports an error.
func (f finding) String() string {
	return fmt.Sprintf("%s:%d: %q: use %s", f.file, f.line, f.word, f.use)
}

// check returns the findings in a text, sorted by line.
func (r rules) check(in text) []finding {
	var found []finding
	for _, rule := range r {
		for _, at := range rule.pattern.FindAllStringIndex(in.prose, -1) {
			found = append(found, finding{
				file: in.file, line: in.line + strings.Count(in.prose[:at[0]], "\n"),
				word: strings.Join(strings.Fields(in.prose[at[0]:at[1]]), " "), use: rule.Use,
			})
		}
	}
	slices.SortStableFunc(found, func(a, b finding) int { return a.line - b.line })
	return found
}
