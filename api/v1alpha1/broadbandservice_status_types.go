// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BroadbandServiceStatus is the known state at the carrier, and the work in progress.
type BroadbandServiceStatus struct {
	// observedGeneration is the metadata.generation that the conditions describe.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// serviceID is the carrier's number for the service, from spec or from the order that created the
	// service.
	// +optional
	ServiceID CarrierID `json:"serviceID,omitempty"`

	// conditions are Ready, Reconciling and Stalled, one per declared setting, and, where they apply,
	// Healthy, Disrupted, ApprovalRequired and Drifted.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// carrier is the known state at the carrier, with each value's source.
	// +optional
	Carrier *CarrierState `json:"carrier,omitempty"`

	// pending is the plan of changes: the requests that would be sent, or are being sent.
	// +optional
	Pending *Pending `json:"pending,omitempty"`

	// inFlight is the request in progress, for kubectl get.
	// +optional
	InFlight *InFlight `json:"inFlight,omitempty"`

	// ledger names the RequestLedger that records what was sent for the service, and the ledger
	// revision that this status shows.
	// +optional
	Ledger *LedgerReference `json:"ledger,omitempty"`

	// requests holds the newest request of each operation. If the carrier has carried out a request,
	// what it changed is in history.
	// +listType=map
	// +listMapKey=operation
	// +kubebuilder:validation:MaxItems=13
	// +optional
	Requests []Request `json:"requests,omitempty"`

	// change summarizes what changes at the carrier: the change in progress, otherwise the planned
	// change, otherwise a pending cancellation. For example: Home 50/20 → Home 100/20.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	Change string `json:"change,omitempty"`

	// history holds the last ten finished requests, newest first.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	// +optional
	History []FinishedRequest `json:"history,omitempty"`

	// handled echoes the control annotations that were acted on.
	// +optional
	Handled Handled `json:"handled,omitzero"`

	// health is the carrier's view of the line.
	// +optional
	Health *HealthStatus `json:"health,omitempty"`

	// disruptions are the carrier's outages and maintenance works that affect the service.
	// +optional
	Disruptions *DisruptionStatus `json:"disruptions,omitempty"`

	// lastError is the newest error, until its operation proceeds.
	// +optional
	LastError *LastError `json:"lastError,omitempty"`
}

// CarrierState is the known state of a service at the carrier. An absent value is unknown, and an
// unknown value never counts as equal to another.
type CarrierState struct {
	Line `json:",inline"`

	// login is the login to which the carrier has shown this state. To another login, the same number is
	// another service, or none.
	// +optional
	Login CarrierLogin `json:"login,omitzero"` //nolint:kubeapilinter // omitzero omits it: both fields or neither

	// plan is the plan the service is on.
	// +optional
	Plan *KnownValue `json:"plan,omitempty"`

	// term is the plan's term in months.
	// +optional
	Term *KnownValue `json:"term,omitempty"`

	// restorationSLA is the restoration SLA.
	// +optional
	RestorationSLA *KnownValue `json:"restorationSLA,omitempty"`

	// aggregationMethod is L2TP or ETHERNET.
	// +optional
	AggregationMethod *KnownValue `json:"aggregationMethod,omitempty"`

	// dslStabilityProfile is Standard or Stable.
	// +optional
	DSLStabilityProfile *KnownValue `json:"dslStabilityProfile,omitempty"`

	// cancellation is the state of the service's cancellation.
	// +optional
	Cancellation *CancellationState `json:"cancellation,omitempty"`
}

// Line is what identifies the line of a service.
type Line struct {
	// technologyType is the access technology, for example FTTP.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	TechnologyType string `json:"technologyType,omitempty"`

	// locationID is the carrier's id for the site.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	LocationID string `json:"locationID,omitempty"`

	// avcID is the id of the virtual circuit.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	AVCID string `json:"avcID,omitempty"`

	// priID is the product instance id.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	PRIID string `json:"priID,omitempty"`

	// wholesaleServiceID is the upstream carrier's id for the service.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	WholesaleServiceID string `json:"wholesaleServiceID,omitempty"`
}

// ValueSource says how a value of the carrier's state is known.
// +kubebuilder:validation:Enum=Health;Service;ChangeResult;Order;Declared
type ValueSource string

