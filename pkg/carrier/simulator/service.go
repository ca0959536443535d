package simulator

import (
	"cmp"
	"fmt"
	"time"
)

// putService adds a service, or replaces the one with its id.
func (s *Simulator) putService(service Service, now time.Time) {
	svc := s.newServiceState(withDefaults(service), now)
	s.state.Services[svc.ID] = svc
	s.announceCancellation(svc)
}

// existing returns the service with an id, nil if there is none yet.
func (s *Simulator) existing(id int64) *serviceState {
	svc := s.state.Services[id]
	if svc == nil || svc.ActivatedAt.After(s.now()) {
		return nil
	}
	return svc
}

// newServiceState returns a service in its initial state.
func (s *Simulator) newServiceState(service Service, now time.Time) *serviceState {
	return &serviceState{
		Service:           service,
		Plans:             newTimeline(planAndTerm{Name: service.Plan, Term: service.Term}),
		SLAs:              newTimeline(service.RestorationSLA),
		Aggregations:      newTimeline(service.AggregationMethod),
		Profiles:          newTimeline(service.DSLStabilityProfile),
		Modifications:     newTimeline(modification{}),
		CancellationState: s.cancellationOf(&service, now),
	}
}

// withDefaults returns the service with defaults for all ids and texts that the seed omits.
func withDefaults(s Service) Service {
	s.SourceType = cmp.Or(s.SourceType, wholesaleSource)
	s.TechnologyType = cmp.Or(s.TechnologyType, defaultTechnology)
	s.TrafficClass = cmp.Or(s.TrafficClass, defaultTrafficClass)
	s.AggregationMethod = cmp.Or(s.AggregationMethod, "L2TP")
	s.DSLStabilityProfile = cmp.Or(s.DSLStabilityProfile, standard)
	s.WholesaleServiceID = cmp.Or(s.WholesaleServiceID, fmt.Sprintf("WSI%012d", s.ID))
	s.LocationID = cmp.Or(s.LocationID, fmt.Sprintf("LOC%012d", s.ID))
	s.PRIID = cmp.Or(s.PRIID, fmt.Sprintf("PRI%012d", s.ID))
	if s.AVCID == nil {
		avc := fmt.Sprintf("AVC%012d", s.ID)
		s.AVCID = &avc
	}
	if s.Term == 0 {
		s.Term = 1
	}
	return withConnection(s)
}

// withConnection returns the service with defaults for the fields that only a read shows.
func withConnection(s Service) Service {
	s.VLANID, s.Region = cmp.Or(s.VLANID, "100"), cmp.Or(s.Region, "Urban")
	if s.POI == "" {
		s.POI, s.POIName = "4CAB", "Caboolture"
	}
	if s.InfrastructureID == "" {
		s.InfrastructureID = fmt.Sprintf("NTD%012d", s.ID)
	}
	return s
}

// cancellationOf returns the initial cancellation of a service in the seed.
func (s *Simulator) cancellationOf(service *Service, now time.Time) cancellation {
	seed := service.Cancellation
	if seed == nil {
		return cancellation{}
	}
	c := cancellation{
		LastStatus: seed.Status, Date: seed.RequestDate, RequestedOn: now, ErrorDetail: seed.ErrorDetail,
		RequestedBy: s.clients[service.Client].User, DueAt: s.dayStarts(seed.RequestDate),
	}
	if seed.Status == cancelRequested {
		c.DueAt = s.cancellationDue(seed.RequestDate, now)
	}
	if seed.Status == cancelAborted {
		c.AbortedOn, c.AbortedBy = now, c.RequestedBy
	}
	return c
}

// cancellationDue returns when a cancellation requested now is carried out: on its date, but not
// before the delay of a reschedule has passed. Without the delay, a cancellation for today could be
// neither changed nor aborted.
func (s *Simulator) cancellationDue(day string, now time.Time) time.Time {
	soonest, starts := now.Add(s.delay(OpCancellationReschedule, 0)), s.dayStarts(day)
	if starts.Before(soonest) {
		return soonest
	}
	return starts
}
