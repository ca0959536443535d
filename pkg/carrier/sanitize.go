package carrier

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Size limits for the carrier's texts in an error, and for its status of a request, in bytes.
const (
	maxMessage = 1024
	maxName    = 256
	maxExcerpt = 128
	maxStatus  = 64
)

// sanitize makes a server's text safe to print. Control characters become spaces, bidirectional
// controls and zero-width characters are removed, invalid UTF-8 becomes the replacement character,
// and the text is cut to limit bytes at a character boundary.
func sanitize(text string, limit int) string {
	if len(text) > 4*limit {
		text = text[:4*limit] // the rest cannot survive the cut below
	}
	return truncate(strings.TrimSpace(visible(text)), limit)
}

// visible returns the printable form of a text.
func visible(text string) string {
	return strings.Map(Printable, strings.ToValidUTF8(text, string(utf8.RuneError)))
}

// Printable maps one character of an untrusted text to its printable form, for [strings.Map]. A
// control character becomes a space, and a character that is not visible is removed.
func Printable(r rune) rune {
	switch {
	case unicode.IsControl(r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		return ' '
	case unicode.Is(unicode.Cf, r): // bidirectional controls, zero width, soft hyphen, tags
		return -1
	}
	return r
}

// truncate shortens text to at most limit bytes, including an ellipsis.
func truncate(text string, limit int) string {
	const ellipsis = "…"
	if len(text) <= limit {
		return text
	}
	end := limit - len(ellipsis)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis
}

// excerpt shortens a rejected value of ours for an error. A token that was configured by mistake is
// redacted.
func excerpt(text string) string {
	return truncate(strings.TrimSpace(signedToken.ReplaceAllString(visible(text), redacted)), maxExcerpt)
}

// excerptOfServer scrubs and shortens a rejected value from a server for an error.
func excerptOfServer(text string) string { return scrubber(nil).message(text, maxExcerpt) }

var (
	mailAddress = regexp.MustCompile(`[^\s@<>"',;:]+@[^\s@<>"',;:]+`)
	signedToken = regexp.MustCompile(`eyJ[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*)*`)
)

// A scrubber redacts sensitive parts of a server's text: the secrets of the request to which the
// server responds, and anything that looks like a token or a mail address.
type scrubber []string

// Minimum lengths of a secret to redact. Redacting shorter ones would make sentences unreadable, or
// damage codes that contain them by chance.
const (
	minSecret       = 2
	minSecretInName = 16
)

// message returns a server's sentence, safe to display. Secrets are redacted in the visible text,
// so that a zero-width character cannot hide one. This happens before the text is cut, so that no
// secret is cut in half.
func (s scrubber) message(text string, limit int) string {
	return truncate(strings.TrimSpace(s.scrub(visible(text))), limit)
}

// value returns a value of ours that a server quotes, safe to display. A character that is not
// visible is shown as \u200b, because it may be why the value is refused.
func (s scrubber) value(text string, limit int) string {
	seen := visible(text)
	shown := s.scrub(seen)
	if shown == seen {
		shown = revealed(text)
	}
	return truncate(strings.TrimSpace(shown), limit)
}

// revealed returns the printable form of a text, with an escape for each character that is not
// visible.
func revealed(text string) string {
	var shown strings.Builder
	for _, r := range strings.ToValidUTF8(text, string(utf8.RuneError)) {
		if printable := Printable(r); printable >= 0 {
			shown.WriteRune(printable)
		} else {
			shown.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return shown.String()
}

// name returns a code or a key, safe to display.
func (s scrubber) name(text string) string {
	text = sanitize(text, maxName)
	for _, secret := range s {
		if len(secret) >= minSecretInName {
			text = strings.ReplaceAll(text, secret, redacted)
		}
	}
	return text
}

// scrub returns text with secrets redacted.
func (s scrubber) scrub(text string) string {
	for _, secret := range s {
		if len(secret) >= minSecret {
			text = strings.ReplaceAll(text, visible(secret), redacted)
		}
	}
	text = signedToken.ReplaceAllString(text, redacted)
	return mailAddress.ReplaceAllString(text, redacted)
}
