package simulator_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// TestJournalTellsWhatHappened compares the journal of a few calls, entry by entry.
func TestJournalTellsWhatHappened(t *testing.T) {
	w := start(t)
	outcome := w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	w.at("6", http.MethodGet, outcome, "").is(http.StatusAccepted)
	w.post(planChange, changeTo(fttp, "None", 1)).is(http.StatusUnprocessableEntity)
	id := outcome[strings.LastIndex(outcome, "/")+1:]
	common := simulator.Call{Time: w.clock(), Operation: simulator.OpPlanChange, Client: "reseller", ServiceID: fttp}
	submitted, followed, refused := common, common, common
	submitted.Method, submitted.Path, submitted.Version, submitted.Status = "POST", planChange, 8, 201
	submitted.Subject, submitted.RequestID, submitted.Accepted = "1000001", id, true
	followed.Method, followed.Path, followed.Version, followed.Status, followed.RequestID = "GET", outcome, 6, 202, id
	refused.Method, refused.Path, refused.Version, refused.Status, refused.Subject = "POST", planChange, 8, 422, "1000001"
	refused.Codes = []string{"constraints.plan.change.plan.name.invalid"}
	calls := w.sim.Calls()
	if login := calls[0]; login.Operation != simulator.OpToken || login.JTI == "" || !login.Accepted {
		t.Errorf("login %+v", login)
	}
	if diff := cmp.Diff([]simulator.Call{submitted, followed, refused}, calls[1:]); diff != "" {
		t.Error(diff)
	}
}

// TestJournalKeepsTheNewest checks that the journal is bounded.
func TestJournalKeepsTheNewest(t *testing.T) {
	w := start(t)
	w.sim = simulator.New(simulator.Options{Seed: seed(), Now: w.clock, JournalLimit: 3})
	w.server.Config.Handler = w.sim.Handler()
	for _, path := range []string{"/a", "/b", "/c", "/d"} {
		w.get(path)
	}
	calls := w.sim.Calls()
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
	w := start(t)
	outcome := w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	w.sim.Forget()
	w.get(outcome).refusedWith(http.StatusNotFound, "resource.not.found")
	w.post(planChange, changeTo(fttp, "Basic", 1)).is(http.StatusUnprocessableEntity)
	w.wait(10 * time.Second)
	if service, _ := w.sim.Service(fttp); service.Plan != "Fast" {
		t.Errorf("the plan is %s", service.Plan)
	}
}

// TestAdvanceMovesTheCarrierAlone checks that access tokens survive a jump of the carrier's
// clock.
func TestAdvanceMovesTheCarrierAlone(t *testing.T) {
	w := start(t)
	outcome := w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	w.sim.Advance(time.Hour)
	w.get(outcome).is(http.StatusOK) // and the token has not expired
}

// TestSetPlanDuringAChangeIsOverriddenByIt changes a plan by hand while a request is in progress.
func TestSetPlanDuringAChangeIsOverriddenByIt(t *testing.T) {
	w := start(t)
	w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	if err := w.sim.SetPlan(fttp, "Doomed"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Doomed", "Fast"} {
		if service, _ := w.sim.Service(fttp); service.Plan != want {
			t.Errorf("the plan is %s, want %s", service.Plan, want)
		}
		w.wait(10 * time.Second)
	}
	if w.sim.SetPlan(42, "Fast") == nil {
		t.Error("a service that does not exist was changed")
	}
}

// TestServicesComeAndGo adds a service and removes it again.
func TestServicesComeAndGo(t *testing.T) {
	w := start(t)
	if err := w.sim.AddService(simulator.Service{ID: 42, Client: "reseller", Plan: "Fast"}); err != nil {
		t.Fatal(err)
	}
	outcome := w.post(health, about(42)).created()
	w.wait(10 * time.Second)
	w.get(outcome).is(http.StatusOK)
	w.sim.RemoveService(42)
	w.get(outcome).is(http.StatusNotFound)
	w.post(health, about(42)).is(http.StatusNotFound)
	if w.sim.AddService(simulator.Service{ID: 42, Client: "nobody"}) == nil {
		t.Error("a service of nobody was added")
	}
}

