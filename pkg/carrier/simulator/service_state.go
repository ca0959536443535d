package simulator

import "time"

// serviceState is a service at the carrier. Values that modifications change are timelines or, for
// the cancellation, a few instants. Both are written when the modification is accepted, so the
// state at any instant can be looked up, and nothing has to happen at that instant.
type serviceState struct {
	Service `json:"service"`

	Plans             timeline[planAndTerm]  `json:"plans"`
	SLAs              timeline[string]       `json:"slas"`
	Aggregations      timeline[string]       `json:"aggregations"`
	Profiles          timeline[string]       `json:"profiles"`
	CancellationState cancellation           `json:"cancellationState"`
	Modifications     timeline[modification] `json:"modifications"`         // what is in progress
	TestedUntil       time.Time              `json:"testedUntil,omitzero"`  // when the last diagnostic test ends
	CheckedUntil      time.Time              `json:"checkedUntil,omitzero"` // when the last health request ends
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
func (svc *serviceState) busy(now time.Time) bool { return svc.Modifications.at(now).Operation != "" }

// modify records that a modification is in progress from one instant to another.
func (svc *serviceState) modify(operation Operation, from, until time.Time) {
	svc.Modifications.set(from, modification{Operation: operation, Since: from})
	svc.Modifications.set(until, modification{})
}

// snapshot returns the service at an instant.
func (svc *serviceState) snapshot(now time.Time) Service {
	service, plan := svc.Service, svc.Plans.at(now)
	service.Plan, service.Term = plan.Name, plan.Term
	service.RestorationSLA = svc.SLAs.at(now)
	service.AggregationMethod = svc.Aggregations.at(now)
	service.DSLStabilityProfile = svc.Profiles.at(now)
	service.Cancellation = nil
	if status := svc.CancellationState.status(now); status != "" {
		service.Cancellation = &Cancellation{
			Status: status, RequestDate: svc.CancellationState.shown(now).Date,
			ErrorDetail: svc.CancellationState.shown(now).ErrorDetail,
		}
	}
	return service
}
