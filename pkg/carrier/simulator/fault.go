package simulator

import (
	"encoding/json"
	"slices"
)

// FaultKind is a kind of fault.
type FaultKind string

// The faults that can be armed.
const (
	// FaultNone leaves the call unchanged.
	FaultNone FaultKind = ""
	// FaultStatus responds with Status and the standard error body.
	FaultStatus FaultKind = "Status"
	// FaultPage responds with Status and the HTML page of a gateway.
	FaultPage FaultKind = "Page"
	// FaultBody responds with Status and Body, unchanged, as JSON.
	FaultBody FaultKind = "Body"
	// FaultReset closes the connection without a response.
	FaultReset FaultKind = "Reset"
	// FaultHang sends no response until the client disconnects or the simulator is closed.
	FaultHang FaultKind = "Hang"
	// FaultRedirect responds with Status (307 when zero) and Location (the call's own path when
	// empty).
	FaultRedirect FaultKind = "Redirect"
	// FaultCutBody processes the call and closes the connection in the middle of the response.
	FaultCutBody FaultKind = "CutBody"
	// FaultNoLocation processes the call and omits the Location.
	FaultNoLocation FaultKind = "NoLocation"
	// FaultLocation processes the call and sends the fault's Location instead of the true one.
	FaultLocation FaultKind = "Location"
	// FaultEndInError accepts the request, which then ends in error, with Body as its errorDetail.
	FaultEndInError FaultKind = "EndInError"
	// FaultStall accepts the request, which is then in error for half of its time, with Body as its
	// errorDetail, before it continues and completes.
	FaultStall FaultKind = "Stall"
	// FaultTrickle processes the call and sends half of the response, then nothing more until the
	// client disconnects or the simulator is closed.
	FaultTrickle FaultKind = "Trickle"
	// FaultBomb processes the call and responds with a gigabyte of blanks, compressed to a
	// megabyte.
	FaultBomb FaultKind = "Bomb"
	// FaultAlter processes the call and changes its response: Status, Header, Location and Body replace
	// what the carrier sends, and Merge changes members of its body.
	FaultAlter FaultKind = "Alter"
	// FaultAlterResult accepts the request. Once it has ended, its reads get the fault's Status and
	// Header, and Merge changes their body. Reads limits how many reads are changed.
	FaultAlterResult FaultKind = "AlterResult"
	// FaultDouble delivers the call to the carrier twice, as a gateway that repeats a POST does, and
	// responds with what the second delivery gets.
	FaultDouble FaultKind = "Double"
)

// Fault is a fault of one call. [Simulator.FailNext] arms it, and so does POST /_sim/faults.
type Fault struct {
	Kind FaultKind `json:"kind"`
	// Status is the response status.
	Status int `json:"status,omitempty"`
	// Processed makes a Status, Page, Body, Reset, Hang or Redirect occur after the call has taken
	// effect. Without Processed, a call with one of these faults never reaches the carrier.
	Processed bool `json:"processed,omitempty"`
	// RetryAfter is sent unchanged with a Status or Page.
	RetryAfter string `json:"retryAfter,omitempty"`
	// Location is the Location of a Redirect. For a Location or Alter fault, and for a processed
	// Status, Page or Body, it replaces the Location that the carrier sends, if any: {path} stands
	// for the true path, {end} for the last two segments of that path, and {id} for the last one.
	Location string `json:"location,omitempty"`
	// Body is the body of a Body or Alter fault, or the error detail of an EndInError or Stall fault.
	Body string `json:"body,omitempty"`
	// Header is sent with a Status, Page, Body, Redirect, Alter or AlterResult, in place of the carrier's
	// own headers of these names. An empty value omits a header.
	Header map[string]string `json:"header,omitempty"`
	// Merge is a JSON merge patch (RFC 7396) of the body of an Alter or AlterResult. It uses the
	// specification's names of members.
	Merge json.RawMessage `json:"merge,omitempty"`
	// Reads is the number of reads of the result that an AlterResult changes, all of them when zero.
	Reads int `json:"reads,omitempty"`
	// ServiceID restricts the fault to calls about one service.
	ServiceID int64 `json:"serviceId,omitempty"`
	// Times is the number of affected calls, 1 when zero.
	Times int `json:"times,omitempty"`
}

// processes reports whether the call reaches the carrier.
func (f Fault) processes() bool {
	beforeOrAfter := []FaultKind{FaultStatus, FaultPage, FaultBody, FaultReset, FaultHang, FaultRedirect}
	return f.Processed || !slices.Contains(beforeOrAfter, f.Kind)
}

// ArmedFault is a fault that waits for its call.
type ArmedFault struct {
	Fault

	Target string `json:"target"`
}