// TestQualificationsCome refuses qualifications that no order could use. The operator's order
// scenarios use the others.
func TestQualificationsCome(t *testing.T) {
	w := start(t)
	site := simulator.Qualification{QualificationSearchID: "SQ", Client: "reseller", LocationID: "LOC000000000101"}
	if err := w.sim.AddQualification(site); err != nil {
		t.Error(err)
	}
	nobodys, nowhere := site, site
	nobodys.Client, nowhere.LocationID = "nobody", "LOC1"
	for _, bad := range []simulator.Qualification{nobodys, nowhere} {
		if w.sim.AddQualification(bad) == nil {
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
		w := start(t, func(s *simulator.Seed) { s.Location, s.FirstRequestID = c.form, 1 })
		for _, want := range c.wants {
			if got := w.post(health, about(fttp)).header.Get("Location"); !strings.HasPrefix(got, want) {
				t.Errorf("%s: Location %q", c.form, got)
			}
		}
	}
}

// TestRepliesCarryUnknownFieldsUnlessExact checks the field that no client knows.
func TestRepliesCarryUnknownFieldsUnlessExact(t *testing.T) {
	w := start(t, func(s *simulator.Seed) { s.ExactReplies = false })
	if got := w.get(cancellation(fttp)); !strings.Contains(got.body, "_undocumented") || got.json() == nil {
		t.Error(got.body)
	}
}

// TestIdsAreLargeAndJump checks that IDs do not fit a float64 and cannot be guessed from one
// another.
func TestIdsAreLargeAndJump(t *testing.T) {
	w := start(t)
	first, second := w.post(health, about(fttp)).created(), w.post(health, about(fttp)).created()
	if !strings.HasSuffix(first, "/9007199254740993") || strings.HasSuffix(second, "/9007199254740994") {
		t.Errorf("%s, %s", first, second)
	}
}

// TestObserverMayCallTheSimulator checks that the observer is called outside the lock, after the
// journal.
func TestObserverMayCallTheSimulator(t *testing.T) {
	w := start(t)
	var seen int
	w.sim = simulator.New(simulator.Options{Seed: seed(), Now: w.clock, Observe: func(simulator.Call) {
		seen = len(w.sim.Calls())
	}})
	w.server.Config.Handler = w.sim.Handler()
	w.get("/a")
	if seen != 1 {
		t.Errorf("the observer saw %d calls", seen)
	}
}

// TestCancellationRead reads a service without a cancellation, one before its date and one after.
func TestCancellationRead(t *testing.T) {
	w := start(t)
	none := map[string]any{
		"serviceId": "", "cancelled": false, "status": nil, "requestDate": nil, "requestedOn": nil, "requestedById": nil,
		"requestedByName": nil, "requestedByEmail": nil, "errorDetail": nil, "cancelledOn": nil, "abortedOn": nil,
		"abortedById": nil, "abortedByName": nil, "abortedByEmail": nil, "canRequestCancellation": true,
		"canAbortCancellation": false, "canRescheduleCancellation": false,
	}
	got := w.get(cancellation(fttp)).is(http.StatusOK).json()
	got["serviceId"] = ""
	if diff := cmp.Diff(none, got); diff != "" {
		t.Error(diff)
	}
	got = w.get(cancellation(leaving)).is(http.StatusOK).json()
	if got["status"] != "REQUESTED" || got["requestDate"] != "2026-12-24" || got["canAbortCancellation"] != true {
		t.Errorf("%v", got)
	}
	w.sim.Advance(34 * 24 * time.Hour) // 24 December, 10:00
	got = w.get(cancellation(leaving)).is(http.StatusOK).json()
	if got["status"] != "COMPLETED" || got["cancelled"] != true || got["cancelledOn"] != "2026-12-24T00:00:00Z" ||
		got["canAbortCancellation"] != false || got["canRequestCancellation"] != false {
		t.Errorf("%v", got)
	}
	w.post(planChange, changeTo(leaving, "Fast", 1)).
		refusedWith(http.StatusUnprocessableEntity, "validation", "constraints.service.not.active serviceId")
}
