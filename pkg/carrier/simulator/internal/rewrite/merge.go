package rewrite

import (
	"encoding/json"
	"slices"
)

// Merge applies a JSON merge patch (RFC 7396) to a document: each member of the patch replaces the
// document's, a null removes it, and objects are merged member by member.
func Merge(document, patch []byte) []byte {
	if len(patch) == 0 || patch[0] != '{' {
		return patch
	}
	changes, _ := membersOf(patch)
	merged, _ := membersOf(document)
	for _, change := range changes {
		i := slices.IndexFunc(merged, func(m member) bool { return m.name == change.name })
		switch {
		case string(change.value) == "null" && i >= 0:
			merged = slices.Delete(merged, i, i+1)
		case string(change.value) == "null":
		case i >= 0:
			merged[i].value = Merge(merged[i].value, change.value)
		default:
			merged = append(merged, member{change.name, Merge(json.RawMessage("{}"), change.value)})
		}
	}
	if len(merged) == 0 {
		return []byte("{}")
	}
	return joinMembers(merged)
}
