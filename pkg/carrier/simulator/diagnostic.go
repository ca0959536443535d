package simulator

import (
	"fmt"
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/problem"
)

// diagnosticFields is the body of a diagnostic test (spec §4).
func diagnosticFields() []field {
	return []field{
		{name: serviceIDField, kind: number, required: true},
		{name: "testType", kind: text, required: true},
	}
}

func diagnosticFamily() family {
	return family{
		operation: OpDiagnosticTest,
		accept:    acceptDiagnostic, result: showDiagnostic,
		failed:   "constraints.service-diagnostic-test-request.in-error",
		timedOut: "constraints.service-diagnostic-test-request.timed-out",
		failure:  statusError, object: "ServiceDiagnosticTestRequest",
	}
}

// testTypes returns the available tests: those of the seed, or four common ones.
func (s *Simulator) testTypes() []string {
	if types := s.options.Seed.TestTypes; types != nil {
		return types
	}
	return []string{"port-reset", "line-state", "loopback", "ntd-status"}
}

// acceptDiagnostic accepts one test at a time for an active service.
func acceptDiagnostic(x *exchange, r *request) error {
	if err := x.requireActive(); err != nil {
		return err
	}
	testType := x.fields.text("testType")
	refusal := problem.SubError{Object: "CreateServiceDiagnosticTestRequestCommand", RejectedValue: testType}
	if !slices.Contains(x.sim.testTypes(), testType) {
		refusal.Code, refusal.Field = "constraints.service-diagnostic-test-request.test-type.invalid", "testType"
		refusal.Message = "There is no such test"
		return problem.Refused(refusal)
	}
	if x.now.Before(x.service.testedUntil) {
		refusal.Code, refusal.Field = "constraints.service-diagnostic-test-request.in-progress", serviceIDField
		refusal.Message = "A test is in progress"
		return problem.Refused(refusal)
	}
	x.service.testedUntil = r.DoneAt
	return nil
}

// diagnosticResult is the diagnostic test resource of spec §2.
type diagnosticResult struct {
	ServiceID int64          `json:"serviceId"`
	TestType  string         `json:"testType"`
	CreatedOn string         `json:"createdOn"`
	Result    diagnosticBody `json:"result"`
}

type diagnosticBody struct {
	ID          string            `json:"id"`
	Status      []diagnosticStage `json:"status"`
	Type        string            `json:"type"`
	Result      map[string]string `json:"result"`
	IsActive    bool              `json:"is_active"`
	RequestedAt string            `json:"requested_at"`
}

type diagnosticStage struct {
	Name      string  `json:"name"`
	Reason    *string `json:"reason"`
	CreatedAt string  `json:"created_at"` // without an offset
}

func showDiagnostic(_ *exchange, r *request) any {
	const local = "2006-01-02T15:04:05"
	kind, third := r.body().text("testType"), r.DoneAt.Sub(r.SubmittedAt)/3
	names := []string{"completed", "accepted", "in-progress", "pending"} // newest first
	stages := make([]diagnosticStage, 0, len(names))
	for i, name := range names {
		at := r.DoneAt.Add(-time.Duration(i) * third)
		stages = append(stages, diagnosticStage{Name: name, CreatedAt: at.UTC().Format(local)})
	}
	return diagnosticResult{
		ServiceID: r.ServiceID, TestType: kind, CreatedOn: timestamp(r.SubmittedAt),
		Result: diagnosticBody{
			ID: opaqueID(r.Number), Status: stages, Type: kind, RequestedAt: timestamp(r.SubmittedAt),
			Result: map[string]string{
				"wholesale_test_id": fmt.Sprintf("WRI%012d", r.Number), "result": "Passed",
				"start": timestamp(r.SubmittedAt), "end": timestamp(r.DoneAt),
			},
		},
	}
}
