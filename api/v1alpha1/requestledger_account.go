// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MostReservations is how many reservations fit into a ledger, and therefore the highest
// chargeLimit.
const MostReservations = 1000

// LedgerAccount is what the accounts of one identity share.
type LedgerAccount struct {
	// reservations are the requests of the last hour that cost money or must never be repeated, oldest
	// first. Accounts with a chargeLimit add each request before it is sent. It is removed after an
	// hour, or when it is known not to have reached the carrier.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	// +optional
	Reservations []Reservation `json:"reservations,omitempty"`

	// logins are the logins with which accounts of the identity have sent requests, newest first.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Logins []CarrierLogin `json:"logins,omitempty"`
}

// CarrierLogin is an account's login at a carrier.
type CarrierLogin struct {
	// baseURL is the carrier's address.
	// +kubebuilder:validation:MaxLength=2048
	// +required
	BaseURL string `json:"baseURL"`

	// clientName is the client at the identity provider.
	// +kubebuilder:validation:MaxLength=256
	// +required
	ClientName string `json:"clientName"`
}

// mostLogins is how many logins fit into a ledger.
const mostLogins = 100

// Knows reports whether a login has sent requests for this identity. The receiver may be nil.
func (a *LedgerAccount) Knows(login CarrierLogin) bool {
	return a != nil && slices.Contains(a.Logins, login)
}

// Learn records a login and drops the oldest if there is no room.
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

	// operation is the request.
	// +required
	Operation Operation `json:"operation"`

	// at is when the reservation was made.
	// +required
	At metav1.Time `json:"at"`
}

// Reserve adds reservations to those that still count, each attempt once. If there is no room, it
// drops the oldest.
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

// ReachedSince returns, as reservations, the counted attempts that were started after the given time
// and reached the carrier or may have.
func (l *RequestLedger) ReachedSince(since metav1.Time, counted func(*Request) bool) []Reservation {
	var reached []Reservation
	for _, open := range l.Spec.Open {
		if counted(&open) && since.Before(&open.SubmittedAt) {
			reached = append(reached, Reservation{open.AttemptID, open.Operation, open.SubmittedAt})
		}
	}
	for _, ended := range l.Spec.Ended {
		if counted(ended.request()) && ended.Outcome.Reached() && since.Before(&ended.SubmittedAt) {
			reached = append(reached, Reservation{ended.AttemptID, ended.Operation, ended.SubmittedAt})
		}
	}
	return reached
}
