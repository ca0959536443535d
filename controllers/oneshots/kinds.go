// SPDX-License-Identifier: Apache-2.0

package oneshots

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
)

// subject is an object that makes one request.
type subject interface {
	pass.Subject
	NamedService() (v1alpha1.CarrierID, *v1alpha1.ServiceReference) // the service of the object, if it has one
	KeptFor() v1alpha1.Duration
}

// oneShot is an object, with the functions of its kind.
type oneShot struct {
	subject    subject
	list       client.ObjectList // of the kind, empty
	operation  v1alpha1.Operation
	approval   func() (v1alpha1.Approval, []v1alpha1.Change) // what a person may have to approve; nil: nothing
	found      func() string                                 // a summary of the response; nil: none
	holdsUntil func() string                                 // the last day on which the response is valid; nil: no limit
	bodyFor    func(serviceID v1alpha1.CarrierID) []byte
	record     func(request *v1alpha1.Request, body []byte, ours func(v1alpha1.CarrierID) bool) *decide.Unfinished
}

func diagnosticTest() oneShot {
	test := &v1alpha1.DiagnosticTest{}
	return oneShot{
		subject: test, list: &v1alpha1.DiagnosticTestList{}, operation: v1alpha1.OperationDiagnosticTest,
		approval: func() (v1alpha1.Approval, []v1alpha1.Change) {
			return test.Spec.Approval, []v1alpha1.Change{
				{Operation: v1alpha1.OperationDiagnosticTest, Field: "testType", To: test.Spec.TestType},
			}
		},
		found: func() string { return oneshots.SummarizeTest(&test.Status) },
		bodyFor: func(serviceID v1alpha1.CarrierID) []byte {
			return carrier.DiagnosticTestRequest{ServiceID: serviceID.Number(), TestType: test.Spec.TestType}.Body()
		},
		record: func(request *v1alpha1.Request, body []byte, ours func(v1alpha1.CarrierID) bool) *decide.Unfinished {
			return oneshots.RecordDiagnosticTest(&test.Status, request, body, ours)
		},
	}
}

func fibreBuildQuote() oneShot {
	quote := &v1alpha1.FibreBuildQuote{}
	return oneShot{
		subject: quote, list: &v1alpha1.FibreBuildQuoteList{}, operation: v1alpha1.OperationFibreBuildCharge,
		holdsUntil: func() string { return quote.Status.ValidUntil },
		bodyFor: func(v1alpha1.CarrierID) []byte {
			return carrier.FibreBuildChargeRequest{LocationID: string(quote.Spec.LocationID)}.Body()
		},
		record: func(request *v1alpha1.Request, body []byte, _ func(v1alpha1.CarrierID) bool) *decide.Unfinished {
			return oneshots.RecordFibreBuildQuote(&quote.Status, request, body, quote.Spec.LocationID)
		},
	}
}

func planOptionsQuery() oneShot {
	query := &v1alpha1.PlanOptionsQuery{}
	return oneShot{
		subject: query, list: &v1alpha1.PlanOptionsQueryList{}, operation: v1alpha1.OperationPlanOptions,
		bodyFor: func(serviceID v1alpha1.CarrierID) []byte {
			return carrier.PlanOptionsRequest{ServiceID: serviceID.Number()}.Body()
		},
		record: func(request *v1alpha1.Request, body []byte, _ func(v1alpha1.CarrierID) bool) *decide.Unfinished {
			return oneshots.RecordPlanOptions(&query.Status, request, body)
		},
	}
}

func healthCheck() oneShot {
	check := &v1alpha1.HealthCheck{}
	return oneShot{
		subject: check, list: &v1alpha1.HealthCheckList{}, operation: v1alpha1.OperationHealth,
		found: func() string { return oneshots.SummarizeHealth(&check.Status) },
		bodyFor: func(serviceID v1alpha1.CarrierID) []byte {
			return carrier.HealthRequest{ServiceID: serviceID.Number()}.Body()
		},
		record: func(request *v1alpha1.Request, body []byte, _ func(v1alpha1.CarrierID) bool) *decide.Unfinished {
			return oneshots.RecordHealth(&check.Status, request, body)
		},
	}
}
