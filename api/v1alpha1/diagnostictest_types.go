// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// DiagnosticTestSpec is one test of one service. It is immutable: for another test,
// create another DiagnosticTest.
type DiagnosticTestSpec struct {
	OneShotSpec `json:",inline"`

	// testType is the carrier's name for the test, for example port-reset. The carrier runs the test
	// on the line immediately, which may interrupt the customer.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=100
	// +required
	TestType string `json:"testType"`

	// approval says when this test needs approval. Only Always requires it; OnCost does not apply,
	// because tests have no quoted price. The stricter of this value and the account's (default)
	// applies.
	// +optional
	Approval Approval `json:"approval,omitempty"`
}

// DiagnosticTestStatus is the outcome of the test.
type DiagnosticTestStatus struct {
	TaskStatus `json:",inline"`

	// ledger names the RequestLedger of the service's tests, and its revision that this status shows.
	// +optional
	Ledger *LedgerReference `json:"ledger,omitempty"`

	// pending is what to approve, until the test is sent.
	// +optional
	Pending *Pending `json:"pending,omitempty"`

	// notOffered is set if the test was not sent, because the carrier does not offer it.
	// +optional
	NotOffered *NotOffered `json:"notOffered,omitempty"`

	// testID is the carrier's id for the test.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	TestID string `json:"testID,omitempty"`

	// active is whether the carrier is still working on the test.
	// +optional
	Active bool `json:"active,omitempty"`

	// stages are the steps of the test, newest first.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=50
	// +optional
	Stages []DiagnosticStage `json:"stages,omitempty"`

	// result is the test's result as the carrier wrote it; its form depends on the test.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Result *runtime.RawExtension `json:"result,omitempty"`

	// truncated is set if the result is over 16 KiB or refused by the API server, and so is omitted.
	// +optional
	Truncated bool `json:"truncated,omitempty"`
}

// NotOffered records what the carrier offered instead of a test.
type NotOffered struct {
	// finishedAt is when the test ended.
	// +required
	FinishedAt metav1.Time `json:"finishedAt"`

	// offered are the tests that the carrier offered for the service, at most ten.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:items:MaxLength=64
	// +optional
	Offered []string `json:"offered,omitempty"`

	// count is the number of tests that the carrier offered.
	// +optional
	Count int32 `json:"count,omitempty"`
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

	// at is the time of the step, as the carrier wrote it, without offset.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	At string `json:"at,omitempty"`
}

// DiagnosticTest runs one test on one service, once, like a Job. If the response is lost, no second
// test is sent until a person decides.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=dtest,categories=broadband
// +kubebuilder:selectablefield:JSONPath=`.spec.accountRef.name`
// +kubebuilder:printcolumn:name="Service",type=string,JSONPath=`.spec['serviceID','serviceRef.name']`
// +kubebuilder:printcolumn:name="Test",type=string,JSONPath=`.spec.testType`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Stage",type=string,JSONPath=`.status.stages[0].name`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Location",type=string,priority=1,JSONPath=`.status.request.location`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
type DiagnosticTest struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is the test and its service.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a DiagnosticTest is immutable: for another test, create another object",reason=FieldValueForbidden
	// +required
	Spec DiagnosticTestSpec `json:"spec"`

	// status is the outcome.
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
