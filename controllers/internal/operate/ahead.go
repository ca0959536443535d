// SPDX-License-Identifier: Apache-2.0

package operate

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// NoteAhead remembers which recorded times lie in the future and reports the new ones: "counts as
// now and is reported" (R19).
func (p *Protocol) NoteAhead(input *decide.Input, subject Subject) {
	ahead, report := decide.Clocked(input)
	if len(ahead)+len(input.Memory.Ahead) == 0 {
		return
	}
	input.Memory.Ahead = ahead
	p.Memory.Note(subject.GetUID(), input.Now, func(memory *decide.Memory) { memory.Ahead = ahead })
	if report != "" {
		p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventTimeAhead, "Judge", "%s", report)
	}
}