// The sources of known values.
const (
	SourceHealth       ValueSource = "Health"       // a health request reported it
	SourceService      ValueSource = "Service"      // the carrier's description of the service contained it
	SourceChangeResult ValueSource = "ChangeResult" // one of our changes resulted in it
	SourceOrder        ValueSource = "Order"        // the order that created the service contained it
	SourceDeclared     ValueSource = "Declared"     // trusted as declared, or from a resolution; never confirmed
)

// KnownValue is one value of the carrier's state and how it is known.
type KnownValue struct {
	// value as the source gave it.
	// +kubebuilder:validation:MaxLength=200
	// +required
	Value string `json:"value"`

	// asHealth is the name under which health is expected to report the plan, taken from an earlier
	// reading. A different name is drift, unless it is the declared plan's.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	AsHealth string `json:"asHealth,omitempty"`

	// driftedFrom is the declared value that the service had before the carrier's description of the
	// service showed this one. It is absent if the service never had the declared value.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	DriftedFrom string `json:"driftedFrom,omitempty"`

	// plan is the plan that a term belongs to, as it was requested, ordered or declared.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Plan string `json:"plan,omitempty"`

	// source says how the value is known.
	// +required
	Source ValueSource `json:"source"`

	// since is when this value was first known.
	// +optional
	Since metav1.Time `json:"since,omitzero"`
}

// CancellationState is a service's cancellation at the carrier.
// ---
// Spec §2, service cancellation.
type CancellationState struct {
	// status of the cancellation request, for example REQUESTED, IN_ERROR, COMPLETED or ABORTED; empty
	// if no cancellation was requested.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Status string `json:"status,omitempty"`

	// cancelled is whether the service is cancelled.
	// +optional
	Cancelled bool `json:"cancelled,omitempty"`

	// requestDate is the requested cancellation date.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	RequestDate string `json:"requestDate,omitempty"`

	// pendingDate is the day on which the service will be cancelled; absent if no cancellation is
	// pending, because none was requested or it was aborted, rejected or carried out.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	PendingDate string `json:"pendingDate,omitempty"`

	// requestedOn is when the cancellation was requested, as the carrier writes it.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	RequestedOn string `json:"requestedOn,omitempty"`

	// cancelledOn is when the carrier cancelled the service.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	CancelledOn string `json:"cancelledOn,omitempty"`

	// abortedOn is when the cancellation request was aborted.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	AbortedOn string `json:"abortedOn,omitempty"`

	// errorDetail is the carrier's text about an earlier error.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	ErrorDetail string `json:"errorDetail,omitempty"`

	// canRequest is whether a cancellation can be requested.
	// +optional
	CanRequest bool `json:"canRequest,omitempty"`

	// canAbort is whether the request can be aborted.
	// +optional
	CanAbort bool `json:"canAbort,omitempty"`

	// canReschedule is whether the request can be rescheduled.
	// +optional
	CanReschedule bool `json:"canReschedule,omitempty"`

	// agreed is the declared cancellation that the carrier's state last matched: its date, or "none"
	// for mode Never. If the carrier's state later differs from the same declaration, that is drift.
	// +kubebuilder:validation:MaxLength=10
	// +optional
	Agreed string `json:"agreed,omitempty"`

	// since is when this state was first seen.
	// +optional
	Since metav1.Time `json:"since,omitzero"`
}

// Pending is the plan of changes: the requests that would be sent or are being sent.
type Pending struct {
	// hash identifies this plan: p and 32 hex digits, computed over the object's UID and generation,
	// the last attempt at each of its operations, the request bodies, the carrier's values and the fees.
	// +kubebuilder:validation:MaxLength=33
	// +required
	Hash string `json:"hash"`

	// changes are the requests, in the order in which they are sent.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=48
	// +required
	Changes []Change `json:"changes"`
}

