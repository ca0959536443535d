package simulator

import "time"

// serviceState is a service at the carrier. What a modification can change is a timeline or, for
// the cancellation, a few instants. Both are written when the modification is accepted, so the
// state at any instant can be looked up, and nothing has to happen at that instant.
type serviceState struct {
	Service

	plan         timeline[planAndTerm]
	sla          timeline[string]
	aggregation  timeline[string]
	profile      timeline[string]
	cancellation cancellation
	modification timeline[modification] // what is in progress
	testedUntil  time.Time              // when the last diagnostic test ends
	checkedUntil time.Time              // when the last health request ends
}

// modification is a modification in progress. Without an operation, none is in progress.
type modification struct {
	Operation Operation `json:"operation,omitempty"`
	Since     time.Time `json:"since,omitzero"`
}

// planAndTerm is a plan with its term.
type planAndTerm struct {
	Name string
	Term int64
}

// alternate reports whether the service comes from the alternate source.
func (svc *serviceState) alternate() bool { return svc.SourceType != wholesaleSource }

// busy reports whether a modification is in progress.
func (svc *serviceState) busy(now time.Time) bool { return svc.modification.at(now).Operation != "" }

// modify records that a modification is in progress from one instant to another.
func (svc *serviceState) modify(operation Operation, from, until time.Time) {
	svc.modification.set(from, modification{Operation: operation, Since: from})
	svc.modification.set(until, modification{})
}

// snapshot returns the service at an instant.
func (svc *serviceState) snapshot(now time.Time) Service {
	service, plan := svc.Service, svc.plan.at(now)
	service.Plan, service.Term = plan.Name, plan.Term
	service.RestorationSLA = svc.sla.at(now)
	service.AggregationMethod = svc.aggregation.at(now)
	service.DSLStabilityProfile = svc.profile.at(now)
	service.Cancellation = nil
	if status := svc.cancellation.status(now); status != "" {
		service.Cancellation = &Cancellation{
			Status: status, RequestDate: svc.cancellation.shown(now).Date,
			ErrorDetail: svc.cancellation.shown(now).ErrorDetail,
		}
	}
	return service
}
