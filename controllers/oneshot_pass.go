// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// shotPass is one pass over an object that makes one request.
type shotPass struct {
	*pass

	shot   shot
	number v1alpha1.CarrierID // the number of its service; "": none, or not known
	hold   *decide.Verdict    // why the request cannot be sent yet; nil when it can
}

// gather collects the inputs that do not change within a pass.
func (p *shotPass) gather(ctx context.Context) error {
	if err := p.gatherAccount(ctx); err != nil {
		return err
	}
	return p.gatherNumber(ctx)
}

// gatherNumber takes the service number from the spec, or from the BroadbandService that the spec
// names.
func (p *shotPass) gatherNumber(ctx context.Context) error {
	own, ref := p.shot.service()
	if own == "" && ref == nil {
		return nil // the kind has no service
	}
	var named *v1alpha1.BroadbandService
	if own == "" {
		service := &v1alpha1.BroadbandService{}
		err := p.Get(ctx, client.ObjectKey{Namespace: p.subject.GetNamespace(), Name: ref.Name}, service)
		switch {
		case err == nil:
			named = service
		case !apierrors.IsNotFound(err):
			return fmt.Errorf("read BroadbandService %s: %w", ref.Name, err)
		}
	}
	p.number, p.hold = decide.NumberOf(p.account.Object, own, ref, named, p.shot.operation)
	return nil
}

func (p *shotPass) judge(input decide.Input) decide.Decision {
	return decide.OneShot(*p.taskInput(input))
}

func (p *shotPass) taskInput(input decide.Input) *decide.TaskInput {
	task := decide.Task{Operation: p.shot.operation, Body: p.shot.body(p.number)}
	var approval v1alpha1.Approval
	if p.shot.approval != nil {
		approval, task.Changes = p.shot.approval()
	}
	return &decide.TaskInput{
		Input: input, ServiceID: p.number, Hold: p.hold, TTL: p.shot.ttl(), Found: p.shot.found(),
		HoldsUntil: p.shot.holdsUntil(), Approval: approval, Task: task,
	}
}

func (*shotPass) show(decide.Decision) {}

// take does nothing: a one-shot has no reads.
func (*shotPass) take(context.Context, decide.Step) (time.Duration, error) { return 0, nil }

func (p *shotPass) body(v1alpha1.Request, v1alpha1.Contact) []byte { return p.shot.body(p.number) }

// finish takes over the carrier's answer. A service in the answer is ours if the request was sent
// for it, whatever its BroadbandService shows now.
func (p *shotPass) finish(request *v1alpha1.Request, body []byte) {
	ours := func(serviceID v1alpha1.CarrierID) bool {
		return request.BodyHash == decide.BodyHash(p.shot.body(serviceID)) || request.BodyHash == "" && serviceID == p.number
	}
	if why := p.shot.finish(request, body, ours); why != nil {
		request.Phase, request.Error = why.Phase, why.Error
	}
}

func (*shotPass) reached(*v1alpha1.Request, v1alpha1.ValueSource, time.Time) {}

func (*shotPass) takenBack(*v1alpha1.Request, time.Time) {}

func (*shotPass) refused(*v1alpha1.Request) {}

// shot is an object, with the functions of its kind.
type shot struct {
	subject    Subject
	list       client.ObjectList // of the kind, empty
	operation  v1alpha1.Operation
	service    func() (v1alpha1.CarrierID, *v1alpha1.ServiceReference) // the service of the object, if it has one
	ttl        func() v1alpha1.Duration
	approval   func() (v1alpha1.Approval, []v1alpha1.Change) // of what a person may have to approve; nil: nothing
	found      func() string                                 // a summary of the answer; "" for none
	holdsUntil func() string                                 // the last day on which the answer is valid; "": no limit
	body       func(serviceID v1alpha1.CarrierID) []byte
	finish     func(request *v1alpha1.Request, body []byte, ours func(v1alpha1.CarrierID) bool) *decide.Unfinished
}

func diagnosticTest() shot {
	test := &v1alpha1.DiagnosticTest{}
	return shot{
		subject: test, list: &v1alpha1.DiagnosticTestList{}, operation: v1alpha1.OperationDiagnosticTest,
		service: func() (v1alpha1.CarrierID, *v1alpha1.ServiceReference) {
			return test.Spec.ServiceID, test.Spec.ServiceRef
		},
		ttl: func() v1alpha1.Duration { return test.Spec.TTLAfterFinished },
		approval: func() (v1alpha1.Approval, []v1alpha1.Change) {
			return test.Spec.Approval, []v1alpha1.Change{
				{Operation: v1alpha1.OperationDiagnosticTest, Field: "testType", To: test.Spec.TestType},
			}
		},
		found:      func() string { return decide.TestFound(&test.Status) },
		holdsUntil: func() string { return "" },
		body: func(serviceID v1alpha1.CarrierID) []byte {
			return carrier.DiagnosticTestRequest{ServiceID: serviceID.Number(), TestType: test.Spec.TestType}.Body()
		},
		finish: func(request *v1alpha1.Request, body []byte, ours func(v1alpha1.CarrierID) bool) *decide.Unfinished {
			return decide.TakeDiagnosticTest(&test.Status, request, body, ours)
		},
	}
}

func fibreBuildQuote() shot {
	quote := &v1alpha1.FibreBuildQuote{}
	return shot{
		subject: quote, list: &v1alpha1.FibreBuildQuoteList{}, operation: v1alpha1.OperationFibreBuildCharge,
		service:    func() (v1alpha1.CarrierID, *v1alpha1.ServiceReference) { return "", nil },
		ttl:        func() v1alpha1.Duration { return quote.Spec.TTLAfterFinished },
		found:      func() string { return "" },
		holdsUntil: func() string { return quote.Status.ValidUntil },
		body: func(v1alpha1.CarrierID) []byte {
			return carrier.FibreBuildChargeRequest{LocationID: string(quote.Spec.LocationID)}.Body()
		},
		finish: func(request *v1alpha1.Request, body []byte, _ func(v1alpha1.CarrierID) bool) *decide.Unfinished {
			return decide.TakeFibreBuildQuote(&quote.Status, request, body, quote.Spec.LocationID)
		},
	}
}

func planOptionsQuery() shot {
	query := &v1alpha1.PlanOptionsQuery{}
	return shot{
		subject: query, list: &v1alpha1.PlanOptionsQueryList{}, operation: v1alpha1.OperationPlanOptions,
		service: func() (v1alpha1.CarrierID, *v1alpha1.ServiceReference) {
			return query.Spec.ServiceID, query.Spec.ServiceRef
		},
		ttl:        func() v1alpha1.Duration { return query.Spec.TTLAfterFinished },
		found:      func() string { return "" },
		holdsUntil: func() string { return "" },
		body: func(serviceID v1alpha1.CarrierID) []byte {
			return carrier.PlanOptionsRequest{ServiceID: serviceID.Number()}.Body()
		},
		finish: func(_ *v1alpha1.Request, body []byte, _ func(v1alpha1.CarrierID) bool) *decide.Unfinished {
			return decide.TakePlanOptions(&query.Status, body)
		},
	}
}
