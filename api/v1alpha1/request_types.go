// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Operation names a request that can be sent to the carrier.
// ---
// Spec §4.
// +kubebuilder:validation:MaxLength=40
type Operation string

// The operations of which a status can contain a request.
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

// RequestPhase is the progress of one attempt at a request.
//
//	Submitting ─┬─► NotSent │ NotProcessed │ Rejected   nothing happened at the carrier
//	            ├─► InProgress ──► Succeeded │ Failed   the carrier accepted it
//	            ├─► Repeated                            its response was lost, another one follows
//	            └─► OutcomeUnknown                      nobody can tell: a person resolves it
//	                  └─► InProgress │ Succeeded │ NotAccepted │ Abandoned
//	                                                  └─────────────┴──► LateAcceptance ──► Succeeded │ Abandoned
//
// If a person resolved a request as not accepted, but the carrier has accepted it after all, the
// request is a LateAcceptance until a person resolves it again.
//
// There are two backward transitions, and they are rare. A process that was stopped records late
// that its own attempt was never sent (OutcomeUnknown to NotSent). A query whose Location the carrier
// no longer recognizes is sent again (InProgress to NotProcessed).
//
// A phase that this version does not know is reported and otherwise ignored.
// +kubebuilder:validation:MaxLength=40
type RequestPhase string

// The phases of an attempt.
const (
	PhaseSubmitting     RequestPhase = "Submitting"     // the intent is recorded; the POST may be in progress
	PhaseInProgress     RequestPhase = "InProgress"     // the carrier returned a Location, which is polled
	PhaseSucceeded      RequestPhase = "Succeeded"      // done, according to the carrier, a proof or a resolution
	PhaseFailed         RequestPhase = "Failed"         // the carrier accepted the request but did not carry it out
	PhaseOutcomeUnknown RequestPhase = "OutcomeUnknown" // it may have been sent; only a person can find out
	PhaseNotSent        RequestPhase = "NotSent"        // no byte of it was sent
	PhaseNotProcessed   RequestPhase = "NotProcessed"   // refused with 401, 425 or 429; or a query was lost
	PhaseRejected       RequestPhase = "Rejected"       // the carrier refused the POST
	PhaseNotAccepted    RequestPhase = "NotAccepted"    // a resolution: the carrier has not accepted it
	PhaseAbandoned      RequestPhase = "Abandoned"      // a resolution: given up, never sent again
	PhaseRepeated       RequestPhase = "Repeated"       // its response was lost, and the same request was sent again
	PhaseLateAcceptance RequestPhase = "LateAcceptance" // accepted, but this became known only after the attempt had ended
)

// EndedBy is what ended an attempt.
// +kubebuilder:validation:MaxLength=20
type EndedBy string

// The values of EndedBy.
const (
	EndedByCarrier EndedBy = "Carrier"
	EndedByProof   EndedBy = "Proof"
	EndedByPerson  EndedBy = "Person"
	EndedBySender  EndedBy = "Sender"
)

