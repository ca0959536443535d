// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Record is where the status of an object records its requests.
// +kubebuilder:object:generate=false
type Record interface {
	// RequestOf returns the newest request of an operation, or nil. The pointer points into the status.
	RequestOf(operation Operation) *Request
	// PutRequest replaces the newest request of its operation.
	PutRequest(request Request)
	// OpenRequests returns the requests that have not ended.
	OpenRequests() []*Request
	// RequestChanged updates what the status shows of requests after one of them has changed.
	RequestChanged(request Request, now metav1.Time)
	// NewestError returns the newest recorded error, or nil.
	NewestError() *LastError
	// Controls returns the control annotations that were acted on. The pointer points into the status.
	Controls() *Handled
}

// RequestOf returns the request in the status if it has this operation, or nil.
func (s *TaskStatus) RequestOf(operation Operation) *Request {
	if s.Request == nil || s.Request.Operation != operation {
		return nil
	}
	return s.Request
}

// Newest returns the newest request, or nil.
func (s *TaskStatus) Newest() *Request { return s.Request }

// PutRequest replaces the newest request.
func (s *TaskStatus) PutRequest(request Request) { s.Request = &request }

// OpenRequests returns the request if it has not ended.
func (s *TaskStatus) OpenRequests() []*Request {
	if s.Request == nil || s.Request.Phase.Ended() {
		return nil
	}
	return []*Request{s.Request}
}

// RequestChanged updates the newest error in the status after a request has changed.
func (s *TaskStatus) RequestChanged(request Request, now metav1.Time) {
	s.LastError = lastError(s.LastError, request, now)
}

// NewestError returns the newest recorded error, or nil.
func (s *TaskStatus) NewestError() *LastError { return s.LastError }

// Controls returns the control annotations that were acted on.
func (s *TaskStatus) Controls() *Handled { return &s.Handled }

// PutRequest replaces the newest request. A rejection is about an attempt that was sent before, so a
// later one drops it.
func (s *ServiceOrderStatus) PutRequest(request Request) {
	if shown := s.Request; shown != nil && shown.SubmittedAt.Before(&request.SubmittedAt) {
		s.Rejection = nil
	}
	s.TaskStatus.PutRequest(request)
}

// RequestChanged updates the newest error and the request in flight after a request has changed.
func (s *ServiceOrderStatus) RequestChanged(request Request, now metav1.Time) {
	s.TaskStatus.RequestChanged(request, now)
	s.InFlight = nil
	if request.Phase == PhaseSubmitting || request.Phase == PhaseInProgress {
		s.InFlight = &InFlight{Operation: request.Operation, Location: request.Location}
	}
}

// Record returns where the status records the request.
func (s *ServiceOrder) Record() Record { return &s.Status }

// AccountName returns the name of the CarrierAccount of the object.
func (s *ServiceOrder) AccountName() string { return s.Spec.AccountRef.Name }

// Describes returns the conditions and the generation that they describe.
func (s *ServiceOrder) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &s.Status.Conditions, &s.Status.ObservedGeneration
}

// Record returns where the status records the request.
func (a *AppointmentRequest) Record() Record { return &a.Status }

// AccountName returns the name of the CarrierAccount of the object.
func (a *AppointmentRequest) AccountName() string { return a.Spec.AccountRef.Name }

// Describes returns the conditions and the generation that they describe.
func (a *AppointmentRequest) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &a.Status.Conditions, &a.Status.ObservedGeneration
}

// Record returns where the status records the request.
func (d *DiagnosticTest) Record() Record { return &d.Status }

// AccountName returns the name of the CarrierAccount of the object.
func (d *DiagnosticTest) AccountName() string { return d.Spec.AccountRef.Name }

// Describes returns the conditions and the generation that they describe.
func (d *DiagnosticTest) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &d.Status.Conditions, &d.Status.ObservedGeneration
}

// Record returns where the status records the request.
func (f *FibreBuildQuote) Record() Record { return &f.Status }

// AccountName returns the name of the CarrierAccount of the object.
func (f *FibreBuildQuote) AccountName() string { return f.Spec.AccountRef.Name }

// Describes returns the conditions and the generation that they describe.
func (f *FibreBuildQuote) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &f.Status.Conditions, &f.Status.ObservedGeneration
}

// Record returns where the status records the request.
func (p *PlanOptionsQuery) Record() Record { return &p.Status }

// AccountName returns the name of the CarrierAccount of the object.
func (p *PlanOptionsQuery) AccountName() string { return p.Spec.AccountRef.Name }

// Describes returns the conditions and the generation that they describe.
func (p *PlanOptionsQuery) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &p.Status.Conditions, &p.Status.ObservedGeneration
}

// Record returns where the status records the request.
func (h *HealthCheck) Record() Record { return &h.Status }

// AccountName returns the name of the CarrierAccount of the object.
func (h *HealthCheck) AccountName() string { return h.Spec.AccountRef.Name }

// Describes returns the conditions and the generation that they describe.
func (h *HealthCheck) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &h.Status.Conditions, &h.Status.ObservedGeneration
}

// PutResult sets the result of the test, a JSON object; nil clears it.
func (s *DiagnosticTestStatus) PutResult(object []byte) {
	s.Result = nil
	if object != nil {
		s.Result = &runtime.RawExtension{Raw: object}
	}
}

// A one-shot names the service that it is about, if it is about one, and how long it is kept.

// NamedService returns the service's number, or a reference to the BroadbandService that has it.
func (d *DiagnosticTest) NamedService() (CarrierID, *ServiceReference) {
	return d.Spec.ServiceID, d.Spec.ServiceRef
}

// KeptFor returns how long the object is kept once it has finished; "" or "0" means forever.
func (d *DiagnosticTest) KeptFor() Duration { return d.Spec.TTLAfterFinished }

// NamedService returns no service: a quote is for a location.
func (*FibreBuildQuote) NamedService() (CarrierID, *ServiceReference) { return "", nil }

// KeptFor returns how long the object is kept once it has finished; "" or "0" means forever.
func (f *FibreBuildQuote) KeptFor() Duration { return f.Spec.TTLAfterFinished }

// NamedService returns the service's number, or a reference to the BroadbandService that has it.
func (p *PlanOptionsQuery) NamedService() (CarrierID, *ServiceReference) {
	return p.Spec.ServiceID, p.Spec.ServiceRef
}

// KeptFor returns how long the object is kept once it has finished; "" or "0" means forever.
func (p *PlanOptionsQuery) KeptFor() Duration { return p.Spec.TTLAfterFinished }

// NamedService returns the service's number, or a reference to the BroadbandService that has it.
func (h *HealthCheck) NamedService() (CarrierID, *ServiceReference) {
	return h.Spec.ServiceID, h.Spec.ServiceRef
}

// KeptFor returns how long the object is kept once it has finished; "" or "0" means forever.
func (h *HealthCheck) KeptFor() Duration { return h.Spec.TTLAfterFinished }

// RecordedTimes returns when the test ended because it is not offered.
func (d *DiagnosticTest) RecordedTimes() []metav1.Time {
	if d.Status.NotOffered == nil {
		return nil
	}
	return []metav1.Time{d.Status.NotOffered.FinishedAt}
}
