// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// handlePause is the wait before a query is sent again after its Location was lost.
const handlePause = time.Minute

// Question is a read request about a service or an order.
type Question struct {
	UID        types.UID
	Generation int64 // of the object that the question is asked for
	ServiceID  int64
	OrderID    int64
	Version    int
	Topic      decide.Topic
	Token      string // value of the control annotation that requested it
	Again      bool   // as in [decide.StartReading]
}

// Ask sends a question. It records nothing, because a question may be asked twice: its Location
// is kept only in memory, and losing the Location only means asking again.
func (p *Protocol) Ask(ctx context.Context, session Carrier, question Question) (time.Duration, error) {
	if wait, err := session.Prepare(ctx, carrier.ClassQuery); wait > 0 || err != nil {
		return wait, err // the caller distinguishes an error of the login, which the account shows
	}
	asked, elapsed := p.Now(), p.Elapsed()
	result := p.send(ctx, session, question)
	answered := p.Now()
	p.Memory.Change(question.UID, asked, func(memory *decide.Memory) {
		reading := memory.Readings.Of(question.Topic)
		result.RequestedAt, result.LastPoll, result.Token = asked, answered, question.Token
		result.Elapsed, result.Generation, result.Again = elapsed, question.Generation, question.Again
		result.Failures, result.FailingSince, result.Empty = reading.Failures, reading.FailingSince, reading.Empty
		result.Alike = failuresAlike(reading, &result)
		result.Modified = modifiedResponses(reading, &result)
		if result.State == decide.ReadingFailed {
			pause := max(pauseAfter(reading, result.Err), result.RetryAt.Sub(asked))
			p.readingFailed(&result, result.Err, pause)
		}
		if result.State == decide.ReadingAnswered {
			result.Failures, result.FailingSince = 0, time.Time{}
		}
		*reading = result
	})
	return 0, nil
}

// posts reports whether a question is a POST, whose response is collected later.
func (q Question) posts() bool {
	return q.Topic == decide.TopicHealth || q.Topic == decide.TopicOptions
}

// send sends the question, and returns what is known after the first response.
func (p *Protocol) send(ctx context.Context, session Carrier, question Question) decide.Reading {
	var result decide.Reading
	switch question.Topic {
	case decide.TopicCancellation:
		result.Cancellation, result.Err = session.Cancellation(ctx, question.ServiceID)
	case decide.TopicTestTypes:
		result.TestTypes, result.Err = session.TestTypes(ctx, question.ServiceID)
	case decide.TopicService:
		var found carrier.Service
		found, result.Err = session.Service(ctx, question.ServiceID, question.Version)
		result.Service = decide.ServiceValuesOf(found)
	case decide.TopicOrder:
		result.Order, result.Err = session.Order(ctx, question.OrderID)
	case decide.TopicDisruptions:
		p.nextPage(ctx, session, question.ServiceID, &result)
		return result
	case decide.TopicHealth:
		body := carrier.HealthRequest{ServiceID: question.ServiceID}.Body()
		return p.opened(session.Submit(ctx, carrier.Health, question.Version, body))
	case decide.TopicOptions:
		body := carrier.PlanOptionsRequest{ServiceID: question.ServiceID}.Body()
		return p.opened(session.Submit(ctx, carrier.PlanOptions, question.Version, body))
	}
	result.State = decide.ReadingAnswered
	if result.Err != nil {
		result.State = decide.ReadingFailed
	}
	return result
}

// opened returns the reading for the response to a POST: open if the carrier accepted it, otherwise
// failed.
func (p *Protocol) opened(receipt carrier.Receipt) decide.Reading {
	if receipt.Delivery != carrier.Accepted {
		retryAt := p.Now().Add(receipt.RetryAfter)
		return decide.Reading{State: decide.ReadingFailed, Err: receipt.Err, RetryAt: retryAt}
	}
	return decide.Reading{State: decide.ReadingOpen, Handle: receipt.Handle}
}

// maxDisruptions limits the number of disruptions in one reading.
const maxDisruptions = 1000

