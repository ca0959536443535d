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
	if x.now.Before(x.service.TestedUntil) {
		refusal.Code, refusal.Field = "constraints.service-diagnostic-test-request.in-progress", serviceIDField
		refusal.Message = "A test is in progress"
		return problem.Refused(refusal)
	}
	x.service.TestedUntil = r.DoneAt
	return nil
}

// showDiagnostic returns the diagnostic test resource of spec §2.
func showDiagnostic(_ *exchange, r *request) any {
	const local = "2006-01-02T15:04:05" // without an offset
	kind, third := r.body().text("testType"), r.DoneAt.Sub(r.SubmittedAt)/3
	names := []string{"completed", "accepted", "in-progress", "pending"} // newest first
	stages := make([]resource, 0, len(names))
	for i, name := range names {
		at := r.DoneAt.Add(-time.Duration(i) * third)
		stages = append(stages, resource{"name": name, "reason": nil, "created_at": at.UTC().Format(local)})
	}
	return resource{
		serviceIDField: r.ServiceID, "testType": kind, "createdOn": timestamp(r.SubmittedAt),
		"result": resource{
			"id": opaqueID(r.Number), statusField: stages, "type": kind, "is_active": false,
			"requested_at": timestamp(r.SubmittedAt),
			"result": resource{
				"wholesale_test_id": fmt.Sprintf("WRI%012d", r.Number), "result": "Passed",
				"start": timestamp(r.SubmittedAt), "end": timestamp(r.DoneAt),
			},
		},
	}
}