// Request is one attempt at a request and its progress. Its intent is recorded before the POST, so
// that after a crash the operator knows that the request may have been sent.
type Request struct {
	// operation is what was requested: one POST to the carrier.
	// +required
	Operation Operation `json:"operation"`

	// attempt is the number of this attempt among those at this operation for one change, from 1.
	// +required
	Attempt int32 `json:"attempt"`

	// attemptID is random, and identifies this attempt in a resolve annotation. It has one POST.
	// +kubebuilder:validation:MaxLength=64
	// +required
	AttemptID string `json:"attemptID"`

	// repeats is how many earlier attempts at the same request were sent but lost their response. If
	// it is above zero, a rejection proves nothing, because an earlier attempt may have succeeded.
	// +optional
	Repeats int32 `json:"repeats,omitempty"`

	// sender is the random ID of the operator process that recorded the attempt.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Sender string `json:"sender,omitempty"`

	// target is what was requested, without contact data.
	// +optional
	Target RequestTarget `json:"target,omitzero"`

	// before is what was known of the carrier's state when the intent was recorded.
	// +optional
	Before RequestBefore `json:"before,omitzero"`

	// login is the login under which the request is recorded: the one that sent it, or the login that
	// this one continues.
	// +optional
	Login CarrierLogin `json:"login,omitzero"` //nolint:kubeapilinter // omitzero omits it: both fields or neither

	// approvedHash is the hash of the approved plan, if approval was needed.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	ApprovedHash string `json:"approvedHash,omitempty"`

	// approvedBy is the user who set the approval. It is "unknown (client NAME)" with the client's field
	// manager, such as kubectl-annotate, if config/usernames is not installed and the client does not
	// name its user, as the plugin does. " (claimed)" follows a name that config/policy did not check.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	ApprovedBy string `json:"approvedBy,omitempty"`

	// retriedBy is who requested this attempt with the retry annotation, named as in approvedBy.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	RetriedBy string `json:"retriedBy,omitempty"`

	// plan is the whole plan of changes that the request belongs to, with the prices shown.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=48
	// +optional
	Plan []Change `json:"plan,omitempty"`

	// retry is the value of the retry annotation that this attempt used up. An order's attempt also
	// keeps the value that an earlier attempt used up, because the status is written after the ledger.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Retry string `json:"retry,omitempty"`

	// uid is the UID of the object that the request is for.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	UID string `json:"uid,omitempty"`

	// takenOver is set if the request was sent for an object that this one replaced meanwhile.
	// +optional
	TakenOver bool `json:"takenOver,omitempty"`

	// generation is the metadata.generation of the object that uid names.
	// +optional
	Generation int64 `json:"generation,omitempty"`

	// bodyHash is the SHA-256 of the body without contact data: "sha256:<hex>".
	// +kubebuilder:validation:MaxLength=80
	// +optional
	BodyHash string `json:"bodyHash,omitempty"`

	// phase is the progress of this attempt.
	// +required
	Phase RequestPhase `json:"phase"`

	// location is the path of the Location that the carrier gave. The host is that of the account.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Location string `json:"location,omitempty"`

	// candidate is the path that the Location of the response named, although the response did not show
	// that the carrier had accepted the request. It is polled a few times, and becomes the location if
	// the carrier shows a request there.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Candidate string `json:"candidate,omitempty"`

	// apiVersion is the X-API-VERSION with which the request is sent and polled.
	// +optional
	APIVersion int32 `json:"apiVersion,omitempty"`

	// submittedAt is when the intent was recorded, just before the POST.
	// +optional
	SubmittedAt metav1.Time `json:"submittedAt,omitzero"`

	// finishedAt is when the attempt ended.
	// +optional
	FinishedAt metav1.Time `json:"finishedAt,omitzero"`

	// endedBy is what ended the attempt: the carrier's response, a proof, a person's resolution, or the
	// process that did not send it. A late report from a process does not change a resolution.
	// +optional
	EndedBy EndedBy `json:"endedBy,omitempty"`

	// resolvedBy is the resolution that settled the attempt or named its request ID.
	// +optional
	ResolvedBy *Resolution `json:"resolvedBy,omitempty"`

	// carrierStatus is the carrier's own status for the request, if its response has one.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	CarrierStatus string `json:"carrierStatus,omitempty"`

	// errorDetail is the carrier's text about the status of the request.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	ErrorDetail string `json:"errorDetail,omitempty"`

	// error is why the request did not succeed or why its outcome is unknown.
	// +optional
	Error *RequestError `json:"error,omitempty"`

	// lostSince is when the carrier stopped recognizing the request's Location.
	// +optional
	LostSince metav1.Time `json:"lostSince,omitzero"`

	// warning is how a successful result differs from what was approved, for example in a fee.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Warning string `json:"warning,omitempty"`
}

