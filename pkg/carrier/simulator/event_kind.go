package simulator

import "strings"

// eventKind is the kind of a notification, by its name in the published interface. That name begins
// with the model, which is the type of the event's resource.
type eventKind string

// The kinds of events. The last two are deprecated (spec §6).
const (
	aggregationModified    eventKind = "service.aggregation-modified"
	aggregationNotModified eventKind = "service.aggregation-modification-failed"
	profileChanged         eventKind = "service.dsl-stability-profile-changed"
	profileNotChanged      eventKind = "service.dsl-stability-profile-change-rejected"
	reclaimActivated       eventKind = "service.reclaim-activated"
	reclaimFailed          eventKind = "service.reclaim-failed"
	planChanged            eventKind = "service.plan-changed"
	planNotChanged         eventKind = "service.plan-change-rejected"
	slaChanged             eventKind = "service.restoration-sla-changed"
	slaNotChanged          eventKind = "service.restoration-sla-change-rejected"
	serviceCancelled       eventKind = "service.cancelled"
	orderRejected          eventKind = "order.rejected"
	appointmentCancelled   eventKind = "appointment.cancelled"
	serviceModified        eventKind = "service.modified"
	serviceNotModified     eventKind = "service.modification-rejected"
)

const serviceModel = "service"

// model returns the value of z-notification-model.
func (k eventKind) model() string {
	model, _, _ := strings.Cut(string(k), ".")
	return model
}
