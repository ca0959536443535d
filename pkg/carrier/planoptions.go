package carrier

// PlanOptionsRequest asks which plans and SLAs a service could change to (spec §4, Plan change
// options).
type PlanOptionsRequest struct {
	ServiceID int64 // required
}

// Body returns the request as it is sent.
func (r PlanOptionsRequest) Body() []byte { return serviceBody(r.ServiceID) }

// serviceBody is the body of the operations that need nothing but a service.
func serviceBody(serviceID int64) []byte {
	var w bodyWriter
	return w.number("serviceId", serviceID).bytes()
}

// PlanOptionsResult is what a service could change to, with the fees (spec §2, service plan change
// options). It has no id, of its own or of the service.
type PlanOptionsResult struct {
	Plans []Plan `json:"plans"`
	SLAs  []SLA  `json:"slas"`
}

// DecodePlanOptions reads the result of a plan-change-options request. The error is an [Error] of
// class Unreadable.
func DecodePlanOptions(body []byte) (PlanOptionsResult, error) {
	return decode[PlanOptionsResult](PlanOptions, body)
}
