package carrier

// ReclaimRequest brings back a disconnected service while its disconnection is reversible (spec
// §4).
type ReclaimRequest struct {
	ServiceID int64 // required
}

// Body returns the request as it is sent.
func (r ReclaimRequest) Body() []byte { return serviceBody(r.ServiceID) }

// ReclaimStatus is the status of a reclaim. The full set of values is not documented; others are
// kept.
type ReclaimStatus string

// The documented statuses (spec §3).
const (
	ReclaimCompleted ReclaimStatus = "COMPLETED" // GET returns 200
	ReclaimInError   ReclaimStatus = "IN_ERROR"  // GET returns 422
)

// ReclaimResult is the resource of a reclaim (spec §2).
type ReclaimResult struct {
	ID          int64         `json:"id"` // the request
	ServiceID   int64         `json:"serviceId"`
	RequestedOn Timestamp     `json:"requestedOn"`
	Status      ReclaimStatus `json:"status"`
}

// DecodeReclaim reads the resource of a reclaim. The error is an [Error] of class Unreadable.
func DecodeReclaim(body []byte) (ReclaimResult, error) { return decode[ReclaimResult](Reclaim, body) }
