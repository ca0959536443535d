package carrier

import "encoding/json"

// DiagnosticTestRequest runs a test on a service (spec §4). A test may interrupt the service;
// port-reset does.
type DiagnosticTestRequest struct {
	ServiceID int64  `json:"serviceId,omitempty"` // required
	TestType  string `json:"testType,omitempty"`  // required; the full list is not documented
}

// TestPortReset is the only documented test type.
const TestPortReset = "port-reset"

// Body returns the request as it is sent.
func (r DiagnosticTestRequest) Body() []byte { return encode(r) }

// DiagnosticStage is the name of a stage in the history of a test; other values are kept.
type DiagnosticStage string

// The stages observed (spec §2).
const (
	DiagnosticPending    DiagnosticStage = "pending"
	DiagnosticInProgress DiagnosticStage = "in-progress"
	DiagnosticAccepted   DiagnosticStage = "accepted"
	DiagnosticCompleted  DiagnosticStage = "completed"
)

// DiagnosticTestResult is the resource of a test (spec §2).
type DiagnosticTestResult struct {
	ServiceID int64         `json:"serviceId"`
	TestType  string        `json:"testType"`
	CreatedOn Timestamp     `json:"createdOn"`
	Result    DiagnosticRun `json:"result"`
}

// DiagnosticRun is one run of a test. Its times have no offset, so they are strings.
type DiagnosticRun struct {
	ID          string             `json:"id"`
	Status      []DiagnosticStatus `json:"status"` // newest first
	Type        string             `json:"type"`
	Result      json.RawMessage    `json:"result"`    // an object that varies by test type
	IsActive    *bool              `json:"is_active"` // false in a final state; nil: not given
	RequestedAt string             `json:"requested_at"`
}

// DiagnosticStatus is one entry of a test's history.
type DiagnosticStatus struct {
	Name      DiagnosticStage `json:"name"`
	Reason    string          `json:"reason"`     // empty: none
	CreatedAt string          `json:"created_at"` // date and time without offset
}

// DecodeDiagnosticTest reads the result of a diagnostic test. The error is an [Error] of class
// Unreadable.
func DecodeDiagnosticTest(body []byte) (DiagnosticTestResult, error) {
	return decode[DiagnosticTestResult](DiagnosticTest, body)
}
