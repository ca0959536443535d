// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Operation names a request that the carrier can be asked to carry out
// (specification section 4).
// +kubebuilder:validation:MaxLength=40
type Operation string

// The operations that a status can hold a request of.
const (
	OperationAggregationConversion     Operation = "AggregationConversion"
	OperationPlanChange                Operation = "PlanChange"
	OperationDSLStabilityProfileChange Operation = "DSLStabilityProfileChange"
	OperationReclaim                   Operation = "Reclaim"
	OperationCancellationReschedule    Operation = "CancellationReschedule"
	OperationCancellationAbort         Operation = "CancellationAbort"
	OperationOrderCreate               Operation = "OrderCreate"
	OperationAppointmentSlots          Operation = "AppointmentSlots"
	OperationAppointmentCancel         Operation = "AppointmentCancel"
	OperationDiagnosticTest            Operation = "DiagnosticTest"
	OperationFibreBuildCharge          Operation = "FibreBuildCharge"
	OperationPlanOptions               Operation = "PlanOptions"
	OperationHealth                    Operation = "Health"
)

// RequestPhase says how far one attempt at a request has come.
//
//	Submitting ─┬─► NotSent │ NotProcessed │ Rejected      nothing happened at the carrier
//	            ├─► InProgress ──► Succeeded │ Failed      the carrier took it
//	            ├─► Repeated                               its answer was lost: another attempt asks for the same
//	            └─► OutcomeUnknown                         nobody can tell: a person resolves it
//	                  └─► InProgress │ Succeeded │ NotAccepted │ Abandoned
//	                                                  └─────────────┴──► LateAcceptance ──► Succeeded │ Abandoned
//
// An order that a person has called not accepted, and the carrier has taken for all that, is a
// LateAcceptance until a person says what becomes of it.
//
// Two ways back are rare: a process that was stopped writes late that its own attempt was never
// sent (OutcomeUnknown to NotSent), and a question whose Location the carrier has forgotten
// is asked anew (InProgress to NotProcessed).
//
// A phase that this version does not know is left alone and reported.
// +kubebuilder:validation:MaxLength=40
type RequestPhase string

// The phases of an attempt.
const (
	PhaseSubmitting     RequestPhase = "Submitting"     // the intent is written; the POST may be under way
	PhaseInProgress     RequestPhase = "InProgress"     // the carrier answered with a Location, which is polled
	PhaseSucceeded      RequestPhase = "Succeeded"      // the carrier, a proof or a person says it is done
	PhaseFailed         RequestPhase = "Failed"         // the carrier took the request and ended it with 422
	PhaseOutcomeUnknown RequestPhase = "OutcomeUnknown" // sent, perhaps; only a person can tell
	PhaseNotSent        RequestPhase = "NotSent"        // not a byte of it left us
	PhaseNotProcessed   RequestPhase = "NotProcessed"   // turned away with 401 or 429
	PhaseRejected       RequestPhase = "Rejected"       // the carrier refused the POST
	PhaseNotAccepted    RequestPhase = "NotAccepted"    // a person says that the carrier has not taken it
	PhaseAbandoned      RequestPhase = "Abandoned"      // a person gave it up: never sent again
	PhaseRepeated       RequestPhase = "Repeated"       // its answer was lost, and the same was asked for again
	PhaseLateAcceptance RequestPhase = "LateAcceptance" // taken, which was known only after a person had ended it
)

// EndedBy is whose word ended an attempt.
// +kubebuilder:validation:MaxLength=20
type EndedBy string

// Those who can end an attempt.
const (
	EndedByCarrier EndedBy = "Carrier"
	EndedByProof   EndedBy = "Proof"
	EndedByPerson  EndedBy = "Person"
	EndedBySender  EndedBy = "Sender"
)

