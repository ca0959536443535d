// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// reservationHolds is how long a reservation counts: an hour from the POST, which is sent within 10
// s of the reservation (R13). Recorded times are truncated to seconds.
const reservationHolds = time.Hour + 11*time.Second

// Counts reports whether an attempt that reached the carrier, or may have, counts towards chargeLimit.
func Counts(attempt *v1alpha1.Request) bool {
	return ClassOf(attempt.Operation, attempt.Target).Costly() && !AnotherInProgress(attempt)
}

// ReservedSince returns the start of the period that counts: an older reservation is ignored.
func ReservedSince(now time.Time) time.Time { return now.Add(-reservationHolds) }

// Reserved returns a login's reservations that still count.
func (s Spending) Reserved(now time.Time) []v1alpha1.Reservation {
	if s.Ledger == nil || s.Ledger.Spec.Account == nil {
		return nil
	}
	return s.Counting(s.Ledger.Spec.Account.Reservations, now)
}

// Counting returns those of the given reservations that still count.
func (s Spending) Counting(reservations []v1alpha1.Reservation, now time.Time) []v1alpha1.Reservation {
	since := ReservedSince(now)
	return slices.DeleteFunc(slices.Clone(reservations), func(one v1alpha1.Reservation) bool {
		if seen, ahead := s.Future[one.AttemptID]; ahead {
			return s.Elapsed-seen >= reservationHolds
		}
		return !one.At.After(since)
	})
}

// Add records the given reservations that are in the future, and returns a message about a new one
// that is ahead by more than minReportedSkew; "" if there is none.
func (r FutureReservations) Add(all []v1alpha1.Reservation, now time.Time, elapsed time.Duration) (report string) {
	for _, one := range all {
		if _, known := r[one.AttemptID]; known || !one.At.After(now) {
			continue
		}
		r[one.AttemptID] = elapsed
		if one.At.After(now.Add(minReportedSkew)) {
			report = aheadReport(one.At, now)
		}
	}
	return report
}

// MayReserve reports whether an account may send one more chargeable request: each account's limit
// is compared with what the whole login has sent in the last hour.
func MayReserve(account *v1alpha1.CarrierAccount, spending Spending, now time.Time) bool {
	return spendingHeld(account, spending, now) == nil
}

// ReleasesReservation reports whether an attempt releases its reservation: it has certainly done
// nothing, as the sender or the carrier says, and not only a person. It was not sent, not processed,
// or refused because another request was in progress.
func ReleasesReservation(attempt *v1alpha1.Request) bool {
	known := attempt.EndedBy == v1alpha1.EndedBySender || attempt.EndedBy == v1alpha1.EndedByCarrier
	return known && (!attempt.Phase.Reached() || AnotherInProgress(attempt))
}

// underChargeLimit holds back a chargeable request. Other requests may reach the limit before this
// one is sent, so the reservation made when it is sent decides.
func underChargeLimit(in *Input, want DesiredChange) *Decision {
	if !want.costs() {
		return nil
	}
	return spendingHeld(in.Account.Object, in.Account.Spending, in.Now)
}

func spendingHeld(account *v1alpha1.CarrierAccount, spending Spending, now time.Time) *Decision {
	limit, ledger := account.Spec.ChargeLimit, spending.Ledger
	if limit == nil {
		return nil
	}
	if decision := heldByDeletedLedger(ledger); decision != nil {
		return RequeueAt(decision, now.Add(time.Minute))
	}
	switch {
	case ledger != nil && ledger.Spec.Schema > v1alpha1.LedgerSchema:
		return &Decision{Step: Rest{}, Verdict: *NewerLedger(ledger)}
	case len(spending.Reserved(now)) < int(limit.PerHour):
		return nil
	}
	decision := RestWorking(v1alpha1.ReasonChargeLimit, fmt.Sprintf(
		"chargeLimit.perHour of the CarrierAccount is %d, and the accounts with %s have sent at least that many "+
			"chargeable requests in the last hour: the next one is sent once there are fewer",
		limit.PerHour, account.Login()))
	return RequeueAt(decision, now.Add(time.Minute))
}
