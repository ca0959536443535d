// SPDX-License-Identifier: Apache-2.0

package imports

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// field is a value of a row, and the headers under which it is recognized.
type field struct {
	name    string
	headers string // separated by spaces
	vague   string // headers that can be those of other fields too
	of      func(*Row) *string
}

const numberField = "serviceID"

func fields() []field {
	return []field{
		{"name", "name site sitename servicename", "service id", func(r *Row) *string { return &r.Name }},
		{numberField, "serviceid serviceno servicenumber", "service id", func(r *Row) *string { return &r.ServiceID }},
		{"plan", "plan planname", "", func(r *Row) *string { return &r.Plan }},
		{"term", "term termmonths months", "", func(r *Row) *string { return &r.Term }},
		{slaField, "restorationsla sla", "", func(r *Row) *string { return &r.SLA }},
		{aggregationField, "aggregationmethod aggregation", "", func(r *Row) *string { return &r.Aggregation }},
		{profileField, "dslstabilityprofile dslprofile dsl", "", func(r *Row) *string { return &r.DSLProfile }},
	}
}

// FieldNames returns the fields that a column can be mapped to.
func FieldNames() []string {
	names := make([]string, 0, len(fields()))
	for _, field := range fields() {
		names = append(names, field.name)
	}
	return names
}

// columns says which field each column of a list is.
type columns struct {
	header []string
	fields map[int]field // the field of each column
}

// columnsOf finds the field of each column. It starts with the columns that a person has mapped,
// continues with those whose header belongs to one field, and ends with those for which only one
// field is left.
func columnsOf(header []string, mapped map[string]string) (*columns, error) {
	made := &columns{header, make(map[int]field)}
	for _, step := range []func() error{
		func() error { return made.takeMapped(mapped) }, made.takeSure, made.takeVague, made.checkNeeded,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return made, nil
}

func (c *columns) takeMapped(mapped map[string]string) error {
	for name := range mapped {
		if !slices.Contains(FieldNames(), name) {
			return fmt.Errorf("--map %s=%s: there is no field %q; the fields are %s", name, inShell(mapped[name]), name,
				strings.Join(FieldNames(), ", "))
		}
	}
	for _, field := range fields() {
		wanted, is := mapped[field.name]
		if !is {
			continue
		}
		at, err := c.columnNamed(wanted)
		if err != nil {
			return err
		}
		if other, taken := c.fields[at]; taken {
			return fmt.Errorf("the column %q is mapped to both %s and %s", wanted, other.name, field.name)
		}
		c.fields[at] = field
	}
	return nil
}

func (c *columns) columnNamed(wanted string) (int, error) {
	is := func(name string) bool { return strings.EqualFold(name, strings.TrimSpace(wanted)) }
	at := slices.IndexFunc(c.header, is)
	switch {
	case at < 0:
		return at, fmt.Errorf("the list has no column %q; it has %s", wanted, c.quoted())
	case slices.ContainsFunc(c.header[at+1:], is):
		return at, fmt.Errorf("the list has several columns %q: rename one of them", wanted)
	}
	return at, nil
}

func (c *columns) takeSure() error {
	return c.take(func(one field) string { return one.headers })
}

// takeVague assigns the columns that fit only one of the remaining fields, or asks which.
func (c *columns) takeVague() error {
	for _, at := range c.left() {
		name := c.header[at]
		possible := slices.DeleteFunc(c.open(), func(one field) bool {
			return !slices.Contains(strings.Fields(one.vague), lettersOf(name))
		})
		if len(possible) > 1 {
			return fmt.Errorf("the column %q can be the field %s or the field %s: say which with "+
				"--map %[2]s=%[4]s or --map %[3]s=%[4]s", name, possible[0].name, possible[1].name, inShell(name))
		}
	}
	return c.take(func(one field) string { return one.vague })
}

// take assigns each open field the column with one of its headers. If several fit, it asks.
func (c *columns) take(headersOf func(field) string) error {
	for _, field := range c.open() {
		headers := strings.Fields(headersOf(field))
		found := slices.DeleteFunc(c.left(), func(at int) bool {
			return !slices.Contains(headers, lettersOf(c.header[at]))
		})
		if len(found) > 1 {
			first, second := c.header[found[0]], c.header[found[1]]
			return fmt.Errorf("the columns %q and %q can both be the field %s: say which with --map %[3]s=%[4]s or "+
				"--map %[3]s=%[5]s", first, second, field.name, inShell(first), inShell(second))
		}
		if len(found) == 1 {
			c.fields[found[0]] = field
		}
	}
	return nil
}

// checkNeeded returns an error if a field lacks a column that the list needs.
func (c *columns) checkNeeded() error {
	switch {
	case !c.has(numberField):
		return c.notRecognized(numberField, "the service number")
	case c.has("plan") && !c.has("term"):
		return c.notRecognized("term", "the term, which goes with the plan")
	case c.has("term") && !c.has("plan"):
		return c.notRecognized("plan", "the plan, which goes with the term")
	}
	return nil
}

func (c *columns) has(name string) bool {
	return !slices.ContainsFunc(c.open(), func(field field) bool { return field.name == name })
}

func (c *columns) notRecognized(name, what string) error {
	return fmt.Errorf("no column is recognized as %s: name it with --map %s=HEADER; the list has %s", what, name,
		c.quoted())
}

func (c *columns) open() []field {
	return slices.DeleteFunc(fields(), func(one field) bool {
		for _, taken := range c.fields {
			if taken.name == one.name {
				return true
			}
		}
		return false
	})
}

func (c *columns) left() []int {
	var left []int
	for at := range c.header {
		if _, taken := c.fields[at]; !taken {
			left = append(left, at)
		}
	}
	return left
}

func (c *columns) unused() []string {
	var names []string
	for _, at := range c.left() {
		if c.header[at] != "" {
			names = append(names, c.header[at])
		}
	}
	return names
}

func (c *columns) rowOf(record record) (Row, error) {
	row := Row{Line: record.line}
	if cells, all := len(record.cells), len(c.header); cells != all {
		return row, mistake(record.line, "%d cells, and the header has %d: put quotes around a value that contains the "+
			"separator", cells, all)
	}
	for at, field := range c.fields {
		*field.of(&row) = record.cells[at]
	}
	return row, nil
}

func (c *columns) quoted() string { return strings.Join(quotedEach(c.header), ", ") }

var notLetters = regexp.MustCompile(`[^a-z0-9]`)

// lettersOf returns a header as it is compared: "Service No." is serviceno.
func lettersOf(header string) string { return notLetters.ReplaceAllString(strings.ToLower(header), "") }

// inShell quotes a text for a shell, if that needs it.
func inShell(text string) string {
	if text != "" && lettersOf(text) == strings.ToLower(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
