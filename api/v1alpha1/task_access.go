// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// The kinds with one request at a time show it to the submission protocol alike: their
// status is a TaskStatus, and so is what is said of it here.

// RequestOf is the newest request, if it is of an operation.
func (s *ServiceOrder) RequestOf(operation Operation) *Request { return s.Status.requestOf(operation) }

// PutRequest replaces the newest request.
func (s *ServiceOrder) PutRequest(request Request) { s.Status.Request = &request }

// OpenRequests is the request, as long as it has not ended.
func (s *ServiceOrder) OpenRequests() []*Request { return s.Status.open() }

// RequestChanged brings the newest error and what is in flight in line with a request that has just
// changed.
func (s *ServiceOrder) RequestChanged(request Request, now metav1.Time) {
	s.Status.changed(request, now)
	s.Status.InFlight = nil
	if request.Phase == PhaseSubmitting || request.Phase == PhaseInProgress {
		s.Status.InFlight = &InFlight{Operation: request.Operation, Location: request.Location}
	}
}

// NewestError is the newest error on record, or nil.
func (s *ServiceOrder) NewestError() *LastError { return s.Status.LastError }

// Controls are the control annotations that were acted on.
func (s *ServiceOrder) Controls() *Handled { return &s.Status.Handled }

// AccountName is the name of the CarrierAccount that it belongs to.
func (s *ServiceOrder) AccountName() string { return s.Spec.AccountRef.Name }

// Describes is where the conditions are, and the generation that they speak of.
func (s *ServiceOrder) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &s.Status.Conditions, &s.Status.ObservedGeneration
}

// RequestOf is the newest request, if it is of an operation.
func (a *AppointmentRequest) RequestOf(operation Operation) *Request {
	return a.Status.requestOf(operation)
}

// PutRequest replaces the newest request.
func (a *AppointmentRequest) PutRequest(request Request) { a.Status.Request = &request }

// OpenRequests is the request, as long as it has not ended.
func (a *AppointmentRequest) OpenRequests() []*Request { return a.Status.open() }

// RequestChanged brings the newest error in line with a request that has just changed.
func (a *AppointmentRequest) RequestChanged(request Request, now metav1.Time) {
	a.Status.changed(request, now)
}

// NewestError is the newest error on record, or nil.
func (a *AppointmentRequest) NewestError() *LastError { return a.Status.LastError }

// Controls are the control annotations that were acted on.
func (a *AppointmentRequest) Controls() *Handled { return &a.Status.Handled }

// AccountName is the name of the CarrierAccount that it belongs to.
func (a *AppointmentRequest) AccountName() string { return a.Spec.AccountRef.Name }

// Describes is where the conditions are, and the generation that they speak of.
func (a *AppointmentRequest) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &a.Status.Conditions, &a.Status.ObservedGeneration
}

// RequestOf is the newest request, if it is of an operation.
func (d *DiagnosticTest) RequestOf(operation Operation) *Request {
	return d.Status.requestOf(operation)
}

// PutRequest replaces the newest request.
func (d *DiagnosticTest) PutRequest(request Request) { d.Status.Request = &request }

// OpenRequests is the request, as long as it has not ended.
func (d *DiagnosticTest) OpenRequests() []*Request { return d.Status.open() }

// RequestChanged brings the newest error in line with a request that has just changed.
func (d *DiagnosticTest) RequestChanged(request Request, now metav1.Time) {
	d.Status.changed(request, now)
}

// NewestError is the newest error on record, or nil.
func (d *DiagnosticTest) NewestError() *LastError { return d.Status.LastError }

// Controls are the control annotations that were acted on.
func (d *DiagnosticTest) Controls() *Handled { return &d.Status.Handled }

// AccountName is the name of the CarrierAccount that it belongs to.
func (d *DiagnosticTest) AccountName() string { return d.Spec.AccountRef.Name }

// Describes is where the conditions are, and the generation that they speak of.
func (d *DiagnosticTest) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &d.Status.Conditions, &d.Status.ObservedGeneration
}

// RequestOf is the newest request, if it is of an operation.
func (f *FibreBuildQuote) RequestOf(operation Operation) *Request {
	return f.Status.requestOf(operation)
}

// PutRequest replaces the newest request.
func (f *FibreBuildQuote) PutRequest(request Request) { f.Status.Request = &request }

// OpenRequests is the request, as long as it has not ended.
func (f *FibreBuildQuote) OpenRequests() []*Request { return f.Status.open() }

// RequestChanged brings the newest error in line with a request that has just changed.
func (f *FibreBuildQuote) RequestChanged(request Request, now metav1.Time) {
	f.Status.changed(request, now)
}

// NewestError is the newest error on record, or nil.
func (f *FibreBuildQuote) NewestError() *LastError { return f.Status.LastError }

// Controls are the control annotations that were acted on.
func (f *FibreBuildQuote) Controls() *Handled { return &f.Status.Handled }

// AccountName is the name of the CarrierAccount that it belongs to.
func (f *FibreBuildQuote) AccountName() string { return f.Spec.AccountRef.Name }

// Describes is where the conditions are, and the generation that they speak of.
func (f *FibreBuildQuote) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &f.Status.Conditions, &f.Status.ObservedGeneration
}

// RequestOf is the newest request, if it is of an operation.
func (p *PlanOptionsQuery) RequestOf(operation Operation) *Request {
	return p.Status.requestOf(operation)
}

// PutRequest replaces the newest request.
func (p *PlanOptionsQuery) PutRequest(request Request) { p.Status.Request = &request }

// OpenRequests is the request, as long as it has not ended.
func (p *PlanOptionsQuery) OpenRequests() []*Request { return p.Status.open() }

// RequestChanged brings the newest error in line with a request that has just changed.
func (p *PlanOptionsQuery) RequestChanged(request Request, now metav1.Time) {
	p.Status.changed(request, now)
}

// NewestError is the newest error on record, or nil.
func (p *PlanOptionsQuery) NewestError() *LastError { return p.Status.LastError }

// Controls are the control annotations that were acted on.
func (p *PlanOptionsQuery) Controls() *Handled { return &p.Status.Handled }

// AccountName is the name of the CarrierAccount that it belongs to.
func (p *PlanOptionsQuery) AccountName() string { return p.Spec.AccountRef.Name }

// Describes is where the conditions are, and the generation that they speak of.
func (p *PlanOptionsQuery) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &p.Status.Conditions, &p.Status.ObservedGeneration
}
