package simulator

// eventKind is the kind of a notification, with its names in the specification and in the published
// interface.
type eventKind struct {
	name   string // spec §6; empty if only the published interface has it
	dotted string
	model  string // of z-notification-model
}

const (
	serviceModel     = "service"
	orderModel       = "order"
	appointmentModel = "appointment"
)

// The kinds of events. Those without a name are sent only in the header form.
func aggregationModified() eventKind {
	return eventKind{"ServiceAggregationModified", "service.aggregation-modified", serviceModel}
}

func aggregationNotModified() eventKind {
	return eventKind{"ServiceAggregationModificationFailed", "service.aggregation-modification-failed", serviceModel}
}

func profileChanged() eventKind {
	return eventKind{"ServiceDslStabilityProfileChanged", "service.dsl-stability-profile-changed", serviceModel}
}

func profileNotChanged() eventKind {
	return eventKind{"", "service.dsl-stability-profile-change-rejected", serviceModel}
}

func reclaimActivated() eventKind {
	return eventKind{"ServiceReclaimActivated", "service.reclaim-activated", serviceModel}
}

func reclaimFailed() eventKind { return eventKind{"", "service.reclaim-failed", serviceModel} }

func planChanged() eventKind {
	return eventKind{"ServicePlanChanged", "service.plan-changed", serviceModel}
}

func planNotChanged() eventKind {
	return eventKind{"ServicePlanChangeRejected", "service.plan-change-rejected", serviceModel}
}

func slaChanged() eventKind {
	return eventKind{"ServiceRestorationSlaChanged", "service.restoration-sla-changed", serviceModel}
}

func slaNotChanged() eventKind {
	return eventKind{"", "service.restoration-sla-change-rejected", serviceModel}
}

func serviceCancelled() eventKind { return eventKind{"", "service.cancelled", serviceModel} }

func orderRejected() eventKind { return eventKind{"OrderRejected", "order.rejected", orderModel} }

func appointmentCancelled() eventKind {
	return eventKind{"", "appointment.cancelled", appointmentModel}
}

// serviceModified and serviceNotModified are deprecated (spec §6). Only the former was observed
// with a dotted name.
func serviceModified() eventKind {
	return eventKind{"ServiceModified", "service.modified", serviceModel}
}

func serviceNotModified() eventKind {
	return eventKind{"ServiceModificationRejected", "", serviceModel}
}
