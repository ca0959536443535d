// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BroadbandServiceSpec is what a service shall be. A field that is absent is
// unmanaged: that aspect is never touched and never defaulted.
// +kubebuilder:validation:XValidation:rule="has(self.serviceID) || has(self.orderRef)",message="exactly one of serviceID and orderRef says which service this is",fieldPath=".serviceID",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule="!(has(self.serviceID) && has(self.orderRef))",message="exactly one of serviceID and orderRef says which service this is",fieldPath=".orderRef",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.serviceID) || (has(self.serviceID) && self.serviceID == oldSelf.serviceID)",message="serviceID is immutable, and orderRef cannot take its place: for another service create another BroadbandService",fieldPath=".serviceID",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.orderRef) || !has(self.orderRef) || self.orderRef == oldSelf.orderRef",message="orderRef is immutable; it may only be replaced by the serviceID of the service that the order became",fieldPath=".orderRef",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!(has(self.disconnection) && self.disconnection == 'Reclaim' && has(self.cancellation) && self.cancellation.mode == 'OnDate')",message="disconnection: Reclaim does not go with cancellation.mode: OnDate, which wants the service disconnected; set disconnection: Report",fieldPath=".disconnection",reason=FieldValueForbidden
type BroadbandServiceSpec struct {
	// accountRef names the CarrierAccount that the service belongs to. Immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="accountRef is immutable: for another account create another BroadbandService",reason=FieldValueForbidden
	// +required
	AccountRef AccountReference `json:"accountRef"`

	// serviceID is the carrier's number of the service. Immutable once set.
	// +optional
	ServiceID CarrierID `json:"serviceID,omitempty"`

	// orderRef takes the service id from the ServiceOrder that created the
	// service, once it has one. It may later be replaced by serviceID.
	// +optional
	OrderRef *OrderReference `json:"orderRef,omitempty"`

	// managementPolicy is what the operator may do: Manage sends the requests that are needed,
	// Plan works out the changes and sends nothing, Observe only reads.
	// +kubebuilder:validation:Enum=Manage;Plan;Observe
	// +kubebuilder:default=Manage
	// +optional
	ManagementPolicy ManagementPolicy `json:"managementPolicy,omitempty"`

	// suspend stops new requests; what is in flight is still followed.
	// +optional
	Suspend bool `json:"suspend,omitempty"`

	// approval is when a change of this service needs approval. The stricter of this and the
	// account's counts: an object cannot ask less often than its account.
	// +optional
	Approval Approval `json:"approval,omitempty"`

	// driftPolicy says what happens when the carrier moves away after the service
	// had converged: Report shows it, Correct also sends the change again, at
	// most once in 24 hours.
	// +kubebuilder:validation:Enum=Report;Correct
	// +kubebuilder:default=Report
	// +optional
	DriftPolicy DriftPolicy `json:"driftPolicy,omitempty"`

	// unknownValues is what becomes of declared values whose counterpart at the carrier cannot be
	// read, instead of what the account says of them: Ask, Request or Trust.
	// +optional
	UnknownValues UnknownValues `json:"unknownValues,omitempty"`

	// trustDeclared names the aspects that are believed at first sight to be as
	// declared, instead of being requested: for taking over a fleet that already is.
	// +kubebuilder:validation:MaxItems=4
	// +listType=set
	// +optional
	TrustDeclared []TrustedAspect `json:"trustDeclared,omitempty"`

	// plan is the plan that the service shall be on.
	// +optional
	Plan *Plan `json:"plan,omitempty"`

	// restorationSLA is the carrier's name of the restoration SLA. It needs API
	// version 6. When only it differs, it is sent with the current plan.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	// +optional
	RestorationSLA string `json:"restorationSLA,omitempty"`

	// aggregationMethod is how the traffic is handed over.
	// +kubebuilder:validation:Enum=L2TP;ETHERNET
	// +optional
	AggregationMethod string `json:"aggregationMethod,omitempty"`

	// dslStabilityProfile trades speed for stability on a DSL line.
	// +kubebuilder:validation:Enum=Standard;Stable
	// +optional
	DSLStabilityProfile string `json:"dslStabilityProfile,omitempty"`

	// cancellation manages a cancellation that has been requested at the carrier.
	// The documented API has no call that requests one.
	// +optional
	Cancellation *Cancellation `json:"cancellation,omitempty"`

	// disconnection is what to do when the carrier shows the service cancelled.
	// Report shows it, Reclaim asks for the service back.
	// +kubebuilder:validation:Enum=Report;Reclaim
	// +optional
	Disconnection Disconnection `json:"disconnection,omitempty"`

	// observe says how often the carrier's state is read again.
	// +optional
	Observe Observe `json:"observe,omitzero"`
}

// ManagementPolicy says what the operator may do with a service.
type ManagementPolicy string

// The management policies.
const (
	ManagementManage  ManagementPolicy = "Manage"
	ManagementPlan    ManagementPolicy = "Plan"
	ManagementObserve ManagementPolicy = "Observe"
)

// DriftPolicy says what happens when the carrier's state drifts.
type DriftPolicy string

// The drift policies.
const (
	DriftReport  DriftPolicy = "Report"
	DriftCorrect DriftPolicy = "Correct"
)

// TrustedAspect names an aspect whose declared value is believed at first sight.
// +kubebuilder:validation:Enum=Plan;RestorationSLA;AggregationMethod;DSLStabilityProfile
type TrustedAspect string

// The aspects that can be trusted.
const (
	TrustPlan                TrustedAspect = "Plan"
	TrustRestorationSLA      TrustedAspect = "RestorationSLA"
	TrustAggregationMethod   TrustedAspect = "AggregationMethod"
	TrustDSLStabilityProfile TrustedAspect = "DSLStabilityProfile"
)

