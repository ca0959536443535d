package simulator

import (
	"slices"
	"time"
)

// line is a service at the carrier. Everything that a modification can change is a timeline,
// written when the modification is accepted. The state at any instant can be looked up, and nothing
// has to happen at that instant.
type line struct {
	Service

	plan        timeline[soldPlan]
	sla         timeline[string]
	aggregation timeline[string]
	profile     timeline[string]
	ending      ending
	busyUntil   time.Time // when the last accepted modification ends
	busyWith    Operation // the operation of that modification
	testedUntil time.Time // when the last diagnostic test ends
}

// soldPlan is a plan with its term.
type soldPlan struct {
	Name string
	Term int64
}

// addLine adds a service from the seed.
func (s *Simulator) addLine(service Service, now time.Time) {
	added := s.newLine(complete(service), now)
	s.lines[added.ID] = added
	if *added.AVCID != "" {
		s.circuits[*added.AVCID] = added.ID
	}
	s.announceCancellation(added)
}

// newLine returns a service in its initial state.
func (s *Simulator) newLine(service Service, now time.Time) *line {
	return &line{
		Service:     service,
		plan:        startWith(soldPlan{Name: service.Plan, Term: service.Term}),
		sla:         startWith(service.RestorationSLA),
		aggregation: startWith(service.AggregationMethod),
		profile:     startWith(service.DSLStabilityProfile),
		ending:      s.cancellationOf(&service, now),
	}
}

// alternate reports whether the service comes from the alternate source.
func (l *line) alternate() bool { return l.SourceType != wholesaleSource }

// busy reports whether a modification is in progress.
func (l *line) busy(now time.Time) bool { return now.Before(l.busyUntil) }

// ownLine finds the service in the body. A service of another client does not exist (spec §7).
func (x *exchange) ownLine() error {
	if x.route.body != serviceIDField {
		return nil
	}
	found := x.sim.lines[x.fields.number(serviceIDField)]
	if found == nil || found.Client != x.client.Name {
		return notFound()
	}
	x.line = found
	return nil
}

// lineInPath finds the service whose id is in the path.
func (x *exchange) lineInPath() (*line, error) {
	if !numeric(x.id) {
		return nil, notNumeric("id")
	}
	found := x.sim.lines[x.call.ServiceID]
	if found == nil || found.Client != x.client.Name {
		return nil, notFound()
	}
	return found, nil
}

// active refuses the call if the service is canceled.
func (x *exchange) active() error {
	if !x.line.ending.cancelled(x.now) {
		return nil
	}
	return refused(subError{
		Code: "constraints.service.not.active", Message: "The service is cancelled",
		Field: serviceIDField, RejectedValue: x.line.ID,
	})
}

// modifiable applies the two rules for all modifications of a service.
func (x *exchange) modifiable() error {
	if err := x.active(); err != nil {
		return err
	}
	return x.idle()
}

// idle refuses a modification while another one is in progress.
func (x *exchange) idle() error {
	if x.line.busy(x.now) {
		return refused(subError{
			Code: "constraints.service.modification.request.in.progress", Message: "A modification is in progress",
			Field: serviceIDField, RejectedValue: x.line.ID,
		})
	}
	return nil
}

// timeline is a value over time.
type timeline[T any] []moment[T]

// moment is a value and the instant from which it applies.
type moment[T any] struct {
	At    time.Time `json:"at,omitzero"`
	Value T         `json:"value"`
}

// longestTimeline limits the number of moments. A service that changes more often loses the oldest.
const longestTimeline = 64

// startWith returns a timeline with one value for all time.
func startWith[T any](value T) timeline[T] {
	return timeline[T]{{Value: value}}
}

// at returns the value at an instant. It searches from the newest moment, because nearly all
// queries are about now.
func (t timeline[T]) at(instant time.Time) T {
	for i := len(t) - 1; i > 0; i-- {
		if !t[i].At.After(instant) {
			return t[i].Value
		}
	}
	return t[0].Value
}

// set applies a value from an instant until the next known moment.
func (t *timeline[T]) set(at time.Time, value T) {
	i := len(*t)
	for i > 1 && (*t)[i-1].At.After(at) {
		i--
	}
	*t = slices.Insert(*t, i, moment[T]{At: at, Value: value})
	if len(*t) > longestTimeline {
		*t = slices.Delete(*t, 0, 1)
	}
}
