package carrier

// ReclaimRequest brings back a disconnected service while its disconnection is reversible (spec
// §4).
type ReclaimRequest struct {
	ServiceID int64 `json:"serviceId,omitempty"` // required
}

// Body returns the request as it is sent.
func (r ReclaimRequest) Body() []byte { return encode(r) }
