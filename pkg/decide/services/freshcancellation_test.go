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
		"the last request has failed: sent": {
			settled(none, requested, agreed, unreadable(carrier.Refused)), working("Submit"),
		},
		"one that waits for an approval": {
			settled(none, requested, readAgo(time.Hour), underApproval(v1alpha1.ApprovalAlways)),
			judged{"Rest", decide.Waiting, "AwaitingApproval"},
		},
	}.run(t)
}
