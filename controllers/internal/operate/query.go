// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// SubmitQuery sends a request of class Query. It writes no intent, because a query may be sent
// twice. A query that did not reach the carrier is remembered and sent again. The carrier's
// response, or its loss, is recorded.
func (p *Protocol) SubmitQuery(ctx context.Context, scope Scope, submission Submission) (time.Duration, error) {
	if wait, err := scope.Carrier.Prepare(ctx, carrier.ClassQuery); wait > 0 || err != nil {
		return wait, err // a login error belongs to the account: the caller distinguishes it
	}
	defer p.Submissions.begin()() // before the check whether this process is stopping
	if err := p.prepareQuery(ctx, scope.Subject, submission); err != nil {
		return 0, err
	}
	ctx = context.WithoutCancel(ctx) // the query will be sent: its response is more important than a quick exit
	request, asked := submission.Request, p.Now()
	request.AttemptID, request.Sender = p.NewID(), p.Memory.Sender()
	request.SubmittedAt = v1alpha1.WholeSeconds(asked)
	operation, version := carrier.Operation(request.Operation), int(request.APIVersion)
	logRequest(ctx, requestSent, scope.Subject, &request)
	receipt := scope.Carrier.Submit(ctx, operation, version, submission.Body)
	p.Metrics.Posted(request, receipt.Delivery)
	if !p.rememberUnlessReached(scope.Subject, submission, receipt, asked) {
		queryFact(receipt).Apply(scope.Subject, &request) // the outcome is only logged
		logRequest(ctx, requestEnded, scope.Subject, &request)
		return 0, nil
	}
	p.Memory.Change(scope.Subject.GetUID(), asked, func(memory *decide.Memory) {
		memory.LastQuery = decide.LastQuery{Answered: request.AttemptID, AnsweredAt: asked}
	})
	fact, seen := queryFact(receipt), attemptIDOf(scope.Subject, request.Operation)
	fact.Enter = func(subject Subject) {
		if len(subject.Record().OpenRequests()) > 0 || attemptIDOf(subject, request.Operation) != seen {
			return // another process has sent a query meanwhile: that one is tracked, or has ended
		}
		subject.Record().PutRequest(request)
		if submission.Consume != nil {
			submission.Consume()
		}
	}
	p.warnOfLocation(scope.Subject, receipt)
	err := p.Record(ctx, scope, request.AttemptID, fact)
	if submission.FinalizerFirst {
		err = p.afterQuery(ctx, scope, request.AttemptID, receipt, err)
	}
	return 0, err
}

// afterQuery handles the acceptance of a Query that leaves something behind at the carrier, if the
// object has another attempt by then, or does not exist any more.
func (p *Protocol) afterQuery(
	ctx context.Context, scope Scope, attemptID string, receipt carrier.Receipt, recorded error,
) error {
	if errors.Is(recorded, ErrGone) && receipt.Delivery == carrier.Accepted {
		p.announceLate(scope.Subject, attemptID, receipt, ErrGone.Error())
	}
	if recorded != nil {
		return recorded
	}
	return p.recordLate(ctx, scope, attemptID, receipt)
}

// prepareQuery ensures that this process is not stopping. It also adds the finalizer before a Query
// that leaves something behind at the carrier. Adding it after the response would be too late: an
// object deleted in the meantime would be gone, and with it the reference to what the Query left
// behind. If the process ends after adding the finalizer and before sending the Query, the object has
// no recorded request and is released immediately.
func (p *Protocol) prepareQuery(ctx context.Context, subject Subject, submission Submission) error {
	if err := stopping(ctx); err != nil || !submission.FinalizerFirst {
		return err
	}
	if err := p.AddFinalizer(ctx, subject); err != nil {
		return err
	}
	if !subject.GetDeletionTimestamp().IsZero() {
		return errDeleting
	}
	return p.verifyNewest(ctx, subject)
}

// verifyNewest returns a conflict unless the object is the latest version. A Query writes no
// intent, so a stale cache could otherwise cause the same question to be sent twice.
func (p *Protocol) verifyNewest(ctx context.Context, subject Subject) error {
	live := apiserver.Empty(subject)
	if err := p.Live.Get(ctx, client.ObjectKeyFromObject(subject), live); err != nil {
		return fmt.Errorf("read the recorded state of %s: %w", subject.GetName(), err)
	}
	if live.GetResourceVersion() != subject.GetResourceVersion() {
		conflict := apiserver.Conflict("", subject.GetName(), apiserver.ErrNotNewest)
		return fmt.Errorf("evaluate %s: %w", subject.GetName(), conflict)
	}
	return nil
}

// attemptIDOf returns the recorded attempt id of an operation; "" when there is none.
func attemptIDOf(subject Subject, operation v1alpha1.Operation) string {
	if request := subject.Record().RequestOf(operation); request != nil {
		return request.AttemptID
	}
	return ""
}

// queryFact returns the fact for the outcome of a query.
func queryFact(receipt carrier.Receipt) Fact {
	if receipt.Delivery != carrier.Ambiguous {
		return receiptFact(receipt, nil) // a refusal of a query proves the same for every account
	}
	return Fact{
		By: decide.WriterSender, To: v1alpha1.PhaseNotProcessed, Event: eventResponseLost,
		Apply: func(_ Subject, request *v1alpha1.Request) {
			request.Phase, request.Error = v1alpha1.PhaseNotProcessed, decide.RequestErrorOf(receipt.Err)
		},
	}
}

// rememberUnlessReached remembers a query that did not reach the carrier. It reports whether the
// query reached the carrier, that is, was or may have been accepted, or was refused. Such queries
// are counted (R20), and the count is persisted for the next process.
func (p *Protocol) rememberUnlessReached(
	subject Subject, submission Submission, receipt carrier.Receipt, asked time.Time,
) (reached bool) {
	renewed := receipt.Delivery == carrier.Rejected
	taken := receipt.Delivery == carrier.Accepted || receipt.Delivery == carrier.Ambiguous
	if taken || renewed && !p.renews(subject, submission, receipt) {
		return true
	}
	p.Memory.Change(subject.GetUID(), asked, func(memory *decide.Memory) {
		pause := max(decide.QueryPause(memory.LastQuery.Failures+1), receipt.RetryAfter)
		if renewed {
			pause = 0
		}
		memory.LastQuery = decide.LastQuery{
			Failures: memory.LastQuery.Failures + 1, Err: receipt.Err, RetryAt: asked.Add(pause), Renewed: renewed,
		}
	})
	return false
}

// renews reports whether a refusal may be caused by a token that has just been discarded, because
// the endpoint of the plan options answers a bad token with 404. The query is then sent once more
// with a new token.
func (p *Protocol) renews(subject Subject, submission Submission, receipt carrier.Receipt) bool {
	contract, _ := carrier.ContractOf(carrier.Operation(submission.Request.Operation))
	return contract.TokenHiddenIn404 && receipt.Err != nil && receipt.Err.HTTPStatus == http.StatusNotFound &&
		!p.Memory.View(subject.GetUID()).LastQuery.Renewed
}