// RequestTarget is what a request asks for. Only the fields of its operation are set.
type RequestTarget struct {
	// plan is the carrier's name for the requested plan.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Plan string `json:"plan,omitempty"`

	// term is the requested plan's term in months.
	// +optional
	Term int32 `json:"term,omitempty"`

	// restorationSLA is the requested restoration SLA.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	RestorationSLA string `json:"restorationSLA,omitempty"`

	// ntdOption is the NTD option requested with a plan above 1000 MBit/s.
	// +kubebuilder:validation:MaxLength=100
	// +optional
	NTDOption string `json:"ntdOption,omitempty"`

	// aggregationMethod is the requested aggregation method.
	// +kubebuilder:validation:MaxLength=40
	// +optional
	AggregationMethod string `json:"aggregationMethod,omitempty"`

	// dslStabilityProfile is the requested DSL stability profile.
	// +kubebuilder:validation:MaxLength=40
	// +optional
	DSLStabilityProfile string `json:"dslStabilityProfile,omitempty"`

	// remoteOrderID is the qualification's orderId with which the order is sent.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	RemoteOrderID string `json:"remoteOrderID,omitempty"`

	// date is the requested cancellation date, YYYY-MM-DD.
	// +kubebuilder:validation:MaxLength=10
	// +optional
	Date string `json:"date,omitempty"`
}

// RequestBefore is what was known of the carrier's state before a request.
type RequestBefore struct {
	// plan is the plan that the service was known to be on; empty if unknown.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Plan string `json:"plan,omitempty"`

	// requestedOn is when the pending cancellation was requested.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	RequestedOn string `json:"requestedOn,omitempty"`

	// described is what the carrier's description of the service showed right before, if it was read.
	// +optional
	Described *DescribedValues `json:"described,omitempty"`
}

// DescribedValues are values in the carrier's description of a service. A value that the
// description does not contain is absent.
type DescribedValues struct {
	// plan is the plan's name.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Plan string `json:"plan,omitempty"`

	// restorationSLA is the restoration SLA.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	RestorationSLA string `json:"restorationSLA,omitempty"`

	// aggregationMethod is L2TP or ETHERNET.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	AggregationMethod string `json:"aggregationMethod,omitempty"`

	// dslStabilityProfile is Standard or Stable.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	DSLStabilityProfile string `json:"dslStabilityProfile,omitempty"`
}

// RequestError is why a request did not succeed, in the carrier's words if it gave any.
// ---
// Spec §7.
type RequestError struct {
	// httpStatus is the HTTP status of the response; 0 if there was none.
	// +optional
	HTTPStatus int32 `json:"httpStatus,omitempty"`

	// type is the carrier's error type, for example business.rule.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	Type string `json:"type,omitempty"`

	// code is the sub-error code that determines the reason, otherwise the error code, unchanged.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Code string `json:"code,omitempty"`

	// field is the field that the carrier rejected.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Field string `json:"field,omitempty"`

	// rejectedValue is the value that the carrier rejected.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	RejectedValue string `json:"rejectedValue,omitempty"`

	// message describes what happened.
	// +kubebuilder:validation:MaxLength=2048
	// +optional
	Message string `json:"message,omitempty"`

	// carrierTime is the timestamp of the carrier's error, as the carrier wrote it. The carrier's
	// support desk can find the error by this timestamp.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	CarrierTime string `json:"carrierTime,omitempty"`
}

// LastError is the newest error of an object, of any operation.
type LastError struct {
	RequestError `json:",inline"`

	// operation is the request that failed.
	// +required
	Operation Operation `json:"operation"`

	// at is when it was first seen.
	// +optional
	At metav1.Time `json:"at,omitzero"`
}

// FinishedRequest is a request that has ended, kept as history.
type FinishedRequest struct {
	// operation is the request.
	// +required
	Operation Operation `json:"operation"`

	// change describes the requested change and its price.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Change string `json:"change,omitempty"`

	// approvedBy is who approved it, if approval was needed.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	ApprovedBy string `json:"approvedBy,omitempty"`

	// retriedBy is who requested it with the retry annotation.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	RetriedBy string `json:"retriedBy,omitempty"`

	// resolvedBy is who resolved it, if its outcome was unknown.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	ResolvedBy string `json:"resolvedBy,omitempty"`

	// outcome is the phase in which it ended.
	// +required
	Outcome RequestPhase `json:"outcome"`

	// code is the carrier's raw error code, if the request ended in an error.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Code string `json:"code,omitempty"`

	// submittedAt is when it was sent.
	// +optional
	SubmittedAt metav1.Time `json:"submittedAt,omitzero"`

	// at is when it ended.
	// +optional
	At metav1.Time `json:"at,omitzero"`
}

