// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Fact is something learned about an attempt. It is applied to the object that is recorded at that
// moment, which may be newer than the one the decision was based on.
type Fact struct {
	By     decide.Writer         // who reports it
	To     v1alpha1.RequestPhase // the new phase of the attempt, unless more than that is known already
	Apply  func(Subject, *v1alpha1.Request)
	Event  string // reason of the Kubernetes Event; "" for none
	Normal bool   // whether the Event is of type Normal

	Enter func(Subject) // records an attempt that has no intent; nil: it has one
}

// RecordWithin is the time limit for recording the outcome of a request.
const RecordWithin = time.Minute

// Record writes a fact about an attempt to the status or ledger: "retried on conflict against the
// same attempt id only". It gives up after a minute. The carrier or the memory of this process
// still has the fact then, and the next pass finds it there.
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
			// The next write is based on the recorded state, read after the pause: before it, a busy writer
			// could make it out of date again. Without the read, the object would still contain the fact
			// that was not written, and there would seem to be nothing to write.
			if err := p.reload(ctx, scope); err != nil {
				return IsGone(err, scope.Subject.GetName()), nil
			}
		}
		last = write(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("record what became of attempt %s: %w", attemptID, errors.Join(last, err))
	}
	return nil
}

// reload makes the object show the recorded state.
func (p *Protocol) reload(ctx context.Context, scope Scope) error {
	if scope.Ledger != nil {
		return scope.Ledger.Reload(ctx)
	}
	return p.Live.Get(ctx, client.ObjectKeyFromObject(scope.Subject), scope.Subject)
}

func (p *Protocol) recordOnce(ctx context.Context, scope Scope, attemptID string, fact Fact) error {
	if err := p.find(ctx, scope, attemptID); err != nil {
		return err
	}
	before := scope.Subject.DeepCopyObject()
	request := fact.about(scope.Subject, attemptID)
	if request == nil {
		return nil // another attempt is recorded: this fact is not about it
	}
	was := request.Phase
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
	p.announce(scope.Subject, changed, fact)
	if was != changed.Phase && (changed.Phase.Ended() || changed.Phase == v1alpha1.PhaseOutcomeUnknown) {
		logged(ctx, "a request has ended", &changed)
	}
	return nil
}

// logged writes a log line about a request.
func logged(ctx context.Context, what string, request *v1alpha1.Request) {
	if logger := log.FromContext(ctx); logger.Enabled() {
		logger.Info(what, decide.LogFields(request)...)
	}
}

// find reloads the object if it does not show an attempt that its ledger may have. The object may
// show an older state, and no answer may be dropped because of that.
func (*Protocol) find(ctx context.Context, scope Scope, attemptID string) error {
	if scope.Ledger == nil || attempt(scope.Subject, attemptID) != nil {
		return nil
	}
	return scope.Ledger.Reload(ctx)
}

// write persists an attempt that has changed: in the ledger, or in the status. In the ledger's case
// the object's status shows the attempt at the end of the pass.
func (p *Protocol) write(ctx context.Context, scope Scope, attempt v1alpha1.Request) error {
	if scope.Ledger != nil {
		return scope.Ledger.Record(ctx, attempt)
	}
	if err := p.WriteStatus(ctx, scope.Subject); err != nil {
		return fmt.Errorf("update the status: %w", err)
	}
	return nil
}

// about returns the recorded attempt that a fact is about.
func (f Fact) about(subject Subject, attemptID string) *v1alpha1.Request {
	request := attempt(subject, attemptID)
	if request == nil && f.Enter != nil {
		f.Enter(subject)
		request = attempt(subject, attemptID)
	}
	return request
}

