// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Each text takes six bytes as JSON.
func TestAListHasAsManyItemsAsFit(t *testing.T) {
	t.Parallel()
	all := []string{"aaaa", "bbbb", "cccc"}
	for name, row := range map[string]struct {
		most, bytes int
		items       int
		truncated   bool
	}{
		"there is room for more":    {4, 100, 3, false},
		"they fit exactly":          {3, 18, 3, false},
		"one byte is missing":       {3, 17, 2, true},
		"fewer may be listed":       {2, 100, 2, true},
		"there is no room":          {3, 0, 0, true},
		"none may be listed at all": {0, 100, 0, true},
	} {
		left := row.bytes
		items, truncated := decide.Fitting(all, row.most, &left)
		if len(items) != row.items || truncated != row.truncated || left != row.bytes-6*len(items) {
			t.Errorf("%s: %q, truncated %t, %d bytes are left", name, items, truncated, left)
		}
	}
}
