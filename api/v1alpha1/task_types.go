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