// apply applies a fact to a request, and updates the status if the request changed.
func (p *Protocol) apply(scope Scope, request *v1alpha1.Request, fact Fact) v1alpha1.Request {
	was, now := *request.DeepCopy(), v1alpha1.WholeSeconds(p.Now())
	if decide.MayBecome(request, fact.By, fact.To) {
		fact.Apply(scope.Subject, request)
	} else {
		p.contradicted(scope.Subject, request, fact)
	}
	if request.Phase != was.Phase {
		dateEnd(request, fact.By, now)
		decide.UseUpEarlyRetry(scope.Subject, request)
	}
	failed := request.Phase == v1alpha1.PhaseRejected || request.Phase == v1alpha1.PhaseFailed
	if scope.Refused != nil && failed {
		scope.Refused(request)
	}
	changed := *request.DeepCopy()
	if !equality.Semantic.DeepEqual(was, changed) {
		scope.Subject.RequestChanged(changed, now)
	}
	return changed
}

// dateEnd records, once, when an attempt ended, and who ended it.
func dateEnd(request *v1alpha1.Request, by decide.Writer, now metav1.Time) {
	if request.Phase.Ended() {
		request.EndedBy = by.EndedBy(request.Phase)
	}
	if request.FinishedAt.IsZero() && (request.Phase.Ended() || request.Phase == v1alpha1.PhaseOutcomeUnknown) {
		request.FinishedAt = now
	}
}

func attempt(subject Subject, attemptID string) *v1alpha1.Request {
	for _, contract := range carrier.Contracts() {
		request := subject.RequestOf(v1alpha1.Operation(contract.Operation))
		if request != nil && request.AttemptID == attemptID {
			return request
		}
	}
	return nil
}

func (p *Protocol) announce(subject Subject, request v1alpha1.Request, fact Fact) {
	reason, normal := eventOf(fact, request)
	if reason == "" {
		return
	}
	kind := corev1.EventTypeWarning
	if normal {
		kind = corev1.EventTypeNormal
	}
	p.Events.Eventf(subject, nil, kind, reason, string(request.Operation), "%s", decide.EventText(&request))
	if request.Warning != "" && request.Phase == v1alpha1.PhaseSucceeded {
		p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventResultDiffers, string(request.Operation),
			"%s", request.Warning)
	}
}

// remark emits a Warning Event about an odd Location in an accepted answer. A Location that names
// another host means that something between the operator and the carrier rewrites addresses.
func (p *Protocol) remark(subject Subject, receipt carrier.Receipt) {
	if receipt.Delivery == carrier.Accepted && receipt.Note != "" {
		p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventOddLocation,
			string(receipt.Handle.Operation), "%s", receipt.Note)
	}
}

// recordLate handles an acceptance that cannot be recorded for its attempt: "An Accepted receipt is
// never dropped" (R15). A person may have ended the attempt, or another attempt may have replaced
// it; the carrier has accepted the request nevertheless. A ledger keeps it as a late acceptance.
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
		p.Metrics.countLate(receipt.Handle.Operation)
		p.warnOfLate(scope.Subject, attemptID, receipt)
	}
	return nil
}

func lateAttempt(attemptID string, handle carrier.Handle) v1alpha1.Request {
	return v1alpha1.Request{
		Operation: v1alpha1.Operation(handle.Operation), AttemptID: attemptID, Location: handle.Path(),
		APIVersion: int32(handle.Version), //nolint:gosec // it is between 1 and 8
	}
}

// blocks reports whether a late acceptance prevents further requests: "Converge and Verify: noted
// with an Event, nothing stalls" (R15).
func blocks(operation v1alpha1.Operation) bool {
	return decide.ClassOf(operation, v1alpha1.RequestTarget{}).Costly()
}

func (p *Protocol) warnOfLate(subject Subject, attemptID string, receipt carrier.Receipt) {
	taken, location := attempt(subject, attemptID), receipt.Handle.Path()
	onRecord := "nothing is recorded of it"
	if taken != nil {
		onRecord = fmt.Sprintf("it is recorded as %s", taken.Phase)
	} else if other := subject.RequestOf(v1alpha1.Operation(receipt.Handle.Operation)); other != nil {
		onRecord = fmt.Sprintf("attempt %s is recorded in its place", other.AttemptID)
	}
	p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventLate, string(receipt.Handle.Operation),
		"the carrier has taken %s attempt %s as %s, and %s: ask the carrier what became of it",
		receipt.Handle.Operation, attemptID, location, onRecord)
}

