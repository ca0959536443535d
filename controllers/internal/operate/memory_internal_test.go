// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// A copy that is older than this process's last write is recognized as stale, however long the
// cache returns it.
func TestACopyIsBehindWhatThisProcessWrote(t *testing.T) {
	t.Parallel()
	written := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	memory := NewMemory("me")
	service := &v1alpha1.BroadbandService{}
	service.UID, service.ResourceVersion = "u", "10"
	memory.Wrote(service, written)
	for _, test := range []struct {
		uid, version string
		after, want  time.Duration
	}{
		{"u", "9", time.Hour, time.Hour},
		{"u", "9", 0, 1},
		{"u", "10", time.Hour, 0},
		{"u", "11", time.Hour, 0},
		{"u", "unknown", time.Hour, 0},
		{"other", "9", time.Hour, 0},
	} {
		shown := &v1alpha1.BroadbandService{}
		shown.UID, shown.ResourceVersion = types.UID(test.uid), test.version
		if got := memory.Behind(shown, written.Add(test.after)); got != test.want {
			t.Errorf("%s %s after %s: %s behind, want %s", test.uid, test.version, test.after, got, test.want)
		}
	}
}

// A pass ignores an intent of its own process while another pass is sending it. So does a pass
// after a panic in the POST.
func TestAnAttemptCountsAsPostedFromBeforeItsIntent(t *testing.T) {
	t.Parallel()
	for _, step := range []string{stepIntent, stepFinalizer, stepAccount, stepObject, stepPOST, stepAccepted} {
		tape := newTape()
		protocol := tape.protocol("me")
		posted := false
		tape.at[step] = func() error {
			open := &v1alpha1.Request{AttemptID: "a-1", Sender: "me", SubmittedAt: metav1.NewTime(tape.now)}
			memory := protocol.Memory.Recall("u-1", []*v1alpha1.Request{open}, tape.now)
			posted = memory.Attempts["a-1"].Posted
			return nil
		}
		if err := sendBy(t.Context(), protocol, tape.scope()); err != nil || !posted {
			t.Errorf("at the step %q it does not count as posted (%v)", step, err)
		}
	}
}

// An expected response is reported by one Event, and nothing else is reported.
func TestAResponseIsRecordedOnce(t *testing.T) {
	t.Parallel()
	tape, events := newTape(), &eventLog{}
	protocol := tape.protocol("me")
	protocol.Events = events
	if err := sendBy(t.Context(), protocol, tape.scope()); err != nil {
		t.Fatal(err)
	}
	if got := events.events; len(got) != 1 || !strings.HasPrefix(got[0], "Normal "+eventAccepted+" ") {
		t.Errorf("%q", got)
	}
}

// The carrier's pause is kept, and the response is no longer in memory once it is recorded.
func TestAResponseIsRecordedWithThePauseThatTheCarrierAsksFor(t *testing.T) {
	t.Parallel()
	const pause = 30 * time.Second
	way := &answering{tape: newTape(), receipt: carrier.Receipt{
		Delivery: carrier.Accepted, Handle: carrier.Handle{Operation: carrier.PlanChange, Version: 8, ID: "77"},
		RetryAfter: pause,
	}}
	protocol, scope := way.protocol("me"), way.scope()
	scope.Carrier = way
	if err := sendBy(t.Context(), protocol, scope); err != nil {
		t.Fatal(err)
	}
	if receipt := protocol.Memory.Receipt("a-1"); receipt != nil {
		t.Errorf("%+v is still to be recorded", receipt)
	}
	memory := protocol.Memory.Recall(scope.Subject.GetUID(), nil, protocol.Now())
	if want := protocol.Now().Add(pause); !memory.NotBefore.Equal(want) {
		t.Errorf("the carrier is called again at %s, want %s", memory.NotBefore, want)
	}
}

