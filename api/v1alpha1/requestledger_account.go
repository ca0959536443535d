// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MostReservations is how many reservations a ledger has room for, and so the highest chargeLimit.
const MostReservations = 1000

// LedgerAccount is what the accounts of one identity spend together.
type LedgerAccount struct {
	// reservations are the requests of the last hour that cost money, or may never be repeated, of
	// accounts with a chargeLimit, the oldest first. Each is here before it is sent, and leaves once
	// it is known that it did not reach the carrier, or after an hour.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	// +optional
	Reservations []Reservation `json:"reservations,omitempty"`

	// logins are those with which accounts of the identity have sent, the newest first.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Logins []CarrierLogin `json:"logins,omitempty"`
}

// CarrierLogin is who an account is for a carrier.
type CarrierLogin struct {
	// baseURL is the carrier's address.
	// +kubebuilder:validation:MaxLength=2048
	// +required
	BaseURL string `json:"baseURL"`

	// clientName is the client of its identity provider.
	// +kubebuilder:validation:MaxLength=256
	// +required
	ClientName string `json:"clientName"`
}

// mostLogins is how many logins a ledger has room for.
const mostLogins = 100

// Knows says whether a login has sent for this identity. A ledger account may be nil.
func (a *LedgerAccount) Knows(login CarrierLogin) bool {
	return a != nil && slices.Contains(a.Logins, login)
}

// Learn records a login. Of those that there is no room for, the oldest goes.
func (a *LedgerAccount) Learn(login CarrierLogin) {
	logins := slices.Insert(slices.Clone(a.Logins), 0, login)
	a.Logins = logins[:min(len(logins), mostLogins)]
}

// Reservation is an attempt that counts towards chargeLimit.
type Reservation struct {
	// attemptID names the attempt.
	// +kubebuilder:validation:MaxLength=64
	// +required
	AttemptID string `json:"attemptID"`

	// operation is what is asked.
	// +required
	Operation Operation `json:"operation"`

	// at is when it was reserved.
	// +required
	At metav1.Time `json:"at"`
}

// Reserve adds reservations to those that still count, each attempt once. What is more than there
// is room for is the oldest, and goes.
func (a *LedgerAccount) Reserve(counting []Reservation, more ...Reservation) {
	reserved := map[string]bool{}
	all := slices.DeleteFunc(slices.Concat(counting, more), func(one Reservation) bool {
		again := reserved[one.AttemptID]
		reserved[one.AttemptID] = true
		return again
	})
	slices.SortStableFunc(all, func(a, b Reservation) int {
		return cmp.Compare(a.At.Unix(), b.At.Unix())
	})
	a.Reservations = all[max(0, len(all)-MostReservations):]
}

// ReachedSince are the attempts at some operations that were begun since a time and have reached the
// carrier, or may have, as reservations.
func (l *RequestLedger) ReachedSince(since metav1.Time, counted func(Operation) bool) []Reservation {
	var reached []Reservation
	for _, open := range l.Spec.Open {
		if counted(open.Operation) && since.Before(&open.SubmittedAt) {
			reached = append(reached, Reservation{open.AttemptID, open.Operation, open.SubmittedAt})
		}
	}
	for _, ended := range l.Spec.Ended {
		if counted(ended.Operation) && ended.Outcome.Reached() && since.Before(&ended.SubmittedAt) {
			reached = append(reached, Reservation{ended.AttemptID, ended.Operation, ended.SubmittedAt})
		}
	}
	return reached
}
