// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"
	"maps"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// unrecorded has, by attempt, the carrier's responses that could not be written to a ledger within
// a minute.
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

// keepUnrecorded reports a response that could not be recorded, once, shows an acceptance in the
// status, and keeps the response. Objects without a ledger do not need this: they have a finalizer,
// and later passes try again.
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

// warnOfUnrecorded puts what to do before the cause, which may be longer than an Event.
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
		// Without this, the object would have the response already, and there would seem to be nothing to
		// write.
		err := job.scope.Ledger.Reload(ctx)
		if err == nil {
			err = p.RecordResponse(ctx, job.scope, attemptID)
		}
		failed = errors.Join(failed, err)
	}
	return failed
}
