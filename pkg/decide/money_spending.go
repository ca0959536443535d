// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"
	"strings"
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

// ReservedSince returns the time from which reservations count; older ones are ignored.
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
	return slices.DeleteFunc(slices.Clone(reservations), func(one v1alpha1.Reservation) bool {
		return !s.countsUntil(one, now).After(now)
	})
}

// countsUntil returns when a reservation no longer counts.
func (s Spending) countsUntil(one v1alpha1.Reservation, now time.Time) time.Time {
	if seen, ahead := s.Future[one.AttemptID]; ahead {
		return now.Add(reservationHolds - (s.Elapsed - seen))
	}
	return one.At.Add(reservationHolds)
}

// roomAt returns when fewer than the given number of reservations count.
func (s Spending) roomAt(most int, now time.Time) time.Time {
	counting := s.Reserved(now)
	ends := make([]time.Time, len(counting))
	for i, one := range counting {
		ends[i] = s.countsUntil(one, now)
	}
	slices.SortFunc(ends, time.Time.Compare)
	if at := len(ends) - most; most > 0 && at >= 0 {
		return ends[at]
	}
	return now
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
	return spendingHeld(&Input{Account: Account{Object: account, Spending: spending}, Now: now}) == nil
}

// ReleasesReservation reports whether an attempt releases its reservation: the sender or the
// carrier, not only a person, has said that it did nothing. It was not sent, not processed, or
// refused because another request was in progress.
func ReleasesReservation(attempt *v1alpha1.Request) bool {
	known := attempt.EndedBy == v1alpha1.EndedBySender || attempt.EndedBy == v1alpha1.EndedByCarrier
	return known && (!attempt.Phase.Reached() || AnotherInProgress(attempt))
}

// chargeLimitIsReached holds back a chargeable request. Other requests may reach the limit before this
// one is sent, so the reservation made when it is sent decides.
func chargeLimitIsReached(in *Input, want DesiredChange) *Decision {
	if !want.costs() {
		return nil
	}
	return spendingHeld(in)
}

func spendingHeld(in *Input) *Decision {
	limit, ledger := in.Account.Object.Spec.ChargeLimit, in.Account.Spending.Ledger
	if limit == nil {
		return nil
	}
	if decision := ledgerIsBeingDeleted(&Input{Ledger: ledger}, DesiredChange{}); decision != nil {
		return RequeueAt(decision, in.Now.Add(time.Minute))
	}
	sent := len(in.Account.Spending.Reserved(in.Now))
	switch {
	case ledger != nil && ledger.Spec.Schema > v1alpha1.LedgerSchema:
		return RestOn(*NewerLedger(ledger))
	case sent < int(limit.PerHour):
		return nil
	}
	return RequeueAt(RestWorking(v1alpha1.ReasonChargeLimit, limitText(in, sent)), in.Now.Add(time.Minute))
}

// limitText says how many chargeable requests were sent, and when the next one can be sent. If
// many objects wait, each request that is sent changes that time, and no object should be written
// for it. So the message keeps the earliest time, which was shown first.
func limitText(in *Input, sent int) string {
	limit := in.Account.Object.Spec.ChargeLimit.PerHour
	text := fmt.Sprintf("%d of the %d chargeable requests that chargeLimit.perHour of the CarrierAccount allows were "+
		"sent in the last hour by the accounts with %s: the next one is sent at ", sent, limit, in.Account.Object.Login())
	const end = " at the earliest"
	at := FormatTime(in, in.Account.Spending.roomAt(int(limit), in.Now))
	if after, same := strings.CutPrefix(in.ShownReady().Message, text); same {
		at, _, _ = strings.Cut(after, end)
	}
	return text + at + end
}
