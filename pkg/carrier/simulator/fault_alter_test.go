package simulator_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// TestEveryResultCanBeAltered changes the HTTP status, the status text and a value in the result of
// each operation. While the request is in progress, nothing is changed.
func TestEveryResultCanBeAltered(t *testing.T) {
	for _, family := range asyncFamilies() {
		t.Run(family.name, func(t *testing.T) {
			h := start(t)
			h.arm("POST "+string(family.operation), simulator.Fault{
				Kind: simulator.FaultAlterResult, Status: 203, Header: map[string]string{"X-Gateway": "b"},
				Merge: json.RawMessage(`{"status":"Completed","nested":{"value":9007199254740993}}`),
			})
			outcome := h.atVersion(family.version, http.MethodPost, family.submit, family.accepted).created()
			if got := h.atVersion(family.version, http.MethodGet, outcome, "").is(202); got.header.Get("X-Gateway") != "" {
				t.Error("the response while the request is in progress was changed")
			}
			h.wait(10 * time.Second)
			for range 2 {
				got := h.atVersion(family.version, http.MethodGet, outcome, "").is(203)
				if got.text("status") != "Completed" || got.header.Get("X-Gateway") != "b" ||
					!strings.Contains(got.body, `{"value":9007199254740993}`) {
					t.Errorf("%v %s", got.header, got.body)
				}
				h.wait(10 * time.Second)
			}
			h.expectViolations()
		})
	}
}

// TestAResultIsAlteredForSomeReads shows a result as still in progress twice, and then as it is.
func TestAResultIsAlteredForSomeReads(t *testing.T) {
	h := start(t)
	h.arm("PlanChange", simulator.Fault{
		Kind: simulator.FaultAlterResult, Reads: 2, Merge: json.RawMessage(`{"status":"IN_PROGRESS"}`),
	})
	outcome := h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.wait(10 * time.Second)
	for _, want := range []string{"IN_PROGRESS", "IN_PROGRESS", "COMPLETED", "COMPLETED"} {
		if got := h.get(outcome).is(200).text("status"); got != want {
			t.Errorf("status %s, want %s", got, want)
		}
	}
}

// TestAnAlteredResultIsSaved checks that a restart keeps the alteration and how often it was read.
func TestAnAlteredResultIsSaved(t *testing.T) {
	h := start(t)
	h.arm("PlanChange", simulator.Fault{
		Kind: simulator.FaultAlterResult, Reads: 2, Merge: json.RawMessage(`{"plan":{"plan":"Fast (FTTP)"}}`),
	})
	outcome := h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.wait(10 * time.Second)
	h.get(outcome).is(200)
	h.restart()
	for _, want := range []string{"Fast (FTTP)", "Fast"} {
		if got := h.get(outcome).is(200).text("plan", "plan"); got != want {
			t.Errorf("plan %s, want %s", got, want)
		}
	}
}

// TestOtherResponsesCanBeAltered changes the responses that are no results: of an order, of a read,
// and of the identity provider.
func TestOtherResponsesCanBeAltered(t *testing.T) {
	h := start(t)
	h.arm("OrderCreate", simulator.Fault{
		Kind: simulator.FaultAlter, Merge: json.RawMessage(`{"planName":"Other","orderType":null}`),
	})
	if got := h.post(orders, orderBody(nil)).is(201); got.text("planName") != "Other" || got.json()["orderType"] != nil {
		t.Error(got.body)
	}
	h.arm("CancellationRead", simulator.Fault{Kind: simulator.FaultAlter, Status: 410, Body: "gone"})
	if got := h.get(cancellation(fttp)).is(410); got.body != "gone" {
		t.Error(got.body)
	}
	h.arm("Token", simulator.Fault{Kind: simulator.FaultAlter, Merge: json.RawMessage(`{"expires_in":"300"}`)})
	if got := h.exchange(grant("reseller", h.sign(h.claims("reseller")))).is(200); got.text("expires_in") != "300" {
		t.Error(got.body)
	}
	h.expectSubmissions(0, 0)
}