// nextPage reads one page of disruptions. Each of the remaining pages waits for its own turn in the
// account's rate limit.
func (p *Protocol) nextPage(ctx context.Context, session Carrier, serviceID int64, reading *decide.Reading) {
	found, last, err := session.Disruptions(ctx, serviceID, reading.Page)
	reading.LastPoll = p.Now()
	if err != nil {
		reading.State, reading.Err = decide.ReadingFailed, err
		return
	}
	known := len(reading.Disruptions)
	reading.State, reading.Page = decide.ReadingOpen, reading.Page+1
	for _, one := range found[:min(len(found), maxDisruptions-known)] { // pages shift while they are read
		seen := func(other carrier.Disruption) bool {
			return one.WholesaleDisruptionID != "" && other.WholesaleDisruptionID == one.WholesaleDisruptionID
		}
		if !slices.ContainsFunc(reading.Disruptions, seen) {
			reading.Disruptions = append(reading.Disruptions, one)
		}
	}
	nothingNew := len(reading.Disruptions) == known // a carrier may return the same page for ever
	if last || nothingNew || len(reading.Disruptions) >= maxDisruptions {
		readingEnded(reading)
	}
}

// Collect reads the response to a question once: at its Location, or the next page.
func (p *Protocol) Collect(
	ctx context.Context, session Carrier, question Question, reading decide.Reading,
) (time.Duration, error) {
	if wait, err := session.Prepare(ctx, carrier.ClassQuery); wait > 0 || err != nil {
		return wait, err // the caller distinguishes an error of the login, which the account shows
	}
	if question.posts() {
		outcome, err := session.Poll(ctx, reading.Handle)
		before := reading.LastPoll
		p.readingPolled(&reading, outcome, err)
		if reading.Answered() && !reading.Again {
			session.Took(reading.Handle.Operation, before.Sub(reading.RequestedAt), reading.LastPoll.Sub(reading.RequestedAt))
		}
	} else {
		p.nextPage(ctx, session, question.ServiceID, &reading)
		if reading.State == decide.ReadingFailed {
			p.readingFailed(&reading, reading.Err, pauseAfter(&reading, reading.Err))
		}
	}
	p.Memory.Change(question.UID, p.Now(), func(memory *decide.Memory) { *memory.Readings.Of(question.Topic) = reading })
	return 0, nil
}

// readingPolled handles the result of one poll. A question whose handle the carrier does not know
// is asked again after a minute. At first, any other poll error fails only this poll. Once the
// usual duration of the operation has passed, it fails the reading. A reading that stays in
// progress for longer than patience fails, because the carrier may have forgotten it.
func (p *Protocol) readingPolled(reading *decide.Reading, outcome carrier.Outcome, err error) {
	reading.LastPoll, outcome = p.Now(), byStatus(reading.Handle, outcome)
	contract, _ := carrier.ContractOf(reading.Handle.Operation)
	elapsed, longest := p.Now().Sub(reading.RequestedAt), patience(reading)
	switch {
	case err != nil && isUnrecognized(err):
		p.readingFailed(reading, err, handlePause)
	case err != nil && elapsed < min(contract.Poll.Usual, longest):
		reading.Failures, reading.Err = reading.Failures+1, err
	case err != nil:
		p.readingFailed(reading, err, max(pauseAfter(reading, err), outcome.RetryAfter))
	case outcome.State == carrier.Failed:
		p.readingFailed(reading, outcome.Err, pauseAfter(reading, outcome.Err))
	case outcome.State == carrier.Done:
		p.readingAnswered(reading, outcome.Body)
	case elapsed >= longest:
		err := unanswered(reading.Handle, longest)
		p.readingFailed(reading, err, pauseAfter(reading, err))
	}
}

// byStatus returns an outcome that agrees with the status in its resource: a 200 can say that the
// request is still in progress, or that it has failed. A resource of another request is ignored.
func byStatus(handle carrier.Handle, outcome carrier.Outcome) carrier.Outcome {
	summary, err := carrier.DecodeSummary(handle.Operation, outcome.Body)
	if outcome.State != carrier.Done || err != nil || summary.ID != 0 && !handle.HasID(summary.ID) {
		return outcome
	}
	outcome.State = decide.StateOf(handle.Operation, summary.Status)
	if outcome.State == carrier.Failed {
		outcome.Err = &carrier.Error{
			Operation: handle.Operation, Class: carrier.Refused, Message: decide.FailedStatus(summary),
		}
	}
	return outcome
}

