// SPDX-License-Identifier: Apache-2.0

// Package metrics has the operator's own metrics, one subject per file: what became of requests,
// what they cost, calls to the carrier, notifications, and the state of the objects at a scrape.
//
// All labels have values from bounded sets: names of operations, phases, reasons and events, and a
// few currencies. None is written by a user or by a stranger. Counters start at 0 for each of their
// label values, because a series that is missing until its first event would not trigger an alert
// for that event.
package metrics