// TestAGatewayRespondsForTheCarrier replaces the response of a POST that took effect with a page of a
// gateway, with and without the carrier's Location.
func TestAGatewayRespondsForTheCarrier(t *testing.T) {
	for _, status := range []int{400, 403, 404, 405, 406, 413, 502, 503} {
		for _, location := range []string{"", "{path}"} {
			h := start(t)
			h.arm("PlanChange", simulator.Fault{
				Kind: simulator.FaultPage, Status: status, Processed: true, Location: location,
				Header: map[string]string{"Server": "gateway"},
			})
			got := h.post(planChange, planChangeBody(fttp, "Fast", 1)).is(status)
			if got.header.Get("Content-Type") != "text/html" || got.header.Get("Server") != "gateway" {
				t.Errorf("%d: %v", status, got.header)
			}
			if sent := got.header.Get("Location"); (sent != "") != (location != "") {
				t.Errorf("%d: Location %q", status, sent)
			} else if sent != "" {
				h.get(sent).is(202)
			}
			h.expectSubmissions(1, 1)
		}
	}
}

// TestLocationsInOtherForms has the forms that a carrier or a gateway may send.
func TestLocationsInOtherForms(t *testing.T) {
	h := start(t)
	for _, form := range []string{"../plan-changes/{end}", "./{end}", "{path};v=1", "/connect{path}?a=b", "{id}"} {
		h.arm("PlanChange", simulator.Fault{Kind: simulator.FaultLocation, Location: form})
		sent := h.post(planChange, planChangeBody(fttp, "Fast", 1)).is(201).header.Get("Location")
		made := h.sim.Calls()[len(h.sim.Calls())-1].RequestID
		path := planChange + "s/" + made
		want := strings.NewReplacer("{path}", path, "{end}", "requests/"+made, "{id}", made).Replace(form)
		if sent != want {
			t.Errorf("Location %q, want %q", sent, want)
		}
		h.wait(10 * time.Second)
	}
}

// TestAGatewayDoublesAPost checks what the second delivery gets, and how often the call took effect.
func TestAGatewayDoublesAPost(t *testing.T) {
	double := simulator.Fault{Kind: simulator.FaultDouble}
	h := start(t)
	h.arm("PlanChange", double)
	h.post(planChange, planChangeBody(fttp, "Fast", 1)).
		refusedWith(422, "validation", "constraints.service.modification.request.in.progress serviceId")
	h.expectSubmissions(1, 1)
	refused := h.sim.Calls()[len(h.sim.Calls())-1]
	if !refused.Accepted || refused.Duplicated || refused.RequestID == "" || len(refused.Codes) != 1 {
		t.Errorf("%+v", refused)
	}

	h.arm("OrderCreate", double)
	h.post(orders, orderBody(nil)).is(201)
	h.arm("Health", double)
	outcome := h.post(health, serviceBody(fttp)).created()
	h.get(outcome).is(202)
	twice := simulator.Count{Seen: 1, Processed: 1, Duplicated: 1}
	if got := h.sim.SubmissionsAbout(simulator.OpHealth, ""); got != twice {
		t.Errorf("%+v", got)
	}

	h.arm("Reclaim", double)
	h.post(reclaims, serviceBody(fttp)).is(422)
	if got := h.sim.SubmissionsAbout(simulator.OpReclaim, ""); got.Processed != 0 {
		t.Errorf("%+v", got)
	}
}

// TestFaultsThatCannotOccurAreRefused checks what is reported when a fault is armed.
func TestFaultsThatCannotOccurAreRefused(t *testing.T) {
	h := start(t)
	altered := simulator.Fault{Kind: simulator.FaultAlterResult}
	for _, target := range []string{"GET PlanChange", "OrderCreate", "CancellationRead", "Token"} {
		if err := h.sim.FailNext(target, altered); err == nil || !strings.Contains(err.Error(), "use Alter") {
			t.Errorf("%s: %v", target, err)
		}
	}
	if h.sim.FailNext("*", altered) != nil {
		t.Error("any call may be one with a result")
	}
	if h.sim.FailNext("PlanChange", simulator.Fault{Kind: simulator.FaultAlter, Merge: json.RawMessage("{")}) == nil {
		t.Error("a patch that is not JSON was accepted")
	}
}

// TestAlterationsOverHTTP arms them as the management interface does, and shows them.
func TestAlterationsOverHTTP(t *testing.T) {
	h := start(t)
	h.manage(http.MethodPost, "/_sim/faults", `{"target":"PlanChange","kind":"AlterResult",
		"merge":{"plan":{"plan":"FAST"}},"reads":1,"header":{"Server":"gateway"}}`).is(http.StatusNoContent)
	if shown := h.manage(http.MethodGet, "/_sim/overview", "").is(200); !strings.Contains(shown.body, `"FAST"`) {
		t.Error(shown.body)
	}
	outcome := h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.wait(10 * time.Second)
	if got := h.get(outcome).is(200); got.text("plan", "plan") != "FAST" || got.header.Get("Server") != "gateway" {
		t.Error(got.body)
	}
}
