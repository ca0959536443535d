// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Notice is the part of a notification from the carrier that no read of the carrier's API shows.
// ---
// Spec §6.
type Notice struct {
	// event is the notification's name, for example OrderRejected.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Event string `json:"event,omitempty"`

	// reason as the carrier gave it.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Reason string `json:"reason,omitempty"`

	// unverified is set when the notification was not signed.
	// +optional
	Unverified bool `json:"unverified,omitempty"`

	// at is when it was recorded.
	// +optional
	At metav1.Time `json:"at,omitzero"`
}
