// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Condition types. Ready, Reconciling and Stalled follow kstatus.
const (
	ConditionReady       = "Ready"       // the declared state is reached, for this generation
	ConditionReconciling = "Reconciling" // work is in progress; nobody needs to do anything
	ConditionStalled     = "Stalled"     // a person has to act

	ConditionPlanSynced           = "PlanSynced"           // the carrier's plan is spec.plan
	ConditionRestorationSLASynced = "RestorationSLASynced" // the carrier's SLA is spec.restorationSLA
	ConditionAggregationSynced    = "AggregationSynced"    // the carrier's method is spec.aggregationMethod
	ConditionDSLProfileSynced     = "DSLProfileSynced"     // the carrier's profile is spec.dslStabilityProfile
	ConditionCancellationSynced   = "CancellationSynced"   // the carrier's cancellation is as in spec.cancellation
	ConditionConnected            = "Connected"            // spec.disconnection: the service is not cancelled
	ConditionHealthy              = "Healthy"              // the carrier's health summary is good
	ConditionDisrupted            = "Disrupted"            // a disruption is active
	ConditionApprovalRequired     = "ApprovalRequired"     // a person must approve before anything is sent
	ConditionDrifted              = "Drifted"              // the carrier's state changed after the service was in sync
	ConditionSubmitted            = "Submitted"            // the carrier has accepted the order
	ConditionRejected             = "Rejected"             // the carrier has rejected the order after accepting it

	ConditionCarrier    = "Carrier"    // on a CarrierAccount: the carrier's API answers
	ConditionExtensions = "Extensions" // on a CarrierAccount: the carrier has the extensions that were used
)

// Reasons of CarrierAccount's Ready.
const (
	ReasonTokenIssued      = "TokenIssued"      // the identity provider issued a token, and the carrier accepted it
	ReasonSecretNotFound   = "SecretNotFound"   // a referenced Secret or its key is missing
	ReasonKeyInvalid       = "KeyInvalid"       // the private key cannot be used
	ReasonTokenRejected    = "TokenRejected"    // the identity provider refused the client or its assertion
	ReasonTokenNotAccepted = "TokenNotAccepted" // the carrier refuses the tokens that the identity provider grants
	ReasonTokenTooShort    = "TokenTooShort"    // tokens expire too soon to send a request safely
	ReasonInsecureCarrier  = "InsecureCarrier"  // http or a loopback address without --allow-insecure-carrier
	ReasonUnreachable      = "Unreachable"      // the identity provider cannot be reached
	ReasonClockSkew        = "ClockSkew"        // the manager's clock and the identity provider's differ too much
	ReasonInvalid          = "Invalid"          // a field that only the controller can check is invalid
)

// ReasonAnswering is the reason of a CarrierAccount's Carrier condition while the carrier answers,
// and of its Extensions condition while the carrier has the extensions that were used. Otherwise,
// the reasons are [ReasonCarrierUnavailable] and [ReasonExtensionUnavailable].
const ReasonAnswering = "Answering"

// ReasonExtensionUnavailable means that the carrier has refused the call of an extension.
const ReasonExtensionUnavailable = "ExtensionUnavailable"

