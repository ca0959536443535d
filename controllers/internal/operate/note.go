// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// longestNote is how many bytes of an Event's note the API server takes. One that is longer is
// refused, and with it the Event.
const longestNote = 1024

// Concise is a Recorder whose notes fit: "Event notes are cut to 1,024 bytes where they are made"
// (R18).
type Concise struct{ Recorder }

// Eventf records an Event, with as much of its note as fits.
//
//nolint:revive // argument-limit: the parameters are those of Kubernetes' events.EventRecorder
func (c Concise) Eventf(regarding, related runtime.Object, eventtype, reason, action, note string, args ...any) {
	c.Recorder.Eventf(regarding, related, eventtype, reason, action, "%s", cut(fmt.Sprintf(note, args...), longestNote))
}

// cut is a text of at most so many bytes, which ends with a whole character.
func cut(text string, limit int) string {
	const more = "…"
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit-len(more)], "") + more
}
