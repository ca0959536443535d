// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"

	. "github.com/onsi/gomega"
)

func attemptAt(id string, phase v1alpha1.RequestPhase) v1alpha1.Request {
	return v1alpha1.Request{Operation: v1alpha1.OperationOrderCreate, AttemptID: id, Phase: phase}
}

func TestALedgerHasEachAttemptOnce(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	var ledger v1alpha1.RequestLedger
	ledger.Open(attemptAt("a", v1alpha1.PhaseSubmitting))
	ledger.Put(attemptAt("a", v1alpha1.PhaseOutcomeUnknown))
	g.Expect(ledger.Spec.Open).To(ConsistOf(attemptAt("a", v1alpha1.PhaseOutcomeUnknown)))
	ledger.Put(attemptAt("a", v1alpha1.PhaseSucceeded))
	ledger.Put(attemptAt("a", v1alpha1.PhaseNotAccepted)) // a person changes the resolution
	g.Expect(ledger.Spec.Open).To(BeEmpty())
	g.Expect(ledger.Spec.Ended).To(HaveLen(1))
	g.Expect(ledger.RequestOf(v1alpha1.OperationOrderCreate).Phase).To(Equal(v1alpha1.PhaseNotAccepted))
	g.Expect(ledger.Spec.Sequence).To(Equal(int64(1)))
}

// A refusal holds back only the object that was refused (R3); what a person has abandoned is not
// sent again by itself, for whichever object.
func TestANewHolderTakesOverWhatIsOpenOrAbandoned(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	attempt := func(id string, phase v1alpha1.RequestPhase, by v1alpha1.EndedBy) v1alpha1.Request {
		ended := attemptAt(id, phase)
		ended.UID, ended.Generation, ended.EndedBy = "old", 7, by
		return ended
	}
	const person, proof = v1alpha1.EndedByPerson, v1alpha1.EndedByProof
	ledger := v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{
		Open: []v1alpha1.Request{attempt("open", v1alpha1.PhaseInProgress, "")},
		Last: []v1alpha1.Request{
			attempt("abandoned", v1alpha1.PhaseAbandoned, person), attempt("outdated", v1alpha1.PhaseAbandoned, proof),
			attempt("refused", v1alpha1.PhaseRejected, v1alpha1.EndedByCarrier),
		},
	}}
	ledger.TakeOver(v1alpha1.LedgerHolder{UID: "new"}, 1)
	taken := func(request v1alpha1.Request) string {
		return fmt.Sprintf("%s %s/%d %t", request.AttemptID, request.UID, request.Generation, request.TakenOver)
	}
	g.Expect(ledger.Spec.Holder.UID).To(Equal("new"))
	g.Expect(taken(ledger.Spec.Open[0])).To(Equal("open new/1 true"))
	g.Expect(ledger.Spec.Last).To(HaveExactElements(
		WithTransform(taken, Equal("abandoned new/1 true")), WithTransform(taken, Equal("outdated old/7 false")),
		WithTransform(taken, Equal("refused old/7 false"))))
}

// many returns a ledger in which more attempts were recorded than it keeps. Each refused attempt is
// followed by some that did not reach the carrier.
func many() *v1alpha1.RequestLedger {
	var ledger v1alpha1.RequestLedger
	for i := range 20 {
		ledger.Open(attemptAt(fmt.Sprint("refused-", i), v1alpha1.PhaseRejected))
		for j := range 20 {
			ledger.Open(attemptAt(fmt.Sprintf("not-sent-%d-%d", i, j), v1alpha1.PhaseNotSent))
		}
	}
	return &ledger
}

func TestALedgerIsBounded(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	g.Expect(many().Spec.Ended).To(HaveLen(10))
	g.Expect(many().Spec.Last).To(HaveLen(2))
	g.Expect(many().ReachedLast(v1alpha1.OperationOrderCreate).AttemptID).To(Equal("refused-19"))
}

// Of consecutive attempts that did not reach the carrier, three are kept for each object that made
// them.
func TestALedgerKeepsTheLastThatWereNotSent(t *testing.T) {
	t.Parallel()
	var ledger v1alpha1.RequestLedger
	ids := make([]string, 0, 7)
	for i := range 5 {
		for _, uid := range []string{"a", "b"} {
			attempt := attemptAt(fmt.Sprint(uid, i), v1alpha1.PhaseNotSent)
			attempt.UID = uid
			ledger.Open(attempt)
		}
	}
	ledger.Open(attemptAt("refused", v1alpha1.PhaseRejected))
	for _, ended := range ledger.Spec.Ended {
		ids = append(ids, ended.AttemptID)
	}
	NewWithT(t).Expect(ids).To(Equal([]string{"refused", "b4", "a4", "b3", "a3", "b2", "a2"}))
}

