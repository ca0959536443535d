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

// Subject is an object that holds requests in its status.
type Subject interface {
	client.Object
	RequestOf(v1alpha1.Operation) *v1alpha1.Request
	PutRequest(v1alpha1.Request)
	RequestChanged(v1alpha1.Request, metav1.Time)
}

// Carrier is one account's way to the carrier.
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

// Protocol carries requests through the submission protocol, for every kind.
type Protocol struct {
	Cluster client.Client // writes, and reads from the cache
	Live    client.Reader // reads past the cache
	Memory  *Memory
	Events  Recorder
	Now     func() time.Time
	Elapsed func() time.Duration // monotonic: it goes on when the wall clock is set back, and not while the machine sleeps
	NewID   func() string

	Submissions *Submissions // those under way
	Metrics     *Metrics     // nil: nothing is counted

	unrecorded unrecorded
	sighted    sighted
}

// Scope is one object in one pass.
type Scope struct {
	Subject  Subject
	Account  *v1alpha1.CarrierAccount // as it was judged
	Carrier  Carrier
	Refused  func(*v1alpha1.Request) // told that the carrier refused an attempt; nil: nobody is
	Finish   Finish                  // takes over what a POST that nothing follows was answered with; nil: nobody does
	Spending Spending                // counts what costs; nil: nothing is counted
	Ledger   Ledger                  // has the attempts on record in place of the status; nil: the status has them
	Marks    bool                    // whether the object is marked by the finalizer before it sends
	Describe func()                  // brings the conditions in line with the facts; called before each write
}

// Ledger has the attempts of an object on record, where its status only shows them.
type Ledger interface {
	// Open writes an intent, under the resourceVersion that was judged.
	Open(ctx context.Context, intent v1alpha1.Request) error
	// Stands fails unless the ledger is as the intent left it, and the object as it is on record
	// has seen no newer one.
	Stands(ctx context.Context, live Subject) error
	// Late writes that the carrier has taken an attempt that is not open any more, and says whether that is
	// news.
	Late(ctx context.Context, late v1alpha1.Request) (bool, error)
	// Record writes what became of an attempt, and what the object has learned by it.
	Record(ctx context.Context, attempt v1alpha1.Request) error
	// Reload shows the object what is on record now.
	Reload(ctx context.Context) error
	// Refer has a status name the ledger.
	Refer(status Subject)
}

// Submission is one attempt, ready to be sent.
type Submission struct {
	Request v1alpha1.Request
	Body    []byte
	Class   carrier.RepeatClass
	Consume func() // marks the control annotations that this attempt uses up
	Hold    bool   // a Query that leaves something behind: the finalizer goes on before it
}

// Send takes one attempt through steps 1 to 7. A wait above zero says that nothing
// was begun and when to come back.
func (p *Protocol) Send(ctx context.Context, scope Scope, submission Submission) (wait time.Duration, err error) {
	if wait, err = p.ready(ctx, scope, submission.Class); wait > 0 || err != nil {
		return wait, err
	}
	defer p.Submissions.begin()() // before it is asked whether this process is stopping
	began := p.timed()
	submission.Request.AttemptID, submission.Request.Sender = p.NewID(), p.Memory.Sender()
	submission.Request.SubmittedAt = v1alpha1.WholeSeconds(began.wall)
	submission.Request.UID = string(scope.Subject.GetUID())
	if wait, err = p.reserve(ctx, scope, submission); wait > 0 || err != nil {
		return wait, err
	}
	// Before the intent: another pass of this process may come upon that, and leaves alone what is
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

// writeIntent is step 3. The write carries the resourceVersion that was judged: a
// conflict means that somebody else was here, and then there is no POST. That makes
// two active leaders safe. A process that is told to stop meanwhile waits for the answer:
// an intent that is on record without its knowledge would be an outcome that nobody knows.
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

// post is steps 5 to 7. The context outlives a graceful shutdown: once the POST is
// out, its answer is worth more than a quick exit.
func (p *Protocol) post(ctx context.Context, scope Scope, submission Submission) error {
	request := submission.Request
	logged(ctx, "a request is sent", &request)
	receipt := scope.Carrier.Submit(
		ctx, carrier.Operation(request.Operation), int(request.APIVersion), submission.Body, submission.Class.Costly())
	p.Memory.Answered(request.AttemptID, receipt)
	return p.RecordAnswer(ctx, scope, request.AttemptID)
}

// RecordAnswer is step 7: the answer that this process holds is recorded.
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
