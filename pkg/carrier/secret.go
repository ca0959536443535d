package carrier

import (
	"fmt"
	"io"
	"log/slog"
)

// redacted is what every printer gets to see of a [Secret].
const redacted = "REDACTED"

// Secret is a text that no printer shows: every verb of fmt, encoding/json and log/slog print
// REDACTED for it. Access tokens are secrets, and so are the contact details inside answers.
type Secret string

// Reveal returns the text itself, for the one place that needs it.
func (s Secret) Reveal() string { return string(s) }

// String returns REDACTED.
func (s Secret) String() string { return redacted }

// GoString returns REDACTED.
func (s Secret) GoString() string { return redacted }

// Format writes REDACTED for every verb, so that %x and %q show no more than %s.
func (s Secret) Format(f fmt.State, _ rune) { printTo(f, redacted) }

// MarshalJSON returns "REDACTED".
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// MarshalText returns REDACTED.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue returns REDACTED.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// printTo ignores the error as package fmt does: a [fmt.State] has nobody to report it to.
func printTo(w io.Writer, text string) {
	if _, err := io.WriteString(w, text); err != nil {
		return
	}
}
