// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Described is an object of one of our kinds: its status says in conditions how it stands.
// +kubebuilder:object:generate=false
type Described interface {
	metav1.Object
	Describes() (conditions *[]metav1.Condition, observed *int64)
}

// Describes is where the conditions are, and the generation that they speak of.
func (a *CarrierAccount) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &a.Status.Conditions, &a.Status.ObservedGeneration
}

// Controls are the control annotations that were acted on. The pointer leads into the
// status.
func (s *BroadbandService) Controls() *Handled { return &s.Status.Handled }

// NewestError is the newest error on record, or nil.
func (s *BroadbandService) NewestError() *LastError { return s.Status.LastError }

// AccountName is the name of the CarrierAccount that it belongs to.
func (s *BroadbandService) AccountName() string { return s.Spec.AccountRef.Name }

// Describes is where the conditions are, and the generation that they speak of.
func (s *BroadbandService) Describes() (conditions *[]metav1.Condition, observed *int64) {
	return &s.Status.Conditions, &s.Status.ObservedGeneration
}

// ShortName is what kubectl calls an object of one of our kinds.
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
	}
	return ""
}
