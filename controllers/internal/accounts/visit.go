// SPDX-License-Identifier: Apache-2.0

package accounts

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Visit is one pass's use of a session.
type Visit struct {
	*Session

	account types.UID
	object  string // that the pass is over, as kubectl names it
	places  *places
	entered bool
	ticket  *ticket // its place in the breaker's window; nil: it has none
}

// Visit is a pass's way to the carrier, for a pass over an object of a kind. The errors are
// those of [Book.Session].
func (b *Book) Visit(account *v1alpha1.CarrierAccount, kind, name string) (*Visit, error) {
	session, err := b.Session(account)
	if err != nil {
		return nil, err
	}
	return &Visit{Session: session, account: account.UID, object: kind + "/" + name, places: b.placesOf(kind)}, nil
}

// placesOf are those of the workers of one kind.
func (b *Book) placesOf(kind string) *places {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.places == nil {
		b.places = map[string]*places{}
	}
	if b.places[kind] == nil {
		b.places[kind] = newPlaces(b.Workers)
	}
	return b.places[kind]
}

// Prepare takes a place among the passes that are with a carrier, then a token and a turn in
// the rate limit, or says how long to wait. The place is held until a call is over, or Leave.
func (v *Visit) Prepare(ctx context.Context, kind carrier.CallKind) (time.Duration, error) {
	if !v.entered && !v.places.enter(ctx, v.account) {
		return v.places.pause(v.account), nil
	}
	v.entered = true
	return v.Session.Prepare(ctx, kind)
}

// Enter takes a place in the window of requests that cost: zero, or how long to wait before asking
// again. The place is held until the POST is answered, or Leave.
func (v *Visit) Enter() time.Duration {
	place, wait := v.breaker.enter()
	if wait == 0 {
		v.ticket = &place
	}
	return wait
}

// Submit sends one POST, and lets the breaker learn from its answer.
func (v *Visit) Submit(
	ctx context.Context, op carrier.Operation, version int, body []byte, fresh bool,
) carrier.Receipt {
	defer v.Leave()
	receipt := v.client.Submit(ctx, op, version, body, fresh)
	had := ticket{}
	if v.ticket != nil {
		had = *v.ticket
	}
	had.what = fmt.Sprintf("%s of %s", op, v.object)
	if contract, _ := carrier.ContractOf(op); v.breaker.posted(contract.Repeat, receipt.Delivery, had) {
		v.tell()
	}
	return receipt
}

// Probe is that of the session.
func (v *Visit) Probe(ctx context.Context, serviceID int64) {
	defer v.Leave()
	v.Session.Probe(ctx, serviceID)
}

// Poll is that of the session.
func (v *Visit) Poll(ctx context.Context, handle carrier.Handle) (carrier.Outcome, error) {
	defer v.Leave()
	return v.Session.Poll(ctx, handle)
}

// Leave gives the places back that were taken.
func (v *Visit) Leave() {
	if v == nil {
		return
	}
	if v.ticket != nil {
		v.ticket = nil
		v.breaker.leave()
	}
	if v.entered {
		v.entered = false
		v.places.leave(v.account)
	}
}
