package simulator

// Operation is the subject of a call: one submission of the specification together with its reads.
type Operation string

// The operations of the carrier and of its identity provider.
const (
	OpToken                     Operation = "Token"
	OpAggregationConversion     Operation = "AggregationConversion"
	OpPlanChange                Operation = "PlanChange"
	OpPlanOptions               Operation = "PlanOptions"
	OpDSLStabilityProfileChange Operation = "DSLStabilityProfileChange"
	OpFibreBuildCharge          Operation = "FibreBuildCharge"
	OpReclaim                   Operation = "Reclaim"
	OpAppointmentSlots          Operation = "AppointmentSlots"
	OpAppointmentCancel         Operation = "AppointmentCancel"
	OpDiagnosticTest            Operation = "DiagnosticTest"
	OpCancellationReschedule    Operation = "CancellationReschedule"
	OpCancellationAbort         Operation = "CancellationAbort"
	OpCancellationRead          Operation = "CancellationRead"
	OpHealth                    Operation = "Health"
	OpDisruptions               Operation = "Disruptions"
	OpOrderCreate               Operation = "OrderCreate"
	OpTestTypes                 Operation = "TestTypes"   // of the extension with that name
	OpServiceRead               Operation = "ServiceRead" // of the extension with that name
	OpOrderRead                 Operation = "OrderRead"   // of the extension with that name
	OpUnknown                   Operation = "Unknown"     // a path or method that the specification does not have
)
