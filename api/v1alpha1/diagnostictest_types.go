// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// DiagnosticTestSpec is one test of one service. It is immutable: for another test
// create another DiagnosticTest.
// +kubebuilder:validation:XValidation:rule="has(self.serviceID) || has(self.serviceRef)",message="exactly one of serviceID and serviceRef says which service is tested",fieldPath=".serviceID",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule="!(has(self.serviceID) && has(self.serviceRef))",message="exactly one of serviceID and serviceRef says which service is tested",fieldPath=".serviceRef",reason=FieldValueForbidden
type DiagnosticTestSpec struct {
	// accountRef names the CarrierAccount that the service belongs to.
	// +required
	AccountRef AccountReference `json:"accountRef"`

	// serviceID is the carrier's number of the service.
	// +optional
	ServiceID CarrierID `json:"serviceID,omitempty"`

	// serviceRef takes the number from a BroadbandService.
	// +optional
	ServiceRef *ServiceReference `json:"serviceRef,omitempty"`

	// testType is the carrier's name of the test, for example port-reset. The carrier
	// runs it on the line at once, which may interrupt the customer.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=100
	// +required
	TestType string `json:"testType"`

	// approval is when this test needs approval: Always asks before it is sent. The carrier quotes no price for a test, so
	// OnCost does not ask. The stricter of this and the account's counts.
	// +optional
	Approval Approval `json:"approval,omitempty"`

	// ttlAfterFinished deletes the object so long after it has finished; without it
	// the object stays. For tests made by hand: one kept in Git would be made, and
	// so run, again.
	// +optional
	TTLAfterFinished Duration `json:"ttlAfterFinished,omitempty"`
}

// DiagnosticTestStatus is what became of the test.
type DiagnosticTestStatus struct {
	TaskStatus `json:",inline"`

	// ledger is the RequestLedger that has on record what was tested of the service, and the state of it
	// that is shown here.
	// +optional
	Ledger *LedgerReference `json:"ledger,omitempty"`

	// pending is what an approval is for, until the test is sent.
	// +optional
	Pending *Pending `json:"pending,omitempty"`

	// testID is the carrier's id of the test.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	TestID string `json:"testID,omitempty"`

	// active is whether the carrier still works on it.
	// +optional
	Active bool `json:"active,omitempty"`

	// stages are the steps of the test, the newest first.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=50
	// +optional
	Stages []DiagnosticStage `json:"stages,omitempty"`

	// result is what the test found, as the carrier wrote it; its form depends on
	// the test.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Result *runtime.RawExtension `json:"result,omitempty"`

	// truncated is set when the result was longer than 16 KiB, or the API server refused it, and is left out.
	// +optional
	Truncated bool `json:"truncated,omitempty"`
}

// DiagnosticStage is a step of a test.
type DiagnosticStage struct {
	// name of the step, for example completed.
	// +kubebuilder:validation:MaxLength=64
	// +required
	Name string `json:"name"`

	// reason that the carrier gave.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Reason string `json:"reason,omitempty"`

	// at is when, as the carrier wrote it: it has no offset.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	At string `json:"at,omitempty"`
}

// DiagnosticTest runs one test on one service, once, like a Job. A lost answer is never
// followed by a second test: a person decides.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=dtest,categories=broadband
// +kubebuilder:selectablefield:JSONPath=`.spec.accountRef.name`
// +kubebuilder:printcolumn:name="Test",type=string,JSONPath=`.spec.testType`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Stage",type=string,JSONPath=`.status.stages[0].name`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Location",type=string,priority=1,JSONPath=`.status.request.location`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
type DiagnosticTest struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is that of every object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is which test of which service.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a DiagnosticTest is immutable: for another test create another object",reason=FieldValueForbidden
	// +required
	Spec DiagnosticTestSpec `json:"spec"`

	// status is what became of it.
	// +kubebuilder:default={observedGeneration:-1}
	// +optional
	Status DiagnosticTestStatus `json:"status,omitzero"`
}

// DiagnosticTestList is a list of DiagnosticTests.
// +kubebuilder:object:root=true
type DiagnosticTestList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []DiagnosticTest `json:"items"`
}