// A refused change has to wait for as long as the carrier asks, although a request in the other lane
// is accepted and polled meanwhile.
func TestAPauseThatTheCarrierAsksForIsNotShortened(t *testing.T) {
	t.Parallel()
	const pause = 10 * time.Minute
	way := &answering{tape: newTape(), receipt: carrier.Receipt{
		Delivery: carrier.NotProcessed, Err: &carrier.Error{Class: carrier.Throttled}, RetryAfter: pause,
	}}
	protocol, scope := way.protocol("me"), way.scope()
	scope.Carrier = way
	if err := sendBy(t.Context(), protocol, scope); err != nil {
		t.Fatal(err)
	}
	until := protocol.Now().Add(pause)
	protocol.notePoll(scope.Subject, "a-2", 0, nil)
	way.receipt = carrier.Receipt{
		Delivery: carrier.Accepted, Handle: carrier.Handle{Operation: carrier.PlanChange, Version: 8, ID: "77"},
	}
	if err := sendBy(t.Context(), protocol, scope); err != nil {
		t.Fatal(err)
	}
	memory := protocol.Memory.Recall(scope.Subject.GetUID(), nil, protocol.Now())
	if !memory.NotBefore.Equal(until) {
		t.Errorf("the carrier is called again at %s, want %s", memory.NotBefore, until)
	}
}

var begun = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// look makes the memory look up some object.
func look(memory *Memory, at time.Time) { memory.Recall("another", nil, at) }

// A process that runs for years sends more requests than it can keep in memory.
func TestR28APostedAttemptIsForgottenAnHourAfterItIsRecorded(t *testing.T) {
	t.Parallel()
	const many, each = 100_000, time.Second
	memory, now := NewMemory("me"), begun
	most := 0
	for i := range many {
		id := strconv.Itoa(i)
		memory.Posting(id, now)
		memory.SetReceipt(id, carrier.Receipt{Delivery: carrier.Accepted, Body: make([]byte, 1)})
		memory.Recorded(id, now)
		look(memory, now)
		most = max(most, len(memory.posted))
		now = now.Add(each)
	}
	if bound := int((keepPosted + sweepEvery) / each); most > bound {
		t.Errorf("%d of %d are remembered at a time, and %d in an hour", most, many, bound)
	}
	look(memory, now.Add(keepPosted))
	if left := len(memory.posted); left != 0 {
		t.Errorf("%d are left an hour after the last", left)
	}
}

// An attempt is kept in memory until its response is recorded, and for as long as a cache may still
// return its intent.
func TestR28AnUnrecordedResponseIsNeverForgotten(t *testing.T) {
	t.Parallel()
	memory := NewMemory("me")
	memory.Posting("in progress", begun)
	memory.Posting("answered", begun)
	memory.SetReceipt("answered", carrier.Receipt{Delivery: carrier.Accepted})
	memory.Posting("recorded", begun)
	memory.Recorded("recorded", begun)
	look(memory, begun.Add(59*time.Minute))
	if len(memory.posted) != 3 {
		t.Errorf("within the hour: %v", memory.posted)
	}
	look(memory, begun.Add(365*24*time.Hour))
	if _, held := memory.posted["in progress"]; !held || memory.Receipt("answered") == nil || len(memory.posted) != 2 {
		t.Errorf("after a year: %v", memory.posted)
	}
}

// An intent of this process that it has not posted was not sent. One that was dropped from its
// memory looks the same, and its outcome may still be unknown, or lost with the ledger.
func TestR28AnAttemptThatWasForgottenMayHaveBeenSent(t *testing.T) {
	t.Parallel()
	memory := NewMemory("me")
	memory.Posting("sent", begun)
	memory.Recorded("sent", begun)
	look(memory, begun.Add(2*time.Hour))
	if len(memory.posted) != 0 {
		t.Fatal("it is remembered")
	}
	for name, row := range map[string]struct {
		sender    string
		submitted time.Time
		posted    bool
	}{
		"the very attempt":                       {"me", begun, true},
		"one of before it":                       {"me", begun.Add(-time.Hour), true},
		"one that was begun since":               {"me", begun.Add(time.Second), false},
		"one of another process, from that time": {"another", begun, false},
	} {
		open := &v1alpha1.Request{
			AttemptID: "sent", Sender: row.sender, SubmittedAt: metav1.NewTime(row.submitted),
			Phase: v1alpha1.PhaseOutcomeUnknown,
		}
		held := memory.Recall("order", []*v1alpha1.Request{open}, begun.Add(2*time.Hour))
		if held.Attempts["sent"].Posted != row.posted {
			t.Errorf("%s: posted is %t", name, !row.posted)
		}
	}
}

