// SPDX-License-Identifier: Apache-2.0

// Package operate performs one Step at a time by the submission protocol. It is the only code that
// touches the carrier and the cluster together.
//
// Calls to the carrier cost money and have no idempotency key. A request that changes something
// therefore has these effects, in this order. Each of them can fail, be delayed or be the last
// thing that the process does:
//
//	token, rate ─► reservation ─► intent ─► finalizer, gate ─► POST ─► outcome ─► GET … ─► end
//	     │              │           │              │             │        │
//	  nothing       above the    conflict:  failed or closed:  lost:   conflict: again,
//	  written      limit: wait   no POST         NotSent       class   same attempt id only
//
// Rules decide when each effect may happen, and who may change the result. The comments cite them
// by number, R1 to R33: see docs/design/rules.md.
//
// The comments of this package count the steps:
//
//	1 ready     wait for a token, the rate limit and the breaker's window
//	2 reserve   count a chargeable request against chargeLimit
//	3 intent    record the attempt as Submitting
//	4 gate      add the finalizer, if the kind has one, and check again, bypassing every cache,
//	            that the attempt may be sent
//	5 POST      one call, never repeated by the client
//	6 fact      turn the response into a phase
//	7 record    persist the phase and the Location
//	8 poll      read the Location until the request has ended
//
// State that must survive a crash is persisted before the POST: in the RequestLedger of a service,
// of an order, or of the diagnostic tests of a service, and in the status of an object of another
// kind. Services and orders get no finalizer, because their ledger outlives them. The in-memory
// state of this package (Memory) only saves calls and avoids false alarms.
package operate

import (
	"context"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/metrics"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Protocol runs requests of every kind through the submission protocol.
type Protocol struct {
	Cluster client.Client // writes, and reads from the cache
	Live    client.Reader // bypasses the cache
	Memory  *Memory
	Events  Recorder
	Now     func() time.Time
	Elapsed func() time.Duration // monotonic: unaffected by wall clock changes, stopped while the machine is suspended
	NewID   func() string

	Policies    Policies          // nil: something else checks approvals
	Submissions *Submissions      // those in progress
	Metrics     *metrics.Requests // nil: nothing is counted

	unrecorded unrecorded
	future     futureReservations
}

// Scope is one object in one pass.
type Scope struct {
	Subject   Subject
	Account   *v1alpha1.CarrierAccount // the version that the decision was based on
	Carrier   Carrier
	Refused   func(*v1alpha1.Request) // called when the carrier refused an attempt; nil: no call
	Finish    Finish                  // handles the response to a POST that is not polled; nil: no handling
	Spending  *Spending               // counts chargeable requests; nil: nothing is counted
	Ledger    *requestledger.Ledger   // records the attempts instead of the status; nil: the status records them
	Finalizer bool                    // whether to add the finalizer before sending, even with a Ledger
	Policies  decide.Policies         // the version that the decision was based on
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
	// Took notes that a request ended between these two durations after it was submitted.
	Took(op carrier.Operation, before, after time.Duration)
	// Settled notes that the outcome of a request of the object, unknown until now, is known.
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
	// Verify fails if the policies, when last read, were not in force, or were not the ones that the
	// decision was based on.
	Verify(ctx context.Context, judged decide.Policies) error
	// VerifyLive is like Verify, but first reads the policy of approvals again.
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

// Submissions counts the submissions of a process in progress: the request may reach the carrier,
// and its outcome is not recorded yet. A nil *Submissions counts nothing.
type Submissions struct {
	mu         sync.Mutex
	inProgress int
	none       chan struct{} // closed when none is in progress any more; nil: no caller waits for that
}

// begin counts a submission until end is called.
func (s *Submissions) begin() (end func()) {
	if s == nil {
		return func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inProgress++
	return s.end
}

func (s *Submissions) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inProgress--
	if s.inProgress == 0 && s.none != nil {
		close(s.none)
		s.none = nil
	}
}

// Await waits until no submission is in progress or ctx ends. Only one caller may wait at a time.
func (s *Submissions) Await(ctx context.Context) {
	s.mu.Lock()
	if s.inProgress == 0 {
		s.mu.Unlock()
		return
	}
	none := make(chan struct{})
	s.none = none
	s.mu.Unlock()
	select {
	case <-none:
	case <-ctx.Done():
	}
}
