// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Kinds with one request at a time have a TaskStatus in their status. These methods give the
// submission protocol the same access to each of them.

// RequestOf returns the newest request if it has this operation, or nil.
func (s *ServiceOrder) RequestOf(operation Operation) *Request { return s.Status.requestOf(operation) }

// PutRequest replaces the newest request. A rejection is about an attempt that was sent before, so a
// later one drops it.
func (s *ServiceOrder) PutRequest(request Request) {
	if shown := s.Status.Request; shown != nil && shown.SubmittedAt.Before(&request.SubmittedAt) {
		s.Status.Rejection = nil
	}
	s.Status.Request = &request
}

// OpenRequests returns the request if it has not ended.
func (s *ServiceOrder) OpenRequests() []*Request { return s.Status.open() }

// RequestChanged updates the newest error and the request in flight in the status after a request
// has changed.
func (s *ServiceOrder) RequestChanged(request Request, now metav1.Time) {
	s.Status.changed(request, now)
	s.Status.InFlight = nil
	if request.Phase == PhaseSubmitting || request.Phase == PhaseInProgress {
		s.Status.InFlight = &InFlight{Operation: request.Operation, Location: request.Location}
	}
}

// NewestError returns the newest recorded error, or nil.
func (s *ServiceOrder) NewestError() *LastError { return s.Status.LastError }

// Controls returns the control annotations that were acted on.
func (s *ServiceOrder) Controls() *Handled { return &s.Status.Handled }

// AccountName returns the name of the CarrierAccount of the object.
func (s *ServiceOrder) AccountName() string { return s.Spec.AccountRef.Name }

// Describes returns the conditions and the generation that they describe.
func (s *ServiceOrder) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &s.Status.Conditions, &s.Status.ObservedGeneration
}

// RequestOf returns the newest request if it has this operation, or nil.
func (a *AppointmentRequest) RequestOf(operation Operation) *Request {
	return a.Status.requestOf(operation)
}

// PutRequest replaces the newest request.
func (a *AppointmentRequest) PutRequest(request Request) { a.Status.Request = &request }

// OpenRequests returns the request if it has not ended.
func (a *AppointmentRequest) OpenRequests() []*Request { return a.Status.open() }

// RequestChanged updates the newest error in the status after a request has changed.
func (a *AppointmentRequest) RequestChanged(request Request, now metav1.Time) {
	a.Status.changed(request, now)
}

// NewestError returns the newest recorded error, or nil.
func (a *AppointmentRequest) NewestError() *LastError { return a.Status.LastError }

// Controls returns the control annotations that were acted on.
func (a *AppointmentRequest) Controls() *Handled { return &a.Status.Handled }

// AccountName returns the name of the CarrierAccount of the object.
func (a *AppointmentRequest) AccountName() string { return a.Spec.AccountRef.Name }

// Describes returns the conditions and the generation that they describe.
func (a *AppointmentRequest) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &a.Status.Conditions, &a.Status.ObservedGeneration
}

// RequestOf returns the newest request if it has this operation, or nil.
func (d *DiagnosticTest) RequestOf(operation Operation) *Request {
	return d.Status.requestOf(operation)
}

// PutRequest replaces the newest request.
func (d *DiagnosticTest) PutRequest(request Request) { d.Status.Request = &request }

// OpenRequests returns the request if it has not ended.
func (d *DiagnosticTest) OpenRequests() []*Request { return d.Status.open() }

// RequestChanged updates the newest error in the status after a request has changed.
func (d *DiagnosticTest) RequestChanged(request Request, now metav1.Time) {
	d.Status.changed(request, now)
}

// NewestError returns the newest recorded error, or nil.
func (d *DiagnosticTest) NewestError() *LastError { return d.Status.LastError }

// Controls returns the control annotations that were acted on.
func (d *DiagnosticTest) Controls() *Handled { return &d.Status.Handled }

