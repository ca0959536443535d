// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// ErrGone is the error for an outcome that cannot be recorded, because its object no longer exists.
var ErrGone = errors.New("the object was deleted, or replaced by another one of the same name")

// RecordWithin is the time limit for recording the outcome of a request.
const RecordWithin = time.Minute

// Record writes a fact about an attempt to the status or ledger. After a conflict it tries again,
// but only for the same attempt. It gives up after a minute. The carrier or the memory of this
// process still has the fact then, and the next pass finds it there. It returns ErrGone if the
// status that should have the fact no longer exists.
func (p *Protocol) Record(ctx context.Context, scope Scope, attemptID string, fact Fact) error {
	err := p.retryWrite(ctx, scope, attemptID, func(ctx context.Context) error {
		return p.recordOnce(ctx, scope, attemptID, fact)
	})
	if err == nil {
		p.releaseUnsent(ctx, scope, attemptID)
	}
	return err
}

// retryWrite records the outcome of an attempt, and retries for a minute if that fails.
func (p *Protocol) retryWrite(
	ctx context.Context, scope Scope, attemptID string, write func(context.Context) error,
) error {
	ctx, cancel := context.WithTimeout(ctx, RecordWithin) // an API server may hang, too
	defer cancel()
	backoff := wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Steps: 10} // 51 s in all
	var last error
	err := wait.ExponentialBackoffWithContext(ctx, backoff, func(ctx context.Context) (bool, error) {
		if last != nil {
			// The next write is based on the recorded state. It is read after the pause, because a busy
			// writer could change it during the pause. Without the read, the object would still contain
			// the fact, and nothing would be written.
			if err := p.reload(ctx, scope); errors.Is(err, ErrGone) {
				return false, err
			} else if err != nil {
				return false, nil //nolint:nilerr // it is read again after the next pause
			}
		}
		last = write(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("record the outcome of attempt %s: %w", attemptID, errors.Join(last, err))
	}
	return nil
}

// reload makes the object show the recorded state. A new object of the same name has its own
// requests, so this outcome must not be written to it.
func (p *Protocol) reload(ctx context.Context, scope Scope) error {
	if scope.Ledger != nil {
		return scope.Ledger.Reload(ctx)
	}
	live, there, err := p.readLive(ctx, scope.Subject)
	if err != nil {
		return err
	}
	if !there {
		return ErrGone
	}
	reflect.ValueOf(scope.Subject).Elem().Set(reflect.ValueOf(live).Elem())
	return nil
}

func (p *Protocol) recordOnce(ctx context.Context, scope Scope, attemptID string, fact Fact) error {
	if err := p.ensureAttempt(ctx, scope, attemptID); err != nil {
		return err
	}
	before := scope.Subject.DeepCopyObject()
	request := fact.attemptIn(scope.Subject, attemptID)
	if request == nil {
		return nil // another attempt is recorded: this fact is not about it
	}
	was := *request
	changed := p.apply(scope, request, fact)
	if scope.Ledger == nil {
		scope.Describe()
	}
	if equality.Semantic.DeepEqual(before, scope.Subject) {
		return nil
	}
	if err := p.write(ctx, scope, changed); err != nil {
		return err
	}
	p.reportChange(ctx, scope, &was, &changed)
	p.announce(scope.Subject, changed, fact)
	return nil
}

// reportChange reports to the breaker, the metrics and the log how the record of an attempt has
// changed.
func (p *Protocol) reportChange(ctx context.Context, scope Scope, was, changed *v1alpha1.Request) {
	if isUnproven(was) && !isUnproven(changed) && scope.Carrier != nil {
		scope.Carrier.Settled(carrier.Operation(changed.Operation))
	}
	p.Metrics.Recorded(was.Phase, *changed, feesOf(scope.Subject))
	if was.Phase != changed.Phase && (changed.Phase.Ended() || changed.Phase == v1alpha1.PhaseOutcomeUnknown) {
		logRequest(ctx, requestEnded, scope.Subject, changed)
	}
}

// isUnproven reports whether nobody knows the outcome of an attempt whose response was lost.
func isUnproven(request *v1alpha1.Request) bool {
	lost := request.Phase == v1alpha1.PhaseSubmitting && request.Error != nil
	return lost || request.Phase == v1alpha1.PhaseOutcomeUnknown
}

// feesOf returns the fees of an order; nil for other kinds, whose prices are in the plan of changes.
func feesOf(subject Subject) *v1alpha1.OrderFees {
	if order, is := subject.(*v1alpha1.ServiceOrder); is {
		return order.Status.Fees
	}
	return nil
}

// ensureAttempt reloads the object if it lacks an attempt that its ledger may have. A response
// must not be dropped because the object is out of date.
func (*Protocol) ensureAttempt(ctx context.Context, scope Scope, attemptID string) error {
	if scope.Ledger == nil || attempt(scope.Subject, attemptID) != nil {
		return nil
	}
	return scope.Ledger.Reload(ctx)
}

// attemptIn returns the recorded attempt that a fact is about.
func (f Fact) attemptIn(subject Subject, attemptID string) *v1alpha1.Request {
	request := attempt(subject, attemptID)
	if request == nil && f.Enter != nil {
		f.Enter(subject)
		request = attempt(subject, attemptID)
	}
	return request
}

// write persists an attempt that has changed, in the ledger or in the status. If it is in the
// ledger, the object's status shows it at the end of the pass.
func (p *Protocol) write(ctx context.Context, scope Scope, attempt v1alpha1.Request) error {
	if scope.Ledger != nil {
		return scope.Ledger.Record(ctx, attempt)
	}
	if err := p.WriteStatus(ctx, scope.Subject); err != nil {
		return fmt.Errorf("update the status: %w", err)
	}
	return nil
}

// The two log lines of a request.
const (
	requestSent  = "a request is sent"
	requestEnded = "a request has ended"
)

// logRequest writes a log line about a request.
func logRequest(ctx context.Context, what string, subject Subject, request *v1alpha1.Request) {
	if logger := log.FromContext(ctx); logger.Enabled() {
		logger.Info(what, decide.LogFields(subject, request)...)
	}
}
