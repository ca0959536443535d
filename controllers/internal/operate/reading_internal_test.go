// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// paged is a carrier with three pages of disruptions, which begin and end with the same ones,
// because pages shift while they are read.
type paged struct{ *tape }

func (paged) Disruptions(_ context.Context, _ int64, page int) ([]carrier.Disruption, bool, error) {
	named := func(i int) carrier.Disruption {
		return carrier.Disruption{WholesaleDisruptionID: fmt.Sprint("d-", i)}
	}
	return []carrier.Disruption{named(page), named(page + 1)}, page == 2, nil
}

func TestDisruptionsAreReadPageByPage(t *testing.T) {
	t.Parallel()
	way := paged{newTape()}
	protocol, question := way.protocol("me"), Question{UID: "u-1", ServiceID: 7, Topic: decide.TopicDisruptions}
	reading := func() decide.Reading {
		return protocol.Memory.Recall(question.UID, nil, protocol.Now()).Readings.Disruptions
	}
	if _, err := protocol.Ask(t.Context(), way, question); err != nil {
		t.Fatal(err)
	}
	for page, state := range []decide.ReadingState{decide.ReadingOpen, decide.ReadingOpen, decide.ReadingAnswered} {
		now := reading()
		if now.State != state || len(now.Disruptions) != page+2 {
			t.Fatalf("after page %d: %s with %d disruptions", page, now.State, len(now.Disruptions))
		}
		if state == decide.ReadingAnswered {
			break
		}
		if _, err := protocol.Collect(t.Context(), way, question, now); err != nil {
			t.Fatal(err)
		}
	}
}

// repeating is a carrier that returns the same page for ever, and says that there are more.
type repeating struct{ *tape }

func (repeating) Disruptions(context.Context, int64, int) ([]carrier.Disruption, bool, error) {
	return []carrier.Disruption{{WholesaleDisruptionID: "d-1"}}, false, nil
}

func TestAPageWithNothingNewEndsAPagedReading(t *testing.T) {
	t.Parallel()
	way := repeating{newTape()}
	protocol, question := way.protocol("me"), Question{UID: "u-1", ServiceID: 7, Topic: decide.TopicDisruptions}
	reading := func() decide.Reading {
		return protocol.Memory.Recall(question.UID, nil, protocol.Now()).Readings.Disruptions
	}
	if _, err := protocol.Ask(t.Context(), way, question); err != nil {
		t.Fatal(err)
	}
	if _, err := protocol.Collect(t.Context(), way, question, reading()); err != nil {
		t.Fatal(err)
	}
	if now := reading(); now.State != decide.ReadingAnswered || len(now.Disruptions) != 1 || now.Page != 2 {
		t.Errorf("after page %d: %s with %d disruptions", now.Page, now.State, len(now.Disruptions))
	}
}

// manyOnAPage is a carrier that puts as many disruptions on one page as fit into 1 MiB.
type manyOnAPage struct{ *tape }

func (manyOnAPage) Disruptions(context.Context, int64, int) (found []carrier.Disruption, last bool, err error) {
	for i := range 8000 { // 29,900 fit
		found = append(found, carrier.Disruption{WholesaleDisruptionID: fmt.Sprintf("%06d", i)})
	}
	return found, false, nil
}

// Each is compared with all before it, so a page of 1 MiB would take seconds of CPU time.
func TestAPageHasNoMoreDisruptionsThanAReading(t *testing.T) {
	t.Parallel()
	way := manyOnAPage{newTape()}
	protocol, question := way.protocol("me"), Question{UID: "u-1", ServiceID: 7, Topic: decide.TopicDisruptions}
	if _, err := protocol.Ask(t.Context(), way, question); err != nil {
		t.Fatal(err)
	}
	reading := protocol.Memory.Recall(question.UID, nil, protocol.Now()).Readings.Disruptions
	if len(reading.Disruptions) > maxDisruptions {
		t.Errorf("one page added %d disruptions", len(reading.Disruptions))
	}
}