// Request is one attempt to have the carrier do something, as far as it has come.
// Its intent is written before the POST, so that no crash can forget that it may
// have been sent.
type Request struct {
	// operation is what was asked; one POST of the carrier's API.
	// +required
	Operation Operation `json:"operation"`

	// attempt counts the attempts at this operation for the same change, from 1.
	// +required
	Attempt int32 `json:"attempt"`

	// attemptID is random and names this attempt in a resolve annotation. There
	// is one POST per attemptID, ever.
	// +kubebuilder:validation:MaxLength=64
	// +required
	AttemptID string `json:"attemptID"`

	// repeats is how many earlier attempts at the same were sent and lost their answer.
	// While it is above zero, a refusal proves nothing: one of them may have succeeded.
	// +optional
	Repeats int32 `json:"repeats,omitempty"`

	// sender is the random id of the operator process that wrote the intent.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Sender string `json:"sender,omitempty"`

	// target is what was asked for, without contact data.
	// +optional
	Target RequestTarget `json:"target,omitzero"`

	// before is what was known of the carrier's state when the intent was
	// written: the evidence by which an unknown outcome can be judged.
	// +optional
	Before RequestBefore `json:"before,omitzero"`

	// identity is the account identity under which it was sent.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Identity string `json:"identity,omitempty"`

	// baseURL is the carrier's origin to which it was sent.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	BaseURL string `json:"baseURL,omitempty"`

	// approvedHash is the hash of the plan that a person approved, when approval
	// was needed.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	ApprovedHash string `json:"approvedHash,omitempty"`

	// approvedBy is the user who set the approval, where config/usernames is installed, and else the
	// client, by its field manager, such as kubectl-annotate.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	ApprovedBy string `json:"approvedBy,omitempty"`

	// retriedBy is who asked for this attempt by a retry annotation, as in approvedBy.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	RetriedBy string `json:"retriedBy,omitempty"`

	// plan is the plan of changes, whole, that it is a part of, with the prices that were shown.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	// +optional
	Plan []Change `json:"plan,omitempty"`

	// retry is the value of the retry annotation that this attempt was made for, and used up. An
	// order's attempt also keeps what one before it used up: its status is written after the ledger.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Retry string `json:"retry,omitempty"`

	// uid is the UID of the object that it serves.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	UID string `json:"uid,omitempty"`

	// takenOver is set where it was sent for another object, whose place this one took while it was open.
	// +optional
	TakenOver bool `json:"takenOver,omitempty"`

	// generation is the metadata.generation of that object.
	// +optional
	Generation int64 `json:"generation,omitempty"`

	// bodyHash is the SHA-256 of the body, contact data apart: "sha256:<hex>".
	// +kubebuilder:validation:MaxLength=80
	// +optional
	BodyHash string `json:"bodyHash,omitempty"`

	// phase says how far this attempt has come.
	// +required
	Phase RequestPhase `json:"phase"`

	// location is the polling Location the carrier gave: its path only. The host
	// is always that of the account.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Location string `json:"location,omitempty"`

	// apiVersion is the X-API-VERSION it was sent with and is followed with.
	// +optional
	APIVersion int32 `json:"apiVersion,omitempty"`

	// submittedAt is when the intent was written, just before the POST.
	// +optional
	SubmittedAt metav1.Time `json:"submittedAt,omitzero"`

	// finishedAt is when the attempt ended.
	// +optional
	FinishedAt metav1.Time `json:"finishedAt,omitzero"`

	// endedBy is whose word ended it: the carrier's answer, a proof, a person who resolved it, or the
	// process that did not send it. What a person ended is not changed by what a process reports late.
	// +optional
	EndedBy EndedBy `json:"endedBy,omitempty"`

	// resolvedBy is the person's word that settled it, or that named its request id.
	// +optional
	ResolvedBy *Resolution `json:"resolvedBy,omitempty"`

	// carrierStatus is the carrier's own status of the request, where its answer
	// carries one.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	CarrierStatus string `json:"carrierStatus,omitempty"`

	// errorDetail is the carrier's text beside its status.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	ErrorDetail string `json:"errorDetail,omitempty"`

	// error is why it did not succeed, or why its outcome is not known.
	// +optional
	Error *RequestError `json:"error,omitempty"`

	// lostSince is since when the carrier has not known its Location.
	// +optional
	LostSince metav1.Time `json:"lostSince,omitzero"`

	// warning is what was not as approved although it succeeded: another fee.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Warning string `json:"warning,omitempty"`
}

// RequestTarget is what a request asks for; the fields that belong to its
// operation are set.
type RequestTarget struct {
	// plan is the carrier's name of the plan asked for.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Plan string `json:"plan,omitempty"`

	// term is the plan's term asked for, in months.
	// +optional
	Term int32 `json:"term,omitempty"`

	// restorationSLA is the restoration SLA asked for.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	RestorationSLA string `json:"restorationSLA,omitempty"`

	// ntdOption is the NTD option asked for with a plan above 1000 MBit/s.
	// +kubebuilder:validation:MaxLength=100
	// +optional
	NTDOption string `json:"ntdOption,omitempty"`

	// aggregationMethod is the aggregation method asked for.
	// +kubebuilder:validation:MaxLength=40
	// +optional
	AggregationMethod string `json:"aggregationMethod,omitempty"`

	// dslStabilityProfile is the DSL stability profile asked for.
	// +kubebuilder:validation:MaxLength=40
	// +optional
	DSLStabilityProfile string `json:"dslStabilityProfile,omitempty"`

	// remoteOrderID is the orderId of the qualification with which an order is sent.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	RemoteOrderID string `json:"remoteOrderID,omitempty"`

	// date is the cancellation date asked for, YYYY-MM-DD.
	// +kubebuilder:validation:MaxLength=10
	// +optional
	Date string `json:"date,omitempty"`
}

// RequestBefore is what was known of the carrier's state before a request.
type RequestBefore struct {
	// plan is the plan the service was known to be on; empty when it was unknown.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Plan string `json:"plan,omitempty"`

	// requestedOn is when the pending cancellation had been requested.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	RequestedOn string `json:"requestedOn,omitempty"`
}

