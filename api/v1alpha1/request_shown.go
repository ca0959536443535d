// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Shorten removes from the status what a user cannot use of its requests, because the ledger has
// it; restore puts it back.
func (s *BroadbandService) Shorten() (restore func()) {
	whole := s.Status.Requests
	s.Status.Requests = make([]Request, len(whole))
	for i := range whole {
		s.Status.Requests[i] = whole[i].short()
		if whole[i].Phase == PhaseSucceeded && whole[i].EndedBy == EndedByCarrier {
			s.Status.Requests[i] = whole[i].evidence()
		}
	}
	return func() { s.Status.Requests = whole }
}

// Shorten removes from the status what a user cannot use of its request, because the ledger has it;
// restore puts it back.
func (s *ServiceOrder) Shorten() (restore func()) { return s.Status.shorten((*Request).short) }

// Shorten removes from the status what a user cannot use of its request, because the ledger has it;
// restore puts it back.
func (d *DiagnosticTest) Shorten() (restore func()) { return d.Status.shorten((*Request).short) }

// Shorten removes from the status what a user cannot use of a request that has succeeded, because
// it is not sent again; restore puts it back.
func (f *FibreBuildQuote) Shorten() (restore func()) { return f.Status.shorten((*Request).answered) }

// Shorten removes from the status what a user cannot use of a request that has succeeded, because
// it is not sent again; restore puts it back.
func (p *PlanOptionsQuery) Shorten() (restore func()) { return p.Status.shorten((*Request).answered) }

// Shorten removes from the status what a user cannot use of a request that has succeeded, because
// it is not sent again; restore puts it back.
func (h *HealthCheck) Shorten() (restore func()) { return h.Status.shorten((*Request).answered) }

// Shorten removes from the status which process and object sent a request that has succeeded. What
// it was sent for, and to which carrier, still decides whether its slots are valid. restore puts it
// back.
func (a *AppointmentRequest) Shorten() (restore func()) {
	return a.Status.shorten(func(whole *Request) Request {
		shown := *whole
		if shown.Phase == PhaseSucceeded {
			shown.Sender, shown.UID = "", ""
		}
		return shown
	})
}

func (s *TaskStatus) shorten(shown func(*Request) Request) (restore func()) {
	whole := s.Request
	if whole != nil {
		s.Request = new(shown(whole))
	}
	return func() { s.Request = whole }
}

// short returns what a user can use of a request: what it asks for, for which generation, at what
// price, who approved it, when it was sent, where it is polled, and how it ended. Argo CD's retry
// action is offered for a request of the present generation.
func (r *Request) short() Request {
	shown := Request{
		Operation: r.Operation, Attempt: r.Attempt, AttemptID: r.AttemptID, Repeats: r.Repeats, Generation: r.Generation,
		Target: r.Target, Plan: r.Changes(), ApprovedHash: r.ApprovedHash, ApprovedBy: r.ApprovedBy, RetriedBy: r.RetriedBy,
		Phase: r.Phase, Location: r.Location, SubmittedAt: r.SubmittedAt, FinishedAt: r.FinishedAt,
		EndedBy: r.EndedBy, ResolvedBy: r.ResolvedBy, CarrierStatus: r.CarrierStatus,
		ErrorDetail: r.ErrorDetail, Error: r.Error, Warning: r.Warning,
	}
	if !r.Phase.Ended() {
		shown.APIVersion, shown.LostSince = r.APIVersion, r.LostSince // a notification finds it by its Location
	}
	return shown
}

// evidence returns what a status keeps of a request that the carrier has carried out; the history has
// the rest. A ledger that lacks this attempt, or its Location, has lost data (R5).
func (r *Request) evidence() Request {
	return Request{
		Operation: r.Operation, Attempt: r.Attempt, AttemptID: r.AttemptID, Repeats: r.Repeats, Phase: r.Phase,
		Location: r.Location, Warning: r.Warning,
	}
}

// answered returns what a user can use of a query that has been answered, and the retry that it used
// up. No ledger has a query, and one that is sent again is compared with the one before it.
func (r *Request) answered() Request {
	if r.Phase != PhaseSucceeded {
		return *r
	}
	shown := r.short()
	shown.Retry = r.Retry
	return shown
}
