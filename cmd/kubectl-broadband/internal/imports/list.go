// SPDX-License-Identifier: Apache-2.0

// Package imports turns the list of an existing fleet into manifests, and compares them with what
// the carrier has. It is pure: files and objects come from the caller.
//
// A list goes from bytes to text, to rows of cells, to rows of fields, to manifests. Every step
// reports what it cannot read, and none of them guesses.
package imports

import (
	"context"
	"strings"
)

// Row is one service of the list.
type Row struct {
	Line        int // in the file, from 1
	Name        string
	ServiceID   string
	Plan        string
	Term        string
	SLA         string
	Aggregation string
	DSLProfile  string
}

// Options say how a list is read.
type Options struct {
	Separator string            // what stands between two columns; "": found from the header
	Columns   map[string]string // the header of a field, if the list uses another one
}

// List is a list of services.
type List struct {
	Rows     []Row
	Unused   []string // the columns that are not read
	mistakes LineErrors
}

// Read reads a list with a header.
func Read(list []byte, options Options) (*List, error) {
	sheet, err := readSheet(list, options.Separator)
	if err != nil {
		return nil, err
	}
	columns, err := columnsOf(sheet.header, options.Columns)
	if err != nil {
		return nil, err
	}
	made := &List{Unused: columns.unused()}
	for _, record := range sheet.rows {
		row, err := columns.rowOf(record)
		if all, wrong := made.mistakes.with(err); wrong {
			made.mistakes = all
			continue
		}
		made.Rows = append(made.Rows, row)
	}
	return made, nil
}

// Numbers makes a list from service numbers.
func Numbers(numbers []string) *List {
	made := &List{}
	for i, number := range numbers {
		made.Rows = append(made.Rows, Row{Line: i + 1, ServiceID: strings.TrimSpace(number)})
	}
	return made
}

// Manifests makes the manifests of a list: none if it has any [LineErrors].
func (l *List) Manifests(ctx context.Context, target Target, rules *Rules) ([]Manifest, error) {
	if err := target.check(ctx, rules); err != nil {
		return nil, err
	}
	made, mistakes, seen := make([]Manifest, 0, len(l.Rows)), l.mistakes, make(lines)
	for _, row := range l.Rows {
		manifest, err := rules.manifestOf(ctx, row, target, seen)
		mistakes, _ = mistakes.with(err)
		made = append(made, manifest)
	}
	return made, mistakes.err()
}

func (r *Rules) manifestOf(ctx context.Context, row Row, target Target, seen lines) (Manifest, error) {
	if err := row.normalize(); err != nil {
		return Manifest{}, err
	}
	mistakes, _ := LineErrors(nil).with(seen.twice(row))
	made, err := manifestOf(row, target)
	if err == nil {
		err = r.check(ctx, row.Line, made)
	}
	mistakes, _ = mistakes.with(err)
	return made, mistakes.err()
}
