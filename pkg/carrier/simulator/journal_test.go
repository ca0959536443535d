package simulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

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

// TestTheJournalLimitsTheLengthOfTexts sends large texts without a token. A caller without
// a token could otherwise fill the memory with them.
func TestTheJournalLimitsTheLengthOfTexts(t *testing.T) {
	h := start(t)
	large := strings.Repeat("x", 1<<19)
	for i := range 20 {
		stranger := header("Authorization", "")
		body := orderBody(map[string]any{"customerReference": fmt.Sprint(i, large)})
		h.serve(h.sim, orders, strings.NewReader(body), stranger)
		h.serve(h.sim, "/"+large[:32<<10], http.NoBody, stranger)
		h.serve(h.sim, health, strings.NewReader(`{"`+large+`":1}`), nil)
		claims := h.claims(large[:20<<10])
		h.exchange(grant("reseller", h.sign(claims)))
	}
	content, err := json.Marshal([]any{h.sim.Calls(), h.sim.Violations()})
	const each = 2 << 10
	if entries := len(h.sim.Calls()) + len(h.sim.Violations()); err != nil || len(content) > entries*each {
		t.Errorf("%d entries take %d bytes, %v", entries, len(content), err)
	}
	if got := h.sim.SubmissionsAbout(simulator.OpOrderCreate, fmt.Sprint(7, large)); got.Seen != 1 {
		t.Errorf("counted %+v", got)
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
