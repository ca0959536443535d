// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Memory is what one process remembers about one object. It is lost with the process, so nothing
// that must survive is kept only here.
type Memory struct {
	Observed

	Attempts map[string]Attempt // by attempt id: the attempts that have not ended
	Readings Readings           // the newest reading of each topic
}

// Observed is what this process remembers of an object besides its attempts and readings.
type Observed struct {
	Sender           string                // the id of this process
	FirstSeen        time.Time             // when this process first saw the object
	NotBefore        time.Time             // the carrier asked for no calls before this time (Retry-After)
	Gate             GateView              // what the check before a POST last saw
	FutureTimes      FutureTimes           // recorded times that were in the future when first seen
	Login            v1alpha1.CarrierLogin // the login with which the readings were made
	LastQuery        LastQuery             // the outcome of the last POST of class Query
	NextRefusalWrite time.Time             // before this time the same refusal is not written again in other words
	NotifiedAt       time.Time             // when the carrier last sent a notification about the object
	ContactErr       error                 // why the contact could not be read from its Secret; nil if it could
	ContactAgain     time.Time             // when the Secret is read again after such an error
	ContactRead      string                // the name of the Secret whose contact could be read last; "" after an error

	CancellationNotifiedAt time.Time // when the last notification about the service's cancellation arrived
}

// LastQuery is the outcome of the newest POST of class Query.
type LastQuery struct {
	Failures   int       // consecutive failures
	Err        error     // the newest error; nil if the last POST was answered
	RetryAt    time.Time // when the query may be sent again
	Renewed    bool      // whether the newest POST may have failed because of an invalid token that has been renewed since
	Answered   string    // the id of the attempt that was answered
	AnsweredAt time.Time // when it was answered
}

// Attempt is what one process remembers about one attempt that has not ended.
type Attempt struct {
	FirstSeen time.Time        // when this process first saw it in its present phase
	LastPoll  time.Time        // when it was last polled, or first seen
	Posted    bool             // its POST may have left this process
	Receipt   *carrier.Receipt // the response to that POST, until it is in the status
	Polls     int              // number of polls
	Failures  int              // number of polls in a row without a conclusive result
	PollError error            // the error of the newest such poll

	UnreadableSince time.Time // since when all polls got unreadable responses; zero: the last one was readable
}

// GateView is what this process saw in the last check before a POST (R12).
type GateView struct {
	ClosedAt time.Time // when it was last closed; zero: never
	Account  Version   // the account as it was last read there, bypassing the cache
	Object   Version   // the object as it was last read there, bypassing the cache
}

// Version identifies a version of an object's spec.
type Version struct {
	UID        string
	Generation int64
	Judged     string // the UID of the cached object on which the decision was based
}

// Topic is something that can be read from the carrier. A reading changes nothing there and can be
// repeated freely, so it is kept in memory and needs no write.
type Topic string

// The topics.
const (
	TopicHealth       Topic = "health"       // a health request: plan, technology, colors
	TopicCancellation Topic = "cancellation" // a plain GET
	TopicDisruptions  Topic = "disruptions"  // plain GETs, page by page
	TopicOptions      Topic = "plan options" // a plan-change-options request: the prices of changes
	TopicTestTypes    Topic = "test types"   // a plain GET: the diagnostic tests on offer
	TopicService      Topic = "service"      // a plain GET: plan, restoration SLA, aggregation method, DSL profile
	TopicOrder        Topic = "order"        // a plain GET: an order that the carrier has accepted
)

// Operation returns the operation that reads a topic; "" if the topic is read with a plain GET.
func (t Topic) Operation() carrier.Operation {
	switch t {
	case TopicHealth:
		return carrier.Health
	case TopicOptions:
		return carrier.PlanOptions
	case TopicCancellation, TopicDisruptions, TopicTestTypes, TopicService, TopicOrder:
	}
	return ""
}

// Readings holds the newest reading of each topic.
type Readings struct{ Health, Cancellation, Disruptions, Options, TestTypes, Service, Order Reading }

// Topics lists all topics.
func Topics() []Topic {
	return []Topic{
		TopicHealth, TopicCancellation, TopicDisruptions, TopicOptions, TopicTestTypes, TopicService, TopicOrder,
	}
}

// Of returns the newest reading of a topic.
func (r *Readings) Of(topic Topic) *Reading {
	switch topic {
	case TopicHealth:
		return &r.Health
	case TopicCancellation:
		return &r.Cancellation
	case TopicDisruptions:
		return &r.Disruptions
	case TopicTestTypes:
		return &r.TestTypes
	case TopicService:
		return &r.Service
	case TopicOrder:
		return &r.Order
	case TopicOptions:
	}
	return &r.Options
}

