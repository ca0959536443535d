// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// taskInput is a diagnostic test with what a person may have to approve for it.
func taskInput(edits ...func(*decide.TaskInput)) decide.TaskInput {
	test := &v1alpha1.DiagnosticTest{ObjectMeta: metav1.ObjectMeta{Name: "once", Namespace: "shop", UID: "u-1"}}
	view := decide.TaskInput{Input: settled().Input, ServiceID: "1", Task: decide.Task{
		Operation: v1alpha1.OperationDiagnosticTest,
		Changes:   []v1alpha1.Change{{Operation: v1alpha1.OperationDiagnosticTest, Field: "testType", To: "port-reset"}},
	}}
	view.Subject = test
	for _, edit := range edits {
		edit(&view)
	}
	return view
}

func TestATaskIsApprovedWhereSomethingOfItIsToBe(t *testing.T) {
	t.Parallel()
	always := func(in *decide.TaskInput) { in.Approval = v1alpha1.ApprovalAlways }
	onCost := func(in *decide.TaskInput) { in.Approval = v1alpha1.ApprovalOnCost }
	nothing := func(in *decide.TaskInput) { in.Task.Changes = nil }
	for name, row := range map[string]struct {
		view decide.TaskInput
		asks bool
	}{
		"always":                       {taskInput(always), true},
		"on cost, which is not quoted": {taskInput(onCost), false},
		"nothing to approve":           {taskInput(always, nothing), false},
	} {
		decision := decide.OneShot(row.view)
		_, sends := decision.Step.(decide.Submit)
		if asks := decision.Verdict.Reason == v1alpha1.ReasonAwaitingApproval; asks != row.asks || sends == row.asks ||
			(decision.Pending != nil) != row.asks {
			t.Errorf("%s: %T, %s, pending %+v", name, decision.Step, decision.Verdict.Reason, decision.Pending)
		}
	}
}

// The service number is reported as wrong only if the carrier's error says so.
func TestARefusedTaskSaysWhatWasRefused(t *testing.T) {
	t.Parallel()
	refused := func(status int32) func(*decide.TaskInput) {
		return func(in *decide.TaskInput) {
			if test, is := in.Subject.(*v1alpha1.DiagnosticTest); is {
				test.PutRequest(v1alpha1.Request{
					Operation: v1alpha1.OperationDiagnosticTest, AttemptID: "a-1", Phase: v1alpha1.PhaseRejected,
					Error: &v1alpha1.RequestError{HTTPStatus: status, Message: "no"}, FinishedAt: metav1.NewTime(start),
				})
			}
		}
	}
	aboutNone := func(in *decide.TaskInput) { in.ServiceID = "" }
	const unseen, another = "does not let this account see service 1", "create another object"
	for name, row := range map[string]struct {
		view decide.TaskInput
		says string
	}{
		"422":                     {taskInput(refused(422)), another},
		"404":                     {taskInput(refused(404)), unseen},
		"404, and of no service":  {taskInput(refused(404), aboutNone), another},
		"422, and of no service ": {taskInput(refused(422), aboutNone), another},
	} {
		verdict := decide.OneShot(row.view).Verdict
		if !strings.Contains(verdict.Message, row.says) ||
			row.says == another && strings.Contains(verdict.Message, "check spec.serviceID") {
			t.Errorf("%s: %s", name, verdict.Message)
		}
	}
}

// A person has resolved as succeeded what was sent before the ledger was lost. Values that no read
// returns are taken as declared; the others are read.
func TestWhatNoReadGivesIsTakenAsDeclared(t *testing.T) {
	t.Parallel()
	service := settled().Service
	service.Spec.RestorationSLA, service.Spec.AggregationMethod = "Enhanced-8", "ETHERNET"
	service.Spec.DSLStabilityProfile = "Stable"
	decide.TakeDeclared(service, start.Add(time.Second))
	state := service.Status.Carrier
	if state.Plan != nil || state.Cancellation != nil {
		t.Errorf("what can be read is taken to be %+v and %+v", state.Plan, state.Cancellation)
	}
	for want, known := range map[string]*v1alpha1.KnownValue{
		"12": state.Term, "Enhanced-8": state.RestorationSLA, "ETHERNET": state.AggregationMethod,
		"Stable": state.DSLStabilityProfile,
	} {
		if known == nil || known.Value != want || known.Source != v1alpha1.SourceDeclared {
			t.Errorf("%s is %+v", want, known)
		}
	}
}

// The reconcile annotation counts as acted on once everything that it requests has been read, or
// was refused.
func TestAReconcileIsHandledOnceItIsServed(t *testing.T) {
	t.Parallel()
	const token = "now"
	readFor := func(token string, state decide.ReadingState) func(*decide.ServiceInput) {
		return func(in *decide.ServiceInput) {
			for _, topic := range []decide.Topic{decide.TopicHealth, decide.TopicCancellation, decide.TopicDisruptions} {
				*in.Memory.Readings.Of(topic) = decide.Reading{State: state, Token: token, AskedAt: in.Now}
			}
		}
	}
	asked := annotated(v1alpha1.AnnotationReconcile, token)
	for name, row := range map[string]struct {
		asked, read func(*decide.ServiceInput)
		want        string
	}{
		"nothing is asked":     {func(*decide.ServiceInput) {}, readFor("", decide.ReadingTaken), ""},
		"asked, and not read":  {asked, neverRead, ""},
		"read before":          {asked, readFor("before", decide.ReadingTaken), ""},
		"being read":           {asked, readFor(token, decide.ReadingOpen), ""},
		"read":                 {asked, readFor(token, decide.ReadingTaken), token},
		"read, it was refused": {asked, readFor(token, decide.ReadingFailed), token},
	} {
		if got := decide.Service(settled(row.asked, row.read)).Handled.Reconcile; got != row.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// An unknown plan is shown as being read, unless the carrier cannot be called or does not answer.
func TestAReadingThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	open := func(failures int) func(*decide.ServiceInput) {
		return func(in *decide.ServiceInput) {
			failing(503, 0)(in)
			in.Memory.Readings.Health.State, in.Memory.Readings.Health.Failures = decide.ReadingOpen, failures
		}
	}
	for name, row := range map[string]struct {
		edit func(*decide.ServiceInput)
		want string
	}{
		"being read":            {open(0), v1alpha1.ReasonProgressing},
		"two looks have failed": {open(2), v1alpha1.ReasonProgressing},
		"three have":            {open(3), v1alpha1.ReasonCarrierUnavailable},
		"it cannot be asked":    {failing(503, 0), v1alpha1.ReasonCarrierUnavailable},
		"it refuses":            {failing(422, 0), v1alpha1.ReasonPlanUnknown},
		"it shows nothing":      {failing(404, 0), v1alpha1.ReasonNotFoundOrForbidden},
		"it names no plan":      {emptyOnce(decide.ReadingTaken), v1alpha1.ReasonPlanUnknown},
		"it named none, and cannot be asked again": {
			emptyOnce(decide.ReadingFailed), v1alpha1.ReasonCarrierUnavailable,
		},
	} {
		if verdict := decide.Service(settled(planUnknown, row.edit)).Verdict; verdict.Reason != row.want {
			t.Errorf("%s: %s (%s)", name, verdict.Reason, verdict.Message)
		}
	}
}

// emptyOnce is health that contained no plan, either when it was read before or just now.
func emptyOnce(state decide.ReadingState) func(*decide.ServiceInput) {
	return func(in *decide.ServiceInput) {
		failing(503, 0)(in)
		in.Memory.Readings.Health.State, in.Memory.Readings.Health.Empty = state, 1
	}
}
