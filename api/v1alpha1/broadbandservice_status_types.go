// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BroadbandServiceStatus is what is known of the carrier's state and what is
// being done about it. Nothing in it changes unless something changed.
type BroadbandServiceStatus struct {
	// observedGeneration is the metadata.generation that the conditions speak of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// serviceID is the carrier's number of the service: that of spec, or of the order
	// that created the service.
	// +optional
	ServiceID CarrierID `json:"serviceID,omitempty"`

	// conditions are Ready, Reconciling and Stalled, and one for each declared aspect.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// carrier is what is known of the carrier's state, and how it is known.
	// +optional
	Carrier *CarrierState `json:"carrier,omitempty"`

	// pending is the plan of changes, in Terraform's sense: what would be or is
	// being done.
	// +optional
	Pending *Pending `json:"pending,omitempty"`

	// inFlight is the request under way, as the columns show it.
	// +optional
	InFlight *InFlight `json:"inFlight,omitempty"`

	// ledger is the RequestLedger that has on record what was sent for the service, and the state of it
	// that is shown here.
	// +optional
	Ledger *LedgerReference `json:"ledger,omitempty"`

	// requests holds the newest request of each operation.
	// +listType=map
	// +listMapKey=operation
	// +kubebuilder:validation:MaxItems=13
	// +optional
	Requests []Request `json:"requests,omitempty"`

	// change is what is to change at the carrier, in short: what is under way, else what is wanted, else
	// a cancellation to come. For example: Home 50/20 → Home 100/20.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	Change string `json:"change,omitempty"`

	// history holds the last ten requests that ended, the newest first.
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

	// disruptions are the carrier's works and outages that touch the service.
	// +optional
	Disruptions *DisruptionStatus `json:"disruptions,omitempty"`

	// lastError is the newest error, kept until its operation gets on.
	// +optional
	LastError *LastError `json:"lastError,omitempty"`
}

// CarrierState is what is known of the carrier's state. A value that is absent is
// not known, and unknown is not equal to anything.
type CarrierState struct {
	// baseURL is the origin of the carrier whose state it is. That of another one is not known.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	BaseURL string `json:"baseURL,omitempty"`

	// identity is the account identity under which it is known.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Identity string `json:"identity,omitempty"`

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

	// technologyType is the access technology, for example FTTP.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	TechnologyType string `json:"technologyType,omitempty"`

	// locationID is the carrier's id of the site.
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

	// wholesaleServiceID is the upstream carrier's id of the service.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	WholesaleServiceID string `json:"wholesaleServiceID,omitempty"`

	// cancellation is the state of the service's cancellation.
	// +optional
	Cancellation *CancellationState `json:"cancellation,omitempty"`
}

// ValueSource says how a value of the carrier's state is known.
// +kubebuilder:validation:Enum=Health;ChangeResult;Order;Declared
type ValueSource string

// The sources of known values.
const (
	SourceHealth       ValueSource = "Health"       // a health request reported it
	SourceChangeResult ValueSource = "ChangeResult" // our own change ended in it
	SourceOrder        ValueSource = "Order"        // the order that created the service said it
	SourceDeclared     ValueSource = "Declared"     // trusted as declared, or a person's word; never confirmed
)

// KnownValue is one value of the carrier's state and how it is known.
type KnownValue struct {
	// value as the source gave it.
	// +kubebuilder:validation:MaxLength=200
	// +required
	Value string `json:"value"`

	// asHealth is how health spelled the value after our last success: the
	// baseline by which drift is judged.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	AsHealth string `json:"asHealth,omitempty"`

	// source says how the value is known.
	// +required
	Source ValueSource `json:"source"`

	// since is when this value was first known.
	// +optional
	Since metav1.Time `json:"since,omitzero"`
}

// CancellationState is the carrier's cancellation of a service (specification
// section 2, service cancellation).
type CancellationState struct {
	// status of the cancellation request: REQUESTED, IN_ERROR, COMPLETED, ABORTED; empty when none exists.
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

	// pendingDate is the day on which the service will be cancelled; absent where no cancellation is pending:
	// none was requested, or it was aborted, rejected or carried out.
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

	// agreed is the declared cancellation with which the carrier's last agreed: its
	// date, or none. Another state under the same declaration is drift.
	// +kubebuilder:validation:MaxLength=10
	// +optional
	Agreed string `json:"agreed,omitempty"`

	// since is when this state was first seen.
	// +optional
	Since metav1.Time `json:"since,omitzero"`
}

