// SPDX-License-Identifier: Apache-2.0

package oneshots

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
)

// test is a DiagnosticTest in one pass. Its attempts are recorded in the ledger shared by the tests of
// its service.
type test struct {
	gathered

	object *v1alpha1.DiagnosticTest
	lane   oneshots.Lane
}

func (t *test) kind() pass.Kind {
	return pass.Kind{
		Gather: t.gather, Judge: t.judge, Show: t.show, Read: t.read, Body: t.body, Finish: t.finish,
		AddsFinalizer: true,
	}
}

func (t *test) gather(ctx context.Context, p *pass.Pass) error {
	if err := t.gathered.gather(ctx, p); err != nil {
		return err
	}
	if err := t.keepNumber(ctx, p); err != nil {
		return err
	}
	if err := p.GatherLedger(ctx, t.ledger(p)); err != nil {
		return err
	}
	if err := t.gatherLane(ctx, p); err != nil {
		return err
	}
	if t.object.Status.Request == nil {
		return nil
	}
	return p.Protocol.AddFinalizer(ctx, t.object) // somebody may have removed it
}

// keepNumber keeps the number of the service that a test was sent for, because the BroadbandService
// that the test names may have been deleted, and created again for another service.
func (t *test) keepNumber(ctx context.Context, p *pass.Pass) error {
	shown := t.object.Status.Ledger
	if shown == nil || t.object.Spec.ServiceRef == nil || p.Account.Unproven {
		return nil
	}
	ledger, _, err := p.Ledgers.Get(ctx, shown.Name, 0)
	switch {
	case errors.Is(err, requestledger.ErrDamaged):
		return nil // gatherLedger reports it
	case err != nil:
		return fmt.Errorf("read the ledger that the status of DiagnosticTest %s names: %w", t.object.Name, err)
	}
	if ledger != nil && ledger.Spec.Diagnostics != nil && t.hasReached(ledger) {
		t.number = ledger.Spec.Diagnostics.ID
	}
	return nil
}

// hasReached reports whether the test has reached the carrier. The ledger may have dropped the
// attempt in favor of later tests, and the status may have been lost.
func (t *test) hasReached(ledger *v1alpha1.RequestLedger) bool {
	reached := func(sent *v1alpha1.Request) bool { return sent != nil && sent.Phase.Reached() }
	return reached(t.object.Status.Request) || reached(ledger.AttemptOf(string(t.object.UID)))
}

// gatherLane finds out what blocks a test's request. If the blocking attempt belongs to a deleted
// test, the waiting tests track it to its end, because nothing else does.
func (t *test) gatherLane(ctx context.Context, p *pass.Pass) (err error) {
	t.lane = oneshots.Lane{}
	if p.Ledger == nil || p.Verdict != nil {
		return nil
	}
	for range pass.MaxSteps {
		taken := oneshots.OthersAttempt(p.Ledger.Current(), string(t.object.UID))
		if taken == nil {
			t.lane.Next, err = t.firstWaiting(ctx, p)
			return err
		}
		t.lane.Open = taken
		if t.lane.Owner, err = testWithUID(ctx, p, taken.UID); err != nil || t.lane.Owner != "" {
			return err
		}
		if t.lane.Decision, err = t.resolveDeleted(ctx, p, taken.UID); err != nil || t.lane.Decision != nil {
			return err
		}
	}
	return nil
}

// testWithUID returns the namespace and name of the test with a UID; "" if it is deleted. A test
// managed by another manager counts as deleted, which is safe because any process may record the
// carrier's response, or the outcome that the rules of the class prescribe (R14).
func testWithUID(ctx context.Context, from client.Reader, uid string) (string, error) {
	var tests v1alpha1.DiagnosticTestList
	if err := from.List(ctx, &tests, client.MatchingFields{index.TestUID: uid}); err != nil {
		return "", fmt.Errorf("look for the test with UID %s: %w", uid, err)
	}
	for i := range tests.Items {
		return client.ObjectKeyFromObject(&tests.Items[i]).String(), nil
	}
	return "", nil
}