func TestALedgerKnowsWhatAStatusShows(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	for _, test := range []struct {
		id    string
		phase v1alpha1.RequestPhase
		known bool
	}{
		{"refused-19", v1alpha1.PhaseRejected, true},
		{"refused-0", v1alpha1.PhaseRejected, false},
		{"not-sent-1-1", v1alpha1.PhaseNotSent, true}, // a later attempt has replaced it
	} {
		shown := attemptAt(test.id, test.phase)
		g.Expect(many().Knows(&shown)).To(Equal(test.known), test.id)
	}
	g.Expect(many().Knows(nil)).To(BeTrue())
}

func TestR10ALedgerKnowsWhatWasBegunSince(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	noon := metav1.NewTime(time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC))
	begun := func(id string, phase v1alpha1.RequestPhase, after time.Duration) v1alpha1.Request {
		attempt := attemptAt(id, phase)
		attempt.SubmittedAt = metav1.NewTime(noon.Add(after))
		return attempt
	}
	var ledger v1alpha1.RequestLedger
	for _, attempt := range []v1alpha1.Request{
		begun("before", v1alpha1.PhaseRejected, -time.Minute),
		begun("refused", v1alpha1.PhaseRejected, time.Minute),
		begun("not sent", v1alpha1.PhaseNotSent, time.Minute),
		begun("taken late", v1alpha1.PhaseNotAccepted, time.Minute),
		begun("in progress", v1alpha1.PhaseSubmitting, time.Minute),
	} {
		ledger.Open(attempt)
	}
	ledger.AcceptLate(begun("taken late", "", time.Minute))
	reached := ledger.ReachedSince(noon, func(*v1alpha1.Request) bool { return true })
	var account v1alpha1.LedgerAccount
	account.Reserve(reached)
	ids := make([]string, 0, len(account.Reservations))
	for _, one := range account.Reservations {
		ids = append(ids, one.AttemptID)
	}
	g.Expect(ids).To(ConsistOf("refused", "taken late", "in progress"))
}

func TestR10ReservationsAreBoundedAndTheOldestGo(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	noon := time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	var account v1alpha1.LedgerAccount
	for i := range v1alpha1.MostReservations + 2 {
		account.Reserve(account.Reservations, v1alpha1.Reservation{
			AttemptID: fmt.Sprint("a-", i), At: metav1.NewTime(noon.Add(time.Duration(i) * time.Second)),
		})
	}
	g.Expect(account.Reservations).To(HaveLen(v1alpha1.MostReservations))
	g.Expect(account.Reservations[0].AttemptID).To(Equal("a-2"))
}

// An attempt that the ledger no longer contains counts as abandoned, so if the carrier accepts it
// later, that is a late acceptance.
func TestR14AnAttemptThatHasLeftTheLedgerIsAcceptedLate(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	ledger := many()
	late := attemptAt("long-ago", "")
	late.Location = "/api/connect/orders/7"
	g.Expect(ledger.AcceptLate(late)).To(BeTrue())
	g.Expect(ledger.RequestOf(v1alpha1.OperationOrderCreate).Phase).To(Equal(v1alpha1.PhaseLateAcceptance))
	g.Expect(ledger.AcceptLate(late)).To(BeFalse(), "it is known")
}

// A person had named another request than the carrier does (R14).
func TestR14AnAttemptThatAPersonHasNamedWronglyIsAcceptedLate(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	var ledger v1alpha1.RequestLedger
	named := attemptAt("a-1", v1alpha1.PhaseInProgress)
	named.Location = "/requests/9"
	ledger.Open(named)
	late := attemptAt("a-1", "")
	late.Location = "/requests/9"
	g.Expect(ledger.AcceptLate(late)).To(BeFalse(), "the person was right")
	late.Location, late.FinishedAt = "/requests/7", metav1.NewTime(time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC))
	g.Expect(ledger.AcceptLate(late)).To(BeTrue())
	g.Expect(ledger.AcceptLate(late)).To(BeFalse(), "it is known")
	g.Expect(ledger.Spec.Open).To(HaveLen(1))
	g.Expect(ledger.Spec.Open[0].FinishedAt).To(Equal(late.FinishedAt), "resolve: all@ settles what is not newer")
	g.Expect(ledger.Spec.Open[0].Phase).To(Equal(v1alpha1.PhaseLateAcceptance))
	g.Expect(ledger.Spec.Open[0].Location).To(Equal("/requests/7"), "the carrier knows where it is")
}

