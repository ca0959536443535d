// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// LedgerSchema is the form of a ledger that this version writes.
const LedgerSchema = 1

// MarkerName is the RequestLedger that says of which clusters the others are.
const MarkerName = "marker"

// FinalizerMemory keeps a RequestLedger, whoever deletes it.
const FinalizerMemory = "wholesale.broadband/memory"

// RequestLedgerSpec is what was asked of the carrier about one order or one service, or what was
// tested of one, and what became of it; or what the accounts of one identity share. One is the
// marker, and says of which clusters the others are.
// +kubebuilder:validation:XValidation:rule="self.identity == oldSelf.identity",message="identity is immutable: a ledger belongs to one account identity",fieldPath=".identity",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="has(self.order) == has(oldSelf.order) && (!has(self.order) || self.order.customerReference == oldSelf.order.customerReference)",message="what a ledger is about is immutable",fieldPath=".order",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="has(self.service) == has(oldSelf.service) && (!has(self.service) || self.service.id == oldSelf.service.id)",message="what a ledger is about is immutable",fieldPath=".service",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="has(self.diagnostics) == has(oldSelf.diagnostics) && (!has(self.diagnostics) || self.diagnostics.id == oldSelf.diagnostics.id)",message="what a ledger is about is immutable",fieldPath=".diagnostics",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="has(self.account) == has(oldSelf.account)",message="what a ledger is about is immutable",fieldPath=".account",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="has(self.marker) == has(oldSelf.marker)",message="what a ledger is about is immutable",fieldPath=".marker",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="self.revision >= oldSelf.revision",message="revision never falls",fieldPath=".revision",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="self.sequence >= oldSelf.sequence",message="sequence never falls",fieldPath=".sequence",reason=FieldValueForbidden
type RequestLedgerSpec struct {
	// schema is the form of this ledger. The operator leaves one of a newer schema than its own
	// alone.
	// +kubebuilder:validation:Minimum=1
	// +required
	Schema int32 `json:"schema"`

	// cluster is the UID of the namespace kube-system of the cluster that it was written in.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Cluster string `json:"cluster,omitempty"`

	// identity is the account identity under which the carrier was asked.
	// +kubebuilder:validation:MaxLength=253
	// +required
	Identity string `json:"identity"`

	// baseURL is the carrier's origin. An account of the identity with another one is a Conflict.
	// +kubebuilder:validation:MaxLength=512
	// +required
	BaseURL string `json:"baseURL"`

	// moved is the person's word by which baseURL was changed last.
	// +optional
	Moved *Resolution `json:"moved,omitempty"`

	// order is the order that this ledger is about.
	// +optional
	Order *LedgerOrder `json:"order,omitempty"`

	// service is the service that this ledger is about.
	// +optional
	Service *LedgerService `json:"service,omitempty"`

	// account is what the accounts of the identity spend together, where this ledger is about the
	// identity itself.
	// +optional
	Account *LedgerAccount `json:"account,omitempty"`

	// diagnostics is the service of whose diagnostic tests this ledger is about.
	// +optional
	Diagnostics *LedgerService `json:"diagnostics,omitempty"`

	// marker makes this the ledger that says of which clusters the others are.
	// +optional
	Marker *LedgerMarker `json:"marker,omitempty"`

	// holder is the object that manages it. That of diagnostic tests has none: each test has its own
	// attempts.
	// +optional
	Holder LedgerHolder `json:"holder,omitzero"`

	// revision grows with every write.
	// +kubebuilder:validation:Minimum=1
	// +required
	Revision int64 `json:"revision"`

	// sequence is how many attempts were ever begun.
	// +kubebuilder:validation:Minimum=0
	// +required
	Sequence int64 `json:"sequence"`

	// open are the attempts that have not ended.
	// +listType=map
	// +listMapKey=attemptID
	// +kubebuilder:validation:MaxItems=10
	// +optional
	Open []Request `json:"open,omitempty"`

	// last are, newest first, of each operation the newest attempt that has ended, and the newest one
	// that reached the carrier, or may have.
	// +listType=map
	// +listMapKey=attemptID
	// +kubebuilder:validation:MaxItems=20
	// +optional
	Last []Request `json:"last,omitempty"`

	// ended are the attempts that have ended, newest first. Of attempts at one operation in a row that
	// did not reach the carrier, the newest is kept.
	// +listType=map
	// +listMapKey=attemptID
	// +kubebuilder:validation:MaxItems=10
	// +optional
	Ended []EndedAttempt `json:"ended,omitempty"`

	// known is what the carrier said and no read of its API gives.
	// +optional
	Known KnownToLedger `json:"known,omitzero"`

	// baseline is the plan that the service was brought to by a request, or that is believed without a
	// reading, and how health spells it.
	// +optional
	Baseline *KnownValue `json:"baseline,omitempty"`
}

// LedgerMarker says of which clusters the ledgers are that count here.
type LedgerMarker struct {
	// clusters are the UIDs of the namespaces kube-system of those clusters.
	// +listType=set
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=64
	// +optional
	Clusters []string `json:"clusters,omitempty"`

	// waits is what a person has to acknowledge, by the annotation wholesale.broadband/acknowledge with
	// the UID of this cluster. Absent where there is nothing.
	// +optional
	Waits MarkerWait `json:"waits,omitempty"`
}

