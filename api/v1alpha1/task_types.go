// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// TaskStatus is the common status of the kinds with one request at a time.
type TaskStatus struct {
	// observedGeneration is the metadata.generation that the conditions describe.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are Ready, Reconciling and Stalled, and those specific to the kind.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// request is the newest request and its progress.
	// +optional
	Request *Request `json:"request,omitempty"`

	// handled echoes the control annotations that were acted on.
	// +optional
	Handled Handled `json:"handled,omitzero"`

	// lastError is the newest error, until its operation proceeds.
	// +optional
	LastError *LastError `json:"lastError,omitempty"`
}

// OneShotSpec is the common spec of the kinds with one request about a service. It is immutable.
// +kubebuilder:validation:XValidation:rule="has(self.serviceID) || has(self.serviceRef)",message="set exactly one of serviceID and serviceRef",fieldPath=".serviceID",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule="!(has(self.serviceID) && has(self.serviceRef))",message="set exactly one of serviceID and serviceRef",fieldPath=".serviceRef",reason=FieldValueForbidden
type OneShotSpec struct {
	// accountRef names the CarrierAccount that the service belongs to.
	// +required
	AccountRef AccountReference `json:"accountRef"`

	// serviceID is the carrier's number for the service.
	// +optional
	ServiceID CarrierID `json:"serviceID,omitempty"`

	// serviceRef takes the number from a BroadbandService.
	// +optional
	ServiceRef *ServiceReference `json:"serviceRef,omitempty"`

	// ttlAfterFinished deletes the object this long after it finished. Default: kept; "0" keeps it, too.
	// Do not set it on an object in Git: a GitOps tool would create the object again, and the request
	// would be sent again.
	// +optional
	TTLAfterFinished Duration `json:"ttlAfterFinished,omitempty"`
}

// ServiceReference names a BroadbandService in the same namespace.
type ServiceReference struct {
	// name of the BroadbandService, in the object's own namespace.
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of a BroadbandService: lower case letters and digits, with - and . between them"
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name"`
}

// LocationID is the carrier's id for a site: the letters LOC and 12 digits.
// ---
// Spec §4.
// +kubebuilder:validation:MaxLength=64
// +kubebuilder:validation:XValidation:rule="self.matches('^LOC[0-9]{12}$')",message="must be the letters LOC and 12 digits, for example LOC000012345678"
type LocationID string
