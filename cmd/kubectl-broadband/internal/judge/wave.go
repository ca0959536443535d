// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
)

// Wave is what a watch has seen: the objects that had a request in progress, or waited for one.
type Wave struct {
	Since time.Time
	Tally Tally // as of the newest overview

	members map[Reference]bool
}

// Tally counts the objects of a wave.
type Tally struct {
	Done       int // Ready
	InProgress int
	Waiting    int // they continue once the reason has ended
	Needing    int // they need a person: to approve, to resolve, to correct, to look
}

// NewWave returns the wave of a watch that begins now.
func NewWave(now time.Time) *Wave {
	return &Wave{Since: now, members: make(map[Reference]bool)}
}

// Overview returns an empty overview whose objects the wave counts. Without a watch, w is nil.
func (w *Wave) Overview() *Overview {
	if w != nil {
		w.Tally = Tally{}
	}
	return &Overview{Wave: w}
}

// count adds an object, if it belongs to the wave. Accounts do not.
func (w *Wave) count(object fleet.Object) {
	if _, isAccount := object.(*v1alpha1.CarrierAccount); w == nil || isAccount {
		return
	}
	in, name := w.Tally.of(object), ReferenceTo(object)
	if in == &w.Tally.InProgress || in == &w.Tally.Waiting {
		w.members[name] = true
	}
	if w.members[name] {
		*in++
	}
}

func (t *Tally) of(object fleet.Object) *int {
	_, waiting := waits(object)
	ready := Ready(object)
	switch {
	case !Observed(object):
		return &t.InProgress
	case len(NeedsOf(object)) > 0:
		return &t.Needing
	case waiting:
		return &t.Waiting
	case ready.Status == metav1.ConditionTrue, AsDeclared(ready.Reason):
		return &t.Done
	}
	return &t.InProgress
}

// IsEmpty reports whether nothing has been in progress or waiting since the watch began.
func (w *Wave) IsEmpty() bool { return w == nil || len(w.members) == 0 }

// String describes the progress of the wave.
func (t *Tally) String() string {
	parts := []string{fmt.Sprintf("%d of %d done", t.Done, t.Done+t.InProgress+t.Waiting+t.Needing)}
	for _, part := range []struct {
		count int
		text  string
	}{{t.InProgress, "in progress"}, {t.Waiting, "waiting"}, {t.Needing, "needing a person"}} {
		if part.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.count, part.text))
		}
	}
	return strings.Join(parts, ", ")
}

// Left returns how long the rest takes at the present rate, if something is done and something
// left.
func (w *Wave) Left(now time.Time) (left time.Duration, known bool) {
	rest, done := w.Tally.InProgress+w.Tally.Waiting, w.Tally.Done
	if rest == 0 || done == 0 {
		return 0, false
	}
	return now.Sub(w.Since) * time.Duration(rest) / time.Duration(done), true
}
