package simulator

import "cmp"

// announce schedules an event. It does nothing if the client has no callback, or if the event has
// no name in the form that the seed selects.
func (s *Simulator) announce(kind eventKind, e event) {
	holder := s.clients[e.Client]
	if holder == nil {
		return
	}
	if callback, _ := s.callbackOf(holder); callback == "" {
		return
	}
	e.Kind = kind
	e.Number = s.state.LastEvent + 1
	if s.formOf(&e) == "" {
		return
	}
	s.state.LastEvent, e.NextAt = e.Number, e.HappensAt
	s.state.Events[e.Number] = &e
}

// names returns the name of an event in spec §6 and its name in the published interface. A name is
// empty if the event has none there, or if none was ever observed.
func (k eventKind) names() (inSpecification, inHeaders string) {
	inHeaders = string(k)
	if k == serviceNotModified {
		inHeaders = ""
	}
	return map[eventKind]string{ //nolint:exhaustive // the others are sent only in the header form
		aggregationModified:    "ServiceAggregationModified",
		aggregationNotModified: "ServiceAggregationModificationFailed",
		profileChanged:         "ServiceDslStabilityProfileChanged",
		reclaimActivated:       "ServiceReclaimActivated",
		planChanged:            "ServicePlanChanged",
		planNotChanged:         "ServicePlanChangeRejected",
		slaChanged:             "ServiceRestorationSlaChanged",
		orderRejected:          "OrderRejected",
		serviceModified:        "ServiceModified",
		serviceNotModified:     "ServiceModificationRejected",
	}[k], inHeaders
}

// formOf returns the form in which an event is sent. This is the form that the seed selects, or ""
// if the event has no name in that form. Mixed alternates between the forms. If the event has a
// name in only one of them, it uses that form.
func (s *Simulator) formOf(e *event) EventForm {
	inSpecification, inHeaders := e.Kind.names()
	form := cmp.Or(s.options.Seed.Events.Form, EventsOfSpecification)
	if form == EventsMixed {
		form = EventsOfSpecification
		if inHeaders != "" && (e.Number%2 == 0 || inSpecification == "") {
			form = EventsInHeaders
		}
	}
	if form == EventsInHeaders && inHeaders == "" || form == EventsOfSpecification && inSpecification == "" {
		return ""
	}
	return form
}

// announceEnd announces the end of a request if its family has events (spec §6).
func (s *Simulator) announceEnd(fam family, svc *serviceState, r *request) {
	if fam.announce == nil {
		return
	}
	for _, kind := range fam.announce(s, svc, r) {
		s.announce(kind, event{Client: r.Client, ServiceID: r.ServiceID, RequestID: r.Number, HappensAt: r.DoneAt})
	}
}

// announceCancellation schedules the event that a service was cancelled, for the time when its
// cancellation is due. If the service is not cancelled at that time, the event is dropped.
func (s *Simulator) announceCancellation(svc *serviceState) {
	if svc.CancellationState.LastStatus == cancelRequested {
		s.announce(serviceCancelled, event{Client: svc.Client, ServiceID: svc.ID, HappensAt: svc.CancellationState.DueAt})
	}
}

// callbackOf returns the destination of a client's events and their signing secret: each is the
// client's own, else that of the options, else that of the seed. Empty means none.
func (s *Simulator) callbackOf(c *client) (callback, secret string) {
	seed := &s.options.Seed.Events
	callback = cmp.Or(c.Callback, s.options.Callback, seed.Callback)
	return callback, cmp.Or(c.CallbackSecret, s.options.CallbackSecret, seed.Secret)
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
