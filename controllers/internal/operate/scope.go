// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Scope is one object in one pass.
type Scope struct {
	Subject   Subject
	Account   *v1alpha1.CarrierAccount // as the decision was based on
	Carrier   Carrier
	Refused   func(*v1alpha1.Request) // called when the carrier refused an attempt; nil: no call
	Finish    Finish                  // handles the response to a POST that is not polled; nil: no handling
	Spending  *Spending               // counts chargeable requests; nil: nothing is counted
	Ledger    *requestledger.Ledger   // records the attempts instead of the status; nil: the status records them
	Finalizer bool                    // whether to add the finalizer before sending, even with a Ledger
	Policies  decide.Policies         // as the decision was based on
	Describe  func()                  // updates the conditions from the facts; called before each write
}

// Submission is one attempt, ready to be sent.
type Submission struct {
	Request v1alpha1.Request
	Body    []byte
	Class   carrier.RepeatClass
	Consume func() // marks the control annotations that this attempt uses up

	FinalizerFirst bool // whether a Query leaves something behind, so that the finalizer is added before it is sent
}

// Subject is an object that has requests.
type Subject interface {
	client.Object
	Record() v1alpha1.Record
}

// Carrier provides the calls to the carrier for one account.
type Carrier interface {
	Prepare(ctx context.Context, class carrier.RepeatClass) (time.Duration, error)
	Submit(ctx context.Context, op carrier.Operation, version int, body []byte) carrier.Receipt
	Poll(ctx context.Context, handle carrier.Handle) (carrier.Outcome, error)
	// Took notes that a request had not ended so long after it was submitted, and had ended later.
	Took(op carrier.Operation, before, after time.Duration)
	// Settled notes that the outcome of a request of the object, which was not known, is known by now.
	Settled(op carrier.Operation)
	PlainReads
}

// PlainReads are the reads that need no POST, only a GET.
type PlainReads interface {
	Cancellation(ctx context.Context, serviceID int64) (carrier.Cancellation, error)
	Disruptions(ctx context.Context, serviceID int64, page int) (found []carrier.Disruption, last bool, err error)
	TestTypes(ctx context.Context, serviceID int64) ([]string, error)
	Service(ctx context.Context, serviceID int64, version int) (carrier.Service, error)
	Order(ctx context.Context, orderID int64) (carrier.Order, error)
}

// Policies are the admission policies that decide who may approve.
type Policies interface {
	// Verify fails if they were not in force when they were last read, or not those that the decision
	// was based on.
	Verify(ctx context.Context, judged decide.Policies) error
	// VerifyLive is Verify, and reads the policy of approvals again.
	VerifyLive(ctx context.Context, judged decide.Policies) error
}

// Finish handles the carrier's result of a request. The request counts as succeeded unless Finish
// changes its phase.
type Finish func(request *v1alpha1.Request, body []byte)

func attempt(subject Subject, attemptID string) *v1alpha1.Request {
	for contract := range carrier.Contracts() {
		request := subject.Record().RequestOf(v1alpha1.Operation(contract.Operation))
		if request != nil && request.AttemptID == attemptID {
			return request
		}
	}
	return nil
}
