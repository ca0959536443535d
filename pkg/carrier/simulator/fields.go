package simulator

import (
	"encoding/json"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/problem"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/rewrite"
)

// Fields used in several bodies and sub-errors.
const (
	serviceIDField    = "serviceId"
	statusField       = "status"
	termField         = "term"
	contactNameField  = "contactName"
	contactPhoneField = "contactPhone"
	contactEmailField = "contactEmail"
)

// serviceFields is the body of most submissions.
func serviceFields() []field {
	return []field{{name: serviceIDField, kind: number, required: true}}
}

// fieldKind is the required JSON type of a field in a request body.
type fieldKind int

const (
	text   fieldKind = iota // a String
	number                  // a Number without a fraction
	flag                    // a Boolean
	date                    // a String in the format YYYY-MM-DD (spec §1 rule 6)
	scalar                  // anything but an object or an array
)

// field is one row of the specification's table for a request body.
type field struct {
	name     string
	kind     fieldKind
	required bool
	since    int            // the first version with the field, 0 if all have it
	allowed  []string       // the only allowed texts, nil if any is
	pattern  *regexp.Regexp // the required format of a text, nil if any is allowed
}

// fields is a request body: the members of one JSON object, still encoded.
type fields map[string]json.RawMessage

// parseFields reads a JSON object. A duplicate member is refused, because two readers could see two
// different requests.
func parseFields(body []byte) (fields, error) {
	members, isObject := rewrite.MembersOf(body)
	if !isObject || !json.Valid(body) || !utf8.Valid(body) {
		return nil, problem.Malformed("The body is not a JSON object in UTF-8")
	}
	parsed := make(fields, len(members))
	for _, m := range members {
		if _, twice := parsed[m.Name]; twice {
			return nil, problem.Malformed("The field '" + m.Name + "' is given twice")
		}
		parsed[m.Name] = m.Value
	}
	return parsed, nil
}

// has reports whether the field is present and not null.
func (f fields) has(name string) bool {
	value, present := f[name]
	return present && string(value) != "null"
}

// text returns the text of a field, empty if it has none.
func (f fields) text(name string) string {
	var value string
	if json.Unmarshal(f[name], &value) != nil {
		return ""
	}
	return value
}

// number returns the whole number of a field, zero if it has none.
func (f fields) number(name string) int64 {
	var value int64
	if json.Unmarshal(f[name], &value) != nil {
		return 0
	}
	return value
}

// numberOrNull returns the whole number of a field, null if it has none.
func (f fields) numberOrNull(name string) *int64 {
	if !f.has(name) {
		return nil
	}
	value := f.number(name)
	return &value
}

func (f fields) encode() json.RawMessage {
	content, err := json.Marshal(f)
	if err != nil {
		return nil // every member was parsed from JSON
	}
	return content
}

// checkTypes reports the first field whose JSON type differs from the table.
func (f fields) checkTypes(table []field) error {
	for _, row := range table {
		if f.has(row.name) && !row.kind.matches(f[row.name]) {
			return problem.Malformed("The field '" + row.name + "' has the wrong type")
		}
	}
	return nil
}

// matches reports whether a JSON value has the type.
func (k fieldKind) matches(value json.RawMessage) bool {
	switch k {
	case number:
		return json.Unmarshal(value, new(int64)) == nil
	case flag:
		return json.Unmarshal(value, new(bool)) == nil
	case text:
		return json.Unmarshal(value, new(string)) == nil
	case date:
		var day string
		notText := json.Unmarshal(value, &day)
		_, notDate := time.Parse(time.DateOnly, day)
		return notText == nil && notDate == nil
	case scalar:
		return len(value) > 0 && value[0] != '{' && value[0] != '['
	}
	return false
}

// subErrors returns a sub-error for every field that breaks a rule of its own row.
func (f fields) subErrors(table []field) []problem.SubError {
	var found []problem.SubError
	for _, row := range table {
		switch {
		case row.required && !f.has(row.name):
			found = append(found, nullField(row.name))
		case f.has(row.name) && !row.allows(f.text(row.name)):
			found = append(found, problem.SubError{
				Code: "constraints.pattern", Message: "The value is not allowed",
				Field: row.name, RejectedValue: f.text(row.name),
			})
		}
	}
	return found
}

// nullField is the sub-error of a required field that is missing (spec §7).
func nullField(name string) problem.SubError {
	return problem.SubError{Code: "constraints.not.null", Message: "must not be null", Field: name}
}

func (r *field) allows(value string) bool {
	if r.allowed != nil && !slices.Contains(r.allowed, value) {
		return false
	}
	return r.pattern == nil || r.pattern.MatchString(value)
}
