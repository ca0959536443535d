// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The steps of a request whose attempts are in a ledger.
const (
	stepOpen   = "open"
	stepLedger = "the ledger as it is now"
	stepRecord = "record "
	stepLate   = "late acceptance"
)

// errWritten is the error of a write that was carried out nevertheless.
var errWritten = errors.New("the response to the write was lost")

// getLedger reads a ledger. Those of logins are read without a step, as are missing ones.
func (t *tape) getLedger(name string, into *v1alpha1.RequestLedger) error {
	recorded := t.ledgers[name]
	if recorded == nil {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "requestledgers"}, name)
	}
	if recorded.Spec.Account == nil {
		if err := t.take(stepLedger); err != nil {
			return err
		}
	}
	t.ledgers[name].DeepCopyInto(into)
	return nil
}

// Create creates a ledger, the only kind that is created.
func (t *tape) Create(_ context.Context, object client.Object, _ ...client.CreateOption) error {
	return t.putLedger(object)
}

// Update updates a ledger, the only kind that is updated.
func (t *tape) Update(_ context.Context, object client.Object, _ ...client.UpdateOption) error {
	return t.putLedger(object)
}

// List finds no other ledgers.
func (*tape) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

func (t *tape) putLedger(object client.Object) error {
	ledger, ok := object.(*v1alpha1.RequestLedger)
	if !ok {
		panic("the tape writes ledgers alone")
	}
	err := t.take(stepOfWrite(t.ledgers[ledger.Name], ledger))
	if err == nil || errors.Is(err, errWritten) {
		ledger.ResourceVersion += "+"
		t.ledgers[ledger.Name] = ledger.DeepCopy()
	}
	return err
}

// stepOfWrite says what a write of a ledger records.
func stepOfWrite(before, after *v1alpha1.RequestLedger) string {
	newest := after.RequestOf(v1alpha1.OperationPlanChange)
	switch {
	case after.Spec.Account != nil:
		return stepOfReservations(ReservationsIn(before), ReservationsIn(after))
	case after.LateAcceptance() != nil:
		return stepLate
	case newest == nil || newest.Phase == v1alpha1.PhaseSubmitting:
		return stepOpen
	}
	return stepRecord + string(newest.Phase)
}

func stepOfReservations(before, after []v1alpha1.Reservation) string {
	if len(after) > len(before) {
		return stepReserve + after[len(after)-1].AttemptID
	}
	return stepRelease + before[len(before)-1].AttemptID
}

// ledgerOf returns the ledger of a service, which may exist already.
func (t *tape) ledgerOf(ctx context.Context, subject *v1alpha1.BroadbandService) *requestledger.Ledger {
	kind := requestledger.Kind{
		Holder: requestledger.HolderOf(subject),
		Spec: func() v1alpha1.RequestLedgerSpec {
			return v1alpha1.RequestLedgerSpec{Service: &v1alpha1.LedgerService{ID: "4000001"}}
		},
		Show: func(shown *v1alpha1.RequestLedger) {
			subject.Status.Requests = nil
			if shown == nil {
				return
			}
			if newest := shown.RequestOf(v1alpha1.OperationPlanChange); newest != nil {
				subject.Status.Requests = []v1alpha1.Request{*newest.DeepCopy()}
			}
		},
	}
	store := &requestledger.Store{Cluster: t, Live: t}
	ledger := store.Of(subject, kind, v1alpha1.CarrierLogin{}, decide.Installation{})
	if _, err := ledger.Read(ctx); err != nil {
		panic(err)
	}
	t.steps = nil
	return ledger
}

// recordIn records an attempt in the ledger of a service, as another process does.
func (t *tape) recordIn(ledger *requestledger.Ledger, attempt v1alpha1.Request) {
	recorded := requestledger.New(ledger.Name, ledger.Spec())
	recorded.ResourceVersion = "1"
	recorded.Open(attempt)
	t.ledgers[ledger.Name] = recorded
}

// sendByLedger sends a request whose attempts are in a ledger.
func (t *tape) sendByLedger(ctx context.Context) error {
	subject := t.record.DeepCopy()
	scope := t.scope()
	scope.Subject, scope.Ledger = subject, t.ledgerOf(ctx, subject)
	return t.sendAs(ctx, scope)
}

func TestR16AnOutcomeIsRecordedInTheLedgerAndOnlyShownInTheStatus(t *testing.T) {
	t.Parallel()
	tape := newTape()
	if err := tape.sendByLedger(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		stepToken, stepOpen, stepAccount, stepObject, stepLedger, stepPOST, stepRecord + string(v1alpha1.PhaseInProgress),
	}
	if diff := cmp.Diff(want, tape.steps); diff != "" {
		t.Errorf("the steps (-want +got):\n%s", diff)
	}
}

func TestR1AConflictOnTheIntentSendsNothing(t *testing.T) {
	t.Parallel()
	tape := newTape()
	tape.at[stepOpen] = func() error { return apiserver.Conflict("", "ledger", apiserver.ErrNotNewest) }
	if err := tape.sendByLedger(t.Context()); !apierrors.IsConflict(err) || slices.Contains(tape.steps, stepPOST) {
		t.Errorf("%v after %v", err, tape.steps)
	}
}

func TestR12ALedgerThatHasChangedSendsNothing(t *testing.T) {
	t.Parallel()
	tape := newTape()
	tape.at[stepLedger] = func() error { return requestledger.ErrChanged }
	err := tape.sendByLedger(t.Context())
	if last := tape.steps[len(tape.steps)-1]; err != nil || last != stepRecord+string(v1alpha1.PhaseNotSent) {
		t.Errorf("%v after %v", err, tape.steps)
	}
}

func TestR16AConflictOnAnOutcomeIsRetriedOnTheNewestLedger(t *testing.T) {
	t.Parallel()
	tape, accepted := newTape(), stepRecord+string(v1alpha1.PhaseInProgress)
	failures := 2
	tape.at[accepted] = func() error {
		failures--
		if failures >= 0 {
			return errStep
		}
		return nil
	}
	err := tape.sendByLedger(t.Context())
	last := tape.steps[len(tape.steps)-2:]
	if want := []string{stepLedger, accepted}; err != nil || !slices.Equal(last, want) {
		t.Errorf("%v after %v", err, tape.steps)
	}
}

// overtaken is a scope in which another attempt is recorded before the response arrives.
func (t *tape) overtaken(ctx context.Context) Scope {
	subject := t.record.DeepCopy()
	ledger := t.ledgerOf(ctx, subject)
	t.at[stepPOST] = func() error {
		other := v1alpha1.Request{Operation: v1alpha1.OperationPlanChange, AttemptID: "a-2", Phase: v1alpha1.PhaseInProgress}
		t.recordIn(ledger, other)
		subject.Status.Requests = []v1alpha1.Request{other}
		return nil
	}
	scope := t.scope()
	scope.Subject, scope.Ledger = subject, ledger
	return scope
}

// Another attempt is recorded before the response arrives.
func TestR15AResponseToAReplacedAttemptIsALateAcceptance(t *testing.T) {
	t.Parallel()
	tape := newTape()
	err := tape.sendAs(t.Context(), tape.overtaken(t.Context()))
	if last := tape.steps[len(tape.steps)-1]; err != nil || last != stepLate {
		t.Errorf("%v after %v", err, tape.steps)
	}
}
