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

// elsewhere is a service whose ledger belongs to another carrier, ten minutes after the account was
// created, with a person's annotation.
func elsewhere(value string, edits ...func(*decide.LedgerInput)) decide.LedgerInput {
	service := settled(saying(value))
	service.Account.Object.CreationTimestamp = metav1.NewTime(start)
	view := decide.LedgerInput{Input: service.Input}
	view.Subject = service.Service
	view.Ledger = &v1alpha1.RequestLedger{
		ObjectMeta: metav1.ObjectMeta{Name: "service-1"},
		Spec: v1alpha1.RequestLedgerSpec{
			Schema: v1alpha1.LedgerSchema, BaseURL: "https://old.example",
			Service: &v1alpha1.LedgerService{ID: "1"},
			Holder:  v1alpha1.LedgerHolder{Namespace: "shop", Name: "site", UID: string(service.Service.UID)},
		},
	}
	for _, edit := range edits {
		edit(&view)
	}
	return view
}

func heldBy(uid string, lives bool) func(*decide.LedgerInput) {
	return func(in *decide.LedgerInput) { in.Ledger.Spec.Holder.UID, in.HolderLives = uid, lives }
}

func movedAt(after time.Duration) func(*decide.LedgerInput) {
	return func(in *decide.LedgerInput) {
		in.Ledger.Spec.Moved = &v1alpha1.Resolution{Word: "before", At: metav1.NewTime(start.Add(after))}
	}
}

func TestR4SameCarrierMovesALedgerToTheAccount(t *testing.T) {
	t.Parallel()
	value := all(5*time.Minute, "SameCarrier")
	seen := func(in *decide.LedgerInput) { in.Subject.Controls().Resolve = value }
	for story, test := range map[string]struct {
		view   decide.LedgerInput
		moves  bool
		unheld string // the value that counts as acted on without an effect
	}{
		"nothing said":                  {view: elsewhere("")},
		"the same carrier":              {view: elsewhere(value), moves: true},
		"the same carrier, holder gone": {view: elsewhere(value, heldBy("u-0", false)), moves: true},
		"said of another's ledger":      {view: elsewhere(value, heldBy("u-0", true))},
		"used up":                       {view: elsewhere(value, seen), unheld: value},
		"moved before":                  {view: elsewhere(value, movedAt(4*time.Minute)), moves: true},
		"moved since":                   {view: elsewhere(value, movedAt(5*time.Minute)), unheld: value},
		"when the account was created":  {view: elsewhere(all(0, "SameCarrier")), moves: true},
		"before the account":            {view: elsewhere(all(-1, "SameCarrier")), unheld: all(-1, "SameCarrier")},
		"in the future": {
			view: elsewhere(all(time.Hour, "SameCarrier")), unheld: all(time.Hour, "SameCarrier"),
		},
		"another word":   {view: elsewhere(all(time.Minute, "Succeeded"))},
		"of one attempt": {view: elsewhere("a-1=SameCarrier")},
		"garbage":        {view: elsewhere("all@SameCarrier")},
	} {
		t.Run(story, func(t *testing.T) {
			t.Parallel()
			judged := decide.JudgeServiceLedger(test.view)
			if judged.Move != test.moves || judged.Resolve != test.unheld || judged.Lost != nil || judged.Take {
				t.Errorf("%+v", judged)
			}
			if !test.moves && reasonOf(judged.Verdict) != v1alpha1.ReasonConflict {
				t.Errorf("%+v", judged.Verdict)
			}
		})
	}
}

func TestR4AConflictOfCarriersSaysWhatToDo(t *testing.T) {
	t.Parallel()
	future := all(time.Hour, "SameCarrier")
	for value, words := range map[string]string{
		"": "speaks of the carrier at https://old.example, and the account is at https://carrier.example: nothing is sent. " +
			"Two carriers need two values of spec.identity in their CarrierAccounts. If the carrier has only moved its " +
			"address: kubectl -n shop annotate --overwrite bbs site " +
			"'wholesale.broadband/resolve=all@<present time, RFC 3339>=SameCarrier'",
		future: `(now it is "` + future + `", which does not move it: the time must be one since the CarrierAccount ` +
			"was created, " + start.Format(time.RFC3339) + ", and not in the future)",
	} {
		if message := decide.JudgeServiceLedger(elsewhere(value)).Verdict.Message; !strings.HasSuffix(message, words) {
			t.Errorf("with %q: %q", value, message)
		}
	}
}

// An order that was sent keeps its state at another carrier, and moves as well if a person says so.
func TestR4SameCarrierMovesTheLedgerOfAnOrder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		phase  v1alpha1.RequestPhase
		holder string
		word   string
		moves  bool
		reason string
	}{
		{phase: v1alpha1.PhaseInProgress, word: "SameCarrier", moves: true},
		{phase: v1alpha1.PhaseSucceeded, word: "SameCarrier", moves: true},
		{phase: v1alpha1.PhaseRejected, word: "SameCarrier", moves: true},
		{phase: v1alpha1.PhaseSucceeded, holder: "gone", word: "SameCarrier", moves: true},
		{phase: v1alpha1.PhaseSucceeded, word: "Succeeded"},
		{phase: v1alpha1.PhaseRejected, word: "Succeeded", reason: v1alpha1.ReasonConflict},
	} {
		moved := ledgerCase{phase: test.phase, holder: test.holder, url: "x"}
		view, order := moved.view(), moved.order()
		order.Annotations = map[string]string{v1alpha1.AnnotationResolve: all(0, test.word)}
		view.Subject = order
		judged := decide.JudgeOrderLedger(view, order)
		if judged.Move != test.moves || reasonOf(judged.Verdict) != test.reason {
			t.Errorf("%+v: %+v", test, judged)
		}
	}
}

// "Nothing becomes unknown" through an account for another carrier: what remains of a lost ledger
// stays with its carrier.
func TestR4ALedgerThatWasLostStaysWithItsCarrier(t *testing.T) {
	t.Parallel()
	view := elsewhere(all(5*time.Minute, "SameCarrier"))
	view.Lost = true
	judged := decide.JudgeServiceLedger(view)
	if judged.Lost == nil || judged.Lost.BaseURL != "https://old.example" || judged.Move {
		t.Errorf("%+v", judged)
	}
}

// The placeholder for a lost order is unknown from the time when the loss was noticed, so an
// earlier resolution does not apply to it (R27).
func TestR27AnOrderIsLostWhenThatIsSeen(t *testing.T) {
	t.Parallel()
	for _, phase := range []v1alpha1.RequestPhase{v1alpha1.PhaseSubmitting, v1alpha1.PhaseOutcomeUnknown} {
		older := ledgerCase{phase: phase, lost: true}
		view := older.view()
		view.Now = start.Add(time.Hour)
		judged := decide.JudgeOrderLedger(view, older.order())
		if judged.Lost == nil || !judged.Lost.FinishedAt.Time.Equal(view.Now) {
			t.Errorf("%s: %+v", phase, judged.Lost)
		}
	}
}