// longestReading is how long a reading may stay in progress before it is requested again.
const longestReading = time.Hour

// patience returns how long a reading may stay in progress. A reading repeated without a change
// may do so only while a request could be based on its result.
func patience(reading *decide.Reading) time.Duration {
	if !reading.Again {
		return longestReading
	}
	return decide.QuoteAge
}

func (p *Protocol) readingAnswered(reading *decide.Reading, body []byte) {
	var err error
	if reading.Handle.Operation == carrier.Health {
		reading.Health, err = carrier.DecodeHealth(reading.Handle.Version, body)
		reading.Health.HealthCategories = nil // they are long and shown nowhere
		if id := reading.Health.ID; err == nil && id != 0 && !reading.Handle.HasID(id) {
			reading.Health = carrier.HealthResult{}
			other := faultOf(reading.Handle, "the carrier's response is about request %d, and not about request %s",
				id, reading.Handle.ID)
			p.readingFailed(reading, other, handlePause)
			return
		}
		reading.Empty = emptyResponses(reading)
	} else {
		reading.Options, err = carrier.DecodePlanOptions(body)
	}
	if err != nil {
		p.readingFailed(reading, err, pauseAfter(reading, err))
		return
	}
	if p.Now().Sub(reading.RequestedAt) > decide.QuoteAge {
		p.answeredLate(reading)
		return
	}
	readingEnded(reading)
}

// answeredLate records a result that is already too old for a request to be based on it. It counts
// as a failure, too: a carrier that is always that slow never provides a reading for a request.
func (p *Protocol) answeredLate(reading *decide.Reading) {
	p.readingFailed(reading, unanswered(reading.Handle, decide.QuoteAge), 0)
	reading.State = decide.ReadingAnswered
}

// unanswered is the error for a reading without a result, or whose result came too late.
func unanswered(handle carrier.Handle, within time.Duration) error {
	return faultOf(handle, "the carrier has returned no result within %.0f minutes", within.Minutes())
}

// faultOf returns a carrier error that was found here and not returned by a call.
func faultOf(handle carrier.Handle, message string, args ...any) error {
	return &carrier.Error{
		Operation: handle.Operation, Class: carrier.ServerFault, Message: fmt.Sprintf(message, args...),
	}
}

// readingEnded marks a reading as answered and clears its failures.
func readingEnded(reading *decide.Reading) {
	reading.State, reading.Failures, reading.Err = decide.ReadingAnswered, 0, nil
	reading.FailingSince = time.Time{}
}

// emptyResponses counts consecutive responses that name no plan. Each is a failed reading, and
// makes the pause before the next one longer (R20).
func emptyResponses(reading *decide.Reading) int {
	if decide.PlanInHealth(reading.Health) != "" {
		return 0
	}
	return reading.Empty + 1
}

// modifiedResponses counts consecutive responses that show a change in progress: descriptions of a
// service that list modifications, and cancellations that are being changed. A failed read does not
// change the count.
func modifiedResponses(before, result *decide.Reading) int {
	switch {
	case result.State == decide.ReadingFailed:
		return before.Modified
	case !result.Service.Modified && !result.Cancellation.InProgress:
		return 0
	}
	return before.Modified + 1
}

// failuresAlike counts the consecutive failures of the same class.
func failuresAlike(before, result *decide.Reading) int {
	switch {
	case result.State != decide.ReadingFailed:
		return 0
	case before.State == decide.ReadingFailed && carrier.ClassOf(before.Err) == carrier.ClassOf(result.Err):
		return before.Alike + 1
	}
	return 1
}

// readingFailed records why a reading failed, and when the question may be asked again.
func (p *Protocol) readingFailed(reading *decide.Reading, err error, pause time.Duration) {
	reading.Failures++
	if reading.FailingSince.IsZero() {
		reading.FailingSince = reading.RequestedAt
	}
	reading.State, reading.Err, reading.RetryAt = decide.ReadingFailed, err, p.Now().Add(pause)
}

// pauseAfter returns the wait after one more failure of a reading.
func pauseAfter(reading *decide.Reading, err error) time.Duration {
	return decide.ReadingPause(reading.Failures+1, err)
}
