// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Condition types. Ready, Reconciling and Stalled follow kstatus.
const (
	ConditionReady       = "Ready"       // the declared state is reached, for this generation
	ConditionReconciling = "Reconciling" // work is under way; nobody needs to do anything
	ConditionStalled     = "Stalled"     // only a person can help

	ConditionPlanSynced           = "PlanSynced"           // spec.plan is the carrier's plan
	ConditionRestorationSLASynced = "RestorationSLASynced" // spec.restorationSLA is the carrier's SLA
	ConditionAggregationSynced    = "AggregationSynced"    // spec.aggregationMethod is the carrier's
	ConditionDSLProfileSynced     = "DSLProfileSynced"     // spec.dslStabilityProfile is the carrier's
	ConditionCancellationSynced   = "CancellationSynced"   // spec.cancellation is the carrier's
	ConditionConnected            = "Connected"            // spec.disconnection is served
	ConditionHealthy              = "Healthy"              // the carrier's health summary is good
	ConditionDisrupted            = "Disrupted"            // a disruption is active
	ConditionApprovalRequired     = "ApprovalRequired"     // a person must approve before anything is sent
	ConditionDrifted              = "Drifted"              // the carrier moved away after we had converged
	ConditionSubmitted            = "Submitted"            // the carrier has taken the order
	ConditionRejected             = "Rejected"             // the carrier has rejected the order that it had taken

	ConditionCarrier = "Carrier" // of a CarrierAccount: the carrier answers
)

// Reasons of CarrierAccount's Ready.
const (
	ReasonTokenIssued     = "TokenIssued"     // the identity provider issued a token
	ReasonSecretNotFound  = "SecretNotFound"  // a referenced Secret or its key is missing
	ReasonKeyInvalid      = "KeyInvalid"      // the private key cannot be used
	ReasonTokenRejected   = "TokenRejected"   // the identity provider refused the client or its assertion
	ReasonTokenTooShort   = "TokenTooShort"   // tokens live too briefly to send a request safely
	ReasonInsecureCarrier = "InsecureCarrier" // http or a loopback address without --allow-insecure-carrier
	ReasonUnreachable     = "Unreachable"     // the identity provider cannot be reached
	ReasonClockSkew       = "ClockSkew"       // our clock and the identity provider's are too far apart
	ReasonIdentityChanged = "IdentityChanged" // its login has sent under another identity
	ReasonInvalid         = "Invalid"         // a field that only the controller can judge is wrong
)

// ReasonAnswering is the reason of CarrierAccount's Carrier while the carrier answers; else it is
// [ReasonCarrierUnavailable].
const ReasonAnswering = "Answering"

