// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MostReservations is how many reservations fit into a ledger: the highest chargeLimit.
const MostReservations = 1000

// LedgerAccount is what the accounts of one login share.
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.continues) || has(self.continues) && self.continues == oldSelf.continues",message="continues is immutable: the records of this login are those of that one",fieldPath=".continues",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(self.continues) || !has(self.ownRecords) && !has(self.reservations)",message="a login that has records of its own continues no other",fieldPath=".continues"
type LedgerAccount struct {
	// reservations are the requests of the last hour that cost money or must never be repeated, oldest
	// first. Accounts with a chargeLimit add each request before it is sent. It is removed after an
	// hour, or when it is known not to have reached the carrier.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	// +optional
	Reservations []Reservation `json:"reservations,omitempty"`

	// ownRecords says that requests are, or may soon be, recorded under this login. It is set before the
	// first other ledger of the login is created. From then on, the login cannot continue another one.
	// +optional
	OwnRecords bool `json:"ownRecords,omitempty"`

	// continues is the login under which the requests of this login are recorded, because the carrier has
	// renamed the client or moved to another address. Set by the annotation
	// wholesale.broadband/continued-by on the ledger of the other login.
	// +optional
	Continues *ContinuedLogin `json:"continues,omitempty"`
}

// ContinuedLogin is a login whose records another one continues.
type ContinuedLogin struct {
	// login is the login under which requests are recorded.
	// +required
	Login CarrierLogin `json:"login"`

	// at is when the operator acted on the annotation.
	// +optional
	At metav1.Time `json:"at,omitzero"`

	// by is the client that set the annotation, such as kubectl-annotate.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	By string `json:"by,omitempty"`
}

// CarrierLogin is a login at a carrier. What belongs to a login is shared by all accounts that have
// it, in all namespaces.
type CarrierLogin struct { //nolint:recvcheck // it is formatted as a value; the generated copy has a pointer
	// baseURL is the carrier's origin, in its canonical form.
	// +kubebuilder:validation:MaxLength=512
	// +required
	BaseURL string `json:"baseURL"`

	// clientName is the client at the identity provider.
	// +kubebuilder:validation:MaxLength=253
	// +required
	ClientName string `json:"clientName"`
}

// String names the login in a sentence.
func (l CarrierLogin) String() string { return "clientName " + l.ClientName + " at " + l.BaseURL }

// Continued returns the login whose records the ledger's login continues; nil if it has its own.
// The ledger may be nil.
func (l *RequestLedger) Continued() *CarrierLogin {
	if l == nil || l.Spec.Account == nil || l.Spec.Account.Continues == nil {
		return nil
	}
	return &l.Spec.Account.Continues.Login
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

// Reserve adds reservations to those that still count, each attempt once. The oldest make room.
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