// InFlight is the request that kubectl get shows.
type InFlight struct {
	// operation is the request in progress.
	// +required
	Operation Operation `json:"operation"`

	// location is its polling Location, once the carrier has given it.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Location string `json:"location,omitempty"`
}

// Handled echoes the control annotations that were acted on, for scripts to wait for.
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

	// ignoredResolve is the current wholesale.broadband/resolve value if it resolves nothing. It is
	// not acted on later either (for example, when a time that was in the future is reached), unless
	// it is removed and set again.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	IgnoredResolve string `json:"ignoredResolve,omitempty"`
}

// The control annotations: each value takes effect once.
const (
	// AnnotationReconcile reads and compares the carrier's state now, once for each new value.
	AnnotationReconcile = "wholesale.broadband/reconcile"
	// AnnotationApprove approves the plan of changes whose hash it holds.
	AnnotationApprove = "wholesale.broadband/approve"
	// AnnotationTrust holds the hash of a plan of changes. Where the carrier's own values are unknown,
	// the carrier is assumed to have the declared values, and the declared values are not requested. If
	// it holds the attemptID of a plan change whose result shows another name, that name counts as
	// the requested one in another spelling.
	AnnotationTrust = "wholesale.broadband/trust"
	// AnnotationRetry requests one more attempt after a definitive failure. It holds the attemptID of
	// the failed attempt, or an RFC 3339 time after the end of that attempt that is not in the future.
	AnnotationRetry = "wholesale.broadband/retry"
	// AnnotationResolve resolves an unknown outcome: <attemptID>=Accepted:<request id> | NotAccepted |
	// Succeeded | Abandoned. all@<time>=Succeeded | Abandoned resolves all outcomes that were unknown
	// before an RFC 3339 time.
	AnnotationResolve = "wholesale.broadband/resolve"
	// AnnotationApprovedBy, AnnotationResolvedBy and AnnotationRetriedBy name who set approve, resolve
	// and retry. The API server sets them if config/usernames is installed, and the plugin otherwise;
	// config/policy refuses the name of another user.
	AnnotationApprovedBy = "wholesale.broadband/approved-by"
	AnnotationResolvedBy = "wholesale.broadband/resolved-by"
	AnnotationRetriedBy  = "wholesale.broadband/retried-by"
	// AnnotationAcknowledge on the RequestLedger marker confirms a new installation, or that the
	// operator may continue with what was restored. It holds the UID of the namespace kube-system.
	AnnotationAcknowledge = "wholesale.broadband/acknowledge"

	// AnnotationForget holds the name of a RequestLedger that is being deleted and lets it be removed.
	// Its requests may then be sent again.
	AnnotationForget = "wholesale.broadband/forget"

	// AnnotationContinuedBy on the RequestLedger of a login names another login, as "<baseURL>
	// <clientName>", that continues it: what that login sends is recorded under this one. It is for a
	// carrier that has renamed the client or moved to another address.
	AnnotationContinuedBy = "wholesale.broadband/continued-by"
)

// Finalizer keeps an object until its record of sent requests is safe elsewhere.
const Finalizer = "wholesale.broadband/requests"

// MaxClient is the maximum length of a client's name, as in the API server.
const MaxClient = 128

// Resolution is a person's use of the resolve annotation.
type Resolution struct {
	// word is the value of the annotation.
	// +kubebuilder:validation:MaxLength=256
	// +required
	Word string `json:"word"`

	// at is when the operator acted on the annotation.
	// +optional
	At metav1.Time `json:"at,omitzero"`

	// by is the user who set the annotation, named as in approvedBy.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	By string `json:"by,omitempty"`
}
