// SPDX-License-Identifier: Apache-2.0

package accounts

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Visit is one pass's use of a session.
type Visit struct {
	*Session

	account types.UID
	places  *places
	entered bool
}

// Visit is a pass's way to the carrier, for a pass over an object of a kind. The errors are
// those of [Book.Session].
func (b *Book) Visit(account *v1alpha1.CarrierAccount, kind string) (*Visit, error) {
	session, err := b.Session(account)
	if err != nil {
		return nil, err
	}
	return &Visit{Session: session, account: account.UID, places: b.placesOf(kind)}, nil
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

// Submit is that of the session.
func (v *Visit) Submit(
	ctx context.Context, op carrier.Operation, version int, body []byte, fresh bool,
) carrier.Receipt {
	defer v.Leave()
	return v.Session.Submit(ctx, op, version, body, fresh)
}

// Poll is that of the session.
func (v *Visit) Poll(ctx context.Context, handle carrier.Handle) (carrier.Outcome, error) {
	defer v.Leave()
	return v.Session.Poll(ctx, handle)
}

// Leave gives the place back, if one was taken.
func (v *Visit) Leave() {
	if v == nil || !v.entered {
		return
	}
	v.entered = false
	v.places.leave(v.account)
}
