// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// reservationHolds is how long a reservation counts: an hour from the POST, which is sent within 10 s
// of the reservation (R13). Times on record are cut to whole seconds.
const reservationHolds = time.Hour + 11*time.Second

// Spending is what the accounts of an identity spend together.
type Spending struct {
	Ledger  *v1alpha1.RequestLedger // of the identity; nil: nothing has been reserved yet
	Damaged error                   // why it cannot be used; nil when it can
	Seen    Sightings               // of reservations from the future
	Elapsed time.Duration           // the present time by the clock of the sightings
}

// Costs says whether requests of an operation count towards chargeLimit.
func Costs(operation v1alpha1.Operation) bool {
	return ClassOf(operation, v1alpha1.RequestTarget{}).Costly()
}

// ReservedSince is after when a reservation must have been made to count.
func ReservedSince(now time.Time) time.Time { return now.Add(-reservationHolds) }

// Reserved are the reservations of an identity that count.
func (s Spending) Reserved(now time.Time) []v1alpha1.Reservation {
	if s.Ledger == nil || s.Ledger.Spec.Account == nil {
		return nil
	}
	return s.Counting(s.Ledger.Spec.Account.Reservations, now)
}

// Counting are those of some reservations that count.
func (s Spending) Counting(reservations []v1alpha1.Reservation, now time.Time) []v1alpha1.Reservation {
	since := ReservedSince(now)
	return slices.DeleteFunc(slices.Clone(reservations), func(one v1alpha1.Reservation) bool {
		if seen, ahead := s.Seen[one.AttemptID]; ahead {
			return s.Elapsed-seen >= reservationHolds
		}
		return !one.At.After(since)
	})
}

// Sightings are when a process first saw reservations whose time lay in the future then, by its
// monotonic clock, and by attempt id. Such a time "counts as now", and "what must not come too early
// is measured on the local clock from first sight" (R19). The request has been sent by then. A clock
// that stands still while the machine sleeps counts longer.
type Sightings map[string]time.Duration

// Sight notes those of some reservations that lie in the future, and words a report of what is news;
// "" for none.
func (s Sightings) Sight(reservations []v1alpha1.Reservation, now time.Time, elapsed time.Duration) (report string) {
	for _, one := range reservations {
		if _, known := s[one.AttemptID]; known || !one.At.After(now) {
			continue
		}
		s[one.AttemptID] = elapsed
		if one.At.After(now.Add(tellAhead)) {
			report = aheadReport(one.At, now)
		}
	}
	return report
}

// MayReserve says whether an account may send one more request that costs: "each account's limit is
// held against the whole identity's hour" (R10).
func MayReserve(account *v1alpha1.CarrierAccount, spending Spending, now time.Time) bool {
	return spendingHeld(account, spending, now) == nil
}

// GivesBack says whether an attempt gives its reservation back: "released on NotSent and NotProcessed
// as said by sender or carrier, never on a person's word" (R10).
func GivesBack(attempt *v1alpha1.Request) bool {
	said := attempt.EndedBy == v1alpha1.EndedBySender || attempt.EndedBy == v1alpha1.EndedByCarrier
	return said && !attempt.Phase.Reached()
}

// underChargeLimit holds back what costs. That there is room may have changed once the request is
// sent: its reservation decides.
func underChargeLimit(in *Input, want desiredChange) *Decision {
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
	if decision := leaving(ledger); decision != nil {
		return lookAgain(decision, now.Add(time.Minute))
	}
	switch {
	case spending.Damaged != nil:
		return &Decision{Step: Rest{}, Verdict: DamagedLedger(spending.Damaged)}
	case ledger != nil && ledger.Spec.Schema > v1alpha1.LedgerSchema:
		return &Decision{Step: Rest{}, Verdict: *newerLedger(ledger)}
	case ledger != nil && ledger.Spec.BaseURL != account.Spec.BaseURL:
		return stuck(v1alpha1.ReasonConflict, fmt.Sprintf(
			"RequestLedger %s counts what identity %s spends at the carrier at %s, and the account is at %s: "+
				"two carriers need two values of spec.identity in their CarrierAccounts",
			ledger.Name, ledger.Spec.Identity, ledger.Spec.BaseURL, account.Spec.BaseURL))
	case len(spending.Reserved(now)) < int(limit.PerHour):
		return nil
	}
	decision := working(v1alpha1.ReasonChargeLimit, fmt.Sprintf(
		"chargeLimit.perHour of the CarrierAccount is %d, and that many requests were sent in the last hour: "+
			"the next goes when one of them is an hour old", limit.PerHour))
	return lookAgain(decision, now.Add(time.Minute))
}
