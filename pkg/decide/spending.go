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
}

// Costs says whether requests of an operation count towards chargeLimit.
func Costs(operation v1alpha1.Operation) bool {
	return ClassOf(operation, v1alpha1.RequestTarget{}).Costly()
}

// ReservedSince is after when a reservation must have been made to count.
func ReservedSince(now time.Time) time.Time { return now.Add(-reservationHolds) }

// Reserved are the reservations of an identity that count; one from the future does, too.
func Reserved(ledger *v1alpha1.RequestLedger, now time.Time) []v1alpha1.Reservation {
	if ledger == nil || ledger.Spec.Account == nil {
		return nil
	}
	since := ReservedSince(now)
	return slices.DeleteFunc(slices.Clone(ledger.Spec.Account.Reservations), func(one v1alpha1.Reservation) bool {
		return !one.At.After(since)
	})
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
func underChargeLimit(v *View, w wish) *Decision {
	if !w.costs() {
		return nil
	}
	return spendingHeld(v.Account.Object, v.Account.Spending, v.Now)
}

func spendingHeld(account *v1alpha1.CarrierAccount, spending Spending, now time.Time) *Decision {
	limit, ledger := account.Spec.ChargeLimit, spending.Ledger
	switch {
	case limit == nil:
		return nil
	case spending.Damaged != nil:
		return &Decision{Step: Rest{}, Verdict: DamagedLedger(spending.Damaged)}
	case ledger != nil && ledger.Spec.Schema > v1alpha1.LedgerSchema:
		return &Decision{Step: Rest{}, Verdict: *newerLedger(ledger)}
	case ledger != nil && ledger.Spec.BaseURL != account.Spec.BaseURL:
		return stuck(v1alpha1.ReasonConflict, fmt.Sprintf(
			"RequestLedger %s counts what identity %s spends at the carrier at %s, and the account is at %s: "+
				"two carriers need two values of spec.identity in their CarrierAccounts",
			ledger.Name, ledger.Spec.Identity, ledger.Spec.BaseURL, account.Spec.BaseURL))
	case len(Reserved(ledger, now)) < int(limit.PerHour):
		return nil
	}
	decision := working(v1alpha1.ReasonChargeLimit, fmt.Sprintf(
		"chargeLimit.perHour of the CarrierAccount is %d, and that many requests were sent in the last hour: "+
			"the next goes when one of them is an hour old", limit.PerHour))
	return lookAgain(decision, now.Add(time.Minute))
}
