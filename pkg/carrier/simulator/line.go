package simulator

import (
	"slices"
	"time"
)

// serviceState is a service at the carrier. Everything that a modification can change is a
// timeline, written when the modification is accepted. The state at any instant can be looked up,
// and nothing has to happen at that instant.
type serviceState struct {
	Service

	plan         timeline[planAndTerm]
	sla          timeline[string]
	aggregation  timeline[string]
	profile      timeline[string]
	cancellation cancellation
	busyUntil    time.Time // when the last accepted modification ends
	busyWith     Operation // the operation of that modification
	testedUntil  time.Time // when the last diagnostic test ends
}

// planAndTerm is a plan with its term.
type planAndTerm struct {
	Name string
	Term int64
}

// putService adds a service, or replaces the one with its id.
func (s *Simulator) putService(service Service, now time.Time) {
	svc := s.newServiceState(withDefaults(service), now)
	s.services[svc.ID] = svc
	if *svc.AVCID != "" {
		s.serviceByAVC[*svc.AVCID] = svc.ID
	}
	s.announceCancellation(svc)
}

// newServiceState returns a service in its initial state.
func (s *Simulator) newServiceState(service Service, now time.Time) *serviceState {
	return &serviceState{
		Service:      service,
		plan:         newTimeline(planAndTerm{Name: service.Plan, Term: service.Term}),
		sla:          newTimeline(service.RestorationSLA),
		aggregation:  newTimeline(service.AggregationMethod),
		profile:      newTimeline(service.DSLStabilityProfile),
		cancellation: s.cancellationOf(&service, now),
	}
}

// alternate reports whether the service comes from the alternate source.
func (svc *serviceState) alternate() bool { return svc.SourceType != wholesaleSource }

// busy reports whether a modification is in progress.
func (svc *serviceState) busy(now time.Time) bool { return now.Before(svc.busyUntil) }

// findService finds the service in the body. A service of another client does not exist (spec §7).
func (x *exchange) findService() error {
	if x.route.body != serviceIDField {
		return nil
	}
	svc := x.sim.services[x.fields.number(serviceIDField)]
	if svc == nil || svc.Client != x.client.Name {
		return notFound()
	}
	x.service = svc
	return nil
}

// serviceInPath finds the service whose id is in the path.
func (x *exchange) serviceInPath() (*serviceState, error) {
	if !numeric(x.id) {
		return nil, notNumeric("id")
	}
	svc := x.sim.services[x.call.ServiceID]
	if svc == nil || svc.Client != x.client.Name {
		return nil, notFound()
	}
	return svc, nil
}

// requireActive refuses the call if the service is canceled.
func (x *exchange) requireActive() error {
	if !x.service.cancellation.cancelled(x.now) {
		return nil
	}
	return refused(subError{
		Code: "constraints.service.not.active", Message: "The service is cancelled",
		Field: serviceIDField, RejectedValue: x.service.ID,
	})
}

// requireModifiable applies the two rules for all modifications of a service.
func (x *exchange) requireModifiable() error {
	if err := x.requireActive(); err != nil {
		return err
	}
	return x.requireIdle()
}

// requireIdle refuses a modification while another one is in progress.
func (x *exchange) requireIdle() error {
	if x.service.busy(x.now) {
		return refused(subError{
			Code: "constraints.service.modification.request.in.progress", Message: "A modification is in progress",
			Field: serviceIDField, RejectedValue: x.service.ID,
		})
	}
	return nil
}

// timeline is a value over time.
type timeline[T any] []timelineEntry[T]

// timelineEntry is a value and the instant from which it applies.
type timelineEntry[T any] struct {
	At    time.Time `json:"at,omitzero"`
	Value T         `json:"value"`
}

// maxTimeline limits the number of entries. A service that changes more often loses the oldest.
const maxTimeline = 64

// newTimeline returns a timeline with one value for all time.
func newTimeline[T any](value T) timeline[T] {
	return timeline[T]{{Value: value}}
}

// at returns the value at an instant. It searches from the newest entry, because nearly all
// queries are about now.
func (t timeline[T]) at(instant time.Time) T {
	for i := len(t) - 1; i > 0; i-- {
		if !t[i].At.After(instant) {
			return t[i].Value
		}
	}
	return t[0].Value
}

// set applies a value from an instant until the next known entry.
func (t *timeline[T]) set(at time.Time, value T) {
	i := len(*t)
	for i > 1 && (*t)[i-1].At.After(at) {
		i--
	}
	*t = slices.Insert(*t, i, timelineEntry[T]{At: at, Value: value})
	if len(*t) > maxTimeline {
		*t = slices.Delete(*t, 0, 1)
	}
}
