// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// MaxClient is the longest name of a client that is kept; the API server takes no longer one.
const MaxClient = 128

// Resolution is what a person said by the resolve annotation.
type Resolution struct {
	// word is the value of the annotation.
	// +kubebuilder:validation:MaxLength=256
	// +required
	Word string `json:"word"`

	// at is when the operator acted on it.
	// +optional
	At metav1.Time `json:"at,omitzero"`

	// client is the field manager that set the annotation, such as kubectl-annotate. The user is in
	// the API server's audit log.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	Client string `json:"client,omitempty"`
}
