// SPDX-License-Identifier: Apache-2.0

package imports

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
	"k8s.io/apimachinery/pkg/util/validation"
)

// normalize returns an error for a value of the row that no manifest can have.
func (r *Row) normalize() error {
	for _, field := range fields() {
		if err := checkVisible(r.Line, field.name, *field.of(r)); err != nil {
			return err
		}
	}
	if err := r.normalizeNumber(); err != nil {
		return err
	}
	if (r.Plan == "") != (r.Term == "") {
		return mistake(r.Line, "plan and term go together: plan %q, term %q", r.Plan, r.Term)
	}
	return r.takeName()
}

// checkVisible refuses a character that cannot be seen: the value would look like another one.
func checkVisible(line int, field, value string) error {
	at := strings.IndexFunc(value, func(char rune) bool { return !unicode.IsPrint(char) })
	if at < 0 {
		return nil
	}
	return mistake(line, "%s %q has a character that cannot be seen: remove it, or write a space", field, value)
}

var (
	digits    = regexp.MustCompile(`^\d+$`)
	shortened = regexp.MustCompile(`^\d+([.,]\d+)?[eE][+-]?\d+$`)
)

// normalizeNumber writes the number as the carrier does: 007 is the service 7. Nothing else about a
// number is changed, because with one different digit it is the number of another service.
func (r *Row) normalizeNumber() error {
	switch {
	case r.ServiceID == "":
		return mistake(r.Line, "there is no service number")
	case shortened.MatchString(r.ServiceID):
		return mistake(r.Line, "%q is a number that a spreadsheet has shortened, and its digits are lost: format the "+
			"column as text, enter the numbers again and export the list", r.ServiceID)
	case !digits.MatchString(r.ServiceID):
		return mistake(r.Line, "%q is not the number of a service: write only its digits", r.ServiceID)
	}
	r.ServiceID = cmp.Or(strings.TrimLeft(r.ServiceID, "0"), "0")
	return nil
}

func (r *Row) takeName() error {
	given := cmp.Or(r.Name, "service-"+r.ServiceID)
	switch r.Name = objectName(given); {
	case r.Name == "":
		return mistake(r.Line, "the name %q has no letter from a to z and no digit: give the service a name with one, "+
			"or none", given)
	case len(r.Name) > validation.DNS1123SubdomainMaxLength:
		return mistake(r.Line, "the name has %d characters, and Kubernetes takes %d: %.40q…", len(r.Name),
			validation.DNS1123SubdomainMaxLength, given)
	}
	return nil
}

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// objectName makes a name that Kubernetes accepts: `Site 14, Zürich` becomes site-14-zurich.
func objectName(text string) string {
	bare, _, err := transform.String(transform.Chain(norm.NFKD, runes.Remove(runes.In(unicode.Mn))), text)
	if err != nil {
		bare = text
	}
	return strings.Trim(notInName.ReplaceAllString(strings.ToLower(bare), "-"), "-")
}

type lines map[string]int

func (l lines) twice(row Row) error {
	var found LineErrors
	for _, key := range []string{"name " + row.Name, "service " + row.ServiceID} {
		if before, twice := l[key]; twice {
			found = append(found, mistake(row.Line, "%s is in line %d too", key, before))
			continue
		}
		l[key] = row.Line
	}
	return found.err()
}
