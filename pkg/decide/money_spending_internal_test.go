// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// spentAgo is a login's ledger with reservations of these ages.
func spentAgo(now time.Time, ago ...time.Duration) *v1alpha1.RequestLedger {
	ledger := &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{
		Schema: 1, Account: &v1alpha1.LedgerAccount{},
	}}
	for _, long := range ago {
		ledger.Spec.Account.Reservations = append(ledger.Spec.Account.Reservations,
			v1alpha1.Reservation{At: metav1.NewTime(now.Add(-long))})
	}
	return ledger
}

func TestR10TheReservationsOfALoginCountForEachOfItsAccounts(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	newer := spentAgo(now)
	newer.Spec.Schema = v1alpha1.LedgerSchema + 1
	const limit = v1alpha1.ReasonChargeLimit
	for name, test := range map[string]struct {
		spending Spending
		reason   string
	}{
		"nothing yet": {Spending{}, ""},
		"one of two":  {Spending{Ledger: spentAgo(now, time.Minute)}, ""},
		"two of two":  {Spending{Ledger: spentAgo(now, time.Minute, time.Hour)}, limit},
		"one within the 10 s before the POST": {
			Spending{Ledger: spentAgo(now, time.Minute, time.Hour+10*time.Second)}, limit,
		},
		"one is more than an hour old": {
			Spending{Ledger: spentAgo(now, time.Minute, time.Hour+11*time.Second)}, "",
		},
		"two from the future": {Spending{Ledger: spentAgo(now, -time.Minute, -time.Hour)}, limit},
		"a newer schema":      {Spending{Ledger: newer}, v1alpha1.ReasonLedgerUnreadable},
		"no reservation left": {Spending{Ledger: spentAgo(now)}, ""},
	} {
		account := &v1alpha1.CarrierAccount{}
		account.Spec.BaseURL, account.Spec.Auth.ClientName = "https://a", "reseller"
		account.Spec.ChargeLimit = &v1alpha1.ChargeLimit{PerHour: 2}
		in := &Input{Account: Account{Object: account, Spending: test.spending}, Now: now}
		got := ""
		if held := spendingHeld(in); held != nil {
			got = held.Verdict.Reason
		}
		if got != test.reason || MayReserve(account, test.spending, now) != (test.reason == "") {
			t.Errorf("%s: %q, want %q", name, got, test.reason)
		}
		if held := spendingHeld(in); test.reason == limit &&
			!strings.HasPrefix(held.Verdict.Message, "2 of the 2 chargeable requests that chargeLimit.perHour of the "+
				"CarrierAccount allows were sent in the last hour by the accounts with clientName reseller at https://a: ") {
			t.Errorf("%s: %s", name, held.Verdict.Message)
		}
		account.Spec.ChargeLimit = nil
		if !MayReserve(account, test.spending, now) {
			t.Errorf("%s: holds an account back that has no chargeLimit", name)
		}
	}
}

func TestTheChargeLimitSaysWhenTheNextRequestIsSent(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	account := &v1alpha1.CarrierAccount{}
	account.Spec.ChargeLimit = &v1alpha1.ChargeLimit{PerHour: 2}
	service := &v1alpha1.BroadbandService{}
	text := func(now time.Time, ago ...time.Duration) string {
		in := &Input{Subject: service, Now: now, Account: Account{
			Object: account, Spending: Spending{Ledger: spentAgo(now, ago...)},
		}}
		return spendingHeld(in).Verdict.Message
	}
	first := text(now, time.Minute, 40*time.Minute)
	if !strings.HasSuffix(first, "the next one is sent at 2026-03-02 12:20:11 +00:00 at the earliest") {
		t.Error(first)
	}
	if third := text(now, time.Minute, 10*time.Minute, 40*time.Minute); !strings.Contains(third, "12:50:11") {
		t.Error(third, "although two others still count when the oldest no longer does")
	}
	service.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Message: first}}
	if later := text(now.Add(30*time.Minute), time.Minute, 31*time.Minute); later != first {
		t.Error("another request was sent, and the message of one that waits is another:", later)
	}
	service.Status.Conditions[0].Message += "; the annotation wholesale.broadband/resolve resolves nothing"
	if later := text(now.Add(30*time.Minute), time.Minute, 31*time.Minute); later != first {
		t.Error("the message has what is added to it at each decision:", later)
	}
	service.Generation = 2
	if edited := text(now.Add(30*time.Minute), time.Minute, 31*time.Minute); edited == first {
		t.Error("the message is about an earlier manifest")
	}
}

func TestR10OnlyTheSenderOrTheCarrierReleasesAReservation(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		phase v1alpha1.RequestPhase
		by    v1alpha1.EndedBy
		want  bool
	}{
		{v1alpha1.PhaseNotSent, v1alpha1.EndedBySender, true},
		{v1alpha1.PhaseNotSent, v1alpha1.EndedByProof, false},
		{v1alpha1.PhaseNotProcessed, v1alpha1.EndedByCarrier, true},
		{v1alpha1.PhaseNotProcessed, v1alpha1.EndedByPerson, false},
		{v1alpha1.PhaseNotAccepted, v1alpha1.EndedByPerson, false},
		{v1alpha1.PhaseAbandoned, v1alpha1.EndedByPerson, false},
		{v1alpha1.PhaseRejected, v1alpha1.EndedByCarrier, false},
		{v1alpha1.PhaseSucceeded, v1alpha1.EndedByCarrier, false},
		{v1alpha1.PhaseSubmitting, "", false},
	} {
		if got := ReleasesReservation(&v1alpha1.Request{Phase: test.phase, EndedBy: test.by}); got != test.want {
			t.Errorf("%s by %q: %t", test.phase, test.by, got)
		}
	}
}

// What was refused because another request is in progress has done nothing, as the carrier itself
// says.
func TestR10ARefusalBecauseAnotherRequestIsInProgressReleasesItsReservation(t *testing.T) {
	t.Parallel()
	busy := &v1alpha1.RequestError{HTTPStatus: 422, Code: "constraints.service.modification.request.in.progress"}
	attempt := &v1alpha1.Request{
		Operation: v1alpha1.OperationPlanChange, Phase: v1alpha1.PhaseRejected, EndedBy: v1alpha1.EndedByCarrier, Error: busy,
	}
	if !ReleasesReservation(attempt) || Counts(attempt) {
		t.Error("it is counted for an hour")
	}
	attempt.Phase, attempt.EndedBy = v1alpha1.PhaseSubmitting, "" // it may be our own request
	if ReleasesReservation(attempt) || !Counts(attempt) {
		t.Error("what may have been accepted is not counted")
	}
}
