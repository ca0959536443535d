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
// When each of them may happen, and who may change the result, is decided by rules that the comments
// cite by number, R1 to R33: see docs/design/rules.md.
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
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/controllers/internal/metrics"
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
