package simulator

import "time"

// eventService is a service as shown in an event.
type eventService struct {
	ID                  int64   `json:"id"`
	SourceType          string  `json:"sourceType"`
	TechnologyType      string  `json:"technologyType"`
	TrafficClass        string  `json:"trafficClass"`
	Plan                string  `json:"plan"`
	Term                int64   `json:"term"`
	RestorationSLA      *string `json:"restorationSla"`
	AggregationMethod   string  `json:"aggregationMethod"`
	DSLStabilityProfile string  `json:"dslStabilityProfile"`
	WholesaleServiceID  string  `json:"wholesaleServiceId"`
	LocID               string  `json:"locId"`
	AVCID               *string `json:"avcId"`
	Cancelled           bool    `json:"cancelled"`
}

// eventResource returns the service as it was when the event happened.
func (svc *serviceState) eventResource(at time.Time) eventService {
	then := svc.snapshot(at)
	return eventService{
		ID: then.ID, SourceType: then.SourceType, TechnologyType: then.TechnologyType, TrafficClass: then.TrafficClass,
		Plan: then.Plan, Term: then.Term, RestorationSLA: orNull(then.RestorationSLA),
		AggregationMethod: then.AggregationMethod, DSLStabilityProfile: then.DSLStabilityProfile,
		WholesaleServiceID: then.WholesaleServiceID, LocID: then.LocationID, AVCID: orNull(*then.AVCID),
		Cancelled: svc.cancellation.cancelled(at),
	}
}

// eventAppointment is an appointment that the carrier cancelled, and why.
type eventAppointment struct {
	appointmentInfo

	Reason string `json:"reason"`
}
