package carrier

import (
	"cmp"
	"slices"
	"strings"
)

// EventName names a notification of the carrier, as the specification spells it (spec §6). A
// notification is a hint to look, never proof of an outcome.
type EventName string

// The events of the specification (spec §6), then those seen beside it.
const (
	EventAggregationModified           EventName = "ServiceAggregationModified"           // converted
	EventAggregationModificationFailed EventName = "ServiceAggregationModificationFailed" // not converted
	EventDSLProfileChanged             EventName = "ServiceDslStabilityProfileChanged"    // changed as requested
	EventReclaimActivated              EventName = "ServiceReclaimActivated"              // a reclaim was accepted
	EventPlanChanged                   EventName = "ServicePlanChanged"                   // a plan change was accepted
	EventPlanChangeRejected            EventName = "ServicePlanChangeRejected"            // a plan change was rejected
	EventRestorationSLAChanged         EventName = "ServiceRestorationSlaChanged"         // an SLA change was accepted
	EventOrderRejected                 EventName = "OrderRejected"                        // a submitted order was rejected

	EventServiceModified             EventName = "ServiceModified"             // deprecated: use ServicePlanChanged
	EventServiceModificationRejected EventName = "ServiceModificationRejected" // deprecated: use ServicePlanChangeRejected

	EventRestorationSLAChangeRejected EventName = "ServiceRestorationSlaChangeRejected"      // it was rejected
	EventDSLProfileChangeRejected     EventName = "ServiceDslStabilityProfileChangeRejected" // it was rejected
	EventReclaimFailed                EventName = "ServiceReclaimFailed"                     // a reclaim failed
	EventCancelled                    EventName = "ServiceCancelled"                         // the service was cancelled
	EventCancellationRejected         EventName = "ServiceCancellationRejected"              // a cancellation was rejected
	EventAppointmentCancelled         EventName = "AppointmentCancelled"                     // it was cancelled
)

// EventNames returns every name that is known.
func EventNames() []EventName {
	return []EventName{
		EventAggregationModified, EventAggregationModificationFailed, EventDSLProfileChanged, EventReclaimActivated,
		EventPlanChanged, EventPlanChangeRejected, EventRestorationSLAChanged, EventOrderRejected,
		EventServiceModified, EventServiceModificationRejected,
		EventRestorationSLAChangeRejected, EventDSLProfileChangeRejected, EventReclaimFailed, EventCancelled,
		EventCancellationRejected, EventAppointmentCancelled,
	}
}

// Deprecated tells whether the specification announces the end of the event.
func (n EventName) Deprecated() bool {
	return n == EventServiceModified || n == EventServiceModificationRejected
}

// maxEventName bounds what is looked at of a header.
const maxEventName = 128

// ParseEventName recognizes an event by its name in the specification, ServicePlanChanged, and by
// the dotted form of the published interface, service.plan-changed, with or without .event or
// .notification at its end. Case does not matter. It returns false for a name that nobody knows.
func ParseEventName(name string) (EventName, bool) {
	if len(name) > maxEventName {
		return "", false
	}
	folded := strings.ToLower(strings.TrimSpace(name))
	folded = strings.TrimSuffix(strings.TrimSuffix(folded, ".event"), ".notification")
	folded = strings.NewReplacer(".", "", "-", "").Replace(folded)
	names := EventNames()
	i := slices.IndexFunc(names, func(known EventName) bool { return strings.EqualFold(string(known), folded) })
	if i < 0 {
		return "", false
	}
	return names[i], true
}

// EventHint is what a payload says about whom it concerns. The shapes of payloads are not
// documented: every id may be missing, and an id called id may be that of a service, an order or a
// request.
type EventHint struct {
	ID                int64  // the resource's own
	ServiceID         int64  // serviceId, or the id of an object called service
	OrderID           int64  // orderId, or the id of an object called order
	CustomerReference string // of an order; sanitized
	LocationID        string // sanitized
	RejectedReason    string // of an order; sanitized
}

// wireEvent are the keys under which ids are seen, in the bare resource and one level below it.
type wireEvent struct {
	ID                int64     `json:"id"`
	ServiceID         int64     `json:"serviceId"`
	OrderID           int64     `json:"orderId"`
	CustomerRef       string    `json:"customerRef"`
	CustomerReference string    `json:"customerReference"`
	LocID             string    `json:"locId"`
	LocationID        string    `json:"locationId"`
	RejectedReason    string    `json:"rejectedReason"`
	Service           wireOwner `json:"service"`
	Order             wireOwner `json:"order"`
}

type wireOwner struct {
	ID int64 `json:"id"`
}

// ReadEvent finds the ids in a payload. It returns false when the payload is not one JSON object,
// or gives an id in two ways.
func ReadEvent(payload []byte) (EventHint, bool) {
	var wire wireEvent
	if len(payload) > maxBodyBytes || readObject(payload, &wire) != nil {
		return EventHint{}, false
	}
	return EventHint{
		ID:                wire.ID,
		ServiceID:         cmp.Or(wire.ServiceID, wire.Service.ID),
		OrderID:           cmp.Or(wire.OrderID, wire.Order.ID),
		CustomerReference: clean(cmp.Or(wire.CustomerReference, wire.CustomerRef), maxName),
		LocationID:        clean(cmp.Or(wire.LocationID, wire.LocID), maxName),
		RejectedReason:    scrubber(nil).message(wire.RejectedReason, maxMessage),
	}, true
}