// accepting is a carrier that takes a while to accept a request.
type accepting struct {
	*tape

	takes time.Duration
}

func (s accepting) Submit(context.Context, carrier.Operation, int, []byte) carrier.Receipt {
	s.now = s.now.Add(s.takes)
	handle := carrier.Handle{Operation: carrier.Health, Version: 8, ID: "77"}
	return carrier.Receipt{Delivery: carrier.Accepted, Handle: handle}
}

// The pause before the first poll begins when the carrier has accepted the request.
func TestAReadingThatIsAcceptedSlowlyIsNotPolledAtOnce(t *testing.T) {
	t.Parallel()
	way := accepting{newTape(), 5 * time.Second}
	protocol, question := way.protocol("me"), Question{UID: "u-1", ServiceID: 7, Topic: decide.TopicHealth}
	asked := protocol.Now()
	if _, err := protocol.Ask(t.Context(), way, question); err != nil {
		t.Fatal(err)
	}
	reading := protocol.Memory.Recall(question.UID, nil, protocol.Now()).Readings.Health
	if !reading.RequestedAt.Equal(asked) || !reading.LastPoll.Equal(asked.Add(way.takes)) {
		t.Errorf("asked at %s: %+v", asked, reading)
	}
}

// A failure counts only with those of the same class: a service that is hidden once after an outage
// may be shown again.
func TestFailuresOfOneClassAreCounted(t *testing.T) {
	t.Parallel()
	down, hidden := &carrier.Error{Class: carrier.ServerFault}, &carrier.Error{Class: carrier.NotFoundOrForbidden}
	reading := decide.Reading{}
	for i, test := range []struct {
		err  error
		want int
	}{{down, 1}, {down, 2}, {hidden, 1}, {hidden, 2}, {nil, 0}, {hidden, 1}} {
		result := decide.Reading{State: decide.ReadingAnswered}
		if test.err != nil {
			result = decide.Reading{State: decide.ReadingFailed, Err: test.err}
		}
		result.Alike = failuresAlike(&reading, &result)
		if result.Alike != test.want {
			t.Errorf("after %d responses: %d alike, want %d", i+1, result.Alike, test.want)
		}
		reading = result
	}
}

// The measurements are long, and a BroadbandService does not show them.
func TestAHealthReadingKeepsNoMeasurements(t *testing.T) {
	t.Parallel()
	body := []byte(`{"plan":"Fast","healthCategories":[{"type":"Speed","items":[]}]}`)
	reading := decide.Reading{
		Handle: carrier.Handle{Operation: carrier.Health, Version: 8}, Failures: 2, Err: errStep,
		FailingSince: time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC),
	}
	protocol := newTape().protocol("me")
	reading.RequestedAt = protocol.Now()
	protocol.readingAnswered(&reading, body)
	if reading.State != decide.ReadingAnswered || reading.Health.Plan != "Fast" || reading.Health.HealthCategories != nil {
		t.Errorf("%+v", reading)
	}
	if reading.Failures != 0 || reading.Err != nil || !reading.FailingSince.IsZero() {
		t.Errorf("its failures are not forgotten: %+v", reading)
	}
}

// A result with another id is not about this service.
func TestAHealthReadingIsNotTakenFromAnotherRequest(t *testing.T) {
	t.Parallel()
	for body, state := range map[string]decide.ReadingState{
		`{"id":7,"plan":"Fast"}`: decide.ReadingAnswered,
		`{"plan":"Fast"}`:        decide.ReadingAnswered,
		`{"id":8,"plan":"Slow"}`: decide.ReadingFailed,
	} {
		reading := decide.Reading{Handle: carrier.Handle{Operation: carrier.Health, Version: 8, ID: "07"}}
		newTape().protocol("me").readingAnswered(&reading, []byte(body))
		if reading.State != state || reading.Health.Plan == "Slow" {
			t.Errorf("%s: %s, %v, %+v", body, reading.State, reading.Err, reading.Health)
		}
	}
}