// MarkerWait is what a person has to acknowledge before requests are sent.
// +kubebuilder:validation:Enum=NewInstallation;Recovery
type MarkerWait string

// What a person may have to acknowledge.
const (
	MarkerNewInstallation MarkerWait = "NewInstallation" // objects were applied before the operator ran
	MarkerRecovery        MarkerWait = "Recovery"        // what is here was restored, perhaps from another cluster
)

// LedgerService names a service.
type LedgerService struct {
	// id is the carrier's number of the service.
	// +required
	ID CarrierID `json:"id"`
}

// LedgerOrder names an order.
type LedgerOrder struct {
	// customerReference is the reseller's name for the order, to the byte.
	// +kubebuilder:validation:MaxLength=200
	// +required
	CustomerReference string `json:"customerReference"`
}

// LedgerHolder names the object that manages what a ledger is about.
type LedgerHolder struct {
	// namespace of the object.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// name of the object.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Name string `json:"name,omitempty"`

	// uid of the object: another object of that name is another holder.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	UID string `json:"uid,omitempty"`
}

// EndedAttempt is an attempt that has ended, in short.
type EndedAttempt struct {
	// attemptID names the attempt.
	// +kubebuilder:validation:MaxLength=64
	// +required
	AttemptID string `json:"attemptID"`

	// operation is what was asked.
	// +required
	Operation Operation `json:"operation"`

	// uid is the UID of the object that it served.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	UID string `json:"uid,omitempty"`

	// target is what was asked for.
	// +optional
	Target RequestTarget `json:"target,omitzero"`

	// outcome is the phase in which it ended.
	// +required
	Outcome RequestPhase `json:"outcome"`

	// endedBy is whose word ended it.
	// +optional
	EndedBy EndedBy `json:"endedBy,omitempty"`

	// code is the carrier's raw error code, when it ended in one.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Code string `json:"code,omitempty"`

	// location is the polling Location that the carrier gave, its path only.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Location string `json:"location,omitempty"`

	// changes are what it was to change, with the prices that were shown.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	// +optional
	Changes []Change `json:"changes,omitempty"`

	// approvedHash is the hash of the plan that a person approved, when approval was needed.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	ApprovedHash string `json:"approvedHash,omitempty"`

	// approvedBy is who set the approval.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	ApprovedBy string `json:"approvedBy,omitempty"`

	// retriedBy is who asked for it by a retry annotation.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	RetriedBy string `json:"retriedBy,omitempty"`

	// resolvedBy is the person's word that settled it, or that named its request id.
	// +optional
	ResolvedBy *Resolution `json:"resolvedBy,omitempty"`

	// submittedAt is when its intent was written.
	// +optional
	SubmittedAt metav1.Time `json:"submittedAt,omitzero"`

	// finishedAt is when it ended.
	// +optional
	FinishedAt metav1.Time `json:"finishedAt,omitzero"`
}

// KnownToLedger is what the carrier said and no read of its API gives.
type KnownToLedger struct {
	// order is what the carrier answered to the order.
	// +optional
	Order *OrderFacts `json:"order,omitempty"`

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
}

// LedgerReference is a ledger as a status has seen it.
type LedgerReference struct {
	// name of the RequestLedger.
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name"`

	// revision of it that the status shows. A ledger whose revision is below has lost something.
	// +required
	Revision int64 `json:"revision"`
}

// RequestLedger is the operator's memory of what it has asked a carrier for, of what may cost money:
// nothing to clean up. Without it a request could be sent a second time. The operator alone writes
// ledgers, and deleting one waits until nothing depends on it.
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=ledger
// +kubebuilder:selectablefield:JSONPath=`.spec.order.customerReference`
// +kubebuilder:selectablefield:JSONPath=`.spec.service.id`
// +kubebuilder:printcolumn:name="Service",type=integer,JSONPath=`.spec.service.id`
// +kubebuilder:printcolumn:name="Tests of",type=integer,JSONPath=`.spec.diagnostics.id`
// +kubebuilder:printcolumn:name="Reference",type=string,JSONPath=`.spec.order.customerReference`
// +kubebuilder:printcolumn:name="Namespace",type=string,JSONPath=`.spec.holder.namespace`
// +kubebuilder:printcolumn:name="Holder",type=string,JSONPath=`.spec.holder.name`
// +kubebuilder:printcolumn:name="Open",type=string,JSONPath=`.spec.open[*].operation`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.spec.open[*].phase`
// +kubebuilder:printcolumn:name="Last",type=string,JSONPath=`.spec.ended[0].operation`
// +kubebuilder:printcolumn:name="Outcome",type=string,JSONPath=`.spec.ended[0].outcome`
// +kubebuilder:printcolumn:name="Sequence",type=integer,JSONPath=`.spec.sequence`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type RequestLedger struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is that of every object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is what was asked, and what became of it.
	// +required
	Spec RequestLedgerSpec `json:"spec"`
}

// RequestLedgerList is a list of RequestLedgers.
// +kubebuilder:object:root=true
type RequestLedgerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []RequestLedger `json:"items"`
}
