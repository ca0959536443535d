// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Send takes one attempt through steps 1 to 7 of docs/requestledger.md. A wait above zero means that
// nothing was started, and is the time after which to try again.
func (p *Protocol) Send(ctx context.Context, scope Scope, submission Submission) (wait time.Duration, err error) {
	// All waiting is done before the intent, because an intent is valid for seconds only (R13).
	if wait, err = scope.Carrier.Prepare(ctx, submission.Class); err != nil {
		return 0, fmt.Errorf("log in before sending %s: %w", scope.Subject.GetName(), err)
	} else if wait > 0 {
		return wait, nil
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

// writeIntent is step 3. The write carries the resourceVersion that the decision was based on.
// After a conflict, which means that another writer changed the object, nothing is sent: so two
// active leaders are safe. A process that is shut down during the write waits for its response,
// because an intent persisted unnoticed would become an unknown outcome.
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

// stopping returns an error if this process is stopping. It is called once the submission is
// counted as in progress, because a process exits when none is in progress.
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

const (
	// gateAfter is how long an intent is valid, by the clock that shows more elapsed time (R13).
	gateAfter = 10 * time.Second

	// gateRead is the time limit of each read of the last check (R12).
	gateRead = 3 * time.Second
)

// Reasons why the gate is closed.
var (
	errDeleting = errors.New("the object is being deleted")
	errTooLate  = errors.New("more than 10 s passed between the intent and the POST")
	errChanged  = errors.New("the object has changed since the decision")
	errResolved = errors.New("the annotation resolve has changed since the decision")
	errRevoked  = errors.New("the approval was withdrawn")
	errSettled  = errors.New("the attempt has been settled since its intent was written")

	errAccountChanged  = errors.New("the CarrierAccount has changed since the decision")
	errAccountDeleting = errors.New("the CarrierAccount is being deleted")
)

// moment is a time on both clocks. Linux stops the monotonic clock while the machine is suspended,
// and the wall clock can be set by hand.
type moment struct {
	wall      time.Time
	monotonic time.Duration
}

func (p *Protocol) moment() moment { return moment{p.Now(), p.Elapsed()} }

// since returns the elapsed time, by the clock that shows more.
func (p *Protocol) since(began moment) time.Duration {
	now := p.moment()
	return max(now.monotonic-began.monotonic, now.wall.Round(0).Sub(began.wall.Round(0)))
}

// gate is step 4. It remembers when it was closed, to a fraction of a second, because the next
// attempt waits from that time.
func (p *Protocol) gate(ctx context.Context, scope Scope, intent v1alpha1.Request, began moment) error {
	err := p.verify(ctx, scope, intent, began)
	if err != nil {
		now := p.Now()
		p.Memory.Change(scope.Subject.GetUID(), now, func(memory *decide.Memory) { memory.Gate.ClosedAt = now })
	}
	return err
}

// verify makes the last checks before the POST. It first adds the finalizer if the attempts are
// recorded in the status, or if the kind has a finalizer in spite of its ledger. It then reads
// everything that could have revoked the decision, bypassing every cache (R12), and checks the
// elapsed time (R13).
func (p *Protocol) verify(ctx context.Context, scope Scope, intent v1alpha1.Request, began moment) error {
	if scope.Ledger == nil || scope.Finalizer {
		if err := p.AddFinalizer(ctx, scope.Subject); err != nil {
			return err
		}
	}
	if err := p.verifyAccount(ctx, scope); err != nil {
		return err
	}
	live, err := p.verifySubject(ctx, scope, intent)
	if err != nil {
		return err
	}
	if err := p.verifyPolicies(ctx, scope, intent); err != nil {
		return err
	}
	if err := p.verifyLedger(ctx, scope.Ledger, live); err != nil {
		return err
	}
	if err := p.inTime(began); err != nil {
		return err
	}
	return stopping(ctx)
}

// inTime checks the time since the intent was begun. It is called once more when the POST has its
// connection, because a token and a connection may take longer than everything before.
func (p *Protocol) inTime(began moment) error {
	if p.since(began) >= gateAfter {
		return errTooLate
	}
	return nil
}

// verifyAccount checks that the account is the one that was judged, and is not being deleted (R12).
// The list of services is part of its spec, so the generation covers it.
func (p *Protocol) verifyAccount(ctx context.Context, scope Scope) error {
	var live v1alpha1.CarrierAccount
	if err := p.readAtGate(ctx, client.ObjectKeyFromObject(scope.Account), &live); err != nil {
		return err
	}
	p.Memory.Change(scope.Subject.GetUID(), p.Now(), func(memory *decide.Memory) {
		memory.Gate.Account = decide.VersionOf(&live, scope.Account)
	})
	switch {
	case live.UID != scope.Account.UID || live.Generation != scope.Account.Generation:
		return errAccountChanged
	case !live.DeletionTimestamp.IsZero():
		return errAccountDeleting
	}
	return nil
}

// verifySubject checks the object's annotations, and that it is the object that was judged (R12).
// An object that is being deleted still cancels its appointment-request. An intent in the status
// is checked, too.
func (p *Protocol) verifySubject(ctx context.Context, scope Scope, intent v1alpha1.Request) (Subject, error) {
	subject := scope.Subject
	live := apiserver.Empty(subject)
	if err := p.readAtGate(ctx, client.ObjectKeyFromObject(subject), live); err != nil {
		return nil, err
	}
	p.Memory.Change(subject.GetUID(), p.Now(), func(memory *decide.Memory) {
		memory.Gate.Object = decide.VersionOf(live, subject)
	})
	switch {
	case live.GetUID() != subject.GetUID() || live.GetGeneration() != subject.GetGeneration():
		return nil, errChanged
	case !live.GetDeletionTimestamp().IsZero() && intent.Operation != v1alpha1.OperationAppointmentCancel:
		return nil, errDeleting
	case scope.Ledger == nil:
		recorded := live.Record().RequestOf(intent.Operation)
		return live, errors.Join(verifyAnnotations(live, subject, intent), verifyIntent(recorded, intent))
	}
	return live, verifyAnnotations(live, subject, intent)
}

// verifyAnnotations checks that the approval used by the attempt is still set. A resolution that
// already exists for this attempt also closes the gate, because it was set too early and would
// wrongly count if the response were lost later. So does a resolution that the decision did not
// see, because a person may have given up the attempt before this one.
func verifyAnnotations(live, judged Subject, intent v1alpha1.Request) error {
	switch {
	case intent.ApprovedHash != "" && decide.Control(live, v1alpha1.AnnotationApprove) != intent.ApprovedHash:
		return errRevoked
	case decide.IsResolved(live, intent.AttemptID):
		return errSettled
	case decide.Control(live, v1alpha1.AnnotationResolve) != decide.Control(judged, v1alpha1.AnnotationResolve):
		return errResolved
	}
	return nil
}

// verifyPolicies checks the admission policies, because without them anybody who may edit the object
// could have approved what is about to be sent.
func (p *Protocol) verifyPolicies(ctx context.Context, scope Scope, intent v1alpha1.Request) error {
	if p.Policies == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, gateRead)
	defer cancel()
	if intent.ApprovedHash != "" {
		return p.Policies.VerifyLive(ctx, scope.Policies)
	}
	return p.Policies.Verify(ctx, scope.Policies)
}

// verifyLedger checks that the ledger is as the intent left it. It is the last check, because another
// sender would change the ledger (R12).
func (*Protocol) verifyLedger(ctx context.Context, ledger *requestledger.Ledger, live Subject) error {
	if ledger == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, gateRead)
	defer cancel()
	return ledger.Verify(ctx, live)
}

// verifyIntent fails if a person or another process has settled the attempt that is about to be
// sent.
func verifyIntent(recorded *v1alpha1.Request, intent v1alpha1.Request) error {
	same := recorded != nil && recorded.AttemptID == intent.AttemptID
	if !same || recorded.Phase != v1alpha1.PhaseSubmitting || recorded.Error != nil {
		return errSettled
	}
	return nil
}

func (p *Protocol) readAtGate(ctx context.Context, key client.ObjectKey, into client.Object) error {
	ctx, cancel := context.WithTimeout(ctx, gateRead)
	defer cancel()
	if err := p.Live.Get(ctx, key, into); err != nil {
		if apierrors.IsNotFound(err) {
			return fmt.Errorf("%s is gone: %w", key.Name, err)
		}
		return fmt.Errorf("reread %s before the POST: %w", key.Name, err)
	}
	return nil
}