// Disconnection says what to do about a service that the carrier disconnected.
type Disconnection string

// The disconnection policies.
const (
	DisconnectionReport  Disconnection = "Report"
	DisconnectionReclaim Disconnection = "Reclaim"
)

// Plan is a plan as the plan-change request names it (specification section 4).
// +kubebuilder:validation:XValidation:rule="!(has(self.contact) && has(self.contactSecretRef))",message="plan.contact and plan.contactSecretRef exclude each other: give the contact once",fieldPath=".contact",reason=FieldValueForbidden
type Plan struct {
	// name is the carrier's plan name, exactly as the carrier writes it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	// +required
	Name string `json:"name"`

	// term is the plan's term in months.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=120
	// +required
	Term int32 `json:"term"`

	// ntdOption is the carrier's name of the NTD option, needed for plans above
	// 1000 MBit/s. It goes with a change of plan or SLA; by itself it is not a
	// reason for one.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=100
	// +optional
	NTDOption string `json:"ntdOption,omitempty"`

	// contactSecretRef names a Secret with the keys name, phone and email: whom
	// the carrier calls about the NTD. Needed with ntdOption from API version 8.
	// +optional
	ContactSecretRef *SecretReference `json:"contactSecretRef,omitempty"`

	// contact is the same, inline: anyone who can read this object reads it.
	// +optional
	Contact *Contact `json:"contact,omitempty"`
}

// Cancellation is the wanted state of a service's pending cancellation.
// +kubebuilder:validation:XValidation:rule="self.mode != 'OnDate' || has(self.date)",message="cancellation.date is required with mode OnDate",fieldPath=".date",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule="self.mode == 'OnDate' || !has(self.date)",message="cancellation.date must be absent with mode Never",fieldPath=".date",reason=FieldValueForbidden
type Cancellation struct {
	// mode is what shall become of a pending cancellation. OnDate moves it to date. Never: this
	// service shall not be cancelled, and a pending cancellation is aborted.
	// +kubebuilder:validation:Enum=OnDate;Never
	// +required
	Mode CancellationMode `json:"mode"`

	// date is the wanted cancellation date, in the account's time zone.
	// +optional
	Date Date `json:"date,omitempty"`
}

// CancellationMode says what shall become of a pending cancellation.
type CancellationMode string

// The cancellation modes.
const (
	CancellationOnDate CancellationMode = "OnDate"
	CancellationNever  CancellationMode = "Never"
)

// Observe says how often the carrier's state is read again; "0" switches a read off.
type Observe struct {
	// healthInterval is the time between two health requests.
	// +kubebuilder:default="24h"
	// +optional
	HealthInterval Duration `json:"healthInterval,omitempty"`

	// cancellationInterval is the time between two reads of the cancellation.
	// Default 24h; 6h while spec.cancellation is set.
	// +optional
	CancellationInterval Duration `json:"cancellationInterval,omitempty"`

	// disruptionsInterval is the time between two reads of the disruptions.
	// +kubebuilder:default="0"
	// +optional
	DisruptionsInterval Duration `json:"disruptionsInterval,omitempty"`
}

// BroadbandService is one broadband service at the carrier: its plan, restoration
// SLA, aggregation method, DSL stability profile and cancellation. What is declared
// is compared with the carrier's state and brought about by one request after
// another. Deleting the object calls nobody: the service goes on at the carrier.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=bbs,categories=broadband
// +kubebuilder:selectablefield:JSONPath=`.spec.serviceID`
// +kubebuilder:selectablefield:JSONPath=`.status.serviceID`
// +kubebuilder:selectablefield:JSONPath=`.spec.accountRef.name`
// +kubebuilder:validation:XValidation:rule="has(oldSelf.spec.serviceID) || !has(self.spec.serviceID) || !has(self.status) || !has(self.status.serviceID) || self.spec.serviceID == self.status.serviceID",message="serviceID must be the number that the order gave, status.serviceID: for another service create another BroadbandService",fieldPath=".spec.serviceID",reason=FieldValueForbidden
// +kubebuilder:printcolumn:name="Plan",type=string,JSONPath=`.status.carrier.plan.value`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Change",type=string,JSONPath=`.status.change`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Service",type=string,priority=1,JSONPath=`.status.serviceID`
// +kubebuilder:printcolumn:name="Request",type=string,priority=1,JSONPath=`.status.inFlight.operation`
// +kubebuilder:printcolumn:name="Cancels",type=string,priority=1,JSONPath=`.status.carrier.cancellation.pendingDate`
// +kubebuilder:printcolumn:name="SLA",type=string,priority=1,JSONPath=`.status.carrier.restorationSLA.value`
// +kubebuilder:printcolumn:name="Aggregation",type=string,priority=1,JSONPath=`.status.carrier.aggregationMethod.value`
// +kubebuilder:printcolumn:name="DSL",type=string,priority=1,JSONPath=`.status.carrier.dslStabilityProfile.value`
// +kubebuilder:printcolumn:name="Tech",type=string,priority=1,JSONPath=`.status.carrier.technologyType`
// +kubebuilder:printcolumn:name="Health",type=string,priority=1,JSONPath=`.status.health.summary`
// +kubebuilder:printcolumn:name="Location",type=string,priority=1,JSONPath=`.status.inFlight.location`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
type BroadbandService struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is that of every object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is what the service shall be.
	// +required
	Spec BroadbandServiceSpec `json:"spec"`

	// status is what is known of the carrier's state and what is being done.
	// +kubebuilder:default={observedGeneration:-1}
	// +optional
	Status BroadbandServiceStatus `json:"status,omitzero"`
}

// BroadbandServiceList is a list of BroadbandServices.
// +kubebuilder:object:root=true
type BroadbandServiceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []BroadbandService `json:"items"`
}
