package carrier

import (
	"fmt"
	"io"
	"log/slog"
	"unique"
)

// redacted is what a [Secret] prints as.
const redacted = "REDACTED"

// Secret is a text that is never printed: all verbs of fmt, encoding/json and log/slog print
// REDACTED for it. Access tokens are secrets, and so are the contact details in responses.
//
// The text is behind a handle, because printers cannot call the methods of a Secret in an
// unexported field of another struct. They print the address of the handle instead. Equal
// texts are equal secrets.
type Secret struct{ text unique.Handle[string] }

// NewSecret returns text as a secret.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{text: unique.Make(text)}
}

// Reveal returns the text. It is meant for the one place that needs it.
func (s Secret) Reveal() string {
	if s.IsZero() {
		return ""
	}
	return s.text.Value()
}

// IsZero reports whether there is no text.
func (s Secret) IsZero() bool { return s == Secret{} }

// Equal reports whether two secrets have the same text.
func (s Secret) Equal(other Secret) bool { return s == other }

// String returns REDACTED.
func (s Secret) String() string { return redacted }

// GoString returns REDACTED.
func (s Secret) GoString() string { return redacted }

// Format writes REDACTED for every verb, so that %x and %q print no more than %s.
func (s Secret) Format(f fmt.State, _ rune) { printTo(f, redacted) }

// MarshalJSON returns "REDACTED".
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// MarshalText returns REDACTED.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue returns REDACTED.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// printTo ignores the error, as package fmt does: a [fmt.State] has no way to report it.
func printTo(w io.Writer, text string) {
	if _, err := io.WriteString(w, text); err != nil {
		return
	}
}
