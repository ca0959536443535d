package carrier

import (
	"errors"
	"fmt"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/jsondoc"
)

// UnsupportedVersionError reports an operation, or a field of its body, that does not exist at an
// API version. It is detected before anything is sent.
type UnsupportedVersionError struct {
	Operation Operation
	Field     string // empty: the operation itself
	Version   int    // the requested version
	Min, Max  int    // the versions that have it
}

// Error names the operation or field and the version, and the versions that have it.
func (e *UnsupportedVersionError) Error() string {
	what := string(e.Operation)
	if e.Field != "" {
		what += " with " + e.Field
	}
	return fmt.Sprintf("%s does not exist in API version %d: it exists in versions %d to %d",
		what, e.Version, e.Min, e.Max)
}

// MissingFieldError reports a body field that the carrier requires at an API version. It is
// detected before anything is sent.
type MissingFieldError struct {
	Operation Operation
	Field     string // the key that is missing
	With      string // the key whose presence requires it; empty: always required
	Version   int
}

// Error names the field and what requires it.
func (e *MissingFieldError) Error() string {
	when := ""
	if e.With != "" {
		when = " when " + e.With + " is set"
	}
	return fmt.Sprintf("%s needs %s at API version %d%s", e.Operation, e.Field, e.Version, when)
}

// SupportedAt returns nil if the operation exists at the API version, and otherwise an
// [UnsupportedVersionError] with the versions that have it (spec §9).
func (c Contract) SupportedAt(version int) error {
	if c.MinVersion <= version && version <= c.MaxVersion {
		return nil
	}
	return &UnsupportedVersionError{Operation: c.Operation, Version: version, Min: c.MinVersion, Max: c.MaxVersion}
}

// LeastVersion returns the given version, or the operation's first version if that is higher. Each
// call may have a version of its own (spec §9).
func (c Contract) LeastVersion(version int) int { return max(version, c.MinVersion) }

// checkFields applies the version rules of the operation's body. The function present reports
// whether the body has a key. The first violation is returned, as [UnsupportedVersionError] or
// [MissingFieldError].
func (c Contract) checkFields(version int, present func(key string) bool) error {
	for _, rule := range c.Fields {
		if err := c.checkField(rule, version, present); err != nil {
			return err
		}
	}
	return nil
}

// errNoBody is returned for a request without a body. Every POST of the interface has one.
var errNoBody = errors.New("the request has no body")

// checkBody applies all version rules to a body as it will be sent.
func (c Contract) checkBody(version int, body []byte) error {
	if len(body) == 0 {
		return errNoBody
	}
	if err := c.SupportedAt(version); err != nil || len(c.Fields) == 0 {
		return err
	}
	d, err := jsondoc.Parse(body)
	if err != nil {
		return err
	}
	return c.checkFields(version, func(key string) bool { return d.Has(key) })
}

func (c Contract) checkField(rule VersionedRule, version int, present func(key string) bool) error {
	if present(rule.Field) {
		if version < rule.Since {
			return &UnsupportedVersionError{
				Operation: c.Operation, Field: rule.Field, Version: version, Min: rule.Since, Max: c.MaxVersion,
			}
		}
		return nil
	}
	required := rule.RequiredFrom > 0 && version >= rule.RequiredFrom
	if required && (rule.With == "" || present(rule.With)) {
		return &MissingFieldError{Operation: c.Operation, Field: rule.Field, With: rule.With, Version: version}
	}
	return nil
}