// What a person has ended needs a new approval (R11), so it must become the newest ended attempt,
// unless a success was sent after it.
func TestR11AnAbandonedLateAcceptanceIsTheNewestUnlessAnotherWasSentSince(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	for after, newest := range map[int]string{1: "late", -1: "other"} {
		g := NewWithT(t)
		var ledger v1alpha1.RequestLedger
		other, late := attemptAt("other", v1alpha1.PhaseSucceeded), attemptAt("late", v1alpha1.PhaseInProgress)
		other.SubmittedAt = metav1.NewTime(noon)
		late.SubmittedAt, late.Location = metav1.NewTime(noon.Add(time.Duration(after)*time.Minute)), "/requests/9"
		ledger.Put(other)
		ledger.Open(late)
		late.Location = "/requests/7"
		g.Expect(ledger.AcceptLate(late)).To(BeTrue())
		late.Phase = v1alpha1.PhaseAbandoned
		ledger.Put(late)
		g.Expect(ledger.ReachedLast(late.Operation).AttemptID).To(Equal(newest), "sent %d minutes after the other", after)
		g.Expect(ledger.Spec.Open).To(BeEmpty())
	}
}

// Another attempt has ended since, and the ledger has only a summary of this one. Once a person has
// abandoned it, it must still count as a failure of the same generation. It must be as old as it is,
// and set what it set. The first change of an object that took it over is not the object's own.
func TestR15ALateAcceptanceBelongsToTheGenerationThatItWasSentFor(t *testing.T) {
	t.Parallel()
	noon := metav1.NewTime(time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC))
	for _, test := range []struct {
		was        bool // whether it had been taken over before it ended
		by         string
		generation int64
		taken      bool
	}{
		{false, "itself", 3, false}, {true, "itself", 3, true}, {false, "its successor", 0, true},
	} {
		g := NewWithT(t)
		var ledger v1alpha1.RequestLedger
		late, other := attemptAt("late", v1alpha1.PhaseNotAccepted), attemptAt("other", v1alpha1.PhaseRejected)
		late.UID, late.Generation, late.TakenOver = "itself", 3, test.was
		late.SubmittedAt, late.Target.Plan = noon, "Home 100/20"
		ledger.Put(late)
		ledger.Put(other)
		accepted := attemptAt("late", "")
		accepted.UID, accepted.Location = test.by, "/requests/7"
		g.Expect(ledger.AcceptLate(accepted)).To(BeTrue())
		g.Expect(ledger.LateAcceptance()).To(HaveValue(And(HaveField("Generation", test.generation),
			HaveField("TakenOver", test.taken), HaveField("SubmittedAt", noon),
			HaveField("Target.Plan", "Home 100/20"))), "%+v", test)
	}
}

// A status may have the Location of an attempt when the ledger has the attempt without one (R5).
func TestR16ALedgerMayLackWhereTheCarrierFollowsAnAttempt(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	var ledger v1alpha1.RequestLedger
	shown := attemptAt("a", v1alpha1.PhaseInProgress)
	g.Expect(ledger.LacksReceipt(&shown)).To(BeFalse(), "nobody has taken it")
	shown.Location = "/api/connect/orders/7"
	g.Expect(ledger.LacksReceipt(&shown)).To(BeFalse(), "it does not know the attempt at all")
	ledger.Open(attemptAt("a", v1alpha1.PhaseSubmitting))
	g.Expect(ledger.LacksReceipt(&shown)).To(BeTrue())
	ledger.Put(attemptAt("a", v1alpha1.PhaseNotAccepted))
	g.Expect(ledger.LacksReceipt(&shown)).To(BeTrue())
	ledger.Put(shown)
	g.Expect(ledger.LacksReceipt(&shown)).To(BeFalse())
}

// An attempt that is written again in its new phase is not ended as Repeated, as if it repeated
// itself.
func TestR3AnAttemptDoesNotRepeatItself(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	var ledger v1alpha1.RequestLedger
	again := attemptAt("a", v1alpha1.PhaseSubmitting)
	again.Repeats = 1
	ledger.Open(again)
	again.Phase = v1alpha1.PhaseOutcomeUnknown
	ledger.Open(again)
	g.Expect(ledger.Spec.Open).To(HaveLen(1))
	g.Expect(ledger.Spec.Ended).To(BeEmpty())
}

func TestOnlyADeletedLedgerWithItsFinalizerAwaitsItsRelease(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ deleted, kept bool }{{false, false}, {false, true}, {true, false}, {true, true}} {
		ledger := &v1alpha1.RequestLedger{}
		if row.deleted {
			ledger.DeletionTimestamp = &metav1.Time{Time: time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)}
		}
		if row.kept {
			ledger.Finalizers = []string{v1alpha1.FinalizerMemory}
		}
		if got := ledger.AwaitsRelease(); got != (row.deleted && row.kept) {
			t.Errorf("deleted %t, with the finalizer %t: %t", row.deleted, row.kept, got)
		}
	}
}
