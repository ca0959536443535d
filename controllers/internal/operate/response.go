// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// RecordResponse is step 7: it records the response that this process has in memory. A pass without
// the ledger of the attempt leaves the response to [Protocol.RecordUnrecorded].
func (p *Protocol) RecordResponse(ctx context.Context, scope Scope, attemptID string) error {
	if scope.Ledger == nil && p.unrecorded.has(attemptID) {
		return nil
	}
	err := p.recordResponse(ctx, scope, attemptID)
	if err != nil {
		return errors.Join(err, p.keepUnrecorded(ctx, scope, attemptID, err))
	}
	if operation, kept := p.unrecorded.drop(attemptID); kept {
		p.Metrics.Released(operation)
	}
	return nil
}

func (p *Protocol) recordResponse(ctx context.Context, scope Scope, attemptID string) error {
	receipt := p.Memory.Receipt(attemptID)
	if receipt == nil {
		return nil
	}
	if err := p.Record(ctx, scope, attemptID, finished(*receipt, scope)); err != nil {
		if errors.Is(err, ErrGone) {
			p.Memory.Recorded(attemptID, p.Now()) // no later attempt to record it can succeed
		}
		return err
	}
	if err := p.recordLate(ctx, scope, attemptID, *receipt); err != nil {
		return err
	}
	p.Memory.Recorded(attemptID, p.Now())
	p.warnOfLocation(scope.Subject, *receipt)
	p.Memory.Change(scope.Subject.GetUID(), p.Now(), restUntil(p.Now().Add(receipt.RetryAfter)))
	return nil
}

// warnOfLocation emits a Warning Event about an unexpected Location in an accepted response. A
// Location that names another host means that something between the operator and the carrier
// rewrites addresses.
func (p *Protocol) warnOfLocation(subject Subject, receipt carrier.Receipt) {
	if receipt.Delivery == carrier.Accepted && receipt.Note != "" {
		p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventOddLocation,
			string(receipt.Handle.Operation), "%s", receipt.Note)
	}
}

// showWithin is the time limit for writing a receipt to a status after the ledger write failed.
const showWithin = 5 * time.Second

// showReceipt writes the receipt to the object's status, because the ledger has refused it or is
// gone (R16). The status then shows more than the ledger. If this process ends before the ledger
// has the receipt, the result is LedgerLost (R5).
func (p *Protocol) showReceipt(ctx context.Context, scope Scope, attemptID string, handle carrier.Handle) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), showWithin)
	defer cancel()
	live, there, err := p.readLive(ctx, scope.Subject)
	if !there {
		return err
	}
	if seen := attempt(live, attemptID); seen != nil && seen.Location == handle.Path() {
		return nil
	}
	shown := withReceipt(attempt(scope.Subject, attemptID), attemptID, handle)
	live.Record().PutRequest(shown)
	live.Record().RequestChanged(shown, v1alpha1.WholeSeconds(p.Now()))
	scope.Ledger.SetReference(live)
	if err := p.WriteStatus(ctx, live); err != nil {
		return fmt.Errorf("show the response to attempt %s in the status: %w", attemptID, err)
	}
	return nil
}

// readLive reads an object, bypassing the cache, and reports whether it still exists: it may be
// deleted, or another object may have its name.
func (p *Protocol) readLive(ctx context.Context, subject Subject) (live Subject, there bool, err error) {
	live = apiserver.Empty(subject)
	err = p.Live.Get(ctx, client.ObjectKeyFromObject(subject), live)
	if err != nil && !apiserver.IsGone(err, subject.GetName()) {
		return nil, false, fmt.Errorf("read %s, bypassing the cache: %w", subject.GetName(), err)
	}
	return live, err == nil && live.GetUID() == subject.GetUID(), nil
}

// withReceipt adds the handle of an accepted attempt to what is known of the attempt; known is nil
// if nothing is known.
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

// recordLate handles an acceptance that cannot be recorded for its attempt (R15). A person may have
// ended the attempt, or another attempt may have replaced it; the carrier has accepted the request
// nevertheless. A ledger keeps the acceptance of a chargeable request as a late acceptance.
func (p *Protocol) recordLate(ctx context.Context, scope Scope, attemptID string, receipt carrier.Receipt) error {
	taken := attempt(scope.Subject, attemptID)
	if receipt.Delivery != carrier.Accepted || taken != nil && taken.Location == receipt.Handle.Path() {
		return nil
	}
	news := true
	late := lateAttempt(attemptID, receipt.Handle)
	late.FinishedAt = v1alpha1.WholeSeconds(p.Now()) // since when the outcome is unknown
	if scope.Ledger != nil && blocks(late.Operation) {
		err := p.retryWrite(ctx, scope, attemptID, func(ctx context.Context) (err error) {
			news, err = scope.Ledger.Late(ctx, late)
			return err
		})
		if err != nil {
			return err
		}
	}
	if news {
		p.announceLate(scope.Subject, attemptID, receipt, recordedAs(scope.Subject, attemptID, late.Operation))
	}
	return nil
}

