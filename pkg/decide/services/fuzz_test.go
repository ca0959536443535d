// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// FuzzService decides about random specs, statuses and readings. It expects no panic, always the
// same decision, no request while one in the same lane has not ended, and no success while there is
// work left.
func FuzzService(f *testing.F) {
	for _, view := range []services.Input{
		settled(), settled(wanting), settled(with(v1alpha1.PhaseSubmitting, lost)), settled(with(v1alpha1.PhaseInProgress)),
		settled(wanting, with(v1alpha1.PhaseOutcomeUnknown)), settled(wanting, with(v1alpha1.PhaseRejected)),
		settled(ending("2026-12-31"), endsOn("REQUESTED", "2026-11-30")), settled(ending(""), endsOn("REQUESTED", "x")),
		settled(ending("2026-12-31"), endsOn("REQUESTED", "2026-11-30"), rescheduling(v1alpha1.PhaseSubmitting, lost)),
		settled(wanting, approval(v1alpha1.ApprovalOnCost), quoted("45.00", "58.00")), settled(drifted),
		settled(with(v1alpha1.PhaseSubmitting, lost, profileRepeated(2))),
	} {
		spec, status := decidetest.Encoded(f, view.Service.Spec), decidetest.Encoded(f, view.Service.Status)
		f.Add(spec, status, "a-1=NotAccepted", "Slow", "REQUESTED", int64(60), uint8(0))
		f.Add(spec, status, "", "Slow", "REQUESTED", int64(1), uint8(0))    // just sent, and nothing read
		f.Add(spec, status, "", "Slow", "REQUESTED", int64(3600), uint8(0)) // sent an hour ago
		f.Add(spec, status, "", "Slow", "REQUESTED", int64(3600), uint8(8)) // and the service has just been read
	}
	f.Fuzz(func(t *testing.T, spec, status []byte, resolve, plan, cancellation string, seconds int64, flags uint8) {
		view := settled(annotated(v1alpha1.AnnotationResolve, resolve), at(time.Duration(seconds%1e6)*time.Second))
		view.Service.Spec, view.Service.Status = v1alpha1.BroadbandServiceSpec{}, v1alpha1.BroadbandServiceStatus{}
		if json.Unmarshal(spec, &view.Service.Spec) != nil || json.Unmarshal(status, &view.Service.Status) != nil {
			return
		}
		view.Memory.Attempts["a-1"] = decide.Attempt{
			FirstSeen: decidetest.Start(), LastPoll: decidetest.Start(), Posted: flags&1 != 0,
		}
		if flags&2 != 0 {
			read(plan, time.Duration(seconds%1e5)*time.Second)(&view)
		}
		if flags&4 != 0 {
			view.Memory.Readings.Cancellation = decide.Reading{
				State: decide.ReadingAnswered, RequestedAt: view.Now,
				Cancellation: carrier.Cancellation{
					Status: carrier.CancellationStatus(cancellation), RequestDate: plan, CanAbort: true,
				},
			}
		}
		if flags&8 != 0 {
			justRead(&view) // plan changes require this
			view.Memory.Readings.Health.RequestedAt = view.Now
		}
		services.UpdateState(&view)
		decision := services.Decide(view)
		if again := services.Decide(view); !cmp.Equal(decision, again) {
			t.Fatalf("two answers to one view:\n%s", cmp.Diff(decision, again))
		}
		check(t, view, decision)
	})
}

func check(t *testing.T, view services.Input, decision decide.Decision) {
	t.Helper()
	if submit, submits := decision.Step.(decide.Submit); submits {
		open := view.Service.OpenRequest()
		if submit.Request.Operation.AltersCancellation() {
			open = view.Service.OpenCancellation()
		}
		if open != nil {
			repeated(t, *open, submit.Request)
		}
	}
	if open := view.Service.OpenRequests(); decision.Verdict.State == decide.Settled && len(open) > 0 {
		t.Fatalf("settled while a request is %s", open[0].Phase)
	}
	if decision.Verdict.State == "" {
		t.Fatalf("a verdict without a state: %+v", decision.Verdict)
	}
	decidetest.AssertWorded(t, decision.Verdict.Reason, decision.Verdict.Message)
	for _, aspect := range decision.Aspects {
		decidetest.AssertWorded(t, aspect.Reason, aspect.Message)
	}
}

// repeated checks that a request sent while another has not ended is its declared repeat.
func repeated(t *testing.T, open, next v1alpha1.Request) {
	t.Helper()
	class := decide.ClassOf(open.Operation, open.Target)
	repeats := class == carrier.ClassConverge || class == carrier.ClassVerify
	declared := next.Repeats == open.Repeats+1 && next.Repeats <= 2
	if !repeats || !declared || next.Target != open.Target || next.Operation != open.Operation {
		t.Fatalf("%s %+v beside %s %+v", next.Operation, next.Target, open.Operation, open.Target)
	}
}
