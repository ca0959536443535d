// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// The steps of a request, as named on a tape.
const (
	stepToken     = "token"
	stepIntent    = "intent"
	stepFinalizer = "finalizer"
	stepAccount   = "the account as it is now"
	stepObject    = "the object as it is now"
	stepPOST      = "POST"
	stepNotSent   = "status NotSent"
	stepAccepted  = "status InProgress"
)

var errStep = errors.New("this step fails")

// tape is the environment of the protocol: it records each step, and can make something happen at a
// step. The tests of package controllers cover the same with a real API server.
type tape struct {
	client.Client
	Carrier

	steps  []string
	record *v1alpha1.BroadbandService // the object as recorded
	now    time.Time                  // the wall clock
	passed time.Duration              // the monotonic clock

	account v1alpha1.CarrierAccount // as recorded
	ledgers map[string]*v1alpha1.RequestLedger
	at      map[string]func() error // what happens at a step, before it counts as completed
}

func newTape() *tape {
	service := &v1alpha1.BroadbandService{}
	service.Name, service.ResourceVersion = "site", "1"
	service.Annotations = map[string]string{v1alpha1.AnnotationApprove: "p1"}
	return &tape{
		record: service, at: map[string]func() error{}, ledgers: map[string]*v1alpha1.RequestLedger{},
		now: time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC),
	}
}

// serviceIn casts an object to the only kind that the tape handles.
func serviceIn(object client.Object) *v1alpha1.BroadbandService {
	if service, is := object.(*v1alpha1.BroadbandService); is {
		return service
	}
	panic("the tape knows services alone")
}

func (t *tape) take(step string) error {
	if happens := t.at[step]; happens != nil {
		if err := happens(); err != nil {
			return err
		}
	}
	t.steps = append(t.steps, step)
	return nil
}

// store records an object, unless a newer one is recorded.
func (t *tape) store(object client.Object) error {
	if object.GetResourceVersion() != t.record.ResourceVersion {
		return apierrors.NewConflict(schema.GroupResource{}, object.GetName(), errStep)
	}
	object.SetResourceVersion(t.record.ResourceVersion + "+")
	t.record = serviceIn(object).DeepCopy()
	return nil
}

// Get reads the recorded object.
func (t *tape) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	if ledger, is := object.(*v1alpha1.RequestLedger); is {
		return t.getLedger(key.Name, ledger)
	}
	if account, is := object.(*v1alpha1.CarrierAccount); is {
		err := t.take(stepAccount)
		t.account.DeepCopyInto(account)
		return err
	}
	err := t.take(stepObject)
	t.record.DeepCopyInto(serviceIn(object))
	return err
}

// Patch changes the finalizers, the only thing that is patched.
func (t *tape) Patch(_ context.Context, object client.Object, _ client.Patch, _ ...client.PatchOption) error {
	if err := t.take(stepFinalizer); err != nil {
		return err
	}
	return t.store(object)
}

// Status returns the writer of the status.
func (t *tape) Status() client.SubResourceWriter { return statusTape{tape: t} }

type statusTape struct {
	client.SubResourceWriter

	tape *tape
}

// Update writes an intent or its outcome. If the context has ended, the write fails.
func (s statusTape) Update(ctx context.Context, object client.Object, _ ...client.SubResourceUpdateOption) error {
	request := serviceIn(object).Status.Requests[0]
	step := "status " + string(request.Phase)
	if request.Phase == v1alpha1.PhaseSubmitting {
		step = stepIntent
	}
	if err := s.tape.take(step); err != nil {
		return err
	}
	return errors.Join(s.tape.store(object), ctx.Err())
}

// Prepare gets a token.
func (t *tape) Prepare(context.Context, carrier.RepeatClass) (time.Duration, error) {
	return 0, t.take(stepToken)
}

// Submit answers that the request was accepted, or not at all if the context has ended.
func (*tape) Settled(carrier.Operation) {}

func (*tape) Took(carrier.Operation, time.Duration, time.Duration) {}

func (t *tape) Submit(ctx context.Context, op carrier.Operation, version int, _ []byte) carrier.Receipt {
	if err := t.take(stepPOST); err != nil || ctx.Err() != nil {
		return carrier.Receipt{Delivery: carrier.Ambiguous, Err: &carrier.Error{Operation: op, Message: "no response"}}
	}
	return carrier.Receipt{
		Delivery: carrier.Accepted, Handle: carrier.Handle{Operation: op, Version: version, ID: "77"},
	}
}

// Poll answers 202, without any progress information.
func (*tape) Poll(context.Context, carrier.Handle) (carrier.Outcome, error) {
	return carrier.Outcome{State: carrier.Pending}, nil
}

// Eventf drops the Event.
//
//nolint:revive // argument-limit: the parameters are those of Kubernetes' events.EventRecorder
func (*tape) Eventf(_, _ runtime.Object, _, _, _, _ string, _ ...any) {}

func (t *tape) protocol(sender string) *Protocol {
	return &Protocol{
		Cluster: t, Live: t, Memory: NewMemory(sender), Events: t,
		Now: func() time.Time { return t.now }, Elapsed: func() time.Duration { return t.passed },
		NewID: func() string { return "a-1" },
	}
}

// send takes a plan change as far as it gets.
func (t *tape) send(ctx context.Context) error { return t.sendAs(ctx, t.scope()) }

func (t *tape) sendAs(ctx context.Context, scope Scope) error {
	return sendBy(ctx, t.protocol("me"), scope)
}