// Reasons of a service's conditions: what the operator itself has to say.
const (
	ReasonInSync                  = "InSync"                  // the carrier's state is the declared one
	ReasonProgressing             = "Progressing"             // a request is under way, or the state is being read
	ReasonPlanned                 = "Planned"                 // managementPolicy Plan: changes worked out, not sent
	ReasonObserving               = "Observing"               // managementPolicy Observe: read only
	ReasonSuspended               = "Suspended"               // spec.suspend: there is work, and it waits
	ReasonAwaitingApproval        = "AwaitingApproval"        // a person has to approve the changes
	ReasonUnsupported             = "Unsupported"             // declared, but the operator cannot do it yet
	ReasonUnmanaged               = "Unmanaged"               // not declared: left alone
	ReasonAccountNotReady         = "AccountNotReady"         // the CarrierAccount is missing or not Ready
	ReasonOrderNotReady           = "OrderNotReady"           // the ServiceOrder has no service yet
	ReasonServiceNotReady         = "ServiceNotReady"         // the BroadbandService is missing, or has no number yet
	ReasonAnotherTestInProgress   = "AnotherTestInProgress"   // the tests of a service are run one at a time
	ReasonConflict                = "Conflict"                // another object manages the same service
	ReasonPlanUnknown             = "PlanUnknown"             // the carrier's plan could not be read
	ReasonTermUnknown             = "TermUnknown"             // an SLA change needs the plan's term, and it is not known
	ReasonNTDOptionRequired       = "NTDOptionRequired"       // a plan above 1000 MBit/s needs an NTD option
	ReasonContactRequired         = "ContactRequired"         // an NTD option needs a contact
	ReasonUnsupportedByAPIVersion = "UnsupportedByAPIVersion" // the account's API version lacks the operation
	ReasonNotFoundOrForbidden     = "NotFoundOrForbidden"     // 403 or 404, which never proves absence
	ReasonCarrierUnavailable      = "CarrierUnavailable"      // connection errors and 5xx
	ReasonRequestInvalid          = "RequestInvalid"          // 400, 405, 406, 413 to 415
	ReasonOutcomeUnknown          = "OutcomeUnknown"          // sent, perhaps; a person resolves it
	ReasonStatusLost              = "StatusLost"              // the object's memory of its requests is gone
	ReasonLedgerLost              = "LedgerLost"              // the RequestLedger is gone, or older than was seen
	ReasonLateAcceptance          = "LateAcceptance"          // taken by the carrier after a person had ended it
	ReasonLedgerUnreadable        = "LedgerUnreadable"        // the RequestLedger is damaged, or of a newer version
	ReasonLedgerDeleting          = "LedgerDeleting"          // the RequestLedger is being deleted: nothing is begun
	ReasonAPIServerRefused        = "APIServerRefused"        // Kubernetes refuses what has to be read or written
	ReasonNewInstallation         = "NewInstallation"         // applied before the operator ran, and not acknowledged
	ReasonHandleLost              = "HandleLost"              // the carrier no longer knows the Location
	ReasonUnanswered              = "Unanswered"              // asked three times, and nothing came of it
	ReasonOverdue                 = "Overdue"                 // longer under way than is usual
	ReasonCarrierHold             = "CarrierHold"             // the carrier reports an error and goes on once it is fixed
	ReasonBreakerOpen             = "BreakerOpen"             // answers were lost: nothing that costs is sent for now
	ReasonChargeLimit             = "ChargeLimit"             // spec.chargeLimit of the account is reached
	ReasonResultDiffers           = "ResultDiffers"           // a result differs from what was shown, such as a fee
	ReasonCancelled               = "Cancelled"               // the service is cancelled, as wanted
	ReasonDrifted                 = "Drifted"                 // the carrier moved away after we had converged
	ReasonConnected               = "Connected"               // the carrier does not show the service cancelled
	ReasonHealthGood              = "HealthGood"              // the carrier rates the service Green
	ReasonHealthImpaired          = "HealthImpaired"          // the carrier rates the service otherwise
	ReasonHealthNotRated          = "HealthNotRated"          // the carrier does not rate the service
	ReasonDisruptionActive        = "DisruptionActive"        // an outage or works are under way
	ReasonNoDisruption            = "NoDisruption"            // none is under way
	ReasonCompleted               = "Completed"               // a one-shot has ended well
	ReasonExpired                 = "Expired"                 // a one-shot has ended well, and its answer no longer holds
	ReasonOrderDiffers            = "OrderDiffers"            // the order on record has another body
	ReasonSubmitted               = "Submitted"               // the carrier has taken the order
	ReasonOrderRejected           = "OrderRejected"           // the carrier has rejected the order that it had taken
	ReasonOrderNotPossible        = "OrderNotPossible"        // the qualification does not let the order be made so
	ReasonCarrierRejected         = "CarrierRejected"         // a sub-error code that has no reason of its own
)

// Reasons that stand for one sub-error code each (specification section 7). The
// raw code begins the message.
const (
	ReasonServiceNotTC4               = "ServiceNotTC4"
	ReasonAggregationConversionFailed = "AggregationConversionFailed"
	ReasonPlanNameInvalid             = "PlanNameInvalid"
	ReasonPlanChangeFailed            = "PlanChangeFailed"
	ReasonDSLChangeInProgress         = "DSLChangeInProgress"
	ReasonChangeInProgress            = "ChangeInProgress" // any other code that ends in .in.progress
	ReasonDSLChangeFailed             = "DSLChangeFailed"
	ReasonFibreBuildQuoteFailed       = "FibreBuildQuoteFailed"
	ReasonInvalidFormat               = "InvalidFormat"
	ReasonNotEligibleForReclaim       = "NotEligibleForReclaim"
	ReasonReclaimFailed               = "ReclaimFailed"
	ReasonRequiredFieldMissing        = "RequiredFieldMissing"
	ReasonDateInPast                  = "DateInPast"
	ReasonCancellationNotRequested    = "CancellationNotRequested"
	ReasonNotEligibleForCancellation  = "NotEligibleForCancellation"
	ReasonDiagnosticTestTimedOut      = "DiagnosticTestTimedOut"
	ReasonDiagnosticTestFailed        = "DiagnosticTestFailed"
	ReasonAVCIDNotAllowed             = "AVCIDNotAllowed"
	ReasonTransferTypeNotAllowed      = "TransferTypeNotAllowed"
)
