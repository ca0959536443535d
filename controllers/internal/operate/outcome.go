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

// Fact is something learned of an attempt. It is applied to the object that is on
// record at that moment, which may be fresher than the one that was judged.
type Fact struct {
	By     decide.Writer         // who says it
	To     v1alpha1.RequestPhase // where it takes the attempt, unless it says less than what is known
	Apply  func(Subject, *v1alpha1.Request)
	Event  string // reason of the Kubernetes Event; "" for none
	Normal bool   // whether the Event is good news

	Enter func(Subject) // puts an attempt that has no intent on record; nil: it has one
}

// RecordWithin is how long what became of a request may take to be written down.
const RecordWithin = time.Minute

// Record writes a fact about an attempt into its record: "retried on conflict against
// the same attempt id only". It gives up after a minute; the fact then stays with the
// carrier or in this process's memory, and the next pass finds it there.
func (p *Protocol) Record(ctx context.Context, scope Scope, attemptID string, fact Fact) error {
	err := p.insist(ctx, scope, attemptID, func(ctx context.Context) error {
		return p.recordOnce(ctx, scope, attemptID, fact)
	})
	if err == nil {
		p.releaseUnsent(ctx, scope, attemptID)
	}
	return err
}

// insist writes what became of an attempt, again and again where that fails, for a minute.
func (p *Protocol) insist(ctx context.Context, scope Scope, attemptID string, write func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, RecordWithin) // an API server may hang, too
	defer cancel()
	backoff := wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Steps: 10} // 51 s in all
	var last error
	err := wait.ExponentialBackoffWithContext(ctx, backoff, func(ctx context.Context) (bool, error) {
		if last != nil {
			// Whatever went wrong, what is on record now decides what is written next. It is read after the
			// pause: beside a writer who never rests it would be out of date again. Unread, the object still
			// has the fact that was not written, and would look as if there were nothing to write.
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

// reload has the object show what is on record.
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
		return nil // another attempt is on record: this fact is not about it
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

// logged writes a line about a request.
func logged(ctx context.Context, what string, request *v1alpha1.Request) {
	if logger := log.FromContext(ctx); logger.Enabled() {
		logger.Info(what, decide.LogFields(request)...)
	}
}

// find has the object show an attempt, where its ledger has it and the object does not: what an object
// shows may be that of another moment, and no answer may be dropped for that.
func (*Protocol) find(ctx context.Context, scope Scope, attemptID string) error {
	if scope.Ledger == nil || attempt(scope.Subject, attemptID) != nil {
		return nil
	}
	return scope.Ledger.Reload(ctx)
}

// write writes down an attempt that has changed: into the ledger, whose object shows it at the end
// of its pass, or into the status.
func (p *Protocol) write(ctx context.Context, scope Scope, attempt v1alpha1.Request) error {
	if scope.Ledger != nil {
		return scope.Ledger.Record(ctx, attempt)
	}
	if err := p.WriteStatus(ctx, scope.Subject); err != nil {
		return fmt.Errorf("update the status: %w", err)
	}
	return nil
}

// about is the attempt on record that a fact is about.
func (f Fact) about(subject Subject, attemptID string) *v1alpha1.Request {
	request := attempt(subject, attemptID)
	if request == nil && f.Enter != nil {
		f.Enter(subject)
		request = attempt(subject, attemptID)
	}
	return request
}

// apply changes a request by a fact, and what the status shows of it if that is news.
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

// dateEnd says when an attempt came to its end, once, and by whose word.
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

// remark reports what was odd about an accepted answer: a Location that names another host
// means that something between us and the carrier writes addresses.
func (p *Protocol) remark(subject Subject, receipt carrier.Receipt) {
	if receipt.Delivery == carrier.Accepted && receipt.Note != "" {
		p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventOddLocation,
			string(receipt.Handle.Operation), "%s", receipt.Note)
	}
}

// recordLate: "An Accepted receipt is never dropped" (R15). One that the record has no room for,
// because a person has ended the attempt or another is in its place, is with the carrier all the
// same. A ledger keeps it as a late acceptance.
func (p *Protocol) recordLate(ctx context.Context, scope Scope, attemptID string, receipt carrier.Receipt) error {
	taken := attempt(scope.Subject, attemptID)
	if receipt.Delivery != carrier.Accepted || taken != nil && taken.Location == receipt.Handle.Path() {
		return nil
	}
	news := true
	late := lateAttempt(attemptID, receipt.Handle)
	late.FinishedAt = v1alpha1.WholeSeconds(p.Now()) // since when nobody knows what becomes of it
	if scope.Ledger != nil && blocks(late.Operation) {
		err := p.insist(ctx, scope, attemptID, func(ctx context.Context) (err error) {
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

// blocks says whether a late acceptance keeps others from being sent: "Converge and Verify: noted with
// an Event, nothing stalls" (R15).
func blocks(operation v1alpha1.Operation) bool {
	return decide.ClassOf(operation, v1alpha1.RequestTarget{}).Costly()
}

func (p *Protocol) warnOfLate(subject Subject, attemptID string, receipt carrier.Receipt) {
	taken, location := attempt(subject, attemptID), receipt.Handle.Path()
	onRecord := "nothing of it is on record"
	if taken != nil {
		onRecord = fmt.Sprintf("it is %s on record", taken.Phase)
	} else if other := subject.RequestOf(v1alpha1.Operation(receipt.Handle.Operation)); other != nil {
		onRecord = fmt.Sprintf("attempt %s is on record in its place", other.AttemptID)
	}
	p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventLate, string(receipt.Handle.Operation),
		"the carrier has taken %s attempt %s as %s, and %s: ask the carrier what became of it",
		receipt.Handle.Operation, attemptID, location, onRecord)
}

// notSent is the fact that the gate was closed: not a byte of an attempt has left the process.
func notSent(why error) Fact {
	apply := func(_ Subject, request *v1alpha1.Request) {
		decide.TurnedAway(request, v1alpha1.PhaseNotSent, decide.GateClosed(why))
	}
	return Fact{By: decide.WriterSender, To: v1alpha1.PhaseNotSent, Event: eventNotSent, Apply: apply}
}

// answered turns the answer to a POST into the phase it means (step 6).
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
	// Everything else may have happened: the phase stays Submitting, and its error
	// says that the answer, not the request, is what is missing.
	return refusal(eventAnswerLost, v1alpha1.PhaseSubmitting, receipt)
}

// acceptedAs is the fact that the carrier has taken an attempt and follows it at a Location.
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
			request.FinishedAt = metav1.Time{} // an outcome that was unknown no longer is
		},
	}
}

// finished is what answered is, and takes over the answer's body where nothing follows it.
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

// refusal is the fact that an attempt was not accepted. On a repeat, "another 422
// proves nothing": an attempt before it may be what is in the way.
func refusal(event string, phase v1alpha1.RequestPhase, receipt carrier.Receipt) Fact {
	return Fact{By: decide.WriterSender, To: phase, Event: event, Apply: func(_ Subject, request *v1alpha1.Request) {
		told := decide.RequestErrorOf(receipt.Err)
		if phase == v1alpha1.PhaseNotSent || phase == v1alpha1.PhaseNotProcessed {
			decide.TurnedAway(request, phase, told)
			return
		}
		request.Phase, request.Error = phase, told
		if phase == v1alpha1.PhaseRejected && request.Repeats > 0 {
			request.Phase = decide.RefusedRepeat(request)
		}
	}}
}

func restUntil(at time.Time) func(*decide.Memory) {
	return func(memory *decide.Memory) { memory.NotBefore = at }
}
