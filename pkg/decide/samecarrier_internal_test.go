// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// movedCarrier is the input of a service whose account was created at noon with another address than
// its identity's ledger has, half an hour later, with this resolution.
func movedCarrier(word string) *Input {
	created := time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	service := &v1alpha1.BroadbandService{}
	service.Annotations = map[string]string{v1alpha1.AnnotationResolve: word}
	account := &v1alpha1.CarrierAccount{}
	account.CreationTimestamp = metav1.NewTime(created)
	account.Spec.BaseURL, account.Spec.ChargeLimit = "https://new", &v1alpha1.ChargeLimit{PerHour: 1}
	now := created.Add(30 * time.Minute)
	return &Input{Subject: service, Now: now, Account: Account{
		Object: account, Spending: Spending{Ledger: spentAgo(now)},
	}}
}

func TestR4SameCarrierMovesTheLedgerOfAnIdentity(t *testing.T) {
	t.Parallel()
	const same = "all@2026-03-02T12:10:00Z=SameCarrier"
	for name, test := range map[string]struct {
		word  string
		edit  func(*Input, *v1alpha1.RequestLedger)
		moves bool
	}{
		"no annotation":      {},
		"the same carrier":   {word: same, moves: true},
		"another outcome":    {word: "all@2026-03-02T12:10:00Z=Succeeded"},
		"before the account": {word: "all@2026-03-02T11:59:59Z=SameCarrier"},
		"in the future":      {word: "all@2026-03-02T12:31:00Z=SameCarrier"},
		"used up for the object": {word: same, moves: true, edit: func(in *Input, _ *v1alpha1.RequestLedger) {
			in.Subject.Controls().Resolve = same
		}},
		"at this address already": {word: same, edit: func(in *Input, ledger *v1alpha1.RequestLedger) {
			ledger.Spec.BaseURL = in.Account.Object.Spec.BaseURL
		}},
		"moved since": {word: same, edit: func(in *Input, ledger *v1alpha1.RequestLedger) {
			ledger.Spec.Moved = &v1alpha1.Resolution{At: metav1.NewTime(in.Now)}
		}},
		"a newer schema": {word: same, edit: func(_ *Input, ledger *v1alpha1.RequestLedger) {
			ledger.Spec.Schema = v1alpha1.LedgerSchema + 1
		}},
		"of another cluster": {word: same, edit: func(in *Input, ledger *v1alpha1.RequestLedger) {
			in.Installation, ledger.Spec.Cluster = Installation{Marker: "marker", Clusters: []string{"here"}}, "there"
		}},
	} {
		in := movedCarrier(test.word)
		if test.edit != nil {
			test.edit(in, in.Account.Spending.Ledger)
		}
		if got := MovesIdentity(in, in.Account.Spending.Ledger); got != test.moves {
			t.Errorf("%s: %t", name, got)
		}
	}
	if MovesIdentity(movedCarrier(same), nil) {
		t.Error("moves a ledger that does not exist")
	}
}

func TestR4TheMessageAboutTheIdentityOfAnotherCarrierSaysWhatToDo(t *testing.T) {
	t.Parallel()
	want := DesiredChange{Operation: v1alpha1.OperationPlanChange}
	for word, words := range map[string]string{
		"": "different values of spec.identity. If only the carrier's address has changed, run: " +
			"kubectl -n  annotate --overwrite bbs  'wholesale.broadband/resolve=all@<present time, RFC 3339>=SameCarrier'",
		"all@2026-03-02T11:59:59Z=SameCarrier": `(the annotation is now "all@2026-03-02T11:59:59Z=SameCarrier", which does ` +
			"not move the ledger: its time must not be before the creation of the CarrierAccount, 2026-03-02T12:00:00Z, or in " +
			"the future)",
	} {
		held := underChargeLimit(movedCarrier(word), want)
		if held == nil || held.Verdict.Reason != v1alpha1.ReasonConflict || !strings.HasSuffix(held.Verdict.Message, words) {
			t.Errorf("with %q: %+v", word, held)
		}
	}
}
