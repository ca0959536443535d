package carrier

// PlanOptionsRequest requests the plans and SLAs that a service could change to (spec §4, Plan
// change options).
type PlanOptionsRequest struct {
	ServiceID int64 `json:"serviceId,omitempty"` // required
}

// Body returns the request as it is sent.
func (r PlanOptionsRequest) Body() []byte { return encode(r) }

// PlanOptionsResult has the plans and SLAs that a service could change to, with their fees (spec
// §2, service plan change options). It has neither its own id nor that of the service.
type PlanOptionsResult struct {
	Plans []Plan `json:"plans"`
	SLAs  []SLA  `json:"slas"`
}

// DecodePlanOptions reads the result of a plan-change-options request. The error is an [Error] of
// class Unreadable.
func DecodePlanOptions(body []byte) (PlanOptionsResult, error) {
	return decode[PlanOptionsResult](PlanOptions, body)
}