// Pending is the plan of changes: what would be or is being done.
type Pending struct {
	// hash names exactly this plan: p and 32 hex digits over the object's UID and generation,
	// its last finished attempt, the request bodies, the carrier's values and the fees.
	// +kubebuilder:validation:MaxLength=33
	// +required
	Hash string `json:"hash"`

	// changes are the requests, in the order in which they are sent.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +required
	Changes []Change `json:"changes"`
}

// Change is one value that a request would change, and what it would cost.
type Change struct {
	// operation is the request that carries the change.
	// +required
	Operation Operation `json:"operation"`

	// field is the field of spec, for example plan.name.
	// +kubebuilder:validation:MaxLength=64
	// +required
	Field string `json:"field"`

	// unknown says that the carrier's value cannot be read, or that what health says is none of the
	// plans that the carrier offers: the service may have the declared value already.
	// +optional
	Unknown bool `json:"unknown,omitempty"`

	// from is the carrier's value; empty when it is not known.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	From string `json:"from,omitempty"`

	// to is the declared value.
	// +kubebuilder:validation:MaxLength=200
	// +required
	To string `json:"to"`

	// oneTime is the one-time fee, when it is known.
	// +optional
	OneTime *Money `json:"oneTime,omitempty"`

	// monthlyBefore is the monthly fee now, when it is known.
	// +optional
	MonthlyBefore *Money `json:"monthlyBefore,omitempty"`

	// monthlyAfter is the monthly fee afterwards, when it is known.
	// +optional
	MonthlyAfter *Money `json:"monthlyAfter,omitempty"`

	// nfas is the NFAS commitment fee, when one applies.
	// +optional
	NFAS *Charge `json:"nfas,omitempty"`

	// ntdOption is what the NTD option costs, when one goes with the change.
	// +optional
	NTDOption *Charge `json:"ntdOption,omitempty"`
}

// Charge is a fee beside that of the plan: once, and per month from then on.
type Charge struct {
	// oneTime is the one-time fee, when it is known.
	// +optional
	OneTime *Money `json:"oneTime,omitempty"`

	// monthly is the monthly fee, when it is known.
	// +optional
	Monthly *Money `json:"monthly,omitempty"`
}

// HealthStatus is the carrier's view of the line.
type HealthStatus struct {
	// summary is the color of the service's current condition, for example Green.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Summary string `json:"summary,omitempty"`

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

	// alert is the carrier's alert message.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Alert string `json:"alert,omitempty"`

	// nextAction is what the carrier advises to do.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	NextAction string `json:"nextAction,omitempty"`

	// hriID is the carrier's id of the health record.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	HRIID string `json:"hriID,omitempty"`

	// since is when this view was first seen.
	// +optional
	Since metav1.Time `json:"since,omitzero"`
}

// DisruptionStatus counts the carrier's disruptions of the service.
type DisruptionStatus struct {
	// active is how many are active.
	// +optional
	Active int32 `json:"active,omitempty"`

	// scheduled is how many are scheduled.
	// +optional
	Scheduled int32 `json:"scheduled,omitempty"`

	// current is the active one that started last.
	// +optional
	Current *Disruption `json:"current,omitempty"`

	// next is the next scheduled one.
	// +optional
	Next *Disruption `json:"next,omitempty"`

	// since is when these were first seen.
	// +optional
	Since metav1.Time `json:"since,omitzero"`
}

// Disruption is one outage or maintenance of the carrier.
type Disruption struct {
	// id of the carrier.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	ID string `json:"id,omitempty"`

	// startAt is when it starts.
	// +optional
	StartAt metav1.Time `json:"startAt,omitzero"`

	// endAt is when it ends; absent when that is not known.
	// +optional
	EndAt metav1.Time `json:"endAt,omitzero"`

	// severity as the carrier writes it.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Severity string `json:"severity,omitempty"`

	// description as the carrier writes it.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Description string `json:"description,omitempty"`
}
