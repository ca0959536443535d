// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// textRefused replaces a message of the carrier that the API server refuses.
const textRefused = "the Kubernetes API server has refused the carrier's words"

// DropFreeForm removes the carrier's free-form content from the status, so that the rest can be
// recorded when the API server refuses the whole status. IDs, phases, codes and times stay.
func (s *BroadbandService) DropFreeForm() {
	for i := range s.Status.Requests {
		s.Status.Requests[i].dropFreeForm()
	}
	s.Status.LastError.dropFreeForm()
	if health := s.Status.Health; health != nil {
		health.Alert, health.NextAction = "", ""
	}
	if disruptions := s.Status.Disruptions; disruptions != nil {
		disruptions.Current.dropFreeForm()
		disruptions.Next.dropFreeForm()
		disruptions.Truncated = disruptions.Truncated || len(disruptions.Items) > 0
		disruptions.Items = nil
	}
	if carrier := s.Status.Carrier; carrier != nil && carrier.Cancellation != nil {
		carrier.Cancellation.ErrorDetail = ""
	}
}

// DropFreeForm removes the carrier's free-form content from the status.
func (s *ServiceOrder) DropFreeForm() {
	s.Status.dropFreeForm()
	s.Status.Address = ""
	s.Status.Truncated = s.Status.Truncated || len(s.Status.Appointments) > 0
	s.Status.Appointments = nil
	s.Status.Rejection.dropFreeForm()
}

// DropFreeForm removes the carrier's free-form content from the status.
func (a *AppointmentRequest) DropFreeForm() {
	a.Status.dropFreeForm()
	a.Status.Cancelled.dropFreeForm()
}

// DropFreeForm removes the carrier's free-form content from the status.
func (d *DiagnosticTest) DropFreeForm() {
	d.Status.dropFreeForm()
	d.Status.Truncated = d.Status.Truncated || d.Status.Result != nil
	d.Status.Result = nil
	for i := range d.Status.Stages {
		d.Status.Stages[i].Reason = ""
	}
}

// DropFreeForm removes the carrier's free-form content from the status.
func (f *FibreBuildQuote) DropFreeForm() {
	f.Status.dropFreeForm()
	f.Status.Price = nil
	f.Status.Name, f.Status.Category, f.Status.Zone, f.Status.POIName = "", "", "", ""
}

// DropFreeForm removes the carrier's free-form content from the status.
func (p *PlanOptionsQuery) DropFreeForm() {
	p.Status.dropFreeForm()
	p.Status.Truncated = p.Status.Truncated || len(p.Status.Plans)+len(p.Status.SLAs) > 0
	p.Status.Plans, p.Status.SLAs = nil, nil
}

// DropFreeForm removes the carrier's free-form content from the status.
func (h *HealthCheck) DropFreeForm() {
	s := &h.Status
	s.dropFreeForm()
	if s.CurrentCondition != nil {
		s.CurrentCondition.AlertMessage, s.CurrentCondition.Summary = "", ""
	}
	s.Truncated = s.Truncated || s.CurrentCondition != nil || s.NextAction != nil || len(s.HealthCategories) > 0
	s.NextAction, s.HealthCategories, s.Plan, s.ErrorDetail = nil, nil, "", ""
}

func (s *TaskStatus) dropFreeForm() {
	if s.Request != nil {
		s.Request.dropFreeForm()
	}
	s.LastError.dropFreeForm()
}

func (r *Request) dropFreeForm() {
	r.ErrorDetail = ""
	r.Error.dropFreeForm()
}

func (e *LastError) dropFreeForm() {
	if e != nil {
		e.RequestError.dropFreeForm()
	}
}

func (e *RequestError) dropFreeForm() {
	if e == nil {
		return
	}
	e.RejectedValue = ""
	if e.Message != "" {
		e.Message = textRefused
	}
}

func (n *Notice) dropFreeForm() {
	if n != nil {
		n.Reason = ""
	}
}

func (d *Disruption) dropFreeForm() {
	if d != nil {
		d.Description = ""
	}
}
