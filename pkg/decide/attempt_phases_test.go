// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// phaseTable is the table of the request ledger's design: who may move an attempt from one phase to
// another.
const phaseTable = `
Submitting       Sender  Submitting NotSent NotProcessed Rejected InProgress Succeeded
Submitting       Rule    Succeeded OutcomeUnknown Abandoned NotSent NotProcessed
Submitting       Person  InProgress Succeeded NotAccepted Abandoned
InProgress       Poll    InProgress Succeeded Failed Submitting Abandoned
InProgress       Rule    Succeeded OutcomeUnknown Abandoned NotSent NotProcessed
InProgress       Person  InProgress Succeeded NotAccepted Abandoned
OutcomeUnknown   Sender  NotSent NotProcessed Rejected InProgress Succeeded
OutcomeUnknown   Rule    Succeeded Abandoned NotSent
OutcomeUnknown   Person  InProgress Succeeded NotAccepted Abandoned
`

// everyStep calls a function for each phase, each writer, and each phase that might follow.
func everyStep(see func(from v1alpha1.RequestPhase, by decide.Writer, to v1alpha1.RequestPhase)) {
	phases := []v1alpha1.RequestPhase{
		v1alpha1.PhaseSubmitting, v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded, v1alpha1.PhaseFailed,
		v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed, v1alpha1.PhaseRejected,
		v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned, "Unheard",
	}
	writers := []decide.Writer{decide.WriterSender, decide.WriterPoll, decide.WriterRule, decide.WriterPerson}
	for _, from := range phases {
		for _, by := range writers {
			for _, to := range phases {
				see(from, by, to)
			}
		}
	}
}

func TestR14EveryWriterSetsOnlyThePhasesInTheTable(t *testing.T) {
	t.Parallel()
	left := map[string]bool{}
	for line := range strings.Lines(strings.TrimSpace(phaseTable)) {
		words := strings.Fields(line)
		for _, to := range words[2:] {
			left[strings.Join([]string{words[0], words[1], to}, " ")] = true
		}
	}
	everyStep(func(from v1alpha1.RequestPhase, by decide.Writer, to v1alpha1.RequestPhase) {
		attempt := &v1alpha1.Request{
			Operation: v1alpha1.OperationPlanChange, Phase: from, EndedBy: v1alpha1.EndedByCarrier,
		}
		step := strings.Join([]string{string(from), string(by), string(to)}, " ")
		if got := decide.MayBecome(attempt, by, to); got != left[step] {
			t.Errorf("%s: %t", step, got)
		}
		delete(left, step)
	})
	if len(left) > 0 {
		t.Errorf("of the table nobody tried %v", left)
	}
}

func TestR15AnOrderResolvedAsSucceededTakesItsNumberOnce(t *testing.T) {
	t.Parallel()
	placed := &v1alpha1.Request{
		Operation: v1alpha1.OperationOrderCreate, Phase: v1alpha1.PhaseSucceeded, EndedBy: v1alpha1.EndedByPerson,
	}
	if !decide.MayBecome(placed, decide.WriterSender, v1alpha1.PhaseSucceeded) {
		t.Error("the number of an order is lost")
	}
	placed.Location = "/api/connect/orders/77"
	if decide.MayBecome(placed, decide.WriterSender, v1alpha1.PhaseSucceeded) {
		t.Error("another number takes its place")
	}
}

func TestR14ARejectedRepeatProvesNothingAboutTheFirstAttempt(t *testing.T) {
	t.Parallel()
	repeat := &v1alpha1.Request{Phase: v1alpha1.PhaseOutcomeUnknown, Repeats: 1}
	if decide.MayBecome(repeat, decide.WriterSender, v1alpha1.PhaseRejected) {
		t.Error("a repeat that was refused ends what may have succeeded before it")
	}
}

// An open attempt stands for what was lost (R5), also for what was sent after this attempt.
func TestR5OnlyAnAcceptanceOrAPersonEndsWhatStandsForALostLedger(t *testing.T) {
	t.Parallel()
	lost := &v1alpha1.Request{
		Operation: v1alpha1.OperationOrderCreate, Phase: v1alpha1.PhaseOutcomeUnknown,
		Error: &v1alpha1.RequestError{Code: v1alpha1.ReasonLedgerLost},
	}
	for _, row := range []struct {
		by  decide.Writer
		to  v1alpha1.RequestPhase
		may bool
	}{
		{decide.WriterSender, v1alpha1.PhaseNotSent, false},
		{decide.WriterSender, v1alpha1.PhaseNotProcessed, false},
		{decide.WriterSender, v1alpha1.PhaseRejected, false},
		{decide.WriterSender, v1alpha1.PhaseSucceeded, true},
		{decide.WriterSender, v1alpha1.PhaseInProgress, true},
		{decide.WriterPerson, v1alpha1.PhaseNotAccepted, true},
	} {
		if got := decide.MayBecome(lost, row.by, row.to); got != row.may {
			t.Errorf("%s, %s: %t", row.by, row.to, got)
		}
	}
}

func TestR14AnAcceptedOrderMayBeResolvedAsNotAccepted(t *testing.T) {
	t.Parallel()
	order := &v1alpha1.Request{Operation: v1alpha1.OperationOrderCreate, Phase: v1alpha1.PhaseSucceeded}
	if !decide.MayBecome(order, decide.WriterPerson, v1alpha1.PhaseNotAccepted) {
		t.Error("a person cannot say that a rejected order is dead")
	}
}
