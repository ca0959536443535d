// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The fields by which the tests of a lane are found.
const (
	fieldTestUID  = "metadata.uid"
	fieldWaitsFor = "status.ledger.name" // of tests that wait until another has ended
)

func uidOf(object client.Object) []string { return []string{string(object.GetUID())} }

func waitsForOf(object client.Object) []string {
	test, is := object.(*v1alpha1.DiagnosticTest)
	if !is || test.Status.Ledger == nil || !decide.WaitsInLane(test) {
		return nil
	}
	return []string{test.Status.Ledger.Name}
}

// gatherLane finds out what blocks a test's request. If the blocking attempt belongs to a deleted
// test, the waiting tests track it to its end, because nothing else does.
func (p *testPass) gatherLane(ctx context.Context) (err error) {
	p.lane = decide.Lane{}
	if p.ledger == nil || p.ledger.account == nil || p.verdict != nil {
		return nil
	}
	for range maxSteps {
		taken := decide.OthersAttempt(p.ledger.held(), string(p.test.UID))
		if taken == nil {
			p.lane.Elder, err = p.elder(ctx)
			return err
		}
		p.lane.Taken = taken
		if p.lane.By, err = p.testWith(ctx, taken.UID); err != nil || p.lane.By != "" {
			return err
		}
		if p.lane.Left, err = p.resolveLeft(ctx, taken.UID); err != nil || p.lane.Left != nil {
			return err
		}
	}
	return nil
}

// testWith returns the namespace and name of the test with a UID; "" if it is deleted. A test
// managed by another manager counts as deleted: any process may record the carrier's answer, or the
// outcome that the rules of the class prescribe (R14).
func (p *testPass) testWith(ctx context.Context, uid string) (string, error) {
	var tests v1alpha1.DiagnosticTestList
	if err := p.List(ctx, &tests, client.MatchingFields{fieldTestUID: uid}); err != nil {
		return "", fmt.Errorf("look for the test with UID %s: %w", uid, err)
	}
	for i := range tests.Items {
		return client.ObjectKeyFromObject(&tests.Items[i]).String(), nil
	}
	return "", nil
}

// elder returns the test that has waited longest; "" if it is this one.
func (p *testPass) elder(ctx context.Context) (string, error) {
	var tests v1alpha1.DiagnosticTestList
	if err := p.List(ctx, &tests, client.MatchingFields{fieldWaitsFor: p.ledger.name}); err != nil {
		return "", fmt.Errorf("look for the tests that wait, too: %w", err)
	}
	eldest, name := p.test, ""
	for i := range tests.Items {
		if one := &tests.Items[i]; decide.WaitsInLane(one) && decide.IsElder(one, eldest) {
			eldest, name = one, client.ObjectKeyFromObject(one).String()
		}
	}
	return name, nil
}

// leftPass is a pass for a deleted test: it tracks the request in progress to its end, and sends
// nothing.
type leftPass struct{ *testPass }

var _ kind = (*leftPass)(nil)

// finish does nothing: there is no object to show the result.
func (*leftPass) finish(*v1alpha1.Request, []byte) {}

// resolveLeft takes the attempt of a deleted test as far as possible now, and returns what it waits
// for; nil if it has ended.
func (p *testPass) resolveLeft(ctx context.Context, uid string) (*decide.Decision, error) {
	left := p.standIn(uid)
	defer func() { p.ledger.ledger = left.ledger.ledger }()
	for range maxSteps {
		open := left.ledger.held().AttemptOf(uid)
		if open == nil || !left.ledger.held().IsOpen(open.AttemptID) {
			p.Protocol.Memory.Forget(types.UID(uid))
			return nil, nil //nolint:nilnil // it has ended
		}
		decision := left.decide()
		wait, err := left.perform(ctx, decision)
		if err != nil {
			return nil, err
		}
		if _, rests := decision.Step.(decide.Rest); rests {
			return &decision, nil
		}
		if wait > 0 {
			decision.LookAt = p.Protocol.Now().Add(wait)
			return &decision, nil
		}
	}
	return nil, fmt.Errorf("what is left of a test took more than %d steps in one pass", maxSteps)
}

// standIn returns a pass for a deleted test, run on behalf of a waiting test. Annotations about the
// attempt are read from the waiting test: "A resolution is taken ... for an attempt whose object is
// gone, from any object of the same ledger" (R22).
func (p *testPass) standIn(uid string) *leftPass {
	gone := p.test.DeepCopy()
	gone.UID, gone.Status = types.UID(uid), v1alpha1.DiagnosticTestStatus{}
	left := &leftPass{&testPass{test: gone, shotPass: &shotPass{
		shot: diagnosticTest(), number: p.number,
		pass: &pass{
			Operator: p.Operator, subject: gone, account: p.account, here: p.here, session: p.session, annotated: p.subject,
		},
	}}}
	left.kind = left
	left.ledger = &objectLedger{
		Ledgers: p.Ledgers, kind: left, subject: gone, account: p.ledger.account, here: p.here, name: p.ledger.name,
		ledger: p.ledger.ledger,
	}
	left.showLedger(left.ledger.ledger)
	return left
}
