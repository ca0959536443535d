package carrier

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what the carrier's texts may add to an error, in bytes.
const (
	maxMessage = 1024
	maxName    = 256
	maxExcerpt = 128
)

// clean makes a server's text fit to be printed: control characters become spaces, characters that
// change the direction of writing or have no width disappear, invalid UTF-8 becomes the replacement
// character, and what is longer than limit bytes is cut between two characters.
func clean(text string, limit int) string {
	if len(text) > 4*limit {
		text = text[:4*limit] // nothing beyond it can survive the cut below
	}
	return cut(strings.TrimSpace(strings.Map(printable, strings.ToValidUTF8(text, string(utf8.RuneError)))), limit)
}

// printable maps one character of a server's text to what may be shown of it.
func printable(r rune) rune {
	switch {
	case unicode.IsControl(r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		return ' '
	case unicode.Is(unicode.Cf, r): // bidirectional controls, zero width, soft hyphen, tags
		return -1
	}
	return r
}

// cut shortens text to at most limit bytes, an ellipsis included.
func cut(text string, limit int) string {
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

// excerpt is what an error shows of a value that was refused.
func excerpt(text string) string { return clean(text, maxExcerpt) }

var (
	mailAddress = regexp.MustCompile(`[^\s@<>"',;:]+@[^\s@<>"',;:]+`)
	signedToken = regexp.MustCompile(`eyJ[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*)*`)
)

// A scrubber takes out of a server's text what must not be shown: the secrets of the request that
// it answers, and whatever looks like a token or a mail address.
type scrubber []string

// minSecret is the length from which a text is worth hiding: below it, it would hide half of every
// sentence.
const minSecret = 2

// scrub returns text without secrets.
func (s scrubber) scrub(text string) string {
	for _, secret := range s {
		if len(secret) >= minSecret {
			text = strings.ReplaceAll(text, secret, redacted)
		}
	}
	text = signedToken.ReplaceAllString(text, redacted)
	return mailAddress.ReplaceAllString(text, redacted)
}
