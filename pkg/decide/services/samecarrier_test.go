// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/internal/decidetest"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// elsewhere is a service whose ledger belongs to another carrier, ten minutes after the account was
// created, with a person's annotation.
func elsewhere(value string, edits ...func(*decide.LedgerInput)) decide.LedgerInput {
	service := settled(saying(value))
	service.Account.Object.CreationTimestamp = metav1.NewTime(decidetest.Start())
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

func heldBy(uid string, holderLives bool) func(*decide.LedgerInput) {
	return func(in *decide.LedgerInput) { in.Ledger.Spec.Holder.UID, in.HolderExists = uid, holderLives }
}

func movedAt(after time.Duration) func(*decide.LedgerInput) {
	return func(in *decide.LedgerInput) {
		in.Ledger.Spec.Moved = &v1alpha1.Resolution{Word: "before", At: metav1.NewTime(decidetest.Start().Add(after))}
	}
}

func TestR4SameCarrierMovesALedgerToTheAccount(t *testing.T) {
	t.Parallel()
	value := decidetest.ResolveAll(5*time.Minute, "SameCarrier")
	seen := func(in *decide.LedgerInput) { in.Subject.Controls().Resolve = value }
	for name, test := range map[string]struct {
		view   decide.LedgerInput
		moves  bool
		unheld string // the value that is ignored
	}{
		"no annotation":                 {view: elsewhere("")},
		"the same carrier":              {view: elsewhere(value), moves: true},
		"the same carrier, holder gone": {view: elsewhere(value, heldBy("u-0", false)), moves: true},
		"the ledger of another object":  {view: elsewhere(value, heldBy("u-0", true))},
		"used up":                       {view: elsewhere(value, seen)},
		"moved before":                  {view: elsewhere(value, movedAt(4*time.Minute)), moves: true},
		"moved since":                   {view: elsewhere(value, movedAt(5*time.Minute)), unheld: value},
		"when the account was created":  {view: elsewhere(decidetest.ResolveAll(0, "SameCarrier")), moves: true},
		"before the account": {
			view:   elsewhere(decidetest.ResolveAll(-1, "SameCarrier")),
			unheld: decidetest.ResolveAll(-1, "SameCarrier"),
		},
		"in the future": {
			view:   elsewhere(decidetest.ResolveAll(time.Hour, "SameCarrier")),
			unheld: decidetest.ResolveAll(time.Hour, "SameCarrier"),
		},
		"another outcome": {view: elsewhere(decidetest.ResolveAll(time.Minute, "Succeeded"))},
		"of one attempt":  {view: elsewhere("a-1=SameCarrier")},
		"garbage":         {view: elsewhere("all@SameCarrier")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			judged := services.JudgeLedger(test.view)
			if judged.Move != test.moves || judged.Resolve != test.unheld || judged.Lost != nil || judged.TakeOver {
				t.Errorf("%+v", judged)
			}
			if !test.moves && decidetest.ReasonOf(judged.Verdict) != v1alpha1.ReasonConflict {
				t.Errorf("%+v", judged.Verdict)
			}
		})
	}
}

func TestR4TheMessageAboutAnotherCarrierSaysWhatToDo(t *testing.T) {
	t.Parallel()
	future := decidetest.ResolveAll(time.Hour, "SameCarrier")
	for value, words := range map[string]string{
		"": "belongs to the carrier at https://old.example, but the account uses the carrier at https://carrier.example: " +
			"nothing is sent. CarrierAccounts of different carriers need different values of spec.identity. If only the " +
			"carrier's address has changed, run: kubectl -n shop annotate --overwrite bbs site " +
			"'wholesale.broadband/resolve=all@<present time, RFC 3339>=SameCarrier'",
		future: `(the annotation is now "` + future + `", which does not move the ledger: its time must not be before the ` +
			"creation of the CarrierAccount, " + decidetest.Start().Format(time.RFC3339) + ", or in the future)",
	} {
		if message := services.JudgeLedger(elsewhere(value)).Verdict.Message; !strings.HasSuffix(message, words) {
			t.Errorf("with %q: %q", value, message)
		}
	}
}

// "Nothing becomes unknown" through an account for another carrier: what remains of a lost ledger
// stays with its carrier.
func TestR4ALostLedgerKeepsItsCarrier(t *testing.T) {
	t.Parallel()
	view := elsewhere(decidetest.ResolveAll(5*time.Minute, "SameCarrier"))
	view.Lost = true
	judged := services.JudgeLedger(view)
	if judged.Lost == nil || judged.Lost.BaseURL != "https://old.example" || judged.Move {
		t.Errorf("%+v", judged)
	}
}