// A reading is requested again if it stays in progress, and one that always comes too late is, for a
// request, none at all.
func TestAReadingWithoutATimelyResultIsAFailure(t *testing.T) {
	t.Parallel()
	protocol := newTape().protocol("me")
	pending := carrier.Outcome{State: carrier.Pending}
	done := carrier.Outcome{State: carrier.Done, Body: []byte(`{"plan":"Fast"}`)}
	for name, test := range map[string]struct {
		took    time.Duration
		outcome carrier.Outcome
		want    decide.ReadingState
		failed  bool
	}{
		"in progress":             {59 * time.Minute, pending, decide.ReadingOpen, false},
		"in progress for an hour": {time.Hour, pending, decide.ReadingFailed, true},
		"in time":                 {10 * time.Minute, done, decide.ReadingAnswered, false},
		"too late":                {11 * time.Minute, done, decide.ReadingAnswered, true},
	} {
		reading := decide.Reading{
			State: decide.ReadingOpen, Handle: carrier.Handle{Operation: carrier.Health, Version: 8, ID: "7"},
			RequestedAt: protocol.Now().Add(-test.took),
		}
		protocol.readingPolled(&reading, test.outcome, nil)
		failed := !reading.FailingSince.IsZero() && reading.Err != nil
		if reading.State != test.want || failed != test.failed {
			t.Errorf("%s: %s, %v", name, reading.State, reading.Err)
		}
	}
}

// A reading that says that it has failed shows nothing, and one that says that it is in progress is
// polled again.
func TestAReadingIsJudgedByItsStatus(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]decide.ReadingState{
		`{"id":77,"status":"COMPLETED","plan":"Home"}`:   decide.ReadingAnswered,
		`{"id":77,"plan":"Home"}`:                        decide.ReadingAnswered,
		`{"id":77,"status":"IN_PROGRESS","plan":"Home"}`: decide.ReadingOpen,
		`{"id":77,"status":"OPEN","plan":"Home"}`:        decide.ReadingOpen,
		`{"status":"IN_ERROR_RETRY","plan":"Home"}`:      decide.ReadingOpen,
		`{"id":77,"status":"IN_ERROR","plan":"Home"}`:    decide.ReadingFailed,
		`{"id":77,"status":"FAILED","plan":"Home"}`:      decide.ReadingFailed,
		`{"serviceStatus":"FAILED","plan":"Home"}`:       decide.ReadingFailed,
		`{"id":78,"status":"IN_PROGRESS","plan":"Home"}`: decide.ReadingFailed, // of another request
	} {
		protocol := newTape().protocol("me")
		reading := decide.Reading{
			State: decide.ReadingOpen, RequestedAt: protocol.Now(),
			Handle: carrier.Handle{Operation: carrier.Health, Version: 8, ID: "77"},
		}
		protocol.readingPolled(&reading, carrier.Outcome{State: carrier.Done, Body: []byte(body)}, nil)
		if shown := reading.Health.Plan != ""; reading.State != want || shown != (want == decide.ReadingAnswered) {
			t.Errorf("%s: the reading is %s: %+v", body, reading.State, reading)
		}
	}
}

// A failed reading is refused in the carrier's words.
func TestAReadingThatSaysItHasFailedIsRefused(t *testing.T) {
	t.Parallel()
	protocol := newTape().protocol("me")
	reading := decide.Reading{State: decide.ReadingOpen, Handle: carrier.Handle{Operation: carrier.Health, Version: 8}}
	body := []byte(`{"status":"FAILED","errorDetail":"the line does not reply"}`)
	protocol.readingPolled(&reading, carrier.Outcome{State: carrier.Done, Body: body}, nil)
	if !reading.Refused() || !strings.Contains(reading.Err.Error(), "FAILED; the line does not reply") {
		t.Errorf("%+v", reading)
	}
}