// firstWaiting returns the test that has waited longest; "" if it is this one.
func (t *test) firstWaiting(ctx context.Context, p *pass.Pass) (string, error) {
	var tests v1alpha1.DiagnosticTestList
	if err := p.List(ctx, &tests, client.MatchingFields{index.WaitsFor: p.Ledger.Name}); err != nil {
		return "", fmt.Errorf("look for other waiting tests: %w", err)
	}
	eldest, name := t.object, ""
	for i := range tests.Items {
		if one := &tests.Items[i]; oneshots.WaitsInLane(one) && oneshots.HasPrecedence(one, eldest) {
			eldest, name = one, client.ObjectKeyFromObject(one).String()
		}
	}
	return name, nil
}

func (t *test) judge(_ *pass.Pass, input decide.Input) decide.Decision {
	task := t.input(input)
	task.Lane = t.lane
	return oneshots.DecideTest(*task)
}

// read reads which tests the carrier offers for the service.
func (t *test) read(ctx context.Context, p *pass.Pass, step decide.Step) (time.Duration, error) {
	if start, ok := step.(decide.StartReading); ok {
		return p.Protocol.Ask(ctx, p.Session, operate.Question{
			UID: t.object.UID, Generation: t.object.Generation, ServiceID: t.number.Number(), Topic: start.Topic,
			Token: start.Token, Again: start.Again,
		})
	}
	return 0, nil
}

func (t *test) show(_ *pass.Pass, decision decide.Decision) {
	t.object.Status.Pending = decision.Pending
}

// ledger returns how the attempts of a test are recorded: together with those of the other tests of
// its service. The result of a test is only in its status, because it can be read again.
func (t *test) ledger(p *pass.Pass) requestledger.Kind {
	return requestledger.Kind{
		Spec: func() v1alpha1.RequestLedgerSpec {
			return v1alpha1.RequestLedgerSpec{Diagnostics: &v1alpha1.LedgerService{ID: t.number}}
		},
		Judge: func(input decide.LedgerInput) decide.LedgerVerdict {
			return oneshots.JudgeTestLedger(input, t.object)
		},
		Show: func(shared *v1alpha1.RequestLedger) {
			oneshots.ProjectTest(t.object, shared, metav1.NewTime(p.Protocol.Now()))
		},
	}
}

// resolveDeleted takes the attempt of a deleted test as far as possible now, and returns what it
// waits for; nil if it has ended.
func (t *test) resolveDeleted(ctx context.Context, p *pass.Pass, uid string) (*decide.Decision, error) {
	left := t.passForDeleted(p, uid)
	for range pass.MaxSteps {
		open := left.Ledger.Current().AttemptOf(uid)
		if open == nil || !left.Ledger.Current().IsOpen(open.AttemptID) {
			p.Protocol.Memory.Forget(types.UID(uid))
			return nil, nil //nolint:nilnil // it has ended
		}
		decision := left.Decide()
		wait, err := left.Perform(ctx, decision)
		if err != nil {
			return nil, err // the ledger of left may be in use: see [ledgers.UnrecordedResponses]
		}
		p.Ledger.Follow(left.Ledger)
		if _, rests := decision.Step.(decide.Rest); rests {
			return &decision, nil
		}
		if wait > 0 {
			decision.RequeueAt = p.Protocol.Now().Add(wait)
			return &decision, nil
		}
	}
	return nil, fmt.Errorf("take over the open attempts of a deleted test: %w", pass.ErrTooManySteps)
}

// passForDeleted returns a pass for a deleted test, run on behalf of a waiting test: it tracks the
// request in progress to its end, sends nothing, and drops the result, because there is no object to
// show it. Annotations about the attempt are read from the waiting test, because the attempt has no
// object of its own (R22).
func (t *test) passForDeleted(p *pass.Pass, uid string) *pass.Pass {
	deleted := t.object.DeepCopy()
	deleted.UID, deleted.Status = types.UID(uid), v1alpha1.DiagnosticTestStatus{}
	left := &test{object: deleted, gathered: gathered{oneShot: diagnosticTest(), number: t.number}}
	kind := left.kind()
	kind.Finish = nil
	of := pass.New(p.Operator, deleted, kind)
	of.Account, of.Here, of.Session, of.Annotated = p.Account, p.Here, p.Session, p.Subject
	of.Ledger = p.Ledger.Beside(deleted, left.ledger(of))
	of.Ledger.Show(of.Ledger.Current())
	return of
}
