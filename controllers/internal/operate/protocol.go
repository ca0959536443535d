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

// Job is one object in one pass.
type Job struct {
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

// Parcel is one attempt, ready to be sent.
type Parcel struct {
	Request v1alpha1.Request
	Body    []byte
	Class   carrier.RepeatClass
	Consume func() // marks the control annotations that this attempt uses up
	Hold    bool   // a Query that leaves something behind: the finalizer goes on before it
}

// Send takes one attempt through steps 1 to 7. A wait above zero says that nothing
// was begun and when to come back.
func (p *Protocol) Send(ctx context.Context, job Job, parcel Parcel) (wait time.Duration, err error) {
	if wait, err = p.ready(ctx, job, parcel.Class); wait > 0 || err != nil {
		return wait, err
	}
	defer p.Submissions.begin()() // before it is asked whether this process is stopping
	began := p.timed()
	parcel.Request.AttemptID, parcel.Request.Sender = p.NewID(), p.Memory.Sender()
	parcel.Request.SubmittedAt = v1alpha1.WholeSeconds(began.wall)
	parcel.Request.UID = string(job.Subject.GetUID())
	if wait, err = p.reserve(ctx, job, parcel); wait > 0 || err != nil {
		return wait, err
	}
	// Before the intent: another pass of this process may come upon that, and leaves alone what is
	// about to be sent.
	p.Memory.Posting(parcel.Request.AttemptID, parcel.Request.SubmittedAt.Time)
	if err := p.writeIntent(ctx, job, parcel); err != nil {
		p.Memory.NotPosted(parcel.Request.AttemptID)
		p.release(ctx, job, parcel)
		return 0, err
	}
	if err := p.gate(ctx, job, parcel.Request, began); err != nil {
		p.Memory.NotPosted(parcel.Request.AttemptID)
		return 0, p.Settle(context.WithoutCancel(ctx), job, parcel.Request.AttemptID, notSent(err))
	}
	return 0, p.post(context.WithoutCancel(ctx), job, parcel)
}

// ready is step 1: "everything that can wait waits before the intent".
func (p *Protocol) ready(ctx context.Context, job Job, class carrier.RepeatClass) (time.Duration, error) {
	wait, err := job.Carrier.Prepare(ctx, carrier.CallSubmit)
	if err != nil {
		return 0, fmt.Errorf("log in before sending %s: %w", job.Subject.GetName(), err)
	}
	if wait == 0 && class.Costly() {
		wait = job.Carrier.Enter()
	}
	return wait, nil
}

// writeIntent is step 3. The write carries the resourceVersion that was judged: a
// conflict means that somebody else was here, and then there is no POST. That makes
// two active leaders safe. A process that is told to stop meanwhile waits for the answer:
// an intent that is on record without its knowledge would be an outcome that nobody knows.
func (p *Protocol) writeIntent(ctx context.Context, job Job, parcel Parcel) error {
	if ctx.Err() != nil {
		return fmt.Errorf("this process is stopping: %w", ctx.Err())
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), RecordWithin)
	defer cancel()
	job.Subject.PutRequest(parcel.Request)
	job.Subject.RequestChanged(parcel.Request, parcel.Request.SubmittedAt)
	if parcel.Consume != nil {
		parcel.Consume()
	}
	if job.Ledger != nil {
		return job.Ledger.Open(ctx, parcel.Request)
	}
	job.Describe()
	if err := p.WriteStatus(ctx, job.Subject); err != nil {
		return fmt.Errorf("write the intent of %s: %w", parcel.Request.Operation, err)
	}
	return nil
}

// post is steps 5 to 7. The context outlives a graceful shutdown: once the POST is
// out, its answer is worth more than a quick exit.
func (p *Protocol) post(ctx context.Context, job Job, parcel Parcel) error {
	request := parcel.Request
	logged(ctx, "a request is sent", &request)
	receipt := job.Carrier.Submit(
		ctx, carrier.Operation(request.Operation), int(request.APIVersion), parcel.Body, parcel.Class.Costly())
	p.Memory.Answered(request.AttemptID, receipt)
	return p.RecordAnswer(ctx, job, request.AttemptID)
}

// RecordAnswer is step 7: the answer that this process holds is recorded.
func (p *Protocol) RecordAnswer(ctx context.Context, job Job, attemptID string) error {
	err := p.recordAnswer(ctx, job, attemptID)
	if err != nil {
		return errors.Join(err, p.keepUnrecorded(ctx, job, attemptID, err))
	}
	p.unrecorded.drop(attemptID)
	return nil
}

func (p *Protocol) recordAnswer(ctx context.Context, job Job, attemptID string) error {
	receipt := p.Memory.Receipt(attemptID)
	if receipt == nil {
		return nil
	}
	if err := p.Settle(ctx, job, attemptID, finished(*receipt, job.Finish)); err != nil {
		return err
	}
	if err := p.recordLate(ctx, job, attemptID, *receipt); err != nil {
		return err
	}
	p.Memory.Recorded(attemptID, p.Now())
	p.remark(job.Subject, *receipt)
	p.Memory.Note(job.Subject.GetUID(), p.Now(), restUntil(p.Now().Add(receipt.RetryAfter)))
	return nil
}
