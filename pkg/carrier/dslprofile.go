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
	ServiceID           int64               `json:"serviceId,omitempty"`           // required
	DSLStabilityProfile DSLStabilityProfile `json:"dslStabilityProfile,omitempty"` // required
}

// Body returns the request as it is sent.
func (r DSLStabilityProfileChangeRequest) Body() []byte { return encode(r) }

// DSLStabilityProfileChangeResult is what the resource of a profile change states about the service
// (spec §2). [DecodeSummary] reads the rest.
type DSLStabilityProfileChangeResult struct {
	DSLStabilityProfile DSLStabilityProfile `json:"dslStabilityProfile"`
}

// DecodeDSLStabilityProfileChange reads the result of a profile change. The error is an [Error] of
// class Unreadable.
func DecodeDSLStabilityProfileChange(body []byte) (DSLStabilityProfileChangeResult, error) {
	return decode[DSLStabilityProfileChangeResult](DSLStabilityProfileChange, body)
}