// blocks reports whether a late acceptance prevents further requests (R15). A request of class
// Converge or Verify does no harm if sent twice, so an Event is enough.
func blocks(operation v1alpha1.Operation) bool {
	return decide.ClassOf(operation, v1alpha1.RequestTarget{}).Costly()
}

// recordedAs describes what is recorded instead of the acceptance of an attempt.
func recordedAs(subject Subject, attemptID string, operation v1alpha1.Operation) string {
	if taken := attempt(subject, attemptID); taken != nil {
		return fmt.Sprintf("the attempt is recorded as %s", taken.Phase)
	}
	if other := subject.Record().RequestOf(operation); other != nil {
		return fmt.Sprintf("attempt %s is recorded in its place", other.AttemptID)
	}
	return "the attempt is not recorded"
}

// announceLate counts an acceptance that is not recorded for its attempt, and emits a Warning Event
// that says why.
func (p *Protocol) announceLate(subject Subject, attemptID string, receipt carrier.Receipt, why string) {
	operation := receipt.Handle.Operation
	p.Metrics.Late(operation)
	p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventLate, string(operation),
		"the carrier accepted %s attempt %s as %s, but %s: ask the carrier for the outcome",
		operation, attemptID, receipt.Handle.Path(), why)
}

// unrecorded keeps the carrier's responses that could not be written to a ledger within a minute,
// by attempt id.
type unrecorded struct {
	mu   sync.Mutex
	jobs map[string]unrecordedJob
}

// unrecordedJob is the recording of one response.
type unrecordedJob struct {
	scope     Scope
	operation v1alpha1.Operation
}

// keep stores a scope until its response is recorded, and reports whether it is new.
func (u *unrecorded) keep(attemptID string, scope Scope, operation v1alpha1.Operation) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.jobs == nil {
		u.jobs = map[string]unrecordedJob{}
	}
	_, held := u.jobs[attemptID]
	u.jobs[attemptID] = unrecordedJob{scope, operation}
	return !held
}

func (u *unrecorded) has(attemptID string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, held := u.jobs[attemptID]
	return held
}

// drop returns the operation of the attempt, and whether its response was kept.
func (u *unrecorded) drop(attemptID string) (v1alpha1.Operation, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	job, held := u.jobs[attemptID]
	delete(u.jobs, attemptID)
	return job.operation, held
}

func (u *unrecorded) all() map[string]unrecordedJob {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.jobs)
}

// keepUnrecorded keeps a response that could not be recorded. It reports the response once, and
// shows an acceptance in the status. Objects without a ledger do not need this: they have a
// finalizer, and later passes try again.
//
// The scope is kept last. From then on [Protocol.RecordUnrecorded] may change its object and its
// ledger at any time, in another goroutine, so the pass must not use them any more.
func (p *Protocol) keepUnrecorded(ctx context.Context, scope Scope, attemptID string, why error) error {
	receipt := p.Memory.Receipt(attemptID)
	if scope.Ledger == nil || receipt == nil {
		return nil
	}
	operation := v1alpha1.Operation(receipt.Handle.Operation) // set for accepted responses only
	if known := attempt(scope.Subject, attemptID); known != nil {
		operation = known.Operation
	}
	defer func() {
		if p.unrecorded.keep(attemptID, scope, operation) {
			p.Metrics.Unrecorded(operation)
		}
	}()
	if !p.unrecorded.has(attemptID) {
		p.warnOfUnrecorded(scope.Subject, attemptID, operation, why)
	}
	if receipt.Delivery != carrier.Accepted {
		return nil
	}
	return p.showReceipt(ctx, scope, attemptID, receipt.Handle)
}

// warnOfUnrecorded emits a Warning Event. The cause comes last, because it may be cut.
func (p *Protocol) warnOfUnrecorded(subject Subject, attemptID string, operation v1alpha1.Operation, why error) {
	p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventUnrecorded, "Record",
		"the carrier's response to %s attempt %s cannot be recorded, and only this manager has it: remove the cause, and "+
			"do not restart the manager before it has recorded the response. The cause: %v", operation, attemptID, why)
}

// RecordUnrecorded tries again to record each response that could not be recorded, for as long as
// the process runs and whatever became of the object (R16).
func (p *Protocol) RecordUnrecorded(ctx context.Context) error {
	var failed error
	for attemptID, job := range p.unrecorded.all() {
		// Without the reload, the object would already contain the response, and nothing would be
		// written.
		err := job.scope.Ledger.Reload(ctx)
		if err == nil {
			err = p.RecordResponse(ctx, job.scope, attemptID)
		}
		failed = errors.Join(failed, err)
	}
	return failed
}
