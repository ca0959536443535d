// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// showWithin is how long a receipt may take to be written into a status, after the ledger has not
// taken it.
const showWithin = 5 * time.Second

// showReceipt: "Ledger refused, deleted or gone after the POST: ... the receipt into the object's
// status if there is one" (R16). The status claims more than the ledger then: should this process end
// before that takes it, it is LedgerLost (R5).
func (p *Protocol) showReceipt(ctx context.Context, scope Scope, attemptID string, handle carrier.Handle) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), showWithin)
	defer cancel()
	live, there, err := p.onRecord(ctx, scope.Subject)
	if !there {
		return err
	}
	if seen := attempt(live, attemptID); seen != nil && seen.Location == handle.Path() {
		return nil
	}
	shown := withReceipt(attempt(scope.Subject, attemptID), attemptID, handle)
	live.PutRequest(shown)
	live.RequestChanged(shown, v1alpha1.WholeSeconds(p.Now()))
	scope.Ledger.Refer(live)
	if err := p.WriteStatus(ctx, live); err != nil {
		return fmt.Errorf("show the answer to attempt %s in the status: %w", attemptID, err)
	}
	return nil
}

// onRecord is an object as it is past the cache, and says whether it is there: it may be gone, or
// another have its name.
func (p *Protocol) onRecord(ctx context.Context, subject Subject) (live Subject, there bool, err error) {
	live, is := reflect.TypeAssert[Subject](reflect.New(reflect.TypeOf(subject).Elem()))
	if !is {
		return nil, false, fmt.Errorf("%T holds no requests", subject)
	}
	err = p.Live.Get(ctx, client.ObjectKeyFromObject(subject), live)
	if err != nil && !IsGone(err, subject.GetName()) {
		return nil, false, fmt.Errorf("read %s past the cache: %w", subject.GetName(), err)
	}
	return live, err == nil && live.GetUID() == subject.GetUID(), nil
}

// withReceipt is an attempt that the carrier has taken, as far as it is known: nil for not at all.
func withReceipt(known *v1alpha1.Request, attemptID string, handle carrier.Handle) v1alpha1.Request {
	if known == nil {
		late := lateAttempt(attemptID, handle)
		late.Phase = v1alpha1.PhaseLateAcceptance
		return late
	}
	shown := *known.DeepCopy()
	shown.Location = handle.Path()
	if shown.Phase == v1alpha1.PhaseSubmitting || shown.Phase == v1alpha1.PhaseOutcomeUnknown {
		acceptedAs(handle).Apply(nil, &shown)
	}
	return shown
}
