// SPDX-License-Identifier: Apache-2.0

package ledgers

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/cache"
)

// A standby learns of every deleted object, but makes no passes, and only those used to drop what is
// remembered of them.
func TestR28EveryReplicaForgetsDeletedObjects(t *testing.T) {
	t.Parallel()
	const uid = "expired"
	now := time.Date(2026, time.November, 24, 12, 0, 0, 0, time.UTC)
	memory := operate.NewMemory("me")
	standby := &UnrecordedResponses{Operator: &pass.Operator{Client: cache.Fleet(0, now)}}
	standby.Protocol = &operate.Protocol{Memory: memory, Now: func() time.Time { return now }}
	standby.Ledgers = &requestledger.Store{}
	memory.Forget(uid)
	memory.Change(uid, now, func(held *decide.Memory) { held.NotBefore = now }) // by a pass that was running
	for range 2 {
		now = now.Add(time.Hour)
		if err := standby.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if kept := memory.View(uid).NotBefore; !kept.IsZero() {
		t.Error("a deleted object is remembered")
	}
}