// RequestError is why a request did not succeed, in the carrier's words as far
// as it gave any (specification section 7).
type RequestError struct {
	// httpStatus is the HTTP status of the answer; 0 when there was none.
	// +optional
	HTTPStatus int32 `json:"httpStatus,omitempty"`

	// type is the carrier's error type, for example business.rule.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	Type string `json:"type,omitempty"`

	// code is the sub-error code that decided, raw; else the error code.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Code string `json:"code,omitempty"`

	// field is the field that the carrier complained about.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Field string `json:"field,omitempty"`

	// rejectedValue is the value that the carrier did not take.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	RejectedValue string `json:"rejectedValue,omitempty"`

	// message is what happened, in words.
	// +kubebuilder:validation:MaxLength=2048
	// +optional
	Message string `json:"message,omitempty"`
}

// LastError is the newest error of an object, of whatever operation.
type LastError struct {
	RequestError `json:",inline"`

	// operation is what was tried.
	// +required
	Operation Operation `json:"operation"`

	// at is when it was first seen.
	// +optional
	At metav1.Time `json:"at,omitzero"`
}

// FinishedRequest is a request that has ended, kept for the record.
type FinishedRequest struct {
	// operation is what was asked.
	// +required
	Operation Operation `json:"operation"`

	// change is what it was to change, at what price, in words.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Change string `json:"change,omitempty"`

	// approvedBy is who approved it, when approval was needed.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	ApprovedBy string `json:"approvedBy,omitempty"`

	// retriedBy is who asked for it by a retry annotation.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	RetriedBy string `json:"retriedBy,omitempty"`

	// resolvedBy is who settled it, when its outcome was unknown.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	ResolvedBy string `json:"resolvedBy,omitempty"`

	// outcome is the phase in which it ended.
	// +required
	Outcome RequestPhase `json:"outcome"`

	// code is the carrier's raw error code, when it ended in one.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Code string `json:"code,omitempty"`

	// submittedAt is when it had been sent.
	// +optional
	SubmittedAt metav1.Time `json:"submittedAt,omitzero"`

	// at is when it ended.
	// +optional
	At metav1.Time `json:"at,omitzero"`
}

// InFlight names the request that kubectl get shows.
type InFlight struct {
	// operation is the request under way.
	// +required
	Operation Operation `json:"operation"`

	// location is its polling Location, once the carrier gave one.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Location string `json:"location,omitempty"`
}

// Handled echoes the control annotations that were acted on, so that a script
// can wait for its own token to appear.
type Handled struct {
	// reconcile is the last wholesale.broadband/reconcile value acted on.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Reconcile string `json:"reconcile,omitempty"`

	// approve is the last wholesale.broadband/approve value acted on.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Approve string `json:"approve,omitempty"`

	// trust is the last wholesale.broadband/trust value acted on.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Trust string `json:"trust,omitempty"`

	// retry is the last wholesale.broadband/retry value acted on.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Retry string `json:"retry,omitempty"`

	// resolve is the last wholesale.broadband/resolve value acted on.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Resolve string `json:"resolve,omitempty"`
}

// The control annotations: a user's way to say something once.
const (
	// AnnotationReconcile has the carrier's state read and compared now, once for each new value.
	AnnotationReconcile = "wholesale.broadband/reconcile"
	// AnnotationApprove approves the plan of changes whose hash it holds.
	AnnotationApprove = "wholesale.broadband/approve"
	// AnnotationTrust holds the hash of a plan of changes: of the values in it that are unknown, the
	// declared ones are believed to be the carrier's, and not requested.
	AnnotationTrust = "wholesale.broadband/trust"
	// AnnotationRetry asks for one more attempt after a definitive failure. It holds the attemptID of the
	// attempt that failed, or an RFC 3339 time after that attempt ended which is not in the future.
	AnnotationRetry = "wholesale.broadband/retry"
	// AnnotationResolve resolves an unknown outcome:
	// <attemptID>=Accepted:<request id> | NotAccepted | Succeeded | Abandoned, or every one that was
	// unknown before an RFC 3339 time: all@<time>=Succeeded | Abandoned. all@<time>=SameCarrier says that
	// the carrier of the account has only moved its address.
	AnnotationResolve = "wholesale.broadband/resolve"
	// AnnotationApprovedBy, AnnotationResolvedBy and AnnotationRetriedBy are who set approve, resolve and
	// retry. The API server writes them, where config/usernames is installed.
	AnnotationApprovedBy = "wholesale.broadband/approved-by"
	AnnotationResolvedBy = "wholesale.broadband/resolved-by"
	AnnotationRetriedBy  = "wholesale.broadband/retried-by"
	// AnnotationAcknowledge says of the RequestLedger marker that this is a new installation, or that the
	// operator may continue with what was restored; it holds the UID of the namespace kube-system then. Of
	// a CarrierAccount it says that its login may send under one more identity, which it names.
	AnnotationAcknowledge = "wholesale.broadband/acknowledge"

	// AnnotationForget, with the name of a RequestLedger that is being deleted, lets that go: what was
	// sent may be sent again.
	AnnotationForget = "wholesale.broadband/forget"
)

// Finalizer keeps an object until its memory of sent requests is safe elsewhere.
const Finalizer = "wholesale.broadband/requests"
