// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// testPass is a pass over a DiagnosticTest. Its attempts are recorded in the ledger shared by the
// tests of its service.
type testPass struct {
	*shotPass

	test *v1alpha1.DiagnosticTest
	lane decide.Lane
}

var (
	_ ledgered = (*testPass)(nil)
	_ marking  = (*testPass)(nil)
)

func (p *testPass) gather(ctx context.Context) error {
	if err := p.shotPass.gather(ctx); err != nil {
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
	return p.Protocol.Hold(ctx, p.test) // "put back if missing"
}

func (p *testPass) judge(input decide.Input) decide.Decision {
	task := p.taskInput(input)
	task.Lane = p.lane
	return decide.OneShot(*task)
}

func (p *testPass) show(decision decide.Decision) { p.test.Status.Pending = decision.Pending }

func (p *testPass) ledgerSpec() v1alpha1.RequestLedgerSpec {
	return v1alpha1.RequestLedgerSpec{Diagnostics: &v1alpha1.LedgerService{ID: p.number}}
}

func (p *testPass) judgeLedger(input decide.LedgerInput) decide.LedgerVerdict {
	return decide.JudgeTestLedger(input, p.test)
}

func (p *testPass) showLedger(held *v1alpha1.RequestLedger) {
	decide.ProjectTest(p.test, held, metav1.NewTime(p.Protocol.Now()))
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

func (*testPass) marks() {}
