// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BroadbandServiceSpec is the desired state of a service. A field that is left out is not managed:
// it is never changed or defaulted.
// +kubebuilder:validation:XValidation:rule="has(self.serviceID) || has(self.orderRef)",message="set exactly one of serviceID and orderRef",fieldPath=".serviceID",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule="!(has(self.serviceID) && has(self.orderRef))",message="set exactly one of serviceID and orderRef",fieldPath=".orderRef",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.serviceID) || (has(self.serviceID) && self.serviceID == oldSelf.serviceID)",message="serviceID is immutable, and orderRef cannot replace it: for another service, create another BroadbandService",fieldPath=".serviceID",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.orderRef) || !has(self.orderRef) || self.orderRef == oldSelf.orderRef",message="orderRef is immutable; it can only be replaced by the serviceID of the service that the order created",fieldPath=".orderRef",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!(has(self.disconnection) && self.disconnection == 'Reclaim' && has(self.cancellation) && self.cancellation.mode == 'OnDate')",message="disconnection: Reclaim contradicts cancellation.mode: OnDate, which asks for the service to be disconnected; set disconnection: Report",fieldPath=".disconnection",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(self.trustDeclared) || self.trustDeclared.all(aspect, aspect == 'Plan' ? has(self.plan) : aspect == 'RestorationSLA' ? has(self.restorationSLA) : aspect == 'AggregationMethod' ? has(self.aggregationMethod) : has(self.dslStabilityProfile))",message="trustDeclared lists a setting that this spec does not declare: declare its value (plan, restorationSLA, aggregationMethod or dslStabilityProfile), or remove it from trustDeclared",fieldPath=".trustDeclared",reason=FieldValueForbidden
type BroadbandServiceSpec struct {
	// accountRef names the CarrierAccount that the service belongs to. Immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="accountRef is immutable: for another account, create another BroadbandService",reason=FieldValueForbidden
	// +required
	AccountRef AccountReference `json:"accountRef"`

	// serviceID is the carrier's number for the service. Immutable once set.
	// +optional
	ServiceID CarrierID `json:"serviceID,omitempty"`

	// orderRef takes the service ID from the ServiceOrder that created the service, once the ID is
	// known. It may later be replaced by serviceID.
	// +optional
	OrderRef *OrderReference `json:"orderRef,omitempty"`

	// managementPolicy is what the operator may do: Manage (default) sends the needed requests, Plan
	// computes changes and sends nothing, Observe only reads.
	// +kubebuilder:validation:Enum=Manage;Plan;Observe
	// +kubebuilder:default=Manage
	// +optional
	ManagementPolicy ManagementPolicy `json:"managementPolicy,omitempty"`

	// suspend stops new requests; a request in progress is still tracked.
	// +optional
	Suspend bool `json:"suspend,omitempty"`

	// approval is when changes need approval: Automatic (never), OnCost or Always. The stricter of
	// this value and the account's applies; default: the account's.
	// +optional
	Approval Approval `json:"approval,omitempty"`

	// driftPolicy applies when the carrier's state changes after the service was in sync: Report
	// (default) shows the change, Correct also changes it back, at most once in 24 hours.
	// +kubebuilder:validation:Enum=Report;Correct
	// +kubebuilder:default=Report
	// +optional
	DriftPolicy DriftPolicy `json:"driftPolicy,omitempty"`

	// unknownValues says what happens to declared values that cannot be read from the carrier: Ask,
	// Request or Trust. It overrides the account's value, which is the default.
	// +optional
	UnknownValues UnknownValues `json:"unknownValues,omitempty"`

	// trustDeclared lists the settings that are assumed to be as declared when first seen, instead of
	// being requested. Each of them must be declared. It is meant for importing an existing fleet.
	// +kubebuilder:validation:MaxItems=4
	// +listType=set
	// +optional
	TrustDeclared []TrustedAspect `json:"trustDeclared,omitempty"`

	// plan is the desired plan. Default: unmanaged.
	// +optional
	Plan *Plan `json:"plan,omitempty"`

	// restorationSLA is the carrier's name for the SLA. Needs API version 6. If only the SLA differs,
	// the current plan is sent with it. Default: unmanaged.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^[:cntrl:]]+$') && self == self.trim()",message="must be one line of text without leading or trailing spaces"
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

	// cancellation manages a cancellation that was requested at the carrier; the documented API cannot
	// request one. Default: unmanaged.
	// +optional
	Cancellation *Cancellation `json:"cancellation,omitempty"`

	// disconnection says what to do if the service was cancelled: Report only reports that it is
	// cancelled, Reclaim asks the carrier to restore the service. Default: unmanaged.
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

// TrustedAspect names a setting whose declared value is trusted when first seen.
// +kubebuilder:validation:Enum=Plan;RestorationSLA;AggregationMethod;DSLStabilityProfile
type TrustedAspect string

// The settings that can be trusted.
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

// Plan is a plan as the plan-change request names it.
// ---
// Spec §4.
// +kubebuilder:validation:XValidation:rule="!(has(self.contact) && has(self.contactSecretRef))",message="plan.contact and plan.contactSecretRef are mutually exclusive: set only one",fieldPath=".contact",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="has(self.ntdOption) || !has(self.contact)",message="plan.contact is only sent with plan.ntdOption: set ntdOption, or remove the contact",fieldPath=".contact",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="has(self.ntdOption) || !has(self.contactSecretRef)",message="plan.contactSecretRef is only sent with plan.ntdOption: set ntdOption, or remove the contact",fieldPath=".contactSecretRef",reason=FieldValueForbidden
type Plan struct {
	// name is the carrier's plan name, exactly as the carrier writes it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^[:cntrl:]]+$') && self == self.trim()",message="must be one line of text without leading or trailing spaces"
	// +required
	Name string `json:"name"`

	// term is the plan's term in months.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=120
	// +required
	Term int32 `json:"term"`

	// ntdOption is the carrier's name for the NTD option, needed for plans above 1000 MBit/s. It is
	// sent with a change of plan or SLA, but never causes one by itself.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=100
	// +optional
	NTDOption string `json:"ntdOption,omitempty"`

	// contactSecretRef names a Secret whose keys name, phone and email describe the person to call
	// about the NTD. Needed with ntdOption from API version 8, and only allowed with it.
	// +optional
	ContactSecretRef *SecretReference `json:"contactSecretRef,omitempty"`

	// contact is the person to call, as in contactSecretRef. Anyone who reads the object sees it.
	// +optional
	Contact *Contact `json:"contact,omitempty"`
}

// Cancellation is the desired state of a pending cancellation.
// +kubebuilder:validation:XValidation:rule="self.mode != 'OnDate' || has(self.date)",message="cancellation.date is required with mode OnDate",fieldPath=".date",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule="self.mode == 'OnDate' || !has(self.date)",message="cancellation.date must be absent with mode Never",fieldPath=".date",reason=FieldValueForbidden
type Cancellation struct {
	// mode says what happens to a pending cancellation. Mode OnDate moves it to date. Mode Never aborts
	// it, so that the service is not cancelled.
	// +kubebuilder:validation:Enum=OnDate;Never
	// +required
	Mode CancellationMode `json:"mode"`

	// date for mode OnDate, YYYY-MM-DD in the account's time zone.
	// +optional
	Date Date `json:"date,omitempty"`
}

// CancellationMode says what happens to a pending cancellation.
type CancellationMode string

// The cancellation modes.
const (
	CancellationOnDate CancellationMode = "OnDate"
	CancellationNever  CancellationMode = "Never"
)

// Observe says how often the state is read again: at most once a minute; "0" turns a read off.
type Observe struct {
	// healthInterval is the time between reads of the service's health. Default: 24h.
	// +kubebuilder:validation:XValidation:rule="self == '0' || !self.matches('^([0-9]{1,5}(ms|s|m|h))+$') || duration(self) >= duration('1m')",message="must be at least 1m, or 0, which turns this read off"
	// +kubebuilder:default="24h"
	// +optional
	HealthInterval Duration `json:"healthInterval,omitempty"`

	// serviceInterval is the time between reads of the carrier's description of the service. Without
	// the extension ServiceRead of the account, it has no effect. Default: 24h.
	// +kubebuilder:validation:XValidation:rule="self == '0' || !self.matches('^([0-9]{1,5}(ms|s|m|h))+$') || duration(self) >= duration('1m')",message="must be at least 1m, or 0, which turns this read off"
	// +optional
	ServiceInterval Duration `json:"serviceInterval,omitempty"`

	// cancellationInterval is the time between reads of the cancellation. Default: 24h; 6h with
	// spec.cancellation.
	// +kubebuilder:validation:XValidation:rule="self == '0' || !self.matches('^([0-9]{1,5}(ms|s|m|h))+$') || duration(self) >= duration('1m')",message="must be at least 1m, or 0, which turns this read off"
	// +optional
	CancellationInterval Duration `json:"cancellationInterval,omitempty"`

	// disruptionsInterval is the time between reads of the carrier's disruptions. Default: 0 (off).
	// +kubebuilder:validation:XValidation:rule="self == '0' || !self.matches('^([0-9]{1,5}(ms|s|m|h))+$') || duration(self) >= duration('1m')",message="must be at least 1m, or 0, which turns this read off"
	// +kubebuilder:default="0"
	// +optional
	DisruptionsInterval Duration `json:"disruptionsInterval,omitempty"`
}

// BroadbandService is one broadband service at the carrier: its plan, restoration SLA, aggregation
// method, DSL stability profile and cancellation. Declared values are compared with the carrier's
// state, and differences are applied one request at a time. Deleting the object does not contact
// the carrier, so the service keeps running.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=bbs,categories=broadband
// +kubebuilder:selectablefield:JSONPath=`.spec.serviceID`
// +kubebuilder:selectablefield:JSONPath=`.status.serviceID`
// +kubebuilder:selectablefield:JSONPath=`.spec.accountRef.name`
// +kubebuilder:validation:XValidation:rule="has(oldSelf.spec.serviceID) || !has(self.spec.serviceID) || !has(self.status) || !has(self.status.serviceID) || self.spec.serviceID == self.status.serviceID",message="serviceID must equal status.serviceID, the number that came from the order; for another service, create another BroadbandService",fieldPath=".spec.serviceID",reason=FieldValueForbidden
// +kubebuilder:printcolumn:name="Plan",type=string,JSONPath=`.status.carrier.plan.value`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Change",type=string,JSONPath=`.status.change`
// +kubebuilder:printcolumn:name="Age",type=date,priority=1,JSONPath=`.metadata.creationTimestamp`
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

	// metadata is the object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is the desired state.
	// +required
	Spec BroadbandServiceSpec `json:"spec"`

	// status is the known state at the carrier and the work in progress.
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
