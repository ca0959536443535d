// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
)

// testPass is a pass over a DiagnosticTest. Its attempts are recorded in the ledger shared by the
// tests of its service.
type testPass struct {
	*oneShotPass

	test *v1alpha1.DiagnosticTest
	lane oneshots.Lane
}

var _ ledgerKind = (*testPass)(nil)

func (p *testPass) gather(ctx context.Context) error {
	if err := p.oneShotPass.gather(ctx); err != nil {
		return err
	}
	if err := p.keepNumber(ctx); err != nil {
		return err
	}
	if err := p.gatherLedger(ctx, p); err != nil {
		return err
	}
	if err := p.gatherLane(ctx); err != nil {
		return err
	}
	if p.test.Status.Request == nil {
		return nil
	}
	return p.Protocol.AddFinalizer(ctx, p.test) // somebody may have removed it
}

// keepNumber keeps the number of the service that a test was sent for, because the BroadbandService
// that the test names may have been deleted, and created again for another service.
func (p *testPass) keepNumber(ctx context.Context) error {
	shown := p.test.Status.Ledger
	if shown == nil || p.test.Spec.ServiceRef == nil || p.account.Unproven {
		return nil
	}
	ledger, _, err := p.Ledgers.Get(ctx, shown.Name, 0)
	switch {
	case errors.Is(err, operate.ErrLedgerDamaged):
		return nil // gatherLedger reports it
	case err != nil:
		return fmt.Errorf("read the ledger that the status of DiagnosticTest %s names: %w", p.test.Name, err)
	}
	if ledger != nil && ledger.Spec.Diagnostics != nil && p.hasReached(ledger) {
		p.number = ledger.Spec.Diagnostics.ID
	}
	return nil
}

// hasReached reports whether the test has reached the carrier. The ledger may have dropped the attempt
// for those of later tests, and the status may have been lost.
func (p *testPass) hasReached(ledger *v1alpha1.RequestLedger) bool {
	reached := func(sent *v1alpha1.Request) bool { return sent != nil && sent.Phase.Reached() }
	return reached(p.test.Status.Request) || reached(ledger.AttemptOf(string(p.test.UID)))
}

// gatherLane finds out what blocks a test's request. If the blocking attempt belongs to a deleted
// test, the waiting tests track it to its end, because nothing else does.
func (p *testPass) gatherLane(ctx context.Context) (err error) {
	p.lane = oneshots.Lane{}
	if p.ledger == nil || p.verdict != nil {
		return nil
	}
	for range maxSteps {
		taken := oneshots.OthersAttempt(p.ledger.held(), string(p.test.UID))
		if taken == nil {
			p.lane.Next, err = p.firstWaiting(ctx)
			return err
		}
		p.lane.Open = taken
		if p.lane.Owner, err = p.testWithUID(ctx, taken.UID); err != nil || p.lane.Owner != "" {
			return err
		}
		if p.lane.Decision, err = p.resolveDeleted(ctx, taken.UID); err != nil || p.lane.Decision != nil {
			return err
		}
	}
	return nil
}

// testWithUID returns the namespace and name of the test with a UID; "" if it is deleted. A test
// managed by another manager counts as deleted, which is safe because any process may record the
// carrier's response, or the outcome that the rules of the class prescribe (R14).
func (p *testPass) testWithUID(ctx context.Context, uid string) (string, error) {
	var tests v1alpha1.DiagnosticTestList
	if err := p.List(ctx, &tests, client.MatchingFields{fieldTestUID: uid}); err != nil {
		return "", fmt.Errorf("look for the test with UID %s: %w", uid, err)
	}
	for i := range tests.Items {
		return client.ObjectKeyFromObject(&tests.Items[i]).String(), nil
	}
	return "", nil
}

// firstWaiting returns the test that has waited longest; "" if it is this one.
func (p *testPass) firstWaiting(ctx context.Context) (string, error) {
	var tests v1alpha1.DiagnosticTestList
	if err := p.List(ctx, &tests, client.MatchingFields{fieldWaitsFor: p.ledger.name}); err != nil {
		return "", fmt.Errorf("look for other waiting tests: %w", err)
	}
	eldest, name := p.test, ""
	for i := range tests.Items {
		if one := &tests.Items[i]; oneshots.WaitsInLane(one) && oneshots.HasPrecedence(one, eldest) {
			eldest, name = one, client.ObjectKeyFromObject(one).String()
		}
	}
	return name, nil
}

