// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Lease is the use of a session by one pass.
type Lease struct {
	*Session

	uid    types.UID // of the object of the pass
	object string    // the object of the pass, as kubectl names it
	ticket *ticket   // its slot in the breaker's window; nil: none
}

// Lease returns the access to the carrier for a pass over an object. The errors are those
// of [Registry.Session].
func (r *Registry) Lease(account *v1alpha1.CarrierAccount, object metav1.Object) (*Lease, error) {
	session, err := r.Session(account)
	if err != nil {
		return nil, err
	}
	name := v1alpha1.ShortName(object) + "/" + object.GetName()
	return &Lease{Session: session, uid: object.GetUID(), object: name}, nil
}

// Prepare takes what a call of a class needs, or returns how long to wait for it. A read needs the
// same as a query. What was taken is held until a POST, a poll or a probe is over, or until Release.
//
// It waits for the token only. The breaker comes next, so that a response lost during the wait
// holds back a chargeable request. The rate limit comes last, so that a request held back by the
// breaker does not use up a call.
func (l *Lease) Prepare(ctx context.Context, class carrier.RepeatClass) (time.Duration, error) {
	if wait, err := l.awaitToken(ctx); wait > 0 || err != nil {
		return wait, err
	}
	if wait := l.enter(class); wait > 0 {
		return wait, nil
	}
	return l.client.Take(kindOf(class), string(l.uid)), nil
}

// enter takes a slot in the window for a chargeable request, or returns how long to wait.
func (l *Lease) enter(class carrier.RepeatClass) time.Duration {
	if !class.Costly() {
		return 0
	}
	never := class == carrier.ClassNever
	if never {
		if wait := l.breaker().enterNever(); wait > 0 {
			return wait
		}
	}
	slot, wait := l.breaker().enter()
	if wait == 0 {
		slot.never = never
		l.ticket = &slot
	}
	return wait
}

// named names a request of the object.
func (l *Lease) named(op carrier.Operation) string { return fmt.Sprintf("%s for %s", op, l.object) }

// kindOf returns how the rate limit counts a call of a class.
func kindOf(class carrier.RepeatClass) carrier.CallKind {
	if class == carrier.ClassQuery {
		return carrier.CallPoll
	}
	return carrier.CallSubmit
}

// Submit sends one POST, and updates the breaker from its response.
func (l *Lease) Submit(ctx context.Context, op carrier.Operation, version int, body []byte) carrier.Receipt {
	defer l.Release()
	receipt := l.client.Submit(ctx, op, version, body)
	had := ticket{}
	if l.ticket != nil {
		had = *l.ticket
	}
	had.request = l.named(op)
	contract, _ := carrier.ContractOf(op)
	news := l.breaker().posted(contract.Repeat, receipt.Delivery, had)
	if receipt.Err != nil {
		news = l.breaker().unanswered(receipt.Err) || news
	}
	if news {
		l.carrierChanged(l.Session)
	}
	return receipt
}

// Probe makes a free read about a service, if one is due, to learn whether the carrier answers
// again. The content of the response is ignored.
func (l *Lease) Probe(ctx context.Context, serviceID int64) {
	defer l.Release()
	if !l.breaker().probe() {
		return
	}
	_, err := l.client.Cancellation(ctx, serviceID)
	answered := err == nil || isRefused(err)
	if answered && l.breaker().responded() || !answered && l.breaker().probeFailed(err) {
		l.carrierChanged(l.Session)
	}
}

// Poll polls a Location once.
func (l *Lease) Poll(ctx context.Context, handle carrier.Handle) (carrier.Outcome, error) {
	defer l.Release()
	outcome, err := l.client.Poll(ctx, handle)
	l.noteRead(err)
	if err != nil {
		return outcome, fmt.Errorf("poll %s: %w", handle.Path(), err)
	}
	return outcome, nil
}

// Release returns what was taken.
func (l *Lease) Release() {
	if l != nil && l.ticket != nil {
		l.ticket.of.leave()
		l.ticket = nil
	}
}
