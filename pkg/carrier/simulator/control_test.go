package simulator_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// TestJournalEntries compares the journal of a few calls, entry by entry.
func TestJournalEntries(t *testing.T) {
	h := start(t)
	outcome := h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.atVersion("6", http.MethodGet, outcome, "").is(http.StatusAccepted)
	h.post(planChange, planChangeBody(fttp, "None", 1)).is(http.StatusUnprocessableEntity)
	id := outcome[strings.LastIndex(outcome, "/")+1:]
	common := simulator.Call{Time: h.clock(), Operation: simulator.OpPlanChange, Client: "reseller", ServiceID: fttp}
	submitted, polled, refused := common, common, common
	submitted.Method, submitted.Path, submitted.Version, submitted.Status = "POST", planChange, 8, 201
	submitted.Subject, submitted.RequestID, submitted.Accepted = "1000001", id, true
	polled.Method, polled.Path, polled.Version, polled.Status, polled.RequestID = "GET", outcome, 6, 202, id
	refused.Method, refused.Path, refused.Version, refused.Status, refused.Subject = "POST", planChange, 8, 422, "1000001"
	refused.Codes = []string{"constraints.plan.change.plan.name.invalid"}
	calls := h.sim.Calls()
	if login := calls[0]; login.Operation != simulator.OpToken || login.JTI == "" || !login.Accepted {
		t.Errorf("login %+v", login)
	}
	if diff := cmp.Diff([]simulator.Call{submitted, polled, refused}, calls[1:]); diff != "" {
		t.Error(diff)
	}
}

// TestJournalKeepsTheNewestCalls checks that the journal is bounded.
func TestJournalKeepsTheNewestCalls(t *testing.T) {
	h := start(t)
	h.sim = simulator.New(simulator.Options{Seed: seed(), Now: h.clock, JournalLimit: 3})
	h.server.Config.Handler = h.sim.Handler()
	for _, path := range []string{"/a", "/b", "/c", "/d"} {
		h.get(path)
	}
	calls := h.sim.Calls()
	paths := make([]string, 0, len(calls))
	for _, call := range calls {
		paths = append(paths, call.Path)
	}
	if diff := cmp.Diff([]string{"/b", "/c", "/d"}, paths); diff != "" {
		t.Error(diff)
	}
}

// TestForgottenRequestsStillTakeEffect makes the carrier forget its requests during a plan change.
func TestForgottenRequestsStillTakeEffect(t *testing.T) {
	h := start(t)
	outcome := h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.sim.Forget()
	h.get(outcome).refusedWith(http.StatusNotFound, "resource.not.found")
	h.post(planChange, planChangeBody(fttp, "Basic", 1)).is(http.StatusUnprocessableEntity)
	h.wait(10 * time.Second)
	if service, _ := h.sim.Service(fttp); service.Plan != "Fast" {
		t.Errorf("the plan is %s", service.Plan)
	}
}

// TestAdvanceMovesOnlyTheCarriersClock checks that access tokens survive a jump of the carrier's
// clock.
func TestAdvanceMovesOnlyTheCarriersClock(t *testing.T) {
	h := start(t)
	outcome := h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.sim.Advance(time.Hour)
	h.get(outcome).is(http.StatusOK) // and the token has not expired
}

// TestAPlanChangeInProgressOverridesSetPlan changes a plan by hand while a request is in progress.
func TestAPlanChangeInProgressOverridesSetPlan(t *testing.T) {
	h := start(t)
	h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	if err := h.sim.SetPlan(fttp, "Doomed"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Doomed", "Fast"} {
		if service, _ := h.sim.Service(fttp); service.Plan != want {
			t.Errorf("the plan is %s, want %s", service.Plan, want)
		}
		h.wait(10 * time.Second)
	}
	if h.sim.SetPlan(42, "Fast") == nil {
		t.Error("a service that does not exist was changed")
	}
}

// TestServicesAreAddedAndRemoved adds a service and removes it again.
func TestServicesAreAddedAndRemoved(t *testing.T) {
	h := start(t)
	if err := h.sim.AddService(simulator.Service{ID: 42, Client: "reseller", Plan: "Fast"}); err != nil {
		t.Fatal(err)
	}
	outcome := h.post(health, serviceBody(42)).created()
	h.wait(10 * time.Second)
	h.get(outcome).is(http.StatusOK)
	h.sim.RemoveService(42)
	h.get(outcome).is(http.StatusNotFound)
	h.post(health, serviceBody(42)).is(http.StatusNotFound)
	if h.sim.AddService(simulator.Service{ID: 42, Client: "nobody"}) == nil {
		t.Error("a service of an unknown client was added")
	}
}

