// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

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