// notSent is the fact that the gate was closed: no byte of the attempt has left the process.
func notSent(why error) Fact {
	apply := func(_ Subject, request *v1alpha1.Request) {
		decide.TurnedAway(request, v1alpha1.PhaseNotSent, decide.GateClosed(why))
	}
	return Fact{By: decide.WriterSender, To: v1alpha1.PhaseNotSent, Event: eventNotSent, Apply: apply}
}

// answered returns the fact, with its phase, for the answer to a POST (step 6).
func answered(receipt carrier.Receipt) Fact {
	switch receipt.Delivery {
	case carrier.Accepted:
		return acceptedAs(receipt.Handle)
	case carrier.NotSent:
		return refusal(eventNotSent, v1alpha1.PhaseNotSent, receipt)
	case carrier.NotProcessed:
		return refusal(eventNotProcessed, v1alpha1.PhaseNotProcessed, receipt)
	case carrier.Rejected:
		return refusal("", v1alpha1.PhaseRejected, receipt)
	case carrier.Ambiguous:
	}
	// In every other case the request may have been accepted: the phase stays Submitting, and the
	// error states that the response, not the request, is missing.
	return refusal(eventAnswerLost, v1alpha1.PhaseSubmitting, receipt)
}

// acceptedAs is the fact that the carrier has accepted an attempt, with the handle to poll.
func acceptedAs(handle carrier.Handle) Fact {
	phase := v1alpha1.PhaseInProgress
	if contract, _ := carrier.ContractOf(handle.Operation); !contract.Followed {
		phase = v1alpha1.PhaseSucceeded // an order, an AppointmentCancel: "both end here, Succeeded"
	}
	return Fact{
		By: decide.WriterSender, To: phase, Event: eventAccepted, Normal: true,
		Apply: func(_ Subject, request *v1alpha1.Request) {
			request.Location = handle.Path()
			if request.Phase == v1alpha1.PhaseSucceeded {
				return // R15: "only the handle is added"
			}
			request.Phase, request.Error = phase, nil
			request.FinishedAt = metav1.Time{} // the outcome is no longer unknown
		},
	}
}

// finished is like answered, and calls finish with the body if the request is not polled.
func finished(receipt carrier.Receipt, finish Finish) Fact {
	fact := answered(receipt)
	apply := fact.Apply
	if finish == nil {
		return fact
	}
	fact.Apply = func(subject Subject, request *v1alpha1.Request) {
		apply(subject, request)
		if request.Phase == v1alpha1.PhaseSucceeded {
			finish(request, receipt.Body)
		}
	}
	return fact
}

// refusal is the fact that an attempt was not accepted. On a repeat, "another 422 proves nothing":
// an earlier attempt may be the cause of the refusal.
func refusal(event string, phase v1alpha1.RequestPhase, receipt carrier.Receipt) Fact {
	return Fact{By: decide.WriterSender, To: phase, Event: event, Apply: func(_ Subject, request *v1alpha1.Request) {
		refusal := decide.RequestErrorOf(receipt.Err)
		if phase == v1alpha1.PhaseNotSent || phase == v1alpha1.PhaseNotProcessed {
			decide.TurnedAway(request, phase, refusal)
			return
		}
		request.Phase, request.Error = phase, refusal
		if phase == v1alpha1.PhaseRejected && request.Repeats > 0 {
			request.Phase = decide.RefusedRepeat(request)
		}
	}}
}

func restUntil(at time.Time) func(*decide.Memory) {
	return func(memory *decide.Memory) { memory.NotBefore = at }
}
