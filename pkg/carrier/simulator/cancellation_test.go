package simulator_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

const (
	rescheduling = "/api/connect/services/service-cancellations/requests/reschedule"
	aborting     = "/api/connect/services/service-cancellations/requests/abort"
)

func rescheduleBody(service int64, day string) string {
	return body(`{"serviceId":%d,"cancellationDate":%q}`, service, day)
}

func cancellation(service int64) string {
	return fmt.Sprintf("/api/connect/services/service-cancellations/requests/%d", service)
}

// TestCancellationRead reads a service without a cancellation, one before its date and one after.
func TestCancellationRead(t *testing.T) {
	h := start(t)
	none := map[string]any{
		"serviceId": "", "cancelled": false, "status": nil, "requestDate": nil, "requestedOn": nil, "requestedById": nil,
		"requestedByName": nil, "requestedByEmail": nil, "errorDetail": nil, "cancelledOn": nil, "abortedOn": nil,
		"abortedById": nil, "abortedByName": nil, "abortedByEmail": nil, "canRequestCancellation": true,
		"canAbortCancellation": false, "canRescheduleCancellation": false,
	}
	got := h.get(cancellation(fttp)).is(http.StatusOK).json()
	got["serviceId"] = ""
	if diff := cmp.Diff(none, got); diff != "" {
		t.Error(diff)
	}
	got = h.get(cancellation(cancelRequested)).is(http.StatusOK).json()
	if got["status"] != "REQUESTED" || got["requestDate"] != "2026-12-24" || got["canAbortCancellation"] != true {
		t.Errorf("%v", got)
	}
	h.sim.Advance(34 * 24 * time.Hour) // 24 December, 10:00
	got = h.get(cancellation(cancelRequested)).is(http.StatusOK).json()
	if got["status"] != "COMPLETED" || got["cancelled"] != true || got["cancelledOn"] != "2026-12-24T00:00:00Z" ||
		got["canAbortCancellation"] != false || got["canRequestCancellation"] != false {
		t.Errorf("%v", got)
	}
	h.post(planChange, planChangeBody(cancelRequested, "Fast", 1)).
		refusedWith(http.StatusUnprocessableEntity, "validation", "constraints.service.not.active serviceId")
}

// expectCancellationChanged checks the 204 of a reschedule or abort of the leaving service.
func (a response) expectCancellationChanged() {
	a.t.Helper()
	a.is(http.StatusNoContent)
	want := "http://" + a.host + cancellation(cancelRequested)
	if got := a.header.Get("Location"); got != want || a.body != "" {
		a.t.Errorf("Location %q with body %q, want %q with none", got, a.body, want)
	}
}

// cancellationState is the visible state of a cancellation.
func (a response) cancellationState() []any {
	a.t.Helper()
	return []any{
		a.find("status"), a.find("requestDate"), a.find("cancelled"),
		a.find("canRequestCancellation"), a.find("canAbortCancellation"), a.find("canRescheduleCancellation"),
	}
}

// TestReschedule moves a cancellation and lets it take effect (spec §3).
func TestReschedule(t *testing.T) {
	h := start(t)
	h.post(rescheduling, rescheduleBody(cancelRequested, "2026-11-25")).expectCancellationChanged()
	h.get(cancellation(cancelRequested)).is(http.StatusAccepted)
	h.wait(10 * time.Second)
	got := h.get(cancellation(cancelRequested)).is(http.StatusOK)
	if diff := cmp.Diff([]any{"REQUESTED", "2026-11-25", false, false, true, true}, got.cancellationState()); diff != "" {
		t.Error(diff)
	}
	h.sim.Advance(5 * 24 * time.Hour)
	got = h.get(cancellation(cancelRequested)).is(http.StatusOK)
	if diff := cmp.Diff([]any{"COMPLETED", "2026-11-25", true, false, false, false}, got.cancellationState()); diff != "" {
		t.Error(diff)
	}
	h.post(rescheduling, rescheduleBody(cancelRequested, "2026-12-25")).
		refusedWith(422, "validation", "constraints.service-cancellation.not.requested status")
	h.post(aborting, serviceBody(cancelRequested)).
		refusedWith(422, "validation", "constraints.service-cancellation.not.requested status")
}

// TestACancellationCanBeRescheduledToToday checks that the cancellation can still be changed
// afterwards.
func TestACancellationCanBeRescheduledToToday(t *testing.T) {
	h := start(t)
	h.post(rescheduling, rescheduleBody(cancelRequested, "2026-11-20")).expectCancellationChanged()
	h.post(aborting, serviceBody(cancelRequested)).expectCancellationChanged()
}

// TestAbort aborts a cancellation (spec §3).
func TestAbort(t *testing.T) {
	h := start(t)
	if err := h.sim.SetCancellation(cancelRequested, &simulator.Cancellation{
		Status: "IN_ERROR", RequestDate: "2026-12-24", ErrorDetail: "no",
	}); err != nil {
		t.Fatal(err)
	}
	h.post(aborting, serviceBody(cancelRequested)).expectCancellationChanged()
	h.wait(10 * time.Second)
	got := h.get(cancellation(cancelRequested)).is(http.StatusOK)
	if diff := cmp.Diff([]any{"ABORTED", "2026-12-24", false, true, false, false}, got.cancellationState()); diff != "" {
		t.Error(diff)
	}
	if got.text("abortedOn") != "2026-11-20T10:00:00Z" || got.text("abortedByName") != "Ada" ||
		got.find("errorDetail") != nil {
		t.Error(got.body)
	}
	h.post(aborting, serviceBody(cancelRequested)).
		refusedWith(422, "validation", "constraints.service-cancellation.not.requested status")
}

