// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// The steps of a request whose attempts are in a ledger.
const (
	stepOpen   = "open"
	stepLedger = "the ledger as it is now"
	stepRecord = "record "
	stepReload = "reload"
	stepLate   = "late acceptance"
)

// ledgerTape is a ledger that records each step.
type ledgerTape struct {
	*tape

	subject  *v1alpha1.BroadbandService
	onRecord []v1alpha1.Request
	others   *v1alpha1.RequestLedger // has other attempts; nil: there are none
}

func (l *ledgerTape) Open(_ context.Context, intent v1alpha1.Request) error {
	if err := l.take(stepOpen); err != nil {
		return err
	}
	l.onRecord = []v1alpha1.Request{intent}
	return nil
}

func (l *ledgerTape) Verify(context.Context, Subject) error { return l.take(stepLedger) }

func (l *ledgerTape) Record(_ context.Context, attempt v1alpha1.Request) error {
	if err := l.take(stepRecord + string(attempt.Phase)); err != nil {
		return err
	}
	l.onRecord = []v1alpha1.Request{attempt}
	return nil
}

func (l *ledgerTape) OtherAttemptAt(attempt *v1alpha1.Request, location string) string {
	return l.others.OtherAttemptAt(attempt, location)
}

func (l *ledgerTape) Late(context.Context, v1alpha1.Request) (bool, error) {
	return true, l.take(stepLate)
}

func (l *ledgerTape) Reload(context.Context) error {
	l.subject.Status.Requests = slices.Clone(l.onRecord)
	return l.take(stepReload)
}

func (*ledgerTape) SetReference(Subject) {}

// sendByLedger sends a request whose attempts are in a ledger.
func (t *tape) sendByLedger(ctx context.Context) error {
	subject := t.record.DeepCopy()
	scope := t.scope()
	scope.Subject, scope.Ledger = subject, &ledgerTape{tape: t, subject: subject}
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
	tape.at[stepOpen] = func() error { return apierrors.NewConflict(schema.GroupResource{}, "ledger", errNotNewest) }
	if err := tape.sendByLedger(t.Context()); !apierrors.IsConflict(err) || slices.Contains(tape.steps, stepPOST) {
		t.Errorf("%v after %v", err, tape.steps)
	}
}

func TestR12ALedgerThatHasChangedSendsNothing(t *testing.T) {
	t.Parallel()
	tape := newTape()
	tape.at[stepLedger] = func() error { return ErrLedgerChanged }
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
	if last := tape.steps[len(tape.steps)-1]; err != nil || last != accepted || !slices.Contains(tape.steps, stepReload) {
		t.Errorf("%v after %v", err, tape.steps)
	}
}

// overtaken is a scope in which another attempt is recorded before the response arrives.
func (t *tape) overtaken() Scope {
	subject := t.record.DeepCopy()
	ledger := &ledgerTape{tape: t, subject: subject}
	t.at[stepPOST] = func() error {
		ledger.onRecord = []v1alpha1.Request{{Operation: v1alpha1.OperationPlanChange, AttemptID: "a-2"}}
		subject.Status.Requests = slices.Clone(ledger.onRecord)
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
	if err := tape.sendAs(t.Context(), tape.overtaken()); err != nil || tape.steps[len(tape.steps)-1] != stepLate {
		t.Errorf("%v after %v", err, tape.steps)
	}
}
