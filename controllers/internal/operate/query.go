// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"net/http"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// SubmitQuery sends a request of class Query: "Query has neither finalizer nor intent; one-shots
// and slots write accepted and terminal". A query that did not reach the carrier is remembered and
// sent again. The carrier's answer, or the loss of the response, is recorded.
func (p *Protocol) SubmitQuery(ctx context.Context, scope Scope, submission Submission) (time.Duration, error) {
	if wait, err := scope.Carrier.Prepare(ctx, carrier.CallPoll); wait > 0 || err != nil {
		return wait, err // a login error belongs to the account: the caller tells it apart
	}
	if err := p.holdFirst(ctx, scope.Subject, submission); err != nil {
		return 0, err
	}
	defer p.Submissions.begin()()
	ctx = context.WithoutCancel(ctx) // the query will be sent: its answer is more important than a quick exit
	request, asked := submission.Request, p.Now()
	request.AttemptID, request.Sender = p.NewID(), p.Memory.Sender()
	request.SubmittedAt = v1alpha1.WholeSeconds(asked)
	operation, version := carrier.Operation(request.Operation), int(request.APIVersion)
	receipt := scope.Carrier.Submit(ctx, operation, version, submission.Body, false)
	if !p.said(scope.Subject, submission, receipt, asked) {
		return 0, nil
	}
	p.Memory.Note(scope.Subject.GetUID(), asked, func(memory *decide.Memory) {
		memory.LastQuery = decide.LastQuery{Taken: request.AttemptID, TakenAt: asked}
	})
	fact, seen := queryFact(receipt), newest(scope.Subject, request.Operation)
	fact.Enter = func(subject Subject) {
		if underWay(subject) || newest(subject, request.Operation) != seen {
			return // another process has sent a query meanwhile: that one is tracked, or has ended
		}
		subject.PutRequest(request)
		if submission.Consume != nil {
			submission.Consume()
		}
	}
	p.remark(scope.Subject, receipt)
	err := p.Record(ctx, scope, request.AttemptID, fact)
	if err == nil && submission.Hold {
		err = p.recordLate(ctx, scope, request.AttemptID, receipt)
	}
	return 0, err
}

// newest returns the recorded attempt id of an operation; "" when there is none.
func newest(subject Subject, operation v1alpha1.Operation) string {
	if request := subject.RequestOf(operation); request != nil {
		return request.AttemptID
	}
	return ""
}

// queryFact returns the fact for the outcome of a query.
func queryFact(receipt carrier.Receipt) Fact {
	if receipt.Delivery != carrier.Ambiguous {
		return answered(receipt)
	}
	return Fact{
		By: decide.WriterSender, To: v1alpha1.PhaseNotProcessed, Event: eventAnswerLost,
		Apply: func(_ Subject, request *v1alpha1.Request) {
			request.Phase, request.Error = v1alpha1.PhaseNotProcessed, decide.RequestErrorOf(receipt.Err)
		},
	}
}

// said reports whether the carrier accepted or refused a query, or may have accepted it. "Queries
// are bounded in number per wish" (R20), and the count is persisted for the next process. A query
// that did not reach the carrier is only remembered.
func (p *Protocol) said(subject Subject, submission Submission, receipt carrier.Receipt, asked time.Time) bool {
	renewed := receipt.Delivery == carrier.Rejected
	taken := receipt.Delivery == carrier.Accepted || receipt.Delivery == carrier.Ambiguous
	if taken || renewed && !p.renews(subject, submission, receipt) {
		return true
	}
	p.Memory.Note(subject.GetUID(), asked, func(memory *decide.Memory) {
		pause := max(decide.Backoff(memory.LastQuery.Failures+1), receipt.RetryAfter)
		if renewed {
			pause = 0
		}
		memory.LastQuery = decide.LastQuery{
			Failures: memory.LastQuery.Failures + 1, Err: receipt.Err, RetryAt: asked.Add(pause), Renewed: renewed,
		}
	})
	return false
}

// renews reports whether a refusal may be caused by a token that has just been discarded: "plan
// options refresh the token once first", because that endpoint answers a bad token with 404.
func (p *Protocol) renews(subject Subject, submission Submission, receipt carrier.Receipt) bool {
	contract, _ := carrier.ContractOf(carrier.Operation(submission.Request.Operation))
	hidden := contract.TokenHiddenIn404 && receipt.Err != nil && receipt.Err.HTTPStatus == http.StatusNotFound
	p.Memory.Note(subject.GetUID(), p.Now(), func(memory *decide.Memory) { hidden = hidden && !memory.LastQuery.Renewed })
	return hidden
}
