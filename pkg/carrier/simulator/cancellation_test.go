package simulator_test

import (
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

func moveTo(service int64, day string) string {
	return body(`{"serviceId":%d,"cancellationDate":%q}`, service, day)
}

// altered checks the 204 of a reschedule or abort of the leaving service.
func (a answer) altered() {
	a.t.Helper()
	a.is(http.StatusNoContent)
	want := "http://" + a.host + cancellation(leaving)
	if got := a.header.Get("Location"); got != want || a.body != "" {
		a.t.Errorf("Location %q with body %q, want %q with none", got, a.body, want)
	}
}

// state is the visible state of a cancellation.
func (a answer) state() []any {
	a.t.Helper()
	return []any{
		a.find("status"), a.find("requestDate"), a.find("cancelled"),
		a.find("canRequestCancellation"), a.find("canAbortCancellation"), a.find("canRescheduleCancellation"),
	}
}

// TestReschedule moves a cancellation and lets it take effect (spec §3).
func TestReschedule(t *testing.T) {
	w := start(t)
	w.post(rescheduling, moveTo(leaving, "2026-11-25")).altered()
	w.get(cancellation(leaving)).is(http.StatusAccepted)
	w.wait(10 * time.Second)
	got := w.get(cancellation(leaving)).is(http.StatusOK)
	if diff := cmp.Diff([]any{"REQUESTED", "2026-11-25", false, false, true, true}, got.state()); diff != "" {
		t.Error(diff)
	}
	w.sim.Advance(5 * 24 * time.Hour)
	got = w.get(cancellation(leaving)).is(http.StatusOK)
	if diff := cmp.Diff([]any{"COMPLETED", "2026-11-25", true, false, false, false}, got.state()); diff != "" {
		t.Error(diff)
	}
	w.post(rescheduling, moveTo(leaving, "2026-12-25")).
		refusedWith(422, "validation", "constraints.service-cancellation.not.requested status")
	w.post(aborting, about(leaving)).
		refusedWith(422, "validation", "constraints.service-cancellation.not.requested status")
}

// TestRescheduleToday is allowed, and leaves a moment to change it again.
func TestRescheduleToday(t *testing.T) {
	w := start(t)
	w.post(rescheduling, moveTo(leaving, "2026-11-20")).altered()
	w.post(aborting, about(leaving)).altered()
}

// TestAbort aborts a cancellation (spec §3).
func TestAbort(t *testing.T) {
	w := start(t)
	if err := w.sim.SetCancellation(leaving, &simulator.Cancellation{
		Status: "IN_ERROR", RequestDate: "2026-12-24", ErrorDetail: "no",
	}); err != nil {
		t.Fatal(err)
	}
	w.post(aborting, about(leaving)).altered()
	w.wait(10 * time.Second)
	got := w.get(cancellation(leaving)).is(http.StatusOK)
	if diff := cmp.Diff([]any{"ABORTED", "2026-12-24", false, true, false, false}, got.state()); diff != "" {
		t.Error(diff)
	}
	if got.text("abortedOn") != "2026-11-20T10:00:00Z" || got.text("abortedByName") != "Ada" ||
		got.find("errorDetail") != nil {
		t.Error(got.body)
	}
	w.post(aborting, about(leaving)).
		refusedWith(422, "validation", "constraints.service-cancellation.not.requested status")
}

// TestCancellationsThatCannotBeAltered covers every other reason.
func TestCancellationsThatCannotBeAltered(t *testing.T) {
	w := start(t, func(s *simulator.Seed) { s.Services[5].NotCancellable = true })
	for _, day := range []string{`"2026-11-19"`, "null"} {
		w.post(rescheduling, body(`{"serviceId":%d,"cancellationDate":%s}`, leaving, day)).
			refusedWith(422, "method.argument.not.valid", "constraints.local.date.future.or.present cancellationDate")
	}
	w.post(rescheduling, moveTo(fttp, "2026-12-24")).
		refusedWith(422, "validation", "constraints.service-cancellation.not.requested status")
	w.post(aborting, about(copper)).
		refusedWith(422, "validation", "constraints.service.not.eligible.for.cancellation status")
	w.post(aborting, about(foreign)).refusedWith(404, "resource.not.found")
	for _, status := range []string{"IN_PROGRESS", "REJECTED"} {
		handed := &simulator.Cancellation{Status: status, RequestDate: "2026-12-24"}
		if err := w.sim.SetCancellation(leaving, handed); err != nil {
			t.Fatal(err)
		}
		w.post(aborting, about(leaving)).
			refusedWith(422, "validation", "constraints.service-cancellation.not.requested status")
	}
}

// TestAlterationThatFailsLater accepts an abort that then fails.
func TestAlterationThatFailsLater(t *testing.T) {
	w := start(t)
	w.arm("CancellationAbort", simulator.Fault{Kind: simulator.FaultEndInError})
	w.post(aborting, about(leaving)).altered()
	w.wait(10 * time.Second)
	w.get(cancellation(leaving)).
		refusedWith(422, "validation", "constraints.service.not.eligible.for.cancellation status")
}

// TestDatesAreTheCarriersOwn requests a day that is over in the carrier's time zone.
func TestDatesAreTheCarriersOwn(t *testing.T) {
	w := start(t, func(s *simulator.Seed) { s.TimeZone = "Australia/Sydney" })
	w.wait(4 * time.Hour) // 1 o'clock in the morning of the 21st in Sydney
	w.token = w.login("reseller")
	w.post(rescheduling, moveTo(leaving, "2026-11-20")).is(http.StatusUnprocessableEntity)
	w.post(rescheduling, moveTo(leaving, "2026-11-21")).altered()
}