// TestQualificationsAreValidated refuses qualifications that no order could use. The operator's
// order scenarios use the others.
func TestQualificationsAreValidated(t *testing.T) {
	h := start(t)
	site := simulator.Qualification{QualificationSearchID: "SQ", Client: "reseller", LocationID: "LOC000000000101"}
	if err := h.sim.AddQualification(site); err != nil {
		t.Error(err)
	}
	nobodys, nowhere := site, site
	nobodys.Client, nowhere.LocationID = "nobody", "LOC1"
	for _, bad := range []simulator.Qualification{nobodys, nowhere} {
		if h.sim.AddQualification(bad) == nil {
			t.Errorf("%+v was added", bad)
		}
	}
}

// TestLocationForms checks the forms of the Location header that a seed can select.
func TestLocationForms(t *testing.T) {
	absolute, path := "http://127.0.0.1:", "/api/connect/services/health/requests/"
	forms := []struct {
		form  simulator.LocationForm
		wants []string
	}{
		{simulator.LocationAbsolute, []string{absolute, absolute}},
		{simulator.LocationPath, []string{path, path}},
		{simulator.LocationMixed, []string{absolute, path}},
	}
	for _, c := range forms {
		h := start(t, func(s *simulator.Seed) { s.Location, s.FirstRequestID = c.form, 1 })
		for _, want := range c.wants {
			if got := h.post(health, serviceBody(fttp)).header.Get("Location"); !strings.HasPrefix(got, want) {
				t.Errorf("%s: Location %q", c.form, got)
			}
		}
	}
}

// TestResponsesHaveAnUnknownFieldUnlessExact checks the field that no client knows.
func TestResponsesHaveAnUnknownFieldUnlessExact(t *testing.T) {
	h := start(t, func(s *simulator.Seed) { s.ExactReplies = false })
	if got := h.get(cancellation(fttp)); !strings.Contains(got.body, "_undocumented") || got.json() == nil {
		t.Error(got.body)
	}
}

// TestIDsAreLargeAndHaveGaps checks that IDs do not fit a float64 and cannot be guessed from one
// another.
func TestIDsAreLargeAndHaveGaps(t *testing.T) {
	h := start(t)
	first, second := h.post(health, serviceBody(fttp)).created(), h.post(health, serviceBody(fttp)).created()
	if !strings.HasSuffix(first, "/9007199254740993") || strings.HasSuffix(second, "/9007199254740994") {
		t.Errorf("%s, %s", first, second)
	}
}

// TestObserverMayCallTheSimulator checks that the observer is called outside the lock, after the
// journal.
func TestObserverMayCallTheSimulator(t *testing.T) {
	h := start(t)
	var seen int
	h.sim = simulator.New(simulator.Options{Seed: seed(), Now: h.clock, Observe: func(simulator.Call) {
		seen = len(h.sim.Calls())
	}})
	h.server.Config.Handler = h.sim.Handler()
	h.get("/a")
	if seen != 1 {
		t.Errorf("the observer saw %d calls", seen)
	}
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
	got = h.get(cancellation(cancelling)).is(http.StatusOK).json()
	if got["status"] != "REQUESTED" || got["requestDate"] != "2026-12-24" || got["canAbortCancellation"] != true {
		t.Errorf("%v", got)
	}
	h.sim.Advance(34 * 24 * time.Hour) // 24 December, 10:00
	got = h.get(cancellation(cancelling)).is(http.StatusOK).json()
	if got["status"] != "COMPLETED" || got["cancelled"] != true || got["cancelledOn"] != "2026-12-24T00:00:00Z" ||
		got["canAbortCancellation"] != false || got["canRequestCancellation"] != false {
		t.Errorf("%v", got)
	}
	h.post(planChange, planChangeBody(cancelling, "Fast", 1)).
		refusedWith(http.StatusUnprocessableEntity, "validation", "constraints.service.not.active serviceId")
}
