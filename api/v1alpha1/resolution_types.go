// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// MaxClient is the maximum length of a client's name, as in the API server.
const MaxClient = 128

// Resolution is a person's use of the resolve annotation.
type Resolution struct {
	// word is the value of the annotation.
	// +kubebuilder:validation:MaxLength=256
	// +required
	Word string `json:"word"`

	// at is when the operator acted on the annotation.
	// +optional
	At metav1.Time `json:"at,omitzero"`

	// by is the user who set the annotation, named as in approvedBy.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	By string `json:"by,omitempty"`
}