// AccountName returns the name of the CarrierAccount of the object.
func (d *DiagnosticTest) AccountName() string { return d.Spec.AccountRef.Name }

// Describes returns the conditions and the generation that they describe.
func (d *DiagnosticTest) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &d.Status.Conditions, &d.Status.ObservedGeneration
}

// RequestOf returns the newest request if it has this operation, or nil.
func (f *FibreBuildQuote) RequestOf(operation Operation) *Request {
	return f.Status.requestOf(operation)
}

// PutRequest replaces the newest request.
func (f *FibreBuildQuote) PutRequest(request Request) { f.Status.Request = &request }

// OpenRequests returns the request if it has not ended.
func (f *FibreBuildQuote) OpenRequests() []*Request { return f.Status.open() }

// RequestChanged updates the newest error in the status after a request has changed.
func (f *FibreBuildQuote) RequestChanged(request Request, now metav1.Time) {
	f.Status.changed(request, now)
}

// NewestError returns the newest recorded error, or nil.
func (f *FibreBuildQuote) NewestError() *LastError { return f.Status.LastError }

// Controls returns the control annotations that were acted on.
func (f *FibreBuildQuote) Controls() *Handled { return &f.Status.Handled }

// AccountName returns the name of the CarrierAccount of the object.
func (f *FibreBuildQuote) AccountName() string { return f.Spec.AccountRef.Name }

// Describes returns the conditions and the generation that they describe.
func (f *FibreBuildQuote) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &f.Status.Conditions, &f.Status.ObservedGeneration
}

// RequestOf returns the newest request if it has this operation, or nil.
func (p *PlanOptionsQuery) RequestOf(operation Operation) *Request {
	return p.Status.requestOf(operation)
}

// PutRequest replaces the newest request.
func (p *PlanOptionsQuery) PutRequest(request Request) { p.Status.Request = &request }

// OpenRequests returns the request if it has not ended.
func (p *PlanOptionsQuery) OpenRequests() []*Request { return p.Status.open() }

// RequestChanged updates the newest error in the status after a request has changed.
func (p *PlanOptionsQuery) RequestChanged(request Request, now metav1.Time) {
	p.Status.changed(request, now)
}

// NewestError returns the newest recorded error, or nil.
func (p *PlanOptionsQuery) NewestError() *LastError { return p.Status.LastError }

// Controls returns the control annotations that were acted on.
func (p *PlanOptionsQuery) Controls() *Handled { return &p.Status.Handled }

// AccountName returns the name of the CarrierAccount of the object.
func (p *PlanOptionsQuery) AccountName() string { return p.Spec.AccountRef.Name }

// Describes returns the conditions and the generation that they describe.
func (p *PlanOptionsQuery) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &p.Status.Conditions, &p.Status.ObservedGeneration
}

// RequestOf returns the newest request if it has this operation, or nil.
func (h *HealthCheck) RequestOf(operation Operation) *Request { return h.Status.requestOf(operation) }

// PutRequest replaces the newest request.
func (h *HealthCheck) PutRequest(request Request) { h.Status.Request = &request }

// OpenRequests returns the request if it has not ended.
func (h *HealthCheck) OpenRequests() []*Request { return h.Status.open() }

// RequestChanged updates the newest error in the status after a request has changed.
func (h *HealthCheck) RequestChanged(request Request, now metav1.Time) {
	h.Status.changed(request, now)
}

// NewestError returns the newest recorded error, or nil.
func (h *HealthCheck) NewestError() *LastError { return h.Status.LastError }

// Controls returns the control annotations that were acted on.
func (h *HealthCheck) Controls() *Handled { return &h.Status.Handled }

// AccountName returns the name of the CarrierAccount of the object.
func (h *HealthCheck) AccountName() string { return h.Spec.AccountRef.Name }

// Describes returns the conditions and the generation that they describe.
func (h *HealthCheck) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &h.Status.Conditions, &h.Status.ObservedGeneration
}
