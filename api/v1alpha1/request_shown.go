// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Shorten removes from the requests in the status the fields that no user needs and that the ledger
// has, too; restore puts them back.
func (s *BroadbandService) Shorten() (restore func()) {
	whole := s.Status.Requests
	s.Status.Requests = make([]Request, len(whole))
	for i := range whole {
		s.Status.Requests[i] = whole[i].short()
		if whole[i].Phase == PhaseSucceeded && whole[i].EndedBy == EndedByCarrier && whole[i].Error == nil {
			s.Status.Requests[i] = whole[i].evidence()
		}
	}
	return func() { s.Status.Requests = whole }
}

// Shorten removes the details that only the ledger needs; restore puts them back.
func (s *ServiceOrder) Shorten() (restore func()) { return s.Status.shorten((*Request).short) }

// Shorten removes the details that only the ledger needs; restore puts them back.
func (d *DiagnosticTest) Shorten() (restore func()) { return d.Status.shorten((*Request).short) }

// Shorten removes what no user needs of a succeeded query, which is not sent again.
func (f *FibreBuildQuote) Shorten() (restore func()) { return f.Status.shorten((*Request).answered) }

// Shorten removes what no user needs of a succeeded query, which is not sent again.
func (p *PlanOptionsQuery) Shorten() (restore func()) { return p.Status.shorten((*Request).answered) }

// Shorten removes what no user needs of a succeeded query, which is not sent again.
func (h *HealthCheck) Shorten() (restore func()) { return h.Status.shorten((*Request).answered) }

// Shorten removes the sender and the UID from a succeeded request. What the request was for, and
// where it was sent, stay, because they decide whether the slots in the status are still valid.
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
// price, who approved it, when it was sent, where it is polled, and how it ended. The generation is
// kept because Argo CD's retry action is offered only for a request of the present generation.
func (r *Request) short() Request {
	shown := Request{
		Operation: r.Operation, Attempt: r.Attempt, AttemptID: r.AttemptID, Repeats: r.Repeats, Generation: r.Generation,
		Target: r.Target, Plan: r.Changes(), ApprovedHash: r.ApprovedHash, ApprovedBy: r.ApprovedBy, RetriedBy: r.RetriedBy,
		Phase: r.Phase, Location: r.Location, Candidate: r.Candidate, SubmittedAt: r.SubmittedAt, FinishedAt: r.FinishedAt,
		EndedBy: r.EndedBy, ResolvedBy: r.ResolvedBy, CarrierStatus: r.CarrierStatus,
		ErrorDetail: r.ErrorDetail, Error: r.Error, Warning: r.Warning,
	}
	if !r.Phase.Ended() {
		shown.APIVersion, shown.LostSince = r.APIVersion, r.LostSince // a notification finds it by Location and version
	}
	return shown
}

// evidence returns what a status keeps of a request that was carried out. The ID and the Location
// are evidence, because a ledger that lacks either has lost data (R5).
func (r *Request) evidence() Request {
	return Request{
		Operation: r.Operation, Attempt: r.Attempt, AttemptID: r.AttemptID, Repeats: r.Repeats, Phase: r.Phase,
		Location: r.Location, Warning: r.Warning,
	}
}

// answered returns what a user can use of a query that has succeeded, and the retry that the query
// used up. Any other query is returned whole, because no ledger has it and, if it is sent again,
// the new query is compared with it.
func (r *Request) answered() Request {
	if r.Phase != PhaseSucceeded {
		return *r
	}
	shown := r.short()
	shown.Retry = r.Retry
	return shown
}
