// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// LedgerSchema is the schema version of the ledgers that this version writes.
const LedgerSchema = 1

// MarkerName is the name of the RequestLedger that lists the clusters of the others.
const MarkerName = "marker"

// FinalizerMemory keeps a RequestLedger that is being deleted until nothing depends on it and
// [AnnotationForget] names it.
const FinalizerMemory = "wholesale.broadband/memory"

// RequestLedgerSpec contains the requests about one order, one service or the tests of one service,
// and their outcomes; or what the accounts of one login share. One ledger, the marker, lists the
// clusters whose ledgers count.
// +kubebuilder:validation:XValidation:rule="has(self.login) != has(self.marker)",message="every ledger except the marker belongs to a login",fieldPath=".login"
// +kubebuilder:validation:XValidation:rule="has(self.login) == has(oldSelf.login) && (!has(self.login) || self.login == oldSelf.login)",message="login is immutable: a ledger belongs to one login",fieldPath=".login",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="has(self.order) == has(oldSelf.order) && (!has(self.order) || self.order.customerReference == oldSelf.order.customerReference)",message="the subject of a ledger is immutable",fieldPath=".order",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="has(self.service) == has(oldSelf.service) && (!has(self.service) || self.service.id == oldSelf.service.id)",message="the subject of a ledger is immutable",fieldPath=".service",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="has(self.diagnostics) == has(oldSelf.diagnostics) && (!has(self.diagnostics) || self.diagnostics.id == oldSelf.diagnostics.id)",message="the subject of a ledger is immutable",fieldPath=".diagnostics",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="has(self.account) == has(oldSelf.account)",message="the subject of a ledger is immutable",fieldPath=".account",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="has(self.marker) == has(oldSelf.marker)",message="the subject of a ledger is immutable",fieldPath=".marker",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="self.revision >= oldSelf.revision",message="revision must not decrease",fieldPath=".revision",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="self.sequence >= oldSelf.sequence",message="sequence must not decrease",fieldPath=".sequence",reason=FieldValueForbidden
type RequestLedgerSpec struct {
	// schema is the version of the ledger's format. The operator never writes to a newer one.
	// +kubebuilder:validation:Minimum=1
	// +required
	Schema int32 `json:"schema"`

	// cluster is the UID of the namespace kube-system of the cluster where the ledger was written.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Cluster string `json:"cluster,omitempty"`

	// login is the login that this ledger belongs to. The marker has none.
	// +optional
	Login CarrierLogin `json:"login,omitzero"` //nolint:kubeapilinter // omitzero omits that of the marker

	// order is the order that this ledger is about.
	// +optional
	Order *LedgerOrder `json:"order,omitempty"`

	// service is the service that this ledger is about.
	// +optional
	Service *LedgerService `json:"service,omitempty"`

	// account is what the accounts of the login share, if this ledger is about the login itself.
	// +optional
	Account *LedgerAccount `json:"account,omitempty"`

	// diagnostics is the service whose diagnostic tests this ledger is about.
	// +optional
	Diagnostics *LedgerService `json:"diagnostics,omitempty"`

	// marker makes this the ledger that lists the clusters of the others.
	// +optional
	Marker *LedgerMarker `json:"marker,omitempty"`

	// holder is the object that manages the subject. A ledger of diagnostic tests has none, because
	// each test has its own attempts.
	// +optional
	Holder LedgerHolder `json:"holder,omitzero"`

	// revision grows with every write.
	// +kubebuilder:validation:Minimum=1
	// +required
	Revision int64 `json:"revision"`

	// sequence counts all attempts ever started.
	// +kubebuilder:validation:Minimum=0
	// +required
	Sequence int64 `json:"sequence"`

	// open are the attempts that have not ended.
	// +listType=map
	// +listMapKey=attemptID
	// +kubebuilder:validation:MaxItems=10
	// +optional
	Open []Request `json:"open,omitempty"`

	// last holds, per operation, the newest attempt that has ended and the newest that reached the
	// carrier or may have, newest first.
	// +listType=map
	// +listMapKey=attemptID
	// +kubebuilder:validation:MaxItems=20
	// +optional
	Last []Request `json:"last,omitempty"`

	// ended are the attempts that have ended, newest first. Among consecutive attempts at one
	// operation that did not reach the carrier, only the newest 3 are kept.
	// +listType=map
	// +listMapKey=attemptID
	// +kubebuilder:validation:MaxItems=10
	// +optional
	Ended []EndedAttempt `json:"ended,omitempty"`

	// known holds the values that the carrier reported once and that cannot be read again.
	// +optional
	Known KnownToLedger `json:"known,omitzero"`

	// baseline is the plan that a request set or that is trusted without being read, and how the health
	// request spells it.
	// +optional
	Baseline *KnownValue `json:"baseline,omitempty"`
}

// LedgerMarker lists the clusters whose ledgers count here.
type LedgerMarker struct {
	// clusters lists the clusters by the UIDs of their kube-system namespaces.
	// +listType=set
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=64
	// +optional
	Clusters []string `json:"clusters,omitempty"`

	// waits is what a person has to acknowledge with the annotation wholesale.broadband/acknowledge,
	// whose value is the UID of this cluster; absent if there is nothing to acknowledge.
	// +optional
	Waits MarkerWait `json:"waits,omitempty"`
}

// MarkerWait is what a person has to acknowledge before requests are sent.
// +kubebuilder:validation:Enum=NewInstallation;Recovery
type MarkerWait string

// What a person may have to acknowledge.
const (
	MarkerNewInstallation MarkerWait = "NewInstallation" // objects were applied before the operator ran
	MarkerRecovery        MarkerWait = "Recovery"        // restored state, perhaps from another cluster
)

