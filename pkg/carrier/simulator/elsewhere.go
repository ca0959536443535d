package simulator

import (
	"fmt"
	"slices"
	"time"
)

// Modification is a modification of a service that somebody else requested, such as a person in the
// carrier's portal. An empty field means that the service keeps its value.
type Modification struct {
	ServiceID int64 `json:"serviceId"`
	// Operation is the requested operation: PlanChange, AggregationConversion,
	// DSLStabilityProfileChange or Reclaim.
	Operation Operation `json:"operation"`
	// For is how long the modification takes.
	For                 Duration `json:"for"`
	Plan                string   `json:"plan,omitempty"`
	RestorationSLA      string   `json:"restorationSla,omitempty"`
	AggregationMethod   string   `json:"aggregationMethod,omitempty"`
	DSLStabilityProfile string   `json:"dslStabilityProfile,omitempty"`
}

// ModifyElsewhere starts a modification that somebody else requested. It sends no event, and only a
// read of the service shows the modification. It fails while another modification is in progress.
func (s *Simulator) ModifyElsewhere(m Modification) error {
	modifying := []Operation{OpPlanChange, OpAggregationConversion, OpDSLStabilityProfileChange, OpReclaim}
	if !slices.Contains(modifying, m.Operation) || m.For < 0 {
		return fmt.Errorf("%q for %s is no modification", m.Operation, time.Duration(m.For))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	now, svc := s.now(), s.existing(m.ServiceID)
	switch {
	case svc == nil:
		return fmt.Errorf("there is no service %d", m.ServiceID)
	case svc.busy(now):
		return fmt.Errorf("a modification of service %d is in progress", m.ServiceID)
	}
	svc.modifyElsewhere(m, now, now.Add(time.Duration(m.For)))
	return nil
}

func (svc *serviceState) modifyElsewhere(m Modification, from, until time.Time) {
	svc.modify(m.Operation, from, until)
	if m.Plan != "" {
		svc.Plans.set(until, planAndTerm{Name: m.Plan, Term: svc.Plans.at(from).Term})
	}
	if m.RestorationSLA != "" {
		svc.SLAs.set(until, m.RestorationSLA)
	}
	if m.AggregationMethod != "" {
		svc.Aggregations.set(until, m.AggregationMethod)
	}
	if m.DSLStabilityProfile != "" {
		svc.Profiles.set(until, m.DSLStabilityProfile)
	}
	if m.Operation == OpReclaim {
		svc.CancellationState.ReclaimedAt = until
	}
}