func (p *testPass) judge(input decide.Input) decide.Decision {
	task := p.taskInput(input)
	task.Lane = p.lane
	return oneshots.DecideTest(*task)
}

// performRead reads which tests the carrier offers for the service.
func (p *testPass) performRead(ctx context.Context, step decide.Step) (time.Duration, error) {
	if start, is := step.(decide.StartReading); is {
		return p.Protocol.Ask(ctx, p.session, operate.Question{
			UID: p.test.UID, Generation: p.test.Generation, ServiceID: p.number.Number(), Topic: start.Topic,
			Token: start.Token, Again: start.Again,
		})
	}
	return 0, nil
}

func (p *testPass) show(decision decide.Decision) { p.test.Status.Pending = decision.Pending }

func (p *testPass) ledgerSpec() v1alpha1.RequestLedgerSpec {
	return v1alpha1.RequestLedgerSpec{Diagnostics: &v1alpha1.LedgerService{ID: p.number}}
}

func (p *testPass) judgeLedger(input decide.LedgerInput) decide.LedgerVerdict {
	return oneshots.JudgeTestLedger(input, p.test)
}

func (p *testPass) showLedger(held *v1alpha1.RequestLedger) {
	oneshots.ProjectTest(p.test, held, metav1.NewTime(p.Protocol.Now()))
}

func (*testPass) shownLedger(object client.Object) shownLedger {
	test, is := object.(*v1alpha1.DiagnosticTest)
	if !is {
		return shownLedger{at: new(*v1alpha1.LedgerReference)}
	}
	shown := shownLedger{at: &test.Status.Ledger}
	if test.Status.Request != nil {
		shown.requests = []v1alpha1.Request{*test.Status.Request}
	}
	return shown
}

// learned does nothing: only the status has the result of a test, and it can be read again.
func (*testPass) learned(*v1alpha1.RequestLedgerSpec, *v1alpha1.Request) {}

func (*testPass) holder() v1alpha1.LedgerHolder { return v1alpha1.LedgerHolder{} }

// resolveDeleted takes the attempt of a deleted test as far as possible now, and returns what it
// waits for; nil if it has ended.
func (p *testPass) resolveDeleted(ctx context.Context, uid string) (*decide.Decision, error) {
	left := p.passForDeleted(uid)
	for range maxSteps {
		open := left.ledger.held().AttemptOf(uid)
		if open == nil || !left.ledger.held().IsOpen(open.AttemptID) {
			p.Protocol.Memory.Forget(types.UID(uid))
			return nil, nil //nolint:nilnil // it has ended
		}
		decision := left.decide()
		wait, err := left.perform(ctx, decision)
		if err != nil {
			return nil, err // the ledger of left may be in use: see [UnrecordedResponses]
		}
		p.ledger.ledger = left.ledger.ledger
		if _, rests := decision.Step.(decide.Rest); rests {
			return &decision, nil
		}
		if wait > 0 {
			decision.RequeueAt = p.Protocol.Now().Add(wait)
			return &decision, nil
		}
	}
	return nil, fmt.Errorf("take over the open attempts of a deleted test: %w", errTooManySteps)
}

// passForDeleted returns a pass for a deleted test, run on behalf of a waiting test. Annotations
// about the attempt are read from the waiting test, because the attempt has no object of its own
// (R22).
func (p *testPass) passForDeleted(uid string) *deletedTestPass {
	gone := p.test.DeepCopy()
	gone.UID, gone.Status = types.UID(uid), v1alpha1.DiagnosticTestStatus{}
	left := &deletedTestPass{&testPass{test: gone, oneShotPass: &oneShotPass{
		shot: diagnosticTest(), number: p.number,
		pass: &pass{
			Operator: p.Operator, subject: gone, account: p.account, here: p.here, session: p.session, annotated: p.subject,
		},
	}}}
	left.kind = left
	left.ledger = &objectLedger{
		Ledgers: p.Ledgers, kind: left, subject: gone, login: p.ledger.login, here: p.here, name: p.ledger.name,
		ledger: p.ledger.ledger,
	}
	left.showLedger(left.ledger.ledger)
	return left
}

// deletedTestPass is a pass for a deleted test: it tracks the request in progress to its end, and
// sends nothing.
type deletedTestPass struct{ *testPass }

// finish does nothing: there is no object to show the result.
func (*deletedTestPass) finish(*v1alpha1.Request, []byte) {}
