// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/internal/decidetest"
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

// The carrier answers the read of a cancellation with the error of the last request to alter it, if
// that has failed. What comes next is sent on what is known, because no other answer will come.
func TestACancellationIsAlteredAgainAfterAFailure(t *testing.T) {
	requested := endsOn(carrier.CancellationRequested, "2026-11-30")
	failed := func(before int64) func(*services.Input) {
		return rescheduling(v1alpha1.PhaseFailed, func(r *v1alpha1.Request) { r.Generation -= before })
	}
	refused := func(class carrier.Class) func(*services.Input) {
		return func(in *services.Input) {
			in.Memory.Readings.Cancellation = decide.Reading{
				State: decide.ReadingFailed, Generation: in.Service.Generation, RequestedAt: in.Now,
				RetryAt: in.Now.Add(time.Minute), Err: &carrier.Error{Class: class},
			}
		}
	}
	ofGeneration := func(generation int64) func(*services.Input) {
		return func(in *services.Input) { in.Memory.Readings.Cancellation.Generation = generation }
	}
	before := func(in *services.Input) {
		in.Memory.Readings.Cancellation.RequestedAt = decidetest.Start().Add(-time.Second)
	}
	again, corrected := ending("2026-12-31"), ending("2026-10-31")
	submit, reads := working("Submit"), working("StartReading cancellation")
	waits := judged{"Rest", decide.Working, "CarrierUnavailable"}
	heldBack, done := judged{"Rest", decide.Stuck, "CarrierRejected"}, rescheduling(v1alpha1.PhaseSucceeded)
	error422 := refused(carrier.Refused)
	cases{
		"the same date is held back":       {settled(again, requested, failed(0), error422), heldBack},
		"a corrected date":                 {settled(corrected, requested, failed(1), error422), submit},
		"an abort instead":                 {settled(ending(""), requested, failed(1), error422), submit},
		"it was read before the edit":      {settled(corrected, requested, failed(1), error422, ofGeneration(2)), waits},
		"it was read before the failure":   {settled(corrected, requested, failed(1), error422, before), waits},
		"it is not shown":                  {settled(corrected, requested, failed(1), refused(carrier.ServerFault)), waits},
		"nothing of ours has failed":       {settled(corrected, requested, error422), waits},
		"it was never read since the edit": {settled(corrected, requested, failed(1), neverRead), reads},
		"ours was carried out after all":   {settled(corrected, requested, done, error422), waits},
	}.run(t)
}
