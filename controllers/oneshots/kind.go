// SPDX-License-Identifier: Apache-2.0

package oneshots

import (
	"context"
	"fmt"
	"slices"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/status"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// gathered is an object in one pass, with what was gathered for it.
type gathered struct {
	oneShot

	number    v1alpha1.CarrierID // the number of its service; "": none, or not known
	blockedBy *decide.Verdict    // why the request cannot be sent yet; nil when it can
}

func (g *gathered) kind() pass.Kind {
	return pass.Kind{Gather: g.gather, Judge: g.judge, Body: g.body, Finish: g.finish}
}

func (g *gathered) gather(ctx context.Context, p *pass.Pass) error {
	if err := p.GatherAccount(ctx); err != nil {
		return err
	}
	return g.gatherNumber(ctx, p)
}

// gatherNumber takes the service number from the spec, or from the BroadbandService that the spec
// names.
func (g *gathered) gatherNumber(ctx context.Context, p *pass.Pass) (err error) {
	own, ref := g.subject.NamedService()
	if own == "" && ref == nil {
		return nil // the kind has no service
	}
	var named *v1alpha1.BroadbandService
	if own == "" {
		key := client.ObjectKey{Namespace: g.subject.GetNamespace(), Name: ref.Name}
		if named, err = apiserver.Find(ctx, p, key, &v1alpha1.BroadbandService{}); err != nil {
			return err
		}
	}
	g.number, g.blockedBy = services.NumberOf(p.Account.Object, own, ref, named)
	return nil
}

func (g *gathered) judge(_ *pass.Pass, input decide.Input) decide.Decision {
	return oneshots.Decide(*g.input(input))
}

func (g *gathered) input(input decide.Input) *oneshots.Input {
	task := decide.Task{Operation: g.operation, Body: g.bodyFor(g.number)}
	shot := &oneshots.Input{Input: input, ServiceID: g.number, BlockedBy: g.blockedBy, TTL: g.subject.KeptFor()}
	if test, is := g.subject.(*v1alpha1.DiagnosticTest); is {
		shot.Test = test
	}
	if g.approval != nil {
		shot.Approval, task.Changes = g.approval()
	}
	if g.found != nil {
		shot.Summary = g.found()
	}
	if g.holdsUntil != nil {
		shot.ValidUntil = g.holdsUntil()
	}
	shot.Task = task
	return shot
}

func (g *gathered) body(v1alpha1.Request, v1alpha1.Contact) []byte { return g.bodyFor(g.number) }

// finish takes over the carrier's response. A service in the response is ours if the request was
// sent for it, whatever its BroadbandService shows now.
func (g *gathered) finish(_ *pass.Pass, request *v1alpha1.Request, body []byte) {
	ours := func(serviceID v1alpha1.CarrierID) bool {
		return request.BodyHash == decide.BodyHash(g.bodyFor(serviceID)) || request.BodyHash == "" && serviceID == g.number
	}
	if why := g.record(request, body, ours); why != nil {
		request.Phase, request.Error = why.Phase, why.Error
	}
}

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

// finalize releases a deleted object. It does not call the carrier; a new object is a new request.
func finalize(ctx context.Context, p *pass.Pass) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(p.Subject, v1alpha1.Finalizer) {
		return p.Release(ctx, "", "")
	}
	if err := p.Begin(ctx); err != nil {
		return p.Failed(ctx, err)
	}
	if p.Verdict != nil && hasOpenAttempt(p) {
		return p.Record(ctx, p.Decide(), 0) // the object stalls if its ledger may not be written (R30)
	}
	if err := recordResponses(ctx, p); err != nil {
		return p.Failed(ctx, err)
	}
	input := p.Input()
	departure := oneshots.Finalize(input)
	if !departure.WaitUntil.IsZero() {
		return status.Exit(input.Now, departure.WaitUntil), nil
	}
	if err := abandonOpen(ctx, p); err != nil {
		return p.Failed(ctx, err)
	}
	return p.Release(ctx, pass.EventRequestContinues, departure.Warning)
}

// hasOpenAttempt reports whether the ledger has an open attempt of the object.
func hasOpenAttempt(p *pass.Pass) bool {
	return slices.ContainsFunc(p.Subject.Record().OpenRequests(), func(open *v1alpha1.Request) bool {
		return p.Ledger.Current().IsOpen(open.AttemptID)
	})
}

// recordResponses records what this process knows of the requests in progress.
func recordResponses(ctx context.Context, p *pass.Pass) error {
	for _, open := range p.Subject.Record().OpenRequests() {
		if err := p.Protocol.RecordResponse(ctx, p.Scope(), open.AttemptID); err != nil {
			return fmt.Errorf("record the outcome of attempt %s: %w", open.AttemptID, err)
		}
	}
	return nil
}

// abandonOpen ends the open attempts of a deleted object in the ledger, because their outcome will
// not be tracked.
func abandonOpen(ctx context.Context, p *pass.Pass) error {
	for _, open := range p.Subject.Record().OpenRequests() {
		if !p.Ledger.Current().IsOpen(open.AttemptID) {
			continue
		}
		given := oneshots.Abandon(open)
		fact := operate.Decided(given, func(*v1alpha1.Request) {})
		if err := p.Protocol.Record(ctx, p.Scope(), open.AttemptID, fact); err != nil {
			return fmt.Errorf("abandon attempt %s of %s: %w", open.AttemptID, p.Subject.GetName(), err)
		}
	}
	return nil
}

// expire deletes an object after its ttlAfterFinished. The operator deletes users' objects only
// here. An object that has changed since the decision is kept.
func expire(ctx context.Context, p *pass.Pass) (ctrl.Result, error) {
	uid, version := p.Subject.GetUID(), p.Subject.GetResourceVersion()
	judged := client.Preconditions{UID: &uid, ResourceVersion: &version}
	err := client.IgnoreNotFound(p.Delete(ctx, p.Subject, judged))
	if err != nil {
		return pass.RetryAfter(fmt.Errorf("delete %s after its ttlAfterFinished: %w", p.Subject.GetName(), err))
	}
	return ctrl.Result{}, nil
}
