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
	return cut(strings.TrimSpace(visible(text)), limit)
}

// visible returns what a reader would see of a text.
func visible(text string) string {
	return strings.Map(printable, strings.ToValidUTF8(text, string(utf8.RuneError)))
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

// excerpt is what an error shows of a value of ours that was refused: a token that was put in its
// place by mistake is not.
func excerpt(text string) string {
	return cut(strings.TrimSpace(signedToken.ReplaceAllString(visible(text), redacted)), maxExcerpt)
}

// excerptOfServer is what an error shows of a server's value that was refused.
func excerptOfServer(text string) string { return scrubber(nil).message(text, maxExcerpt) }

var (
	mailAddress = regexp.MustCompile(`[^\s@<>"',;:]+@[^\s@<>"',;:]+`)
	signedToken = regexp.MustCompile(`eyJ[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*)*`)
)

// A scrubber takes out of a server's text what must not be shown: the secrets of the request that
// it answers, and whatever looks like a token or a mail address.
type scrubber []string

// From these lengths a secret is worth hiding: below them it would hide half of every sentence, or
// a code that merely has the syllable.
const (
	minSecret       = 2
	minSecretInName = 16
)

// message returns a sentence of the server, fit to be shown. Secrets are looked for in what a reader
// would see, so that a character without width cannot hide one, and before the cut, so that none is
// cut in half.
func (s scrubber) message(text string, limit int) string {
	return cut(strings.TrimSpace(s.scrub(visible(text))), limit)
}

// name returns a code or a key, fit to be shown.
func (s scrubber) name(text string) string {
	text = clean(text, maxName)
	for _, secret := range s {
		if len(secret) >= minSecretInName {
			text = strings.ReplaceAll(text, secret, redacted)
		}
	}
	return text
}

// scrub returns text without secrets.
func (s scrubber) scrub(text string) string {
	for _, secret := range s {
		if len(secret) >= minSecret {
			text = strings.ReplaceAll(text, visible(secret), redacted)
		}
	}
	text = signedToken.ReplaceAllString(text, redacted)
	return mailAddress.ReplaceAllString(text, redacted)
}
