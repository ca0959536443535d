// SPDX-License-Identifier: Apache-2.0

// Package imports turns the list of an existing fleet into manifests, and compares them with what
// the carrier has. It is pure: files and objects come from the caller.
package imports

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
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

// field is a value of a row, and the headers under which it is recognized.
type field struct {
	name    string
	headers []string
	of      func(*Row) *string
}

func fields() []field {
	return []field{
		{"name", []string{"name", "site", "sitename"}, func(r *Row) *string { return &r.Name }},
		{"serviceID", []string{"serviceid", "service", "servicenumber", "id"}, func(r *Row) *string { return &r.ServiceID }},
		{"plan", []string{"plan", "planname"}, func(r *Row) *string { return &r.Plan }},
		{"term", []string{"term", "termmonths", "months"}, func(r *Row) *string { return &r.Term }},
		{"restorationSLA", []string{"restorationsla", "sla"}, func(r *Row) *string { return &r.SLA }},
		{"aggregationMethod", []string{"aggregationmethod", "aggregation"}, func(r *Row) *string { return &r.Aggregation }},
		{"dslStabilityProfile", []string{"dslstabilityprofile", "dslprofile", "dsl"}, func(r *Row) *string {
			return &r.DSLProfile
		}},
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

// MaxRows is how many services one list may have.
const MaxRows = 100_000

// Read reads a list with a header. Columns are recognized by their header; mapped gives the header
// of a field if the list uses a different one.
func Read(from io.Reader, mapped map[string]string) ([]Row, error) {
	reader := csv.NewReader(from)
	reader.TrimLeadingSpace = true
	header, err := reader.Read()
	if err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	columns, err := columnsOf(header, mapped)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return rows, check(rows)
		}
		if err != nil {
			return nil, fmt.Errorf("read the list: %w", err)
		}
		line, _ := reader.FieldPos(0)
		row := Row{Line: line}
		for i, field := range columns {
			*field.of(&row) = strings.TrimSpace(record[i])
		}
		if rows = append(rows, row); len(rows) > MaxRows {
			return nil, fmt.Errorf("the list has more than %d services", MaxRows)
		}
	}
}

// columnsOf finds the field of each column.
func columnsOf(header []string, mapped map[string]string) (map[int]field, error) {
	columns, numbered := make(map[int]field), false
	for _, field := range fields() {
		at, err := columnOf(field, header, mapped)
		if err != nil {
			return nil, err
		}
		if at >= 0 {
			columns[at] = field
			numbered = numbered || field.name == "serviceID"
		}
	}
	if !numbered {
		return nil, fmt.Errorf("no column is recognized as the service number: name it with --map serviceID=HEADER; "+
			"the list has %s", strings.Join(header, ", "))
	}
	return columns, nil
}

// columnOf finds the column of a field; -1 if there is none.
func columnOf(field field, header []string, mapped map[string]string) (int, error) {
	wanted, is := mapped[field.name]
	if !is {
		return slices.IndexFunc(header, func(name string) bool { return recognized(field, name) }), nil
	}
	at := slices.IndexFunc(header, func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), wanted) })
	if at < 0 {
		return at, fmt.Errorf("the list has no column %q; it has %s", wanted, strings.Join(header, ", "))
	}
	return at, nil
}

var notLetters = regexp.MustCompile(`[^a-z0-9]`)

func recognized(field field, header string) bool {
	return slices.Contains(field.headers, notLetters.ReplaceAllString(strings.ToLower(header), ""))
}

// Numbers makes rows from a list of service numbers.
func Numbers(numbers []string) ([]Row, error) {
	rows := make([]Row, 0, len(numbers))
	for i, number := range numbers {
		rows = append(rows, Row{Line: i + 1, ServiceID: strings.TrimSpace(number)})
	}
	return rows, check(rows)
}

// errorsShown is the maximum number of errors of a list that are shown.
const errorsShown = 20

// check gives a name to each row that has none, and reports every row that cannot become a
// manifest.
func check(rows []Row) error {
	var failures []error
	lines := make(map[string]int) // by name and by number
	for i := range rows {
		row := &rows[i]
		if err := row.takeName(); err != nil {
			failures = append(failures, err)
			continue
		}
		for _, key := range []string{"name " + row.Name, "service " + row.ServiceID} {
			if before, twice := lines[key]; twice {
				failures = append(failures, fmt.Errorf("line %d: %s is in line %d too", row.Line, key, before))
			}
			lines[key] = row.Line
		}
		if err := row.check(); err != nil {
			failures = append(failures, err)
		}
	}
	if more := len(failures) - errorsShown; more > 0 {
		failures = append(failures[:errorsShown], fmt.Errorf("and %d more", more))
	}
	return errors.Join(failures...)
}

// takeName gives a row a name that Kubernetes accepts.
func (r *Row) takeName() error {
	given := cmp.Or(r.Name, "service-"+r.ServiceID)
	if r.Name = objectName(given); r.Name == "" {
		return fmt.Errorf("line %d: the name %q has no letter from a to z and no digit: give the service a name with one, "+
			"or none", r.Line, given)
	}
	return nil
}

func (r *Row) check() error {
	if number, err := strconv.ParseInt(r.ServiceID, 10, 64); err != nil || number <= 0 {
		return fmt.Errorf("line %d: %q is not the number of a service", r.Line, r.ServiceID)
	}
	if (r.Plan == "") != (r.Term == "") {
		return fmt.Errorf("line %d: plan and term go together: plan %q, term %q", r.Line, r.Plan, r.Term)
	}
	if term, err := strconv.ParseInt(r.Term, 10, 32); r.Term != "" && (err != nil || term <= 0) {
		return fmt.Errorf("line %d: the term %q is not a number of months", r.Line, r.Term)
	}
	return nil
}

var notInName = regexp.MustCompile(`[^a-z0-9-]+`)

// objectName makes a name that Kubernetes accepts: "Site 14, North" becomes site-14-north.
func objectName(text string) string {
	const longest = 253
	name := strings.Trim(notInName.ReplaceAllString(strings.ToLower(text), "-"), "-")
	return strings.Trim(name[:min(len(name), longest)], "-")
}
