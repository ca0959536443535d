// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/runtime"
)

type noted struct{ note string }

//nolint:revive // argument-limit: the parameters are those of Kubernetes' events.EventRecorder
func (n *noted) Eventf(_, _ runtime.Object, _, _, _, _ string, args ...any) {
	n.note = fmt.Sprint(args...)
}

func TestR18ANoteFitsIntoAnEvent(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("é", 600), strings.Repeat("a", 1025), strings.Repeat("€", 400)} {
		var got noted
		Concise{&got}.Eventf(nil, nil, "Warning", "OutcomeUnknown", "PlanChange", "attempt %s: %s", "a-1", text)
		if len(got.note) > longestNote || len(got.note) < longestNote-utf8.UTFMax-1 || !utf8.ValidString(got.note) {
			t.Errorf("%d bytes: %q", len(got.note), got.note)
		}
		if !strings.HasPrefix(got.note, "attempt a-1: ") || !strings.HasSuffix(got.note, "…") {
			t.Errorf("%q", got.note)
		}
	}
	var got noted
	Concise{&got}.Eventf(nil, nil, "Normal", "RequestAccepted", "PlanChange", "%s", strings.Repeat("a", 1024))
	if len(got.note) != longestNote {
		t.Errorf("a note that fits was cut to %d", len(got.note))
	}
}