// Reasons of the conditions of the other kinds, apart from those that stand for one sub-error code.
const (
	ReasonInSync                  = "InSync"                  // the carrier's state matches the declared state
	ReasonProgressing             = "Progressing"             // a request is in progress, or the state is being read
	ReasonPolicyMissing           = "PolicyMissing"           // the policies that decide who may approve are not in force
	ReasonPlanned                 = "Planned"                 // managementPolicy Plan, or the manager sends nothing
	ReasonObserving               = "Observing"               // managementPolicy Observe: read only
	ReasonSuspended               = "Suspended"               // spec.suspend: changes are waiting
	ReasonAwaitingApproval        = "AwaitingApproval"        // a person has to approve the changes
	ReasonAccountNotReady         = "AccountNotReady"         // the CarrierAccount is missing or not Ready
	ReasonOrderNotReady           = "OrderNotReady"           // the ServiceOrder has no service or number yet
	ReasonOrderGone               = "OrderGone"               // the ServiceOrder was deleted, or the order rejected
	ReasonServiceNotReady         = "ServiceNotReady"         // the BroadbandService is missing, or has no number yet
	ReasonAnotherTestInProgress   = "AnotherTestInProgress"   // another test of the service is in progress
	ReasonTestTypeNotOffered      = "TestTypeNotOffered"      // the carrier does not offer this test for the service
	ReasonConflict                = "Conflict"                // another object manages it, or the carrier differs
	ReasonPlanUnknown             = "PlanUnknown"             // the carrier's plan could not be read
	ReasonTermUnknown             = "TermUnknown"             // an SLA change needs the plan's term, which is not known
	ReasonNTDOptionRequired       = "NTDOptionRequired"       // a plan above 1000 MBit/s needs an NTD option
	ReasonNotOffered              = "NotOffered"              // the carrier does not offer this for the service
	ReasonContactRequired         = "ContactRequired"         // a contact is missing or cannot be read
	ReasonUnsupportedByAPIVersion = "UnsupportedByAPIVersion" // the account's API version lacks the operation
	ReasonNotFoundOrForbidden     = "NotFoundOrForbidden"     // 403 or 404, which never proves absence
	ReasonCarrierUnavailable      = "CarrierUnavailable"      // connection errors and 5xx
	ReasonRequestInvalid          = "RequestInvalid"          // 400, 405, 406, 413 to 415
	ReasonOutcomeUnknown          = "OutcomeUnknown"          // it may have been sent; a person resolves it
	ReasonStatusLost              = "StatusLost"              // the object's record of its requests is missing
	ReasonLedgerLost              = "LedgerLost"              // the RequestLedger is missing, or an older version
	ReasonLateAcceptance          = "LateAcceptance"          // the carrier accepted an attempt that had already ended
	ReasonLedgerUnreadable        = "LedgerUnreadable"        // the RequestLedger is damaged, or from a newer version
	ReasonLedgerDeleting          = "LedgerDeleting"          // the RequestLedger is being deleted: nothing new is started
	ReasonAPIServerRefused        = "APIServerRefused"        // Kubernetes refuses a read or write that the operator needs
	ReasonNewInstallation         = "NewInstallation"         // a person must confirm that this is a new installation
	ReasonHandleLost              = "HandleLost"              // the Location has no result, or another request's
	ReasonUnanswered              = "Unanswered"              // a query without a result, or with an unreadable one
	ReasonOverdue                 = "Overdue"                 // in progress for longer than usual
	ReasonCarrierHold             = "CarrierHold"             // the carrier waits until an error that it reports is fixed
	ReasonBreakerOpen             = "BreakerOpen"             // responses were lost: no chargeable request is sent for now
	ReasonChargeLimit             = "ChargeLimit"             // spec.chargeLimit of the account is reached
	ReasonResultDiffers           = "ResultDiffers"           // a result, such as a plan or a fee, is not as requested
	ReasonCancelled               = "Cancelled"               // the service or appointment is cancelled
	ReasonDrifted                 = "Drifted"                 // the carrier's state changed after the service was in sync
	ReasonConnected               = "Connected"               // the carrier does not show the service as cancelled
	ReasonHealthGood              = "HealthGood"              // the carrier rates the service Green
	ReasonHealthImpaired          = "HealthImpaired"          // the carrier rates the service, but not Green
	ReasonHealthNotRated          = "HealthNotRated"          // the carrier does not rate the service
	ReasonDisruptionActive        = "DisruptionActive"        // an outage or maintenance is in progress
	ReasonNoDisruption            = "NoDisruption"            // no outage or maintenance is in progress
	ReasonCompleted               = "Completed"               // a one-shot has succeeded
	ReasonExpired                 = "Expired"                 // a one-shot has succeeded; its response is no longer valid
	ReasonOrderDiffers            = "OrderDiffers"            // the recorded order has another body
	ReasonSubmitted               = "Submitted"               // the carrier has accepted the order
	ReasonOrderRejected           = "OrderRejected"           // the carrier has rejected the order after accepting it
	ReasonOrderNotPossible        = "OrderNotPossible"        // the qualification or the account does not allow this order
	ReasonCarrierRejected         = "CarrierRejected"         // a sub-error code without a reason of its own
	ReasonAbandoned               = "Abandoned"               // the request was given up, usually by a person
)

// Reasons for one sub-error code each (spec §7). The message begins with the raw
// code.
const (
	ReasonServiceNotTC4               = "ServiceNotTC4"
	ReasonAggregationConversionFailed = "AggregationConversionFailed"
	ReasonPlanNameInvalid             = "PlanNameInvalid"
	ReasonPlanChangeFailed            = "PlanChangeFailed"
	ReasonDSLChangeInProgress         = "DSLChangeInProgress"
	ReasonChangeInProgress            = "ChangeInProgress" // any other code that ends in .in.progress or .in-progress
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
