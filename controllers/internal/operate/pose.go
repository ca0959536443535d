// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Pose sends a request of class Query: "Query has neither finalizer nor intent; one-shots
// and slots write accepted and terminal". What did not get there, or lost its answer, is
// remembered and asked again; what the carrier said is written down.
func (p *Protocol) Pose(ctx context.Context, job Job, parcel Parcel) (time.Duration, error) {
	if wait, err := job.Carrier.Prepare(ctx, carrier.CallSubmit); wait > 0 || err != nil {
		return wait, err // a login error is the account's: the caller tells it apart
	}
	request, asked := parcel.Request, p.Now()
	request.AttemptID, request.Sender = p.NewID(), p.Ledger.Sender()
	request.SubmittedAt = metav1.NewTime(asked.Truncate(time.Second))
	receipt := job.Carrier.Submit(ctx, carrier.Operation(request.Operation), int(request.APIVersion), parcel.Body, false)
	said := receipt.Delivery == carrier.Accepted || receipt.Delivery == carrier.Rejected
	p.Ledger.Note(job.Subject.GetUID(), asked, func(memory *decide.Memory) {
		if said {
			memory.Posed = decide.Posed{}
			return
		}
		pause := max(decide.Backoff(memory.Posed.Failures+1), receipt.RetryAfter)
		memory.Posed = decide.Posed{Failures: memory.Posed.Failures + 1, Err: receipt.Err, RetryAt: asked.Add(pause)}
	})
	if !said {
		return 0, nil
	}
	job.Subject.PutRequest(request)
	if parcel.Consume != nil {
		parcel.Consume()
	}
	return 0, p.Settle(ctx, job, request.AttemptID, answered(receipt))
}
