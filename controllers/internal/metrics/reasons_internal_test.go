// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/test/source"
)

// The label has every reason of the API, and no other.
func TestTheReasonsAreThoseOfTheAPI(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(source.Reasons(t), reasons()); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	for _, reason := range []string{"InventedByATenant", ""} {
		if label := newKnownReasons().label(reason); label != reasonOther {
			t.Errorf("the reason %q has the label %q", reason, label)
		}
	}
}
