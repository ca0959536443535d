// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Subject is an object that has requests.
type Subject interface {
	client.Object
	RequestOf(v1alpha1.Operation) *v1alpha1.Request
	PutRequest(v1alpha1.Request)
	RequestChanged(v1alpha1.Request, metav1.Time)
}

// Carrier provides the calls to the carrier for one account.
type Carrier interface {
	Prepare(ctx context.Context, kind carrier.CallKind) (time.Duration, error)
	Submit(ctx context.Context, op carrier.Operation, version int, body []byte, fresh bool) carrier.Receipt
	Poll(ctx context.Context, handle carrier.Handle) (carrier.Outcome, error)
	Enter() time.Duration
	Cancellation(ctx context.Context, serviceID int64) (carrier.Cancellation, error)
	Disruptions(ctx context.Context, serviceID int64, page int) (found []carrier.Disruption, last bool, err error)
}

// Recorder writes Kubernetes Events.
type Recorder interface {
	Eventf(regarding, related runtime.Object, eventtype, reason, action, note string, args ...any)
}

// Protocol runs requests of every kind through the submission protocol.
type Protocol struct {
	Cluster client.Client // writes, and reads from the cache
	Live    client.Reader // bypasses the cache
	Memory  *Memory
	Events  Recorder
	Now     func() time.Time
	Elapsed func() time.Duration // monotonic: unaffected by wall clock changes, stopped while the machine is suspended
	NewID   func() string

	Submissions *Submissions // those in progress
	Metrics     *Metrics     // nil: nothing is counted

	unrecorded unrecorded
	sighted    sighted
}

// Scope is one object in one pass.
type Scope struct {
	Subject  Subject
	Account  *v1alpha1.CarrierAccount // as the decision was based on
	Carrier  Carrier
	Refused  func(*v1alpha1.Request) // called when the carrier refused an attempt; nil: no call
	Finish   Finish                  // handles the answer to a POST that is not polled; nil: no handling
	Spending Spending                // counts chargeable requests; nil: nothing is counted
	Ledger   Ledger                  // records the attempts instead of the status; nil: the status records them
	Marks    bool                    // whether to add the finalizer before sending, even with a Ledger
	Describe func()                  // updates the conditions from the facts; called before each write
}

// Ledger records the attempts of an object. The status of the object only shows them.
type Ledger interface {
	// Open writes an intent, under the resourceVersion that the decision was based on.
	Open(ctx context.Context, intent v1alpha1.Request) error
	// Verify fails if the ledger changed after the intent was written, or if the live object has seen
	// a newer ledger.
	Verify(ctx context.Context, live Subject) error
	// Late records that the carrier has accepted an attempt that is no longer open, and reports
	// whether that is new.
	Late(ctx context.Context, late v1alpha1.Request) (bool, error)
	// Record writes the outcome of an attempt, and what the object has learned from it.
	Record(ctx context.Context, attempt v1alpha1.Request) error
	// Reload makes the object show what is recorded now.
	Reload(ctx context.Context) error
	// Refer writes the ledger's name to a status.
	Refer(status Subject)
}

// Submission is one attempt, ready to be sent.
type Submission struct {
	Request v1alpha1.Request
	Body    []byte
	Class   carrier.RepeatClass
	Consume func() // marks the control annotations that this attempt uses up
	Hold    bool   // for a Query that leaves something behind: the finalizer is added before it is sent
}

