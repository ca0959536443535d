package carrier

import (
	"strconv"
	"strings"
)

// IDShape is the format of the id in an operation's Location.
type IDShape string

// The id formats.
const (
	IDNumeric IDShape = "numeric" // [0-9]{1,19}, in the range of 63 bits (spec §1.1 rule 4)
	IDOpaque  IDShape = "opaque"  // 1 to 128 of RFC 3986's unreserved characters and = : @ (spec §4, plan-change options)
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
		return id != "" && len(id) <= maxOpaqueID && strings.IndexFunc(id, notOpaque) < 0 && !isDotSegment(id)
	case IDNone:
		return false
	}
	return false
}

func notOpaque(r rune) bool {
	alphanumeric := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	return !alphanumeric && !strings.ContainsRune("-._~=:@", r)
}

// isDotSegment reports whether a path segment means another folder instead of a name.
func isDotSegment(segment string) bool { return segment == "." || segment == ".." }
