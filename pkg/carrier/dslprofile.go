package carrier

// DSLStabilityProfile is the balance of speed and stability of a DSL line.
type DSLStabilityProfile string

// The profiles (spec §2). The CRD and the simulator list them too.
const (
	DSLStandard DSLStabilityProfile = "Standard"
	DSLStable   DSLStabilityProfile = "Stable"
)

// DSLStabilityProfileChangeRequest sets the stability profile of a service (spec §4). While one is
// in progress, another is refused with [SubDSLChangeInProgress].
type DSLStabilityProfileChangeRequest struct {
	ServiceID           int64               // required
	DSLStabilityProfile DSLStabilityProfile // required
}

// Body returns the request as it is sent.
func (r DSLStabilityProfileChangeRequest) Body() []byte {
	var w bodyWriter
	return w.number("serviceId", r.ServiceID).text("dslStabilityProfile", string(r.DSLStabilityProfile)).bytes()
}

// DSLStabilityProfileChangeStatus is the status of a profile change; other values are kept.
type DSLStabilityProfileChangeStatus string

// The statuses, with the HTTP status of a GET (spec §3).
const (
	DSLChangeOpen         DSLStabilityProfileChangeStatus = "OPEN"           // 202
	DSLChangeInProgress   DSLStabilityProfileChangeStatus = "IN_PROGRESS"    // 202
	DSLChangeCompleted    DSLStabilityProfileChangeStatus = "COMPLETED"      // 200
	DSLChangeInError      DSLStabilityProfileChangeStatus = "IN_ERROR"       // 422
	DSLChangeInErrorRetry DSLStabilityProfileChangeStatus = "IN_ERROR_RETRY" // listed as a value only
)

// DSLStabilityProfileChangeResult is the resource of a profile change, completed or in progress
// (spec §2).
type DSLStabilityProfileChangeResult struct {
	ID                  int64                           `json:"id"` // the request
	ServiceID           int64                           `json:"serviceId"`
	DSLStabilityProfile DSLStabilityProfile             `json:"dslStabilityProfile"`
	Status              DSLStabilityProfileChangeStatus `json:"status"`
	RequestedOn         Timestamp                       `json:"requestedOn"`
	RequestedByID       int64                           `json:"requestedById"`
	RequestedByName     Secret                          `json:"requestedByName"`
	ErrorDetail         string                          `json:"errorDetail"` // empty: none
}

// DecodeDSLStabilityProfileChange reads the resource of a profile change. The error is an [Error]
// of class Unreadable.
func DecodeDSLStabilityProfileChange(body []byte) (DSLStabilityProfileChangeResult, error) {
	return decode[DSLStabilityProfileChangeResult](DSLStabilityProfileChange, body)
}