// X4 of the review: the last prices of every service were kept for ever.
func TestR28PricesAndDisruptionsAreDroppedWhenTheyAreStale(t *testing.T) {
	t.Parallel()
	memory := NewMemory("me")
	memory.Change("service", begun, func(held *decide.Memory) {
		held.Readings.Options = decide.Reading{
			State: decide.ReadingAnswered, RequestedAt: begun, Token: "p1",
			Options: carrier.PlanOptionsResult{Plans: make([]carrier.Plan, 60)},
		}
		held.Readings.Disruptions = decide.Reading{
			State: decide.ReadingAnswered, RequestedAt: begun, Disruptions: make([]carrier.Disruption, 1000),
		}
		held.Readings.Health = decide.Reading{
			State: decide.ReadingRecorded, RequestedAt: begun, Health: carrier.HealthResult{Plan: "fast"},
		}
	})
	held := func() decide.Readings { return memory.View("service").Readings }
	look(memory, begun.Add(9*time.Minute))
	if kept := held(); len(kept.Options.Options.Plans) != 60 || len(kept.Disruptions.Disruptions) != 1000 {
		t.Error("prices are dropped before they are stale")
	}
	look(memory, begun.Add(11*time.Minute))
	kept := held()
	if len(kept.Options.Options.Plans) != 0 || len(kept.Disruptions.Disruptions) != 0 {
		t.Error("prices are kept although they are stale")
	}
	if kept.Options.Token != "p1" || kept.Options.State != decide.ReadingAnswered || kept.Options.RequestedAt != begun ||
		kept.Disruptions.State != decide.ReadingRecorded || kept.Health.Health.Plan != "fast" {
		t.Errorf("what has to be known of them is lost: %+v", kept)
	}
}

// A pass that waits for the carrier records its result after the object is gone.
func TestR28APassAfterTheDeletionOfItsObjectLeavesNothing(t *testing.T) {
	t.Parallel()
	memory := NewMemory("me")
	for i := range 1000 {
		uid := types.UID(strconv.Itoa(i))
		memory.Recall(uid, nil, begun)
		memory.Forget(uid)
		memory.Change(uid, begun, func(held *decide.Memory) { held.NotBefore = begun })
	}
	look(memory, begun.Add(sweepEvery))
	look(memory, begun.Add(sweepEvery+keepGone))
	if len(memory.objects) != 1 || len(memory.gone) != 0 {
		t.Errorf("%d objects, and %d that are gone", len(memory.objects), len(memory.gone))
	}
}

// A standby makes no passes. It learns of every deleted object nevertheless, for example of tests
// that expire.
func TestR28AStandbyForgetsDeletedObjects(t *testing.T) {
	t.Parallel()
	memory := NewMemory("me")
	for i := range 1000 {
		memory.Forget(types.UID(strconv.Itoa(i)))
	}
	memory.Sweep(begun)
	memory.Sweep(begun.Add(keepGone))
	if len(memory.gone) != 0 {
		t.Errorf("%d objects that are gone are remembered", len(memory.gone))
	}
}

// With 10,000 services at rest, the readings of all topics were half of the manager's memory.
func TestMemoryKeepsOnlyTheReadingsThatWereMade(t *testing.T) {
	t.Parallel()
	memory, now := NewMemory("me"), time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)
	memory.Change("u-1", now, func(memory *decide.Memory) { memory.Readings.Health.State = decide.ReadingRecorded })
	if kept := len(memory.objects["u-1"].readings); kept != 1 {
		t.Errorf("%d readings are kept, want 1", kept)
	}
	if state := memory.View("u-1").Readings.Health.State; state != decide.ReadingRecorded {
		t.Errorf("the state of the reading is %q", state)
	}
	memory.Change("u-1", now, func(memory *decide.Memory) { memory.Readings = decide.Readings{} })
	if kept := len(memory.objects["u-1"].readings); kept != 0 {
		t.Errorf("%d readings are kept after they were dropped", kept)
	}
}
