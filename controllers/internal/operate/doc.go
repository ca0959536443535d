// SPDX-License-Identifier: Apache-2.0

// Package operate performs one Step at a time by the submission protocol. It is the
// only code that touches the carrier and the cluster together.
//
// The carrier's API spends money and has no idempotency key. So a request that
// changes something goes through these effects, in this order, and any of them may
// fail, be delayed or be the last thing that the process does:
//
//	token, rate ─► intent (status) ─► finalizer ─► gate ─► POST ─► outcome (status) ─► GET … ─► end (status)
//	     │              │                 │          │       │           │
//	  nothing        conflict:          failed or closed:  lost:     conflict: again,
//	  written        no POST                 NotSent       class     same attempt id only
//
// What must survive is in the status before the POST, and of an order in its RequestLedger, which has
// intent and outcome in the status' place and needs no finalizer. What this package keeps in memory
// (Memory) only spares calls and false alarms.
package operate
