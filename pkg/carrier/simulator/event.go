package simulator

import "time"

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

// announceAs returns the announcement of a request's end (spec §6): one kind of event if it
// completes, another if it fails.
func announceAs(completed, failed eventKind) func(*Simulator, *serviceState, *request) []eventKind {
	return func(_ *Simulator, _ *serviceState, r *request) []eventKind {
		return []eventKind{r.eventFor(completed, failed)}
	}
}

// eventFor returns the first kind if the request completes, and the second if it fails.
func (r *request) eventFor(completed, failed eventKind) eventKind {
	if r.Failure == "" {
		return completed
	}
	return failed
}

// announcePlanChange distinguishes the three uses of a plan change (spec §4): plan, restoration SLA
// or both. It must be called before the request takes effect.
func announcePlanChange(s *Simulator, svc *serviceState, r *request) []eventKind {
	body := r.body()
	wanted := planAndTerm{Name: body.text("planName"), Term: body.number(termField)}
	sla := body.text("restorationSla")
	newSLA := sla != "" && sla != svc.sla.at(r.SubmittedAt)
	var kinds []eventKind
	if wanted != svc.plan.at(r.SubmittedAt) || !newSLA {
		kinds = append(kinds, r.eventFor(planChanged(), planNotChanged()))
		if s.options.Seed.Events.Deprecated {
			kinds = append(kinds, r.eventFor(serviceModified(), serviceNotModified()))
		}
	}
	if newSLA {
		kinds = append(kinds, r.eventFor(slaChanged(), slaNotChanged()))
	}
	return kinds
}

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

// eventOrder is an order as shown in an event: with type instead of orderType, with the fields of
// the rejection, and without status, provider and fee (field notes). A field here hides the order's
// field with the same key.
type eventOrder struct {
	orderInfo

	Type           string    `json:"type"`
	ServiceID      *int64    `json:"serviceId"`
	RejectedReason string    `json:"rejectedReason"`
	RejectedOn     string    `json:"rejectedOn"`
	OrderType      *struct{} `json:"orderType,omitempty"`
	Status         *struct{} `json:"status,omitempty"`
	Provider       *struct{} `json:"provider,omitempty"`
	Fee            *struct{} `json:"fee,omitempty"`
}

// eventAppointment is an appointment that the carrier canceled.
type eventAppointment struct {
	ID      int64  `json:"id"`
	OrderID int64  `json:"orderId"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
}
