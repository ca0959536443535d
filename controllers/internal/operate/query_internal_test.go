// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// A query that creates something at the carrier has no intent. If another process has sent the same
// query meanwhile, the record has room for only one of the two, and the other must be reported to
// the user.
func TestR15ASecondResponseToAQueryThatCreatesSomethingIsReported(t *testing.T) {
	t.Parallel()
	for holds, want := range map[bool]int{true: 1, false: 0} {
		tape, events := newTape(), &eventLog{}
		protocol := tape.protocol("me")
		protocol.Events = events
		question := v1alpha1.Request{Operation: v1alpha1.OperationAppointmentSlots, APIVersion: 8}
		tape.at[stepPOST] = func() error {
			other := question
			other.AttemptID, other.Phase, other.Location = "a-2", v1alpha1.PhaseInProgress, "/78"
			tape.record.PutRequest(other)
			tape.record.ResourceVersion += "+"
			return nil
		}
		submission := Submission{Request: question, FinalizerFirst: holds}
		if _, err := protocol.SubmitQuery(t.Context(), tape.scope(), submission); err != nil {
			t.Fatal(err)
		}
		reports := slices.DeleteFunc(slices.Clone(events.events), func(event string) bool {
			return !strings.Contains(event, eventLate) || !strings.Contains(event, "/77") || !strings.Contains(event, "a-2")
		})
		requests := tape.record.Status.Requests
		if len(reports) != want || len(requests) != 1 || requests[0].AttemptID != "a-2" {
			t.Errorf("creates something: %t, events %q, recorded %+v", holds, events.events,
				tape.record.Status.Requests)
		}
	}
}

// The endpoint of the plan options answers a bad token with 404, so the token is renewed once. Only
// the second 404 in a row is about the service.
func TestA404ForPlanOptionsIsTriedOnceMoreWithANewToken(t *testing.T) {
	t.Parallel()
	hidden := carrier.Receipt{
		Delivery: carrier.Rejected, Err: &carrier.Error{HTTPStatus: 404, Class: carrier.NotFoundOrForbidden},
	}
	for _, row := range []struct {
		operation v1alpha1.Operation
		recorded  []int // requests after each POST
	}{{v1alpha1.OperationPlanOptions, []int{0, 1}}, {v1alpha1.OperationHealth, []int{1, 1}}} {
		way := &answering{tape: newTape(), receipt: hidden}
		protocol := way.protocol("me")
		for i, want := range row.recorded {
			scope := way.scope()
			scope.Carrier = way
			_, err := protocol.SubmitQuery(t.Context(), scope, Submission{
				Request: v1alpha1.Request{Operation: row.operation, APIVersion: 8}, Class: carrier.ClassQuery,
			})
			if got := len(way.record.Status.Requests); err != nil || got != want {
				t.Errorf("%s, POST %d: %d requests are recorded, want %d (%v)", row.operation, i+1, got, want, err)
			}
		}
	}
}

// A process that has lost its lease exits as soon as no submission is in progress, so it must not
// begin one.
func TestAQueryIsNotSentByAProcessThatIsStopping(t *testing.T) {
	t.Parallel()
	for _, holds := range []bool{true, false} {
		way := newTape()
		ctx, stop := context.WithCancel(t.Context())
		way.at[stepToken] = func() error { stop(); return nil }
		question := v1alpha1.Request{Operation: v1alpha1.OperationAppointmentSlots, APIVersion: 8}
		_, err := way.protocol("me").SubmitQuery(ctx, way.scope(), Submission{Request: question, FinalizerFirst: holds})
		if !errors.Is(err, context.Canceled) || slices.Contains(way.steps, stepPOST) {
			t.Errorf("creates something: %t, steps %q, %v", holds, way.steps, err)
		}
	}
}

// crowded is a connection to the carrier on which every call has to wait.
type crowded struct {
	*tape

	waited carrier.RepeatClass // the class of the last call that had to wait
}

// Prepare makes every call wait.
func (c *crowded) Prepare(_ context.Context, class carrier.RepeatClass) (time.Duration, error) {
	c.waited = class
	return time.Second, nil
}

func TestR20QueriesDoNotUseTheShareOfRequests(t *testing.T) {
	t.Parallel()
	way := &crowded{tape: newTape()}
	protocol, scope := way.protocol("me"), way.scope()
	scope.Carrier = way
	for name, row := range map[string]struct {
		call  func() (time.Duration, error)
		class carrier.RepeatClass
	}{
		"a plan change": {func() (time.Duration, error) {
			return protocol.Send(t.Context(), scope, Submission{Class: carrier.ClassCharge})
		}, carrier.ClassCharge},
		"a question of its own object": {func() (time.Duration, error) {
			return protocol.SubmitQuery(t.Context(), scope, Submission{
				Request: v1alpha1.Request{Operation: v1alpha1.OperationPlanOptions}, Class: carrier.ClassQuery,
			})
		}, carrier.ClassQuery},
		"health": {func() (time.Duration, error) {
			return protocol.Ask(t.Context(), way, Question{Topic: decide.TopicHealth})
		}, carrier.ClassQuery},
		"prices": {func() (time.Duration, error) {
			return protocol.Ask(t.Context(), way, Question{Topic: decide.TopicOptions})
		}, carrier.ClassQuery},
	} {
		way.waited = ""
		if wait, err := row.call(); wait != time.Second || err != nil || way.waited != row.class {
			t.Errorf("%s waits as one of class %s (wait %s, %v)", name, way.waited, wait, err)
		}
		if len(way.steps) > 0 {
			t.Errorf("%s waits after %v", name, way.steps)
		}
	}
}
