// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PlanOptionsQueryStatus lists the plans and SLAs on offer.
type PlanOptionsQueryStatus struct {
	TaskStatus `json:",inline"`

	// plans that the service can have.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=200
	// +optional
	Plans []PlanOption `json:"plans,omitempty"`

	// slas are the available restoration SLAs.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=50
	// +optional
	SLAs []SLAOption `json:"slas,omitempty"`

	// truncated is set if some or all options are omitted.
	// +optional
	Truncated bool `json:"truncated,omitempty"`
}

// PlanOption is a plan on offer.
type PlanOption struct {
	// name of the plan.
	// +kubebuilder:validation:MaxLength=200
	// +required
	Name string `json:"name"`

	// term as the carrier writes it, in months.
	// +kubebuilder:validation:MaxLength=32
	// +optional
	Term string `json:"term,omitempty"`

	// accessTechnology is for example FTTP.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	AccessTechnology string `json:"accessTechnology,omitempty"`

	// speedDown with its unit.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	SpeedDown string `json:"speedDown,omitempty"`

	// speedUp with its unit.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	SpeedUp string `json:"speedUp,omitempty"`

	// oneTime is the plan's one-time fee.
	// +optional
	OneTime *Money `json:"oneTime,omitempty"`

	// monthly is the plan's monthly fee.
	// +optional
	Monthly *Money `json:"monthly,omitempty"`

	// nfasOneTime is the one-time NFAS commitment fee.
	// +optional
	NFASOneTime *Money `json:"nfasOneTime,omitempty"`

	// nfasMonthly is the monthly NFAS commitment fee.
	// +optional
	NFASMonthly *Money `json:"nfasMonthly,omitempty"`

	// sourceType names the source of the connection.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	SourceType string `json:"sourceType,omitempty"`

	// requiresAdditionalNTD is whether another NTD is needed; absent if not stated.
	// +optional
	RequiresAdditionalNTD *bool `json:"requiresAdditionalNTD,omitempty"`

	// requiresAdditionalNTDReason is why another NTD is needed.
	// +kubebuilder:validation:MaxLength=100
	// +optional
	RequiresAdditionalNTDReason string `json:"requiresAdditionalNTDReason,omitempty"`

	// ntdOptions are the NTDs available with the plan.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	// +optional
	NTDOptions []NTDOptionOffer `json:"ntdOptions,omitempty"`
}

// NTDOptionOffer is a network termination device on offer.
type NTDOptionOffer struct {
	// option is the carrier's name for the device.
	// +kubebuilder:validation:MaxLength=100
	// +required
	Option string `json:"option"`

	// recommended by the carrier.
	// +optional
	Recommended bool `json:"recommended,omitempty"`

	// oneTime fee.
	// +optional
	OneTime *Money `json:"oneTime,omitempty"`

	// monthly fee.
	// +optional
	Monthly *Money `json:"monthly,omitempty"`
}

// SLAOption is a restoration SLA on offer.
type SLAOption struct {
	// name of the SLA.
	// +kubebuilder:validation:MaxLength=200
	// +required
	Name string `json:"name"`

	// oneTime fee.
	// +optional
	OneTime *Money `json:"oneTime,omitempty"`

	// monthly fee.
	// +optional
	Monthly *Money `json:"monthly,omitempty"`
}

// PlanOptionsQuery asks once which plans and SLAs a service can have, and at what price.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=planoptionsqueries,shortName=poq,categories=broadband
// +kubebuilder:selectablefield:JSONPath=`.spec.accountRef.name`
// +kubebuilder:printcolumn:name="Service",type=string,JSONPath=`.spec['serviceID','serviceRef.name']`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Location",type=string,priority=1,JSONPath=`.status.request.location`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
type PlanOptionsQuery struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is the service.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a PlanOptionsQuery is immutable: for another query, create another object",reason=FieldValueForbidden
	// +required
	Spec OneShotSpec `json:"spec"`

	// status lists what is on offer.
	// +kubebuilder:default={observedGeneration:-1}
	// +optional
	Status PlanOptionsQueryStatus `json:"status,omitzero"`
}

// PlanOptionsQueryList is a list of PlanOptionsQueries.
// +kubebuilder:object:root=true
type PlanOptionsQueryList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []PlanOptionsQuery `json:"items"`
}
