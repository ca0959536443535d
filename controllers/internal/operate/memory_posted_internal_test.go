// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

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