// Reading is one read from the carrier, with its response in the field of its topic.
type Reading struct {
	State       ReadingState
	RequestedAt time.Time      // when it was sent
	Elapsed     time.Duration  // the same time on the monotonic clock
	LastPoll    time.Time      // when its Location was last polled, or received
	Handle      carrier.Handle // its Location
	Err         error          // why it failed, when Failed
	RetryAt     time.Time      // when it may be sent again, when Failed
	Failures    int            // failures in a row
	Alike       int            // failures in a row of the same class, the newest included
	Empty       int            // responses in a row that did not contain the value
	Modified    int            // responses in a row that showed a change in progress at the carrier
	Token       string         // the control annotation that requested it
	Again       bool           // it was requested after a failure, although nothing had changed

	Generation   int64     // generation of the object in the pass that requested it
	FailingSince time.Time // when the first of the failures in a row occurred; zero if none

	Health       carrier.HealthResult
	Cancellation carrier.Cancellation
	Disruptions  []carrier.Disruption // the disruptions read so far, while Open
	Page         int                  // the next page of disruptions, while Open
	Options      carrier.PlanOptionsResult
	Partial      bool // whether the options lack some of what the carrier offers
	TestTypes    []string
	Service      ServiceValues
	Order        carrier.Order
}

// ServiceValues is what is kept of the carrier's description of a service (extension ServiceRead).
// A value that the description does not have is empty.
type ServiceValues struct {
	v1alpha1.DescribedValues // in the spelling of requests

	TechnologyType, LocationID, AVCID string

	Modified bool // whether the description lists modifications
}

// ReadingState is the progress of a reading.
type ReadingState string

// The states of a reading.
const (
	ReadingNone     ReadingState = ""         // not requested by this process
	ReadingOpen     ReadingState = "Open"     // requested, not answered
	ReadingAnswered ReadingState = "Answered" // answered
	ReadingRecorded ReadingState = "Recorded" // answered, and the response is in the status
	ReadingFailed   ReadingState = "Failed"   // rejected, or could not be sent
)

// ServiceValuesOf returns what is kept of a description.
func ServiceValuesOf(found carrier.Service) ServiceValues {
	const longest = 64
	return ServiceValues{
		DescribedValues: v1alpha1.DescribedValues{
			Plan:                Bounded(found.BandwidthProfile.PlanName, MaxNameText),
			RestorationSLA:      Bounded(found.RestorationSLA, MaxNameText),
			AggregationMethod:   Bounded(string(found.AggregationMethod), MaxNameText),
			DSLStabilityProfile: Bounded(string(found.DSLStabilityProfile), MaxNameText),
		},
		TechnologyType: Bounded(found.TechnologyType, longest),
		LocationID:     Bounded(found.LocationID, longest),
		AVCID:          Bounded(found.AVCID, longest),
		Modified:       len(found.Modifications) > 0,
	}
}

// MarkRecorded marks every response that is now in the status: a value that was read before a
// write does not show what happened after the write.
func (r *Readings) MarkRecorded() {
	for _, reading := range []*Reading{&r.Health, &r.Cancellation, &r.Disruptions, &r.Service} {
		reading.MarkRecorded()
	}
}

// MarkRecorded marks a response that is now recorded.
func (r *Reading) MarkRecorded() {
	if r.State == ReadingAnswered {
		r.State = ReadingRecorded
	}
}

// DropStale drops prices that are too old, and disruptions that the status already has. It
// reports whether it has changed the reading of the topic.
func (r *Reading) DropStale(topic Topic, now time.Time) bool {
	isNew := now.Before(r.RequestedAt.Add(QuoteAge))
	switch {
	case isNew || r.State == ReadingOpen:
	case topic == TopicOptions && len(r.Options.Plans)+len(r.Options.SLAs) > 0:
		r.Options = carrier.PlanOptionsResult{}
		return true
	case topic == TopicDisruptions && (r.State == ReadingAnswered || len(r.Disruptions) > 0):
		r.Disruptions = nil
		r.MarkRecorded()
		return true
	}
	return false
}

// Ended reports whether a reading is finished.
func (r *Reading) Ended() bool { return r.Answered() || r.Refused() }

// Answered reports whether the carrier has returned the reading.
func (r *Reading) Answered() bool { return r.State == ReadingAnswered || r.State == ReadingRecorded }

// Refused reports whether the carrier responded but does not return the reading now.
func (r *Reading) Refused() bool {
	if r.State != ReadingFailed || r.Err == nil {
		return false
	}
	switch carrier.ClassOf(r.Err) {
	case carrier.Refused:
		return !isInProgressError(r.Err)
	case carrier.NotFoundOrForbidden, carrier.Invalid, carrier.Unreadable:
		return true
	case carrier.Unreachable, carrier.ServerFault, carrier.Throttled, carrier.Unauthorized:
	}
	return false
}

// StatusPrecision is the precision of the times in a status.
const StatusPrecision = time.Second

// QuoteAge is the maximum age at which prices still count as read just before the POST. After the
// reading, a request may have to wait for the rate limit.
const QuoteAge = 10 * time.Minute