// Send takes one attempt through steps 1 to 7. A wait above zero means that nothing was started,
// and is the time after which to try again.
func (p *Protocol) Send(ctx context.Context, scope Scope, submission Submission) (wait time.Duration, err error) {
	if wait, err = p.ready(ctx, scope, submission.Class); wait > 0 || err != nil {
		return wait, err
	}
	defer p.Submissions.begin()() // before the check whether this process is stopping
	began := p.timed()
	submission.Request.AttemptID, submission.Request.Sender = p.NewID(), p.Memory.Sender()
	submission.Request.SubmittedAt = v1alpha1.WholeSeconds(began.wall)
	submission.Request.UID = string(scope.Subject.GetUID())
	if wait, err = p.reserve(ctx, scope, submission); wait > 0 || err != nil {
		return wait, err
	}
	// Before the intent: another pass of this process may see the intent, and must leave alone what is
	// about to be sent.
	p.Memory.Posting(submission.Request.AttemptID, submission.Request.SubmittedAt.Time)
	if err := p.writeIntent(ctx, scope, submission); err != nil {
		p.Memory.NotPosted(submission.Request.AttemptID)
		p.release(ctx, scope, submission)
		return 0, err
	}
	if err := p.gate(ctx, scope, submission.Request, began); err != nil {
		p.Memory.NotPosted(submission.Request.AttemptID)
		return 0, p.Record(context.WithoutCancel(ctx), scope, submission.Request.AttemptID, notSent(err))
	}
	return 0, p.post(context.WithoutCancel(ctx), scope, submission)
}

// ready is step 1: "everything that can wait waits before the intent".
func (p *Protocol) ready(ctx context.Context, scope Scope, class carrier.RepeatClass) (time.Duration, error) {
	wait, err := scope.Carrier.Prepare(ctx, carrier.CallSubmit)
	if err != nil {
		return 0, fmt.Errorf("log in before sending %s: %w", scope.Subject.GetName(), err)
	}
	if wait == 0 && class.Costly() {
		wait = scope.Carrier.Enter()
	}
	return wait, nil
}

// writeIntent is step 3. The write carries the resourceVersion that the decision was based on. A
// conflict means that another writer changed the object, and then there is no POST; that makes two
// active leaders safe. A process that is told to stop in the meantime waits for the answer: an
// intent persisted without its knowledge would become an unknown outcome.
func (p *Protocol) writeIntent(ctx context.Context, scope Scope, submission Submission) error {
	if ctx.Err() != nil {
		return fmt.Errorf("this process is stopping: %w", ctx.Err())
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), RecordWithin)
	defer cancel()
	scope.Subject.PutRequest(submission.Request)
	scope.Subject.RequestChanged(submission.Request, submission.Request.SubmittedAt)
	if submission.Consume != nil {
		submission.Consume()
	}
	if scope.Ledger != nil {
		return scope.Ledger.Open(ctx, submission.Request)
	}
	scope.Describe()
	if err := p.WriteStatus(ctx, scope.Subject); err != nil {
		return fmt.Errorf("write the intent of %s: %w", submission.Request.Operation, err)
	}
	return nil
}

// post is steps 5 to 7. The context outlives a graceful shutdown: once the POST is sent, getting
// its answer is more important than a quick exit.
func (p *Protocol) post(ctx context.Context, scope Scope, submission Submission) error {
	request := submission.Request
	logged(ctx, "a request is sent", &request)
	receipt := scope.Carrier.Submit(
		ctx, carrier.Operation(request.Operation), int(request.APIVersion), submission.Body, submission.Class.Costly())
	p.Memory.Answered(request.AttemptID, receipt)
	return p.RecordAnswer(ctx, scope, request.AttemptID)
}

// RecordAnswer is step 7: it records the answer that this process has in memory.
func (p *Protocol) RecordAnswer(ctx context.Context, scope Scope, attemptID string) error {
	err := p.recordAnswer(ctx, scope, attemptID)
	if err != nil {
		return errors.Join(err, p.keepUnrecorded(ctx, scope, attemptID, err))
	}
	p.unrecorded.drop(attemptID)
	return nil
}

func (p *Protocol) recordAnswer(ctx context.Context, scope Scope, attemptID string) error {
	receipt := p.Memory.Receipt(attemptID)
	if receipt == nil {
		return nil
	}
	if err := p.Record(ctx, scope, attemptID, finished(*receipt, scope.Finish)); err != nil {
		return err
	}
	if err := p.recordLate(ctx, scope, attemptID, *receipt); err != nil {
		return err
	}
	p.Memory.Recorded(attemptID, p.Now())
	p.remark(scope.Subject, *receipt)
	p.Memory.Note(scope.Subject.GetUID(), p.Now(), restUntil(p.Now().Add(receipt.RetryAfter)))
	return nil
}
