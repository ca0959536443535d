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
