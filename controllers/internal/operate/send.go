// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Send takes one attempt through steps 1 to 7. A wait above zero means that nothing was started,
// and is the time after which to try again.
func (p *Protocol) Send(ctx context.Context, scope Scope, submission Submission) (wait time.Duration, err error) {
	if wait, err = p.ready(ctx, scope, submission.Class); wait > 0 || err != nil {
		return wait, err
	}
	defer p.Submissions.begin()() // before the check whether this process is stopping
	began := p.moment()
	submission.Request.AttemptID, submission.Request.Sender = p.NewID(), p.Memory.Sender()
	submission.Request.SubmittedAt = v1alpha1.WholeSeconds(began.wall)
	submission.Request.UID = string(scope.Subject.GetUID())
	if wait, err = p.reserve(ctx, scope, submission); wait > 0 || err != nil {
		return wait, err
	}
	// This comes before the intent, because another pass of this process may see the intent, and must
	// not settle the attempt that is about to be sent.
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
	post := carrier.WithLastCheck(context.WithoutCancel(ctx), func() error { return p.inTime(began) })
	return 0, p.post(post, scope, submission)
}

// ready is step 1. Whatever can wait, waits before the intent, because an intent is only good for
// seconds (R13).
func (p *Protocol) ready(ctx context.Context, scope Scope, class carrier.RepeatClass) (time.Duration, error) {
	wait, err := scope.Carrier.Prepare(ctx, class)
	if err != nil {
		return 0, fmt.Errorf("log in before sending %s: %w", scope.Subject.GetName(), err)
	}
	return wait, nil
}

// writeIntent is step 3. The write carries the resourceVersion that the decision was based on. A
// conflict means that another writer changed the object, and then there is no POST; that makes two
// active leaders safe. A process that is shut down in the meantime waits for the response: an
// intent persisted without its knowledge would become an unknown outcome.
func (p *Protocol) writeIntent(ctx context.Context, scope Scope, submission Submission) error {
	if err := stopping(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), RecordWithin)
	defer cancel()
	scope.Subject.Record().PutRequest(submission.Request)
	scope.Subject.Record().RequestChanged(submission.Request, submission.Request.SubmittedAt)
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

// stopping returns an error if this process is stopping. The check comes after the submission is
// counted as in progress: a process that has counted none exits.
func stopping(ctx context.Context) error {
	if ctx.Err() != nil {
		return fmt.Errorf("this process is stopping: %w", ctx.Err())
	}
	return nil
}

// post is steps 5 to 7. The context outlives a graceful shutdown: once the POST is sent, getting
// its response is more important than a quick exit.
func (p *Protocol) post(ctx context.Context, scope Scope, submission Submission) error {
	request := submission.Request
	logRequest(ctx, requestSent, scope.Subject, &request)
	operation, version := carrier.Operation(request.Operation), int(request.APIVersion)
	receipt := ofItsOwn(scope.Ledger, &request, scope.Carrier.Submit(ctx, operation, version, submission.Body))
	p.Metrics.Posted(request, receipt.Delivery)
	p.Memory.SetReceipt(request.AttemptID, receipt)
	return p.RecordResponse(ctx, scope, request.AttemptID)
}
