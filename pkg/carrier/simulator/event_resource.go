package simulator

import (
	"encoding/json"
	"time"
)

// event is a notification that waits for its time, or for another attempt. Without a Resource, it
// has only references, and its content is read when it is sent.
type event struct {
	Number    int64     `json:"number"`
	Kind      eventKind `json:"kind"`
	Client    string    `json:"client"`
	ServiceID int64     `json:"serviceId,omitempty"`
	OrderID   int64     `json:"orderId,omitempty"`
	RequestID int64     `json:"requestId,omitempty"`
	HappensAt time.Time `json:"happensAt"`
	// Resource is the subject of the event; nil if the subject is the service.
	Resource json.RawMessage `json:"resource,omitempty"`
	Attempts int             `json:"attempts,omitempty"`
	NextAt   time.Time       `json:"nextAt"`

	isSent bool // it is being sent at the moment
}

// eventResource returns the service as it was when the event happened.
func (svc *serviceState) eventResource(at time.Time) resource {
	then := svc.snapshot(at)
	return resource{
		"id": then.ID, "sourceType": then.SourceType, "technologyType": then.TechnologyType,
		"trafficClass": then.TrafficClass, "plan": then.Plan, termField: then.Term,
		"restorationSla": orNull(then.RestorationSLA), "aggregationMethod": then.AggregationMethod,
		"dslStabilityProfile": then.DSLStabilityProfile, "wholesaleServiceId": then.WholesaleServiceID,
		"locId": then.LocationID, "avcId": orNull(*then.AVCID), "cancelled": svc.CancellationState.cancelled(at),
	}
}
