// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// An abort cannot be undone, and somebody may have requested another cancellation while it waited.
func TestR7ACancellationIsAlteredOnlyOnAFreshReading(t *testing.T) {
	requested := endsOn(carrier.CancellationRequested, "2026-11-30")
	readAgo := func(long time.Duration) func(*services.Input) {
		return func(in *services.Input) {
			justRead(in)
			in.Memory.Readings.Cancellation.RequestedAt = in.Now.Add(-long)
		}
	}
	unreadable := func(class carrier.Class) func(*services.Input) {
		return func(in *services.Input) {
			readAgo(0)(in)
			reading := &in.Memory.Readings.Cancellation
			reading.State, reading.RetryAt = decide.ReadingFailed, in.Now.Add(time.Minute)
			reading.Err = &carrier.Error{Class: class}
		}
	}
	agreed := func(in *services.Input) {
		in.Service.Status.Carrier.Cancellation.Agreed, in.Service.Spec.DriftPolicy = "none", v1alpha1.DriftCorrect
	}
	asks, none, date := working("StartReading cancellation"), ending(""), ending("2026-12-31")
	cases{
		"an abort, read ten minutes ago":       {settled(none, requested, readAgo(10*time.Minute)), working("Submit")},
		"an abort, read before that":           {settled(none, requested, readAgo(10*time.Minute+1)), asks},
		"a reschedule, read ten minutes ago":   {settled(date, requested, readAgo(10*time.Minute)), working("Submit")},
		"a reschedule, read before that":       {settled(date, requested, readAgo(10*time.Minute+1)), asks},
		"an abort for drift, read before that": {settled(none, requested, agreed, readAgo(time.Hour)), asks},
		"it cannot be read: waits": {
			settled(none, requested, agreed, unreadable(carrier.ServerFault)),
			judged{"Rest", decide.Working, "CarrierUnavailable"},
		},
		"it is not shown: waits": {
			settled(none, requested, agreed, unreadable(carrier.NotFoundOrForbidden)),
			judged{"Rest", decide.Stuck, "NotFoundOrForbidden"},
		},
		"it is refused: waits": {
			settled(none, requested, agreed, unreadable(carrier.Refused)),
			judged{"Rest", decide.Working, "CarrierUnavailable"},
		},
		"one that waits for an approval": {
			settled(none, requested, readAgo(time.Hour), underApproval(v1alpha1.ApprovalAlways)),
			judged{"Rest", decide.Waiting, "AwaitingApproval"},
		},
	}.run(t)
}

// A reading that is not in the status, because it was written over or could not be written, shows that
// the status is not what the carrier has.
func TestR7ACancellationIsAlteredOnlyIfItIsTheOneThatWasRead(t *testing.T) {
	requested := endsOn(carrier.CancellationRequested, "2026-11-30")
	shown := carrier.Cancellation{
		Status: carrier.CancellationRequested, RequestDate: "2026-11-30", RequestedOn: "2026-02-01T00:00:00Z",
		CanAbort: true, CanReschedule: true,
	}
	read := func(edit func(*carrier.Cancellation)) func(*services.Input) {
		found := shown
		edit(&found)
		return func(in *services.Input) {
			justRead(in)
			in.Memory.Readings.Cancellation.Cancellation = found
		}
	}
	changing := func(inARow int) func(*services.Input) {
		inProgress := read(func(c *carrier.Cancellation) { c.InProgress = true })
		return func(in *services.Input) {
			inProgress(in)
			in.Memory.Readings.Cancellation.Modified = inARow
		}
	}
	same := read(func(*carrier.Cancellation) {})
	another := read(func(c *carrier.Cancellation) { c.RequestedOn = "2026-03-01T00:00:00Z" })
	moved := read(func(c *carrier.Cancellation) { c.RequestDate = "2026-10-31" })
	gone := read(func(c *carrier.Cancellation) { c.Status, c.CanAbort = carrier.CancellationAborted, false })
	asks, none, date := working("StartReading cancellation"), ending(""), ending("2026-12-31")
	always := underApproval(v1alpha1.ApprovalAlways)
	agreed := func(in *services.Input) {
		known := in.Service.Status.Carrier.Cancellation
		known.Agreed, in.Service.Spec.DriftPolicy = "none", v1alpha1.DriftCorrect
		if in.Service.Spec.Cancellation.Date != "" {
			known.Agreed = string(in.Service.Spec.Cancellation.Date)
		}
	}
	cases{
		"an abort of the one that was read":     {settled(none, requested, same), working("Submit")},
		"an abort, another was requested":       {settled(none, requested, another), asks},
		"an abort, it was moved":                {settled(none, requested, moved), asks},
		"an abort, it was aborted":              {settled(none, requested, gone), asks},
		"an approved abort, another requested":  {settled(none, requested, always, same, approvedAsShown, another), asks},
		"a reschedule of the one that was read": {settled(date, requested, same), working("Submit")},
		"a reschedule, another was requested":   {settled(date, requested, another), asks},
		"an abort, it is being changed":         {settled(none, requested, agreed, changing(1)), working("Rest")},
		"a reschedule, it is being changed":     {settled(date, requested, agreed, changing(3)), working("Rest")},
		"it is always shown as being changed":   {settled(none, requested, agreed, changing(4)), working("Submit")},
	}.run(t)
}
