// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// Recorder writes Kubernetes Events.
type Recorder interface {
	Eventf(regarding, related runtime.Object, eventtype, reason, action, note string, args ...any)
}

// longestNote is the maximum length of an Event's note in bytes. The API server rejects Events with
// longer notes.
const longestNote = 1024

// Concise is a Recorder that shortens notes to what an Event may have. The API server would refuse
// a longer one, and nobody would notice (R18).
type Concise struct{ Recorder }

// Eventf records an Event, with as much of its note as fits.
//
//nolint:revive // argument-limit: the parameters are those of Kubernetes' events.EventRecorder
func (c Concise) Eventf(regarding, related runtime.Object, eventtype, reason, action, note string, args ...any) {
	c.Recorder.Eventf(regarding, related, eventtype, reason, action, "%s", cut(fmt.Sprintf(note, args...), longestNote))
}

// cut shortens a text to a maximum number of bytes, and ends it with a whole character.
func cut(text string, limit int) string {
	const more = "…"
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit-len(more)], "") + more
}
