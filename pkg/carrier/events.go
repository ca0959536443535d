package carrier

import (
	"cmp"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/jsondoc"
)

// EventName is the name of a notification of the carrier, in the specification's spelling (spec
// §6). A notification is a hint to check, never proof of an outcome.
type EventName string

// The events of the specification (spec §6), followed by those observed outside it.
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

	EventRestorationSLAChangeRejected EventName = "ServiceRestorationSlaChangeRejected"      // an SLA change was rejected
	EventDSLProfileChangeRejected     EventName = "ServiceDslStabilityProfileChangeRejected" // a change was rejected
	EventReclaimFailed                EventName = "ServiceReclaimFailed"                     // a reclaim failed
	EventCancelled                    EventName = "ServiceCancelled"                         // the service was cancelled
	EventCancellationRejected         EventName = "ServiceCancellationRejected"              // a cancellation was rejected
	EventAppointmentCancelled         EventName = "AppointmentCancelled"                     // it was cancelled
	EventHealthAccepted               EventName = "ServiceHealthAccepted"                    // a request was accepted
	EventHealthCompleted              EventName = "ServiceHealthCompleted"                   // the request has a result
	EventHealthFailed                 EventName = "ServiceHealthFailed"                      // the request has no result
)

// EventNames returns all known names.
func EventNames() []EventName {
	return []EventName{
		EventAggregationModified, EventAggregationModificationFailed, EventDSLProfileChanged, EventReclaimActivated,
		EventPlanChanged, EventPlanChangeRejected, EventRestorationSLAChanged, EventOrderRejected,
		EventServiceModified, EventServiceModificationRejected,
		EventRestorationSLAChangeRejected, EventDSLProfileChangeRejected, EventReclaimFailed, EventCancelled,
		EventCancellationRejected, EventAppointmentCancelled,
		EventHealthAccepted, EventHealthCompleted, EventHealthFailed,
	}
}

// maxEventName is the maximum length of an event name in a header.
const maxEventName = 128

// ParseEventName recognizes an event by its name in the specification, such as ServicePlanChanged,
// or in the published interface, such as service.plan-changed or serviceHealth-failed, with or
// without the suffix .event or .notification. Case does not matter. It returns false for an unknown
// name.
func ParseEventName(name string) (EventName, bool) {
	if len(name) > maxEventName {
		return "", false
	}
	normalized := strings.ToLower(strings.TrimSpace(name))
	normalized = strings.TrimSuffix(strings.TrimSuffix(normalized, ".event"), ".notification")
	normalized = strings.NewReplacer(".", "", "-", "").Replace(normalized)
	names := EventNames()
	i := slices.IndexFunc(names, func(known EventName) bool { return strings.EqualFold(string(known), normalized) })
	if i < 0 {
		return "", false
	}
	return names[i], true
}

// EventHint has the ids that a payload contains. The shapes of payloads are not documented: any id
// may be missing, and a field named id may identify a service, an order or a request.
type EventHint struct {
	Name              string // the event's name, if the payload has it; sanitized
	ID                int64  // the resource's own
	ServiceID         int64  // serviceId, or the id of an object named service
	OrderID           int64  // orderId, or the id of an object named order, or of an appointment's order
	RequestID         int64  // requestId
	CustomerReference string // of an order; sanitized
	LocationID        string // sanitized
	Reason            string // why an order was rejected or an appointment cancelled; sanitized
}

// wireEvent is the envelope of a resource, if there is one.
type wireEvent struct {
	EventType   string       `json:"eventType"`
	ServiceID   givenIDs     `json:"serviceId"`
	RequestID   givenIDs     `json:"requestId"`
	Service     wireResource `json:"service"`
	Order       wireResource `json:"order"`
	Appointment wireResource `json:"appointment"`
}

// wireResource has the fields of a service, an order or an appointment that a hint needs.
type wireResource struct {
	ID                givenIDs `json:"id"`
	OrderID           givenIDs `json:"orderId"`
	CustomerRef       string   `json:"customerRef"`
	CustomerReference string   `json:"customerReference"`
	LocID             string   `json:"locId"`
	LocationID        string   `json:"locationId"`
	RejectedReason    string   `json:"rejectedReason"`
	Reason            string   `json:"reason"`
}

func (r *wireResource) reference() string { return cmp.Or(r.CustomerReference, r.CustomerRef) }
func (r *wireResource) location() string  { return cmp.Or(r.LocationID, r.LocID) }
func (r *wireResource) reason() string    { return cmp.Or(r.RejectedReason, r.Reason) }

// givenIDs are the numbers under a key, which may occur twice. An id that is not a whole number,
// such as the sender's id for the notification, identifies none of our objects and is ignored.
type givenIDs []int64

func (g *givenIDs) readWire(d jsondoc.Value) {
	if id, ok := wholeNumber(d); ok {
		*g = append(*g, id)
	}
}

// ReadEvent finds the ids in a payload. It returns false if the payload is not one JSON object, or
// gives conflicting ids.
func ReadEvent(payload []byte) (EventHint, bool) {
	var wire wireEvent
	var bare wireResource
	if len(payload) > maxBodyBytes || readObject(payload, &wire) != nil || readObject(payload, &bare) != nil {
		return EventHint{}, false
	}
	id, oneID := agreedID(bare.ID)
	serviceID, oneService := agreedID(wire.ServiceID, wire.Service.ID)
	orderID, oneOrder := agreedID(bare.OrderID, wire.Order.ID, wire.Appointment.OrderID)
	requestID, oneRequest := agreedID(wire.RequestID)
	if !oneID || !oneService || !oneOrder || !oneRequest {
		return EventHint{}, false
	}
	reason := cmp.Or(bare.reason(), wire.Order.reason(), wire.Appointment.reason())
	return EventHint{
		Name:              sanitize(wire.EventType, maxEventName),
		ID:                id,
		ServiceID:         serviceID,
		OrderID:           orderID,
		RequestID:         requestID,
		CustomerReference: sanitize(cmp.Or(bare.reference(), wire.Order.reference()), maxName),
		LocationID:        sanitize(cmp.Or(bare.location(), wire.Service.location(), wire.Order.location()), maxName),
		Reason:            scrubber(nil).message(reason, maxMessage),
	}, true
}

// agreedID returns the id that is given in one or several places, zero if there is none. It returns
// false if several places give different ids.
func agreedID(places ...givenIDs) (int64, bool) {
	var id int64
	for _, given := range slices.Concat(places...) {
		if given != 0 && id != 0 && given != id {
			return 0, false
		}
		id = cmp.Or(id, given)
	}
	return id, true
}
