// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// HealthCheckStatus is the health of the service, as the carrier found it.
type HealthCheckStatus struct {
	TaskStatus `json:",inline"`
	Line       `json:",inline"`

	// currentCondition is the condition of the service.
	// +optional
	CurrentCondition *HealthCondition `json:"currentCondition,omitempty"`

	// nextAction is what the carrier recommends.
	// +optional
	NextAction *HealthNextAction `json:"nextAction,omitempty"`

	// indicator rates three aspects of the service.
	// +optional
	Indicator *HealthIndicator `json:"indicator,omitempty"`

	// healthCategories are the measurements, in groups.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=50
	// +optional
	HealthCategories []HealthCategory `json:"healthCategories,omitempty"`

	// requestedOn is when the carrier took the request, as the carrier wrote it.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	RequestedOn string `json:"requestedOn,omitempty"`

	// lastRefreshedOn is when the carrier measured, as the carrier wrote it.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	LastRefreshedOn string `json:"lastRefreshedOn,omitempty"`

	// plan is the name of the plan as health gives it, which may be spelled differently elsewhere.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Plan string `json:"plan,omitempty"`

	// hriID is the carrier's id for the health record.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	HRIID string `json:"hriID,omitempty"`

	// errorDetail is what the carrier says about an error of the check.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	ErrorDetail string `json:"errorDetail,omitempty"`

	// truncated is set if some or all of the response is omitted.
	// +optional
	Truncated bool `json:"truncated,omitempty"`
}

// HealthCondition is the condition of a service.
type HealthCondition struct {
	// code is the carrier's code for the condition.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Code string `json:"code,omitempty"`

	// status is a color, for example Green.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Status string `json:"status,omitempty"`

	// alertMessage of the carrier.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	AlertMessage string `json:"alertMessage,omitempty"`

	// summary of the carrier.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Summary string `json:"summary,omitempty"`
}

// HealthNextAction is an action that the carrier recommends.
type HealthNextAction struct {
	// code is the carrier's code for the action.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Code string `json:"code,omitempty"`

	// description of the action.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Description string `json:"description,omitempty"`
}

// HealthIndicator rates three aspects of a service.
type HealthIndicator struct {
	// connectivity is a color.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Connectivity string `json:"connectivity,omitempty"`

	// performance is a color.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Performance string `json:"performance,omitempty"`

	// stability is a color.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Stability string `json:"stability,omitempty"`
}

// HealthCategory is a group of measurements.
type HealthCategory struct {
	// type of the group, for example OpticalSignal or Dropouts.
	// +kubebuilder:validation:MaxLength=100
	// +required
	Type string `json:"type"`

	// items are the measurements.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Items []HealthItem `json:"items,omitempty"`
}

// HealthItem is one measurement.
type HealthItem struct {
	// type of the measurement.
	// +kubebuilder:validation:MaxLength=100
	// +required
	Type string `json:"type"`

	// id of the measurement.
	// +kubebuilder:validation:MaxLength=100
	// +optional
	ID string `json:"id,omitempty"`

	// status is a color; absent if the carrier does not rate it.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Status string `json:"status,omitempty"`

	// value as the carrier wrote it.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Value string `json:"value,omitempty"`

	// unit of the value, for example Mbps.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Unit string `json:"unit,omitempty"`
}

// HealthCheck asks once for the health of a service, with all that the carrier has measured.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=hcheck,categories=broadband
// +kubebuilder:selectablefield:JSONPath=`.spec.accountRef.name`
// +kubebuilder:printcolumn:name="Service",type=string,JSONPath=`.spec['serviceID','serviceRef.name']`
// +kubebuilder:printcolumn:name="Health",type=string,JSONPath=`.status.currentCondition.status`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Location",type=string,priority=1,JSONPath=`.status.request.location`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
type HealthCheck struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is the service.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a HealthCheck is immutable: for another check, create another object",reason=FieldValueForbidden
	// +required
	Spec OneShotSpec `json:"spec"`

	// status is the health of the service.
	// +kubebuilder:default={observedGeneration:-1}
	// +optional
	Status HealthCheckStatus `json:"status,omitzero"`
}

// HealthCheckList is a list of HealthChecks.
// +kubebuilder:object:root=true
type HealthCheckList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []HealthCheck `json:"items"`
}
