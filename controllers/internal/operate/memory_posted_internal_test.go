// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
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

// An expected response is reported by one Event, and nothing else is.
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