func sendBy(ctx context.Context, protocol *Protocol, scope Scope) error {
	_, err := protocol.Send(ctx, scope, Submission{
		Request: v1alpha1.Request{
			Operation: v1alpha1.OperationPlanChange, APIVersion: 8, Phase: v1alpha1.PhaseSubmitting,
			ApprovedHash: "p1",
		},
		Class: carrier.ClassCharge,
	})
	return err
}

func (t *tape) scope() Scope {
	return Scope{
		Subject: t.record.DeepCopy(), Account: t.account.DeepCopy(), Carrier: t, Describe: func() {},
	}
}

func TestStepsAreInOrder(t *testing.T) {
	t.Parallel()
	tape := newTape()
	if err := tape.send(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		stepToken, stepIntent, stepFinalizer, stepAccount, stepObject, stepPOST, stepAccepted,
	}
	if diff := cmp.Diff(want, tape.steps); diff != "" {
		t.Errorf("the steps (-want +got):\n%s", diff)
	}
}

func TestAFailedStepIsTheLast(t *testing.T) {
	t.Parallel()
	for _, step := range []string{stepToken, stepIntent} {
		tape := newTape()
		tape.at[step] = func() error { return errStep }
		if err := tape.send(t.Context()); !errors.Is(err, errStep) || slices.Contains(tape.steps, stepPOST) {
			t.Errorf("%s fails: %v after %v", step, err, tape.steps)
		}
	}
	tape := newTape()
	tape.at[stepToken] = func() error { tape.record.ResourceVersion = "of another process"; return nil }
	if err := tape.send(t.Context()); !apierrors.IsConflict(err) || slices.Contains(tape.steps, stepPOST) {
		t.Errorf("another process was here: %v after %v", err, tape.steps)
	}
}

func TestAnIntentIsCompletedDuringShutdown(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	tape := newTape()
	tape.at[stepIntent] = func() error { stop(); return nil }
	if err := tape.send(ctx); err != nil {
		t.Fatal(err)
	}
	want := []string{
		stepToken, stepIntent, stepFinalizer, stepAccount, stepObject, stepNotSent,
	}
	if diff := cmp.Diff(want, tape.steps); diff != "" {
		t.Errorf("the steps (-want +got):\n%s", diff)
	}
}

func TestAProcessThatIsStoppingWritesNoIntent(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	tape := newTape()
	tape.at[stepToken] = func() error { stop(); return nil }
	if err := tape.send(ctx); !errors.Is(err, context.Canceled) || slices.Contains(tape.steps, stepIntent) {
		t.Errorf("%v after %v", err, tape.steps)
	}
}

func TestADeletedObjectSendsNothing(t *testing.T) {
	t.Parallel()
	tape := newTape()
	tape.record.DeletionTimestamp = &metav1.Time{Time: tape.now}
	if err := tape.send(t.Context()); err != nil || slices.Contains(tape.steps, stepPOST) {
		t.Errorf("%v after %v", err, tape.steps)
	}
}

// What one process knows may be older than a response of the carrier to another process, or than a
// person's annotation. The stale write is rejected.
func TestR14AnOutcomeIsKeptAgainstLaterFacts(t *testing.T) {
	t.Parallel()
	for _, phase := range []v1alpha1.RequestPhase{
		v1alpha1.PhaseSucceeded, v1alpha1.PhaseFailed, v1alpha1.PhaseAbandoned, v1alpha1.PhaseNotAccepted,
	} {
		tape := newTape()
		tape.record.PutRequest(v1alpha1.Request{
			Operation: v1alpha1.OperationPlanChange, AttemptID: "a-1", APIVersion: 8, Phase: phase,
		})
		if err := tape.protocol("me").Record(t.Context(), tape.scope(), "a-1", notSent(errTooLate)); err != nil {
			t.Fatal(err)
		}
		if got := tape.record.Status.Requests[0].Phase; got != phase || len(tape.steps) > 0 {
			t.Errorf("%s became %s after %v", phase, got, tape.steps)
		}
	}
}

func TestAPOSTIsCompletedDuringShutdown(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	tape := newTape()
	tape.at[stepPOST] = func() error { stop(); return nil }
	if err := tape.send(ctx); err != nil {
		t.Fatal(err)
	}
	if last := tape.steps[len(tape.steps)-1]; last != stepAccepted {
		t.Errorf("the last of %v is not %s", tape.steps, stepAccepted)
	}
}

func TestASenderIsOneProcess(t *testing.T) {
	t.Parallel()
	tape := newTape()
	if tape.protocol("one").Memory.Sender() == tape.protocol("another").Memory.Sender() {
		t.Error("two processes are one sender")
	}
	scope := tape.scope()
	if err := tape.sendAs(t.Context(), scope); err != nil {
		t.Fatal(err)
	}
	if got := scope.Subject.Record().RequestOf(v1alpha1.OperationPlanChange).Sender; got != "me" {
		t.Errorf("the intent names %q", got)
	}
}

func TestAPollWithoutChangeWritesNothing(t *testing.T) {
	t.Parallel()
	tape := newTape()
	tape.record.PutRequest(v1alpha1.Request{
		Operation: v1alpha1.OperationPlanChange, AttemptID: "a-1", APIVersion: 8, Phase: v1alpha1.PhaseInProgress,
		Location: "/api/connect/services/plan-changes/requests/77",
	})
	for range 3 {
		_, err := tape.protocol("me").Poll(t.Context(), tape.scope(), "a-1", func(*v1alpha1.Request, []byte) {})
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{stepToken, stepToken, stepToken}; !slices.Equal(tape.steps, want) {
		t.Errorf("%v, want nothing written", tape.steps)
	}
}