// LedgerService names a service.
type LedgerService struct {
	// id is the carrier's number for the service.
	// +required
	ID CarrierID `json:"id"`
}

// LedgerOrder names an order.
type LedgerOrder struct {
	// customerReference is the reseller's name for the order, verbatim.
	// +kubebuilder:validation:MaxLength=200
	// +required
	CustomerReference string `json:"customerReference"`
}

// LedgerHolder is the object that manages what a ledger is about.
type LedgerHolder struct {
	// namespace of the object.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// name of the object.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Name string `json:"name,omitempty"`

	// uid of the object. A new object with that name is a different holder.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	UID string `json:"uid,omitempty"`
}

// EndedAttempt is the summary of an ended attempt.
type EndedAttempt struct {
	// attemptID names the attempt.
	// +kubebuilder:validation:MaxLength=64
	// +required
	AttemptID string `json:"attemptID"`

	// operation is the kind of request, such as PlanChange.
	// +required
	Operation Operation `json:"operation"`

	// uid is the UID of the object that it served.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	UID string `json:"uid,omitempty"`

	// takenOver is set if the request was sent for an object that this one replaced meanwhile.
	// +optional
	TakenOver bool `json:"takenOver,omitempty"`

	// generation is the metadata.generation of the object that uid names. A failed attempt is not
	// repeated for the same generation.
	// +optional
	Generation int64 `json:"generation,omitempty"`

	// target is what was requested.
	// +optional
	Target RequestTarget `json:"target,omitzero"`

	// outcome is the phase in which it ended.
	// +required
	Outcome RequestPhase `json:"outcome"`

	// endedBy is what ended the attempt.
	// +optional
	EndedBy EndedBy `json:"endedBy,omitempty"`

	// code is the carrier's raw error code, if the attempt ended with one.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Code string `json:"code,omitempty"`

	// location is the path of the polling Location that the carrier gave.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Location string `json:"location,omitempty"`

	// apiVersion is the version of the carrier's API with which the attempt was sent.
	// +optional
	APIVersion int32 `json:"apiVersion,omitempty"`

	// changes are the requested changes, with the prices shown.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=48
	// +optional
	Changes []Change `json:"changes,omitempty"`

	// approvedHash is the hash of the approved plan, if approval was needed.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	ApprovedHash string `json:"approvedHash,omitempty"`

	// approvedBy is who set the approval.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	ApprovedBy string `json:"approvedBy,omitempty"`

	// retry is the value of the retry annotation that this attempt used up.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Retry string `json:"retry,omitempty"`

	// retriedBy is who requested the attempt with the retry annotation.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	RetriedBy string `json:"retriedBy,omitempty"`

	// resolvedBy is the resolution that settled the attempt or named its request ID.
	// +optional
	ResolvedBy *Resolution `json:"resolvedBy,omitempty"`

	// submittedAt is when the intent was recorded.
	// +optional
	SubmittedAt metav1.Time `json:"submittedAt,omitzero"`

	// finishedAt is when the attempt ended.
	// +optional
	FinishedAt metav1.Time `json:"finishedAt,omitzero"`
}

// KnownToLedger contains values that the carrier reported once and that cannot be read from it again.
type KnownToLedger struct {
	// order is the carrier's response to the order.
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

	// agreedCancellation is the declared cancellation that the carrier last matched: a date, or
	// "none".
	// +kubebuilder:validation:MaxLength=10
	// +optional
	AgreedCancellation string `json:"agreedCancellation,omitempty"`
}

// LedgerReference is the ledger that a status shows.
type LedgerReference struct {
	// name of the RequestLedger.
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name"`

	// revision of the ledger that the status shows. A ledger with a lower revision has lost data.
	// +required
	Revision int64 `json:"revision"`
}

// RequestLedger records the requests that were sent to a carrier for an order, for a service or for
// its diagnostic tests, or what the accounts of one login share. Do not delete it, because without it
// a request could be sent a second time.
// Only the operator writes ledgers, and a deleted ledger stays until nothing depends on it and the
// annotation wholesale.broadband/forget repeats its name.
// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="app.kubernetes.io/component=ledger"
// +kubebuilder:resource:scope=Cluster,shortName=ledger
// +kubebuilder:selectablefield:JSONPath=`.spec.order.customerReference`
// +kubebuilder:selectablefield:JSONPath=`.spec.service.id`
// +kubebuilder:printcolumn:name="About",type=string,JSONPath=`.spec['service.id','diagnostics.id','order.customerReference']`
// +kubebuilder:printcolumn:name="Holder",type=string,JSONPath=`.spec.holder.name`
// +kubebuilder:printcolumn:name="Open",type=string,JSONPath=`.spec.open[*].operation`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Namespace",type=string,priority=1,JSONPath=`.spec.holder.namespace`
// +kubebuilder:printcolumn:name="Carrier",type=string,priority=1,JSONPath=`.spec.login.baseURL`
// +kubebuilder:printcolumn:name="Client",type=string,priority=1,JSONPath=`.spec.login.clientName`
// +kubebuilder:printcolumn:name="Phase",type=string,priority=1,JSONPath=`.spec.open[*].phase`
// +kubebuilder:printcolumn:name="Last",type=string,priority=1,JSONPath=`.spec.ended[0].operation`
// +kubebuilder:printcolumn:name="Outcome",type=string,priority=1,JSONPath=`.spec.ended[0].outcome`
// +kubebuilder:printcolumn:name="Sequence",type=integer,priority=1,JSONPath=`.spec.sequence`
type RequestLedger struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec contains the requests and their outcomes.
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
