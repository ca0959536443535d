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

// Lease is one pass's use of a session.
type Lease struct {
	*Session

	account types.UID
	object  string // that the pass is over, as kubectl names it
	slots   *slots
	entered bool
	ticket  *ticket // its slot in the breaker's window; nil: it has none
}

// Lease is a pass's way to the carrier, for a pass over an object of a kind. The errors are
// those of [Registry.Session].
func (r *Registry) Lease(account *v1alpha1.CarrierAccount, kind, name string) (*Lease, error) {
	session, err := r.Session(account)
	if err != nil {
		return nil, err
	}
	return &Lease{Session: session, account: account.UID, object: kind + "/" + name, slots: r.slotsOf(kind)}, nil
}

// slotsOf are those of the workers of one kind.
func (r *Registry) slotsOf(kind string) *slots {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.slots == nil {
		r.slots = map[string]*slots{}
	}
	if r.slots[kind] == nil {
		r.slots[kind] = newSlots(r.Workers)
	}
	return r.slots[kind]
}

// Prepare takes a slot among the passes that are with a carrier, then a token and a turn in
// the rate limit, or says how long to wait. The slot is held until a call is over, or Release.
func (l *Lease) Prepare(ctx context.Context, kind carrier.CallKind) (time.Duration, error) {
	if !l.entered && !l.slots.acquire(ctx, l.account) {
		return l.slots.pause(l.account), nil
	}
	l.entered = true
	return l.Session.Prepare(ctx, kind)
}

// Enter takes a slot in the window of requests that cost: zero, or how long to wait before asking
// again. The slot is held until the POST is answered, or Release.
func (l *Lease) Enter() time.Duration {
	slot, wait := l.breaker.enter()
	if wait == 0 {
		l.ticket = &slot
	}
	return wait
}

// Submit sends one POST, and lets the breaker learn from its answer.
func (l *Lease) Submit(
	ctx context.Context, op carrier.Operation, version int, body []byte, fresh bool,
) carrier.Receipt {
	defer l.Release()
	receipt := l.client.Submit(ctx, op, version, body, fresh)
	had := ticket{}
	if l.ticket != nil {
		had = *l.ticket
	}
	had.what = fmt.Sprintf("%s of %s", op, l.object)
	if contract, _ := carrier.ContractOf(op); l.breaker.posted(contract.Repeat, receipt.Delivery, had) {
		l.tell()
	}
	return receipt
}

// Probe is that of the session.
func (l *Lease) Probe(ctx context.Context, serviceID int64) {
	defer l.Release()
	l.Session.Probe(ctx, serviceID)
}

// Poll is that of the session.
func (l *Lease) Poll(ctx context.Context, handle carrier.Handle) (carrier.Outcome, error) {
	defer l.Release()
	return l.Session.Poll(ctx, handle)
}

// Release gives the slots back that were taken.
func (l *Lease) Release() {
	if l == nil {
		return
	}
	if l.ticket != nil {
		l.ticket = nil
		l.breaker.leave()
	}
	if l.entered {
		l.entered = false
		l.slots.release(l.account)
	}
}
