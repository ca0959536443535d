package simulator

import "time"

// eventResource returns the service as it was when the event happened.
func (svc *serviceState) eventResource(at time.Time) resource {
	then := svc.snapshot(at)
	return resource{
		"id": then.ID, "sourceType": then.SourceType, "technologyType": then.TechnologyType,
		"trafficClass": then.TrafficClass, "plan": then.Plan, termField: then.Term,
		"restorationSla": orNull(then.RestorationSLA), "aggregationMethod": then.AggregationMethod,
		"dslStabilityProfile": then.DSLStabilityProfile, "wholesaleServiceId": then.WholesaleServiceID,
		"locId": then.LocationID, "avcId": orNull(*then.AVCID), "cancelled": svc.cancellation.cancelled(at),
	}
}