// Change is one value that a request would change, and what it would cost.
type Change struct {
	// operation is the request that makes the change.
	// +required
	Operation Operation `json:"operation"`

	// field is the field of spec, for example plan.name.
	// +kubebuilder:validation:MaxLength=64
	// +required
	Field string `json:"field"`

	// unknown says that the carrier's value cannot be read, or that the plan named by health is not
	// among the plans that the carrier offers. In either case, the service may already have the
	// declared value.
	// +optional
	Unknown bool `json:"unknown,omitempty"`

	// from is the carrier's value; empty if unknown.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	From string `json:"from,omitempty"`

	// to is the declared value.
	// +kubebuilder:validation:MaxLength=300
	// +required
	To string `json:"to"`

	// oneTime is the one-time fee, if known.
	// +optional
	OneTime *Money `json:"oneTime,omitempty"`

	// monthlyBefore is the monthly fee now, if known.
	// +optional
	MonthlyBefore *Money `json:"monthlyBefore,omitempty"`

	// monthlyAfter is the monthly fee after the change, if known.
	// +optional
	MonthlyAfter *Money `json:"monthlyAfter,omitempty"`

	// nfas is the NFAS commitment fee, if one applies.
	// +optional
	NFAS *Charge `json:"nfas,omitempty"`

	// ntdOption is the NTD that is bought with the change, if any, and its fees: the chosen option, or
	// the additional NTD that the carrier requires for the plan if none is chosen.
	// +optional
	NTDOption *NTDOptionCharge `json:"ntdOption,omitempty"`
}

// NTDOptionCharge is an NTD that is bought with a change, and its fees.
type NTDOptionCharge struct {
	Charge `json:",inline"`

	// option is the carrier's name for the device; empty if one is required and none is chosen.
	// +kubebuilder:validation:MaxLength=100
	// +optional
	Option string `json:"option,omitempty"`
}

// Charge is a one-time and a monthly fee in addition to the plan's fees.
type Charge struct {
	// oneTime is the one-time fee, if known.
	// +optional
	OneTime *Money `json:"oneTime,omitempty"`

	// monthly is the monthly fee, if known.
	// +optional
	Monthly *Money `json:"monthly,omitempty"`
}

// HealthStatus is the carrier's view of the line.
type HealthStatus struct {
	HealthIndicator `json:",inline"`

	// summary is the color of the service's current condition, for example Green.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Summary string `json:"summary,omitempty"`

	// alert is the carrier's alert message.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Alert string `json:"alert,omitempty"`

	// nextAction is what the carrier recommends.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	NextAction string `json:"nextAction,omitempty"`

	// hriID is the carrier's id for the health record.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	HRIID string `json:"hriID,omitempty"`

	// since is when this view was first seen.
	// +optional
	Since metav1.Time `json:"since,omitzero"`
}

// DisruptionStatus counts the carrier's disruptions of the service.
type DisruptionStatus struct {
	// active is how many disruptions are active.
	// +optional
	Active int32 `json:"active,omitempty"`

	// scheduled is how many disruptions are scheduled.
	// +optional
	Scheduled int32 `json:"scheduled,omitempty"`

	// current is the active disruption that started last.
	// +optional
	Current *Disruption `json:"current,omitempty"`

	// next is the next scheduled disruption.
	// +optional
	Next *Disruption `json:"next,omitempty"`

	// items are the active disruptions, newest first, then the scheduled disruptions, soonest first.
	// +kubebuilder:validation:MaxItems=20
	// +listType=atomic
	// +optional
	Items []DisruptionItem `json:"items,omitempty"`

	// truncated is set if there are more disruptions than items contains.
	// +optional
	Truncated bool `json:"truncated,omitempty"`

	// since is when these disruptions were first seen.
	// +optional
	Since metav1.Time `json:"since,omitzero"`
}

// DisruptionItem is one outage or maintenance of the carrier, without its description.
type DisruptionItem struct {
	DisruptionFacts `json:",inline"`

	// status is ACTIVE or SCHEDULED.
	// +kubebuilder:validation:MaxLength=64
	// +required
	Status string `json:"status"`

	// type is scheduled or unscheduled.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Type string `json:"type,omitempty"`

	// category as the carrier writes it.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Category string `json:"category,omitempty"`
}

// Disruption is one outage or maintenance of the carrier.
type Disruption struct {
	DisruptionFacts `json:",inline"`

	// description as the carrier writes it.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Description string `json:"description,omitempty"`
}

// DisruptionFacts names one outage or maintenance of the carrier, and says when it is.
type DisruptionFacts struct {
	// id at the carrier.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	ID string `json:"id,omitempty"`

	// startAt is when it starts.
	// +optional
	StartAt metav1.Time `json:"startAt,omitzero"`

	// endAt is when it ends; absent if unknown.
	// +optional
	EndAt metav1.Time `json:"endAt,omitzero"`

	// severity as the carrier writes it.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Severity string `json:"severity,omitempty"`
}
