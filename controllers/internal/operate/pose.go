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

// Pose sends a request of class Query: "Query has neither finalizer nor intent; one-shots
// and slots write accepted and terminal". What did not get there is remembered and asked again; what
// the carrier said, or that its answer was lost, is written down.
func (p *Protocol) Pose(ctx context.Context, job Job, parcel Parcel) (time.Duration, error) {
	if wait, err := job.Carrier.Prepare(ctx, carrier.CallPoll); wait > 0 || err != nil {
		return wait, err // a login error is the account's: the caller tells it apart
	}
	if err := p.holdFirst(ctx, job.Subject, parcel); err != nil {
		return 0, err
	}
	defer p.Submissions.begin()()
	ctx = context.WithoutCancel(ctx) // the question goes out: its answer is worth more than a quick exit
	request, asked := parcel.Request, p.Now()
	request.AttemptID, request.Sender = p.NewID(), p.Memory.Sender()
	request.SubmittedAt = v1alpha1.WholeSeconds(asked)
	receipt := job.Carrier.Submit(ctx, carrier.Operation(request.Operation), int(request.APIVersion), parcel.Body, false)
	if !p.said(job.Subject, parcel, receipt, asked) {
		return 0, nil
	}
	p.Memory.Note(job.Subject.GetUID(), asked, func(memory *decide.Memory) {
		memory.Posed = decide.Posed{Taken: request.AttemptID, TakenAt: asked}
	})
	fact, seen := heardOf(receipt), newest(job.Subject, request.Operation)
	fact.Enter = func(subject Subject) {
		if underWay(subject) || newest(subject, request.Operation) != seen {
			return // somebody else has asked meanwhile: that is followed, or has been to its end
		}
		subject.PutRequest(request)
		if parcel.Consume != nil {
			parcel.Consume()
		}
	}
	p.remark(job.Subject, receipt)
	err := p.Settle(ctx, job, request.AttemptID, fact)
	if err == nil && parcel.Hold {
		err = p.recordLate(ctx, job, request.AttemptID, receipt)
	}
	return 0, err
}

// newest is the attempt of an operation that is on record; "" when there is none.
func newest(subject Subject, operation v1alpha1.Operation) string {
	if request := subject.RequestOf(operation); request != nil {
		return request.AttemptID
	}
	return ""
}

// heardOf is what became of a question.
func heardOf(receipt carrier.Receipt) Fact {
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

// said says whether the carrier took or refused a question, or may have taken it: "Queries are bounded
// in number per wish" (R20), and what is counted is on record, for the next process. One that did not
// get there is remembered.
func (p *Protocol) said(subject Subject, parcel Parcel, receipt carrier.Receipt, asked time.Time) bool {
	renewed := receipt.Delivery == carrier.Rejected
	taken := receipt.Delivery == carrier.Accepted || receipt.Delivery == carrier.Ambiguous
	if taken || renewed && !p.renews(subject, parcel, receipt) {
		return true
	}
	p.Memory.Note(subject.GetUID(), asked, func(memory *decide.Memory) {
		pause := max(decide.Backoff(memory.Posed.Failures+1), receipt.RetryAfter)
		if renewed {
			pause = 0
		}
		memory.Posed = decide.Posed{
			Failures: memory.Posed.Failures + 1, Err: receipt.Err, RetryAt: asked.Add(pause), Renewed: renewed,
		}
	})
	return false
}

// renews says whether a refusal may be that of a token which has just been given up: "plan
// options refresh the token once first", because there a bad token is answered with 404.
func (p *Protocol) renews(subject Subject, parcel Parcel, receipt carrier.Receipt) bool {
	contract, _ := carrier.ContractOf(carrier.Operation(parcel.Request.Operation))
	hidden := contract.TokenHiddenIn404 && receipt.Err != nil && receipt.Err.HTTPStatus == http.StatusNotFound
	p.Memory.Note(subject.GetUID(), p.Now(), func(memory *decide.Memory) { hidden = hidden && !memory.Posed.Renewed })
	return hidden
}
