package carrier

import (
	"strconv"
	"strings"
)

// IDShape is the format of the id in an operation's Location.
type IDShape string

// The id formats.
const (
	IDNumeric IDShape = "numeric" // [0-9]{1,19}, in the range of 63 bits (spec §1 rule 4)
	IDOpaque  IDShape = "opaque"  // 1 to 128 characters of a path segment, see isSegment (spec §4, plan-change options)
	IDNone    IDShape = "none"    // the operation has no id
)

const (
	maxNumericID = 19  // digits of the largest 63-bit number
	maxOpaqueID  = 128 // a UUID has 36
)

// accepts reports whether id has this format. An accepted id is used exactly as the carrier wrote
// it.
func (s IDShape) accepts(id string) bool {
	switch s {
	case IDNumeric:
		if id == "" || len(id) > maxNumericID || strings.Trim(id, "0123456789") != "" {
			return false
		}
		_, err := strconv.ParseInt(id, 10, 64)
		return err == nil
	case IDOpaque:
		return id != "" && len(id) <= maxOpaqueID && isSegment(id) && !isDotSegment(id)
	case IDNone:
		return false
	}
	return false
}

// isSegment reports whether an id has only the characters of a path segment (RFC 3986 section
// 3.3), which are sent as the carrier wrote them. An id has no semicolon, which begins the
// parameters of a segment. Escaped characters that a server could read as structure are
// refused: a slash, a dot, a backslash, a semicolon, a percent sign, or a control character.
func isSegment(id string) bool {
	for at := 0; at < len(id); at++ {
		if id[at] != '%' {
			if !isSegmentCharacter(id[at]) {
				return false
			}
			continue
		}
		escaped, err := strconv.ParseUint(id[min(at+1, len(id)):min(at+3, len(id))], 16, 8)
		if err != nil || at+2 >= len(id) || escaped < ' ' || escaped == 0x7f || strings.ContainsRune(`/.\;%`, rune(escaped)) {
			return false
		}
		at += 2
	}
	return true
}

// isSegmentCharacter reports whether a segment may contain a character as it is: RFC 3986's unreserved
// characters and sub-delims without the semicolon, the colon and the at sign.
func isSegmentCharacter(c byte) bool {
	alphanumeric := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
	return alphanumeric || strings.IndexByte("-._~!$&'()*+,=:@", c) >= 0
}

// isDotSegment reports whether a path segment means another folder instead of a name.
func isDotSegment(segment string) bool { return segment == "." || segment == ".." }
