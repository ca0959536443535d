package carrier

// ErrorType is the type in the carrier's standard error body. Other values are possible and are
// kept.
type ErrorType string

// The error types (spec §7). The last two were observed but are not in the specification.
const (
	TypeClientValidation ErrorType = "client.validation" // the request is at fault
	TypeBusinessRule     ErrorType = "business.rule"     // the request is well formed, but not allowed
	TypeRemoteCall       ErrorType = "remote.call"       // a system behind the carrier's API is at fault
	TypeClientAccess     ErrorType = "client.access"     // the client is refused access
	TypeServerInternal   ErrorType = "server.internal"   // the carrier is at fault
)

// ErrorCode is the code in the carrier's standard error body. Other values are possible and are
// kept.
type ErrorCode string

// The error codes (spec §7). The last was observed but is not in the specification.
const (
	CodeValidation           ErrorCode = "validation"                    // see the sub-errors
	CodeArgumentNotValid     ErrorCode = "method.argument.not.valid"     // a field of the body breaks a rule
	CodeArgumentTypeMismatch ErrorCode = "method.argument.type.mismatch" // a path id is not a number (400)
	CodeResourceNotFound     ErrorCode = "resource.not.found"            // no permission, or no such id (404)
	CodeRemoteCallError      ErrorCode = "remote.call.error"             // an upstream service is down (502)
	CodeMalformedJSON        ErrorCode = "malformed.json.request"        // the body is not JSON
)

// SubErrorCode is the code of one sub-error, which names a rule. The specification does not list
// all of them, so other values are possible and are kept.
type SubErrorCode string

// The sub-error codes (spec §7), each with its condition. The last was observed but is not in the
// specification.
const (
	// SubServiceNotTC4: aggregation conversion of a service that is not TC4.
	SubServiceNotTC4 SubErrorCode = "constraints.service.not.tc4"

	// SubAggregationFailed: the conversion request is FAILED.
	SubAggregationFailed SubErrorCode = "constraints.service.aggregation.conversion.request.failed"

	// SubPlanNameInvalid: the plan is not available.
	SubPlanNameInvalid SubErrorCode = "constraints.plan.change.plan.name.invalid"

	// SubPlanChangeInError: the plan change failed.
	SubPlanChangeInError SubErrorCode = "constraints.service.plan.change.status.in.error"

	// SubDSLChangeInProgress: another stability profile change is in progress.
	SubDSLChangeInProgress SubErrorCode = "constraints.service.dsl.stability.change.request.in.progress"

	// SubDSLChangeInError: the stability profile change failed.
	SubDSLChangeInError SubErrorCode = "constraints.service.dsl.stability.profile.change.status.in.error"

	// SubFibreBuildInError: the quote failed.
	SubFibreBuildInError SubErrorCode = "constraints.fibre.build.charge.request.in.error"

	// SubPattern: a field is malformed, such as a locationId that is not LOC and 12 digits.
	SubPattern SubErrorCode = "constraints.pattern"

	// SubNotEligibleForReclaim: the disconnection cannot be reversed.
	SubNotEligibleForReclaim SubErrorCode = "constraints.service.not.eligible.for.reclaims"

	// SubReclaimInError: the reclaim failed.
	SubReclaimInError SubErrorCode = "constraints.service.reclaim.request.status.in.error"

	// SubNotNull: a required field is missing.
	SubNotNull SubErrorCode = "constraints.not.null"

	// SubDateFutureOrPresent: cancellationDate is missing or in the past.
	SubDateFutureOrPresent SubErrorCode = "constraints.local.date.future.or.present"

	// SubCancellationNotRequested: there is no pending cancellation to change.
	SubCancellationNotRequested SubErrorCode = "constraints.service-cancellation.not.requested"

	// SubNotEligibleForCancelling: the service cannot be cancelled.
	SubNotEligibleForCancelling SubErrorCode = "constraints.service.not.eligible.for.cancellation"

	// SubDiagnosticTestTimedOut: the test gave no result in time.
	SubDiagnosticTestTimedOut SubErrorCode = "constraints.service-diagnostic-test-request.timed-out"

	// SubDiagnosticTestInError: the test failed to run.
	SubDiagnosticTestInError SubErrorCode = "constraints.service-diagnostic-test-request.in-error"

	// SubAVCIDNotRequired: avcIdForTransfer on a first or additional infrastructure.
	SubAVCIDNotRequired SubErrorCode = "constraints.avc.id.not.required"

	// SubTransferTypeNotRequired: transferType on a first or additional infrastructure.
	SubTransferTypeNotRequired SubErrorCode = "constraints.transfer.type.not.required"

	// SubTechnologyTypeUnavailable: an order for a technology that the site does not have.
	SubTechnologyTypeUnavailable SubErrorCode = "constraints.ordering.technology.type.not.available"
)
