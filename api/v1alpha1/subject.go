// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Described is an object of one of our kinds, whose status has conditions.
// +kubebuilder:object:generate=false
type Described interface {
	metav1.Object
	Describes() (conditions *[]metav1.Condition, observed *int64)
}

// Describes returns the conditions and the generation that they describe.
func (a *CarrierAccount) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &a.Status.Conditions, &a.Status.ObservedGeneration
}

// Record returns the service: it has a request of each operation.
func (s *BroadbandService) Record() Record { return s }

// Controls returns the control annotations that were acted on. The pointer points into the status.
func (s *BroadbandService) Controls() *Handled { return &s.Status.Handled }

// NewestError returns the newest recorded error, or nil.
func (s *BroadbandService) NewestError() *LastError { return s.Status.LastError }

// AccountName returns the name of the CarrierAccount of the service.
func (s *BroadbandService) AccountName() string { return s.Spec.AccountRef.Name }

// Describes returns the conditions and the generation that they describe.
func (s *BroadbandService) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &s.Status.Conditions, &s.Status.ObservedGeneration
}

// RecordedTimes returns when the known plan became known.
func (s *BroadbandService) RecordedTimes() []metav1.Time {
	if s.Status.Carrier == nil || s.Status.Carrier.Plan == nil {
		return nil
	}
	return []metav1.Time{s.Status.Carrier.Plan.Since}
}

// CarrierName returns the subject of an object in the carrier's terms; "" if it does not name it.
func CarrierName(object metav1.Object) string {
	switch object := object.(type) {
	case *BroadbandService:
		return numbered("service ", object.ServiceNumber())
	case *ServiceOrder:
		return "the order with reference " + object.Spec.CustomerReference
	case *AppointmentRequest:
		if id := object.Status.AppointmentRequestID; id != "" {
			return numbered("appointment-request ", id)
		}
		return numbered("order ", object.Spec.OrderID)
	}
	return ""
}

// numbered returns a noun with its number; "" if the number is not known.
func numbered(noun string, id CarrierID) string {
	if id == "" {
		return ""
	}
	return noun + string(id)
}

// ShortName returns the short name of an object's kind in kubectl; "" for a kind without one here.
func ShortName(object metav1.Object) string {
	switch object.(type) {
	case *BroadbandService:
		return "bbs"
	case *ServiceOrder:
		return "sorder"
	case *AppointmentRequest:
		return "appt"
	case *DiagnosticTest:
		return "dtest"
	case *FibreBuildQuote:
		return "fbq"
	case *PlanOptionsQuery:
		return "poq"
	case *HealthCheck:
		return "hcheck"
	}
	return ""
}
