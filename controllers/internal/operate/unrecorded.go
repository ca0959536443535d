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
	jobs map[string]Scope
}

// keep stores a scope until its response is recorded.
func (u *unrecorded) keep(attemptID string, scope Scope) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.jobs == nil {
		u.jobs = map[string]Scope{}
	}
	u.jobs[attemptID] = scope
}

func (u *unrecorded) has(attemptID string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, held := u.jobs[attemptID]
	return held
}

func (u *unrecorded) drop(attemptID string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.jobs, attemptID)
}

func (u *unrecorded) all() map[string]Scope {
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
	defer p.unrecorded.keep(attemptID, scope)
	if !p.unrecorded.has(attemptID) {
		p.warnOfUnrecorded(scope.Subject, attemptID, receipt, why)
	}
	if receipt.Delivery != carrier.Accepted {
		return nil
	}
	return p.showReceipt(ctx, scope, attemptID, receipt.Handle)
}

func (p *Protocol) warnOfUnrecorded(subject Subject, attemptID string, receipt *carrier.Receipt, why error) {
	operation := v1alpha1.Operation(receipt.Handle.Operation) // set for accepted responses only
	if known := attempt(subject, attemptID); known != nil {
		operation = known.Operation
	}
	p.Metrics.Unrecorded(operation)
	p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventUnrecorded, "Record",
		"the carrier's response to attempt %s (%s %s %s) cannot be recorded; retried until this process ends: %v",
		attemptID, receipt.Delivery, operation, receipt.Handle.Path(), why)
}

// RecordUnrecorded tries again to record each response that could not be recorded: "The process
// retries each receipt until it is written or the process ends, whatever became of the object"
// (R16).
func (p *Protocol) RecordUnrecorded(ctx context.Context) error {
	var failed error
	for attemptID, scope := range p.unrecorded.all() {
		// Without this, the object would have the response already, and there would seem to be nothing to
		// write.
		err := scope.Ledger.Reload(ctx)
		if err == nil {
			err = p.RecordResponse(ctx, scope, attemptID)
		}
		failed = errors.Join(failed, err)
	}
	return failed
}