// TestCancellationsThatCannotBeChanged covers every reason for a refusal except that the
// cancellation is completed or aborted, which the tests above cover.
func TestCancellationsThatCannotBeChanged(t *testing.T) {
	h := start(t, func(s *simulator.Seed) { s.Services[5].NotCancellable = true })
	for _, day := range []string{`"2026-11-19"`, "null"} {
		h.post(rescheduling, body(`{"serviceId":%d,"cancellationDate":%s}`, cancelRequested, day)).
			refusedWith(422, "method.argument.not.valid", "constraints.local.date.future.or.present cancellationDate")
	}
	h.post(rescheduling, rescheduleBody(fttp, "2026-12-24")).
		refusedWith(422, "validation", "constraints.service-cancellation.not.requested status")
	h.post(aborting, serviceBody(copper)).
		refusedWith(422, "validation", "constraints.service.not.eligible.for.cancellation status")
	h.post(aborting, serviceBody(foreign)).refusedWith(404, "resource.not.found")
	for _, status := range []string{"IN_PROGRESS", "IN_ERROR_RETRY", "REJECTED"} {
		handed := &simulator.Cancellation{Status: status, RequestDate: "2026-12-24"}
		if err := h.sim.SetCancellation(cancelRequested, handed); err != nil {
			t.Fatal(err)
		}
		h.post(aborting, serviceBody(cancelRequested)).
			refusedWith(422, "validation", "constraints.service-cancellation.not.requested status")
	}
}

// TestAnAbortThatFailsLater accepts an abort that then fails.
func TestAnAbortThatFailsLater(t *testing.T) {
	h := start(t)
	h.arm("CancellationAbort", simulator.Fault{Kind: simulator.FaultEndInError})
	h.post(aborting, serviceBody(cancelRequested)).expectCancellationChanged()
	h.wait(10 * time.Second)
	h.get(cancellation(cancelRequested)).
		refusedWith(422, "validation", "constraints.service.not.eligible.for.cancellation status")
}

// TestChangesThatAlwaysFailLater accepts a reschedule that fails because of the seed, and leaves the
// date.
func TestChangesThatAlwaysFailLater(t *testing.T) {
	h := start(t, func(s *simulator.Seed) {
		s.Services[4].Outcomes = map[string]simulator.Outcome{"CancellationReschedule": simulator.OutcomeFails}
	})
	for _, day := range []string{"2026-11-25", "2026-11-26"} {
		h.post(rescheduling, rescheduleBody(cancelRequested, day)).expectCancellationChanged()
		if got := h.get(cancellation(cancelRequested)).is(http.StatusAccepted); got.find("requestDate") != day {
			t.Errorf("it shows %v before the change fails", got.find("requestDate"))
		}
	}
	h.wait(10 * time.Second)
	h.get(cancellation(cancelRequested)).
		refusedWith(422, "validation", "constraints.service.not.eligible.for.cancellation status")
	line, _ := h.sim.Service(cancelRequested)
	if calls := h.sim.Calls(); line.Cancellation.RequestDate != "2026-12-24" || !calls[len(calls)-3].EndsInError {
		t.Errorf("%+v after %+v", line.Cancellation, calls[len(calls)-3])
	}
}

// TestSlowCancellations reads a cancellation while it is moved, and after that.
func TestSlowCancellations(t *testing.T) {
	h := start(t, func(s *simulator.Seed) { s.SlowCancellations = true })
	for _, step := range []struct{ before, after string }{{"2026-12-24", "2026-11-25"}, {"2026-11-25", "2026-11-26"}} {
		h.post(rescheduling, rescheduleBody(cancelRequested, step.after)).expectCancellationChanged()
		if got := h.get(cancellation(cancelRequested)).is(http.StatusAccepted); got.find("requestDate") != step.before {
			t.Errorf("it shows %v before the change is complete", got.find("requestDate"))
		}
		h.restart(func(s *simulator.Seed) { s.SlowCancellations = true })
		if line, _ := h.sim.Service(cancelRequested); line.Cancellation.RequestDate != step.before {
			t.Errorf("it is %+v before the change is complete", line.Cancellation)
		}
		h.wait(10 * time.Second)
		if got := h.get(cancellation(cancelRequested)).is(http.StatusOK); got.find("requestDate") != step.after {
			t.Errorf("it shows %v after the change", got.find("requestDate"))
		}
	}
	h.arm("CancellationReschedule", simulator.Fault{Kind: simulator.FaultEndInError})
	h.post(rescheduling, rescheduleBody(cancelRequested, "2026-11-27")).expectCancellationChanged()
	if line, _ := h.sim.Service(cancelRequested); line.Cancellation.RequestDate != "2026-11-26" {
		t.Errorf("it is %+v while a change is in progress that will fail", line.Cancellation)
	}
}

// TestDatesAreInTheCarriersTimeZone requests a day that is over in the carrier's time zone.
func TestDatesAreInTheCarriersTimeZone(t *testing.T) {
	h := start(t, func(s *simulator.Seed) { s.TimeZone = "Australia/Sydney" })
	h.wait(4 * time.Hour) // 1 o'clock in the morning of the 21st in Sydney
	h.token = h.login("reseller")
	h.post(rescheduling, rescheduleBody(cancelRequested, "2026-11-20")).is(http.StatusUnprocessableEntity)
	h.post(rescheduling, rescheduleBody(cancelRequested, "2026-11-21")).expectCancellationChanged()
}
