package simulator_test

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// arm arms a fault that exists.
func (h *harness) arm(target string, fault simulator.Fault) {
	h.t.Helper()
	if err := h.sim.FailNext(target, fault); err != nil {
		h.t.Fatal(err)
	}
}

// expectSubmissions checks how often the FTTP service's plan change was submitted.
func (h *harness) expectSubmissions(seen, processed int) {
	h.t.Helper()
	if got := h.sim.Submissions(simulator.OpPlanChange, fttp); got != (simulator.Count{Seen: seen, Processed: processed}) {
		h.t.Errorf("counted %+v, want %d seen and %d processed", got, seen, processed)
	}
}

// TestFaultsThatReplaceTheResponse arms each such fault before and after the call takes effect.
func TestFaultsThatReplaceTheResponse(t *testing.T) {
	cases := map[string]struct {
		fault    simulator.Fault
		status   int
		contains string
		header   [2]string
	}{
		"502 with the standard body": {
			simulator.Fault{Kind: simulator.FaultStatus, Status: 502}, 502, "remote.call.error", [2]string{},
		},
		"503 of a gateway": {
			simulator.Fault{Kind: simulator.FaultPage, Status: 503, RetryAfter: "120"},
			503, "<html>",
			[2]string{"Retry-After", "120"},
		},
		"429": {
			simulator.Fault{Kind: simulator.FaultStatus, Status: 429, RetryAfter: "7"},
			429, "too.many.requests",
			[2]string{"Retry-After", "7"},
		},
		"a redirect": {
			simulator.Fault{Kind: simulator.FaultRedirect}, 307, "", [2]string{"Location", planChange},
		},
		"a redirect elsewhere": {
			simulator.Fault{Kind: simulator.FaultRedirect, Status: 303, Location: "https://evil.example/"},
			303, "",
			[2]string{"Location", "https://evil.example/"},
		},
		"a body": {simulator.Fault{Kind: simulator.FaultBody, Status: 422, Body: "oops"}, 422, "oops", [2]string{}},
	}
	for name, c := range cases {
		for _, processed := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				h := start(t)
				c.fault.Processed = processed
				h.arm("PlanChange", c.fault)
				got := h.post(planChange, planChangeBody(fttp, "Fast", 1)).is(c.status)
				if !strings.Contains(got.body, c.contains) || got.header.Get(c.header[0]) != c.header[1] {
					t.Errorf("%s %v", got.body, got.header)
				}
				h.expectSubmissions(1, map[bool]int{true: 1}[processed])
			})
		}
	}
}

// TestFaultsThatBreakTheConnection cuts the connection before and after the call takes effect.
func TestFaultsThatBreakTheConnection(t *testing.T) {
	for _, processed := range []bool{false, true} {
		h := start(t)
		h.arm("POST PlanChange", simulator.Fault{Kind: simulator.FaultReset, Processed: processed})
		if got, err := h.trySend(http.MethodPost, planChange, planChangeBody(fttp, "Fast", 1), nil); err == nil {
			t.Errorf("got a response with status %d", got.status)
		}
		h.expectSubmissions(1, map[bool]int{true: 1}[processed])
	}
}

// TestFaultThatCutsTheResponse breaks a 200 in the middle of its body.
func TestFaultThatCutsTheResponse(t *testing.T) {
	h := start(t)
	outcome := h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.wait(10 * time.Second)
	h.arm("GET PlanChange", simulator.Fault{Kind: simulator.FaultCutBody})
	got, err := h.trySend(http.MethodGet, outcome, "", nil)
	if got.status != http.StatusOK || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d, %v", got.status, err)
	}
	h.get(outcome).is(http.StatusOK)
}

// TestCloseReleasesHangingCalls checks that Close releases a hanging call.
func TestCloseReleasesHangingCalls(t *testing.T) {
	h := start(t)
	h.arm("PlanChange", simulator.Fault{Kind: simulator.FaultHang, Processed: true})
	ended := make(chan error)
	go func() {
		_, err := h.trySend(http.MethodPost, planChange, planChangeBody(fttp, "Fast", 1), nil)
		ended <- err
	}()
	seen := func() int { return h.sim.Submissions(simulator.OpPlanChange, fttp).Seen }
	gomega.NewWithT(t).Eventually(seen).WithTimeout(time.Minute).Should(gomega.Equal(1))
	h.expectSubmissions(1, 1)
	h.sim.Close()
	if err := <-ended; err == nil {
		t.Error("the call got a response")
	}
}

// TestFaultsOfTheLocation omits the Location, and points it elsewhere.
func TestFaultsOfTheLocation(t *testing.T) {
	h := start(t)
	h.arm("PlanChange", simulator.Fault{Kind: simulator.FaultNoLocation})
	h.arm("PlanChange", simulator.Fault{Kind: simulator.FaultLocation, Location: "https://evil.example{path}?a=b"})
	if got := h.post(planChange, planChangeBody(fttp, "Fast", 1)).is(201); got.header.Get("Location") != "" {
		t.Error(got.header)
	}
	h.wait(10 * time.Second)
	got := h.post(planChange, planChangeBody(fttp, "Fast", 1)).is(201)
	location, err := url.Parse(got.header.Get("Location"))
	if err != nil || location.Host != "evil.example" || location.RawQuery != "a=b" {
		t.Errorf("Location %q", got.header.Get("Location"))
	}
	h.get(location.Path).is(http.StatusAccepted)
}

// TestFaultThatMakesARequestEndInError accepts a request that then fails.
func TestFaultThatMakesARequestEndInError(t *testing.T) {
	h := start(t)
	h.arm("PlanChange", simulator.Fault{Kind: simulator.FaultEndInError, Body: "no such thing"})
	outcome := h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.wait(10 * time.Second)
	h.get(outcome).refusedWith(422, "validation", "constraints.service.plan.change.status.in.error status")
}

// TestFaultsApplyOnceToTheirTarget checks targets, the restriction to a service, and that faults
// are consumed.
func TestFaultsApplyOnceToTheirTarget(t *testing.T) {
	h := start(t)
	failure := simulator.Fault{Kind: simulator.FaultStatus, Status: 500, ServiceID: fttp, Times: 2}
	h.arm("*", failure)
	h.post(health, serviceBody(copper)).created()
	h.post(health, serviceBody(fttp)).is(500)
	h.get(cancellation(fttp)).is(500)
	h.get(cancellation(fttp)).is(200)
	h.arm("GET PlanChange", simulator.Fault{Kind: simulator.FaultStatus, Status: 500})
	h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	if h.sim.Armed() != 1 {
		t.Errorf("%d faults are armed", h.sim.Armed())
	}
	h.sim.Disarm()
	if h.sim.Armed() != 0 {
		t.Error("a fault is still armed")
	}
}

// TestFaultsOfTheTokenEndpoint checks that the identity provider can fail as well.
func TestFaultsOfTheTokenEndpoint(t *testing.T) {
	h := start(t)
	h.arm("Token", simulator.Fault{Kind: simulator.FaultStatus, Status: 503, RetryAfter: "1"})
	h.arm("Token", simulator.Fault{Kind: simulator.FaultBody, Status: 200, Body: `{"expires_in":"300"}`})
	h.arm("Token", simulator.Fault{Kind: simulator.FaultReset})
	form := func() url.Values { return grant("reseller", h.sign(h.claims("reseller"))) }
	if got := h.exchange(form()).is(503); got.header.Get("Retry-After") != "1" {
		t.Error(got.header)
	}
	if got := h.exchange(form()).is(200); got.body != `{"expires_in":"300"}` {
		t.Error(got.body)
	}
	if _, err := h.trySend(http.MethodPost, tokenPath, "", nil); err == nil {
		t.Error("the call got a response")
	}
	h.exchange(form()).is(200)
}

// TestUnknownFaultsAreRefused checks that a misspelled fault is reported when it is armed.
func TestUnknownFaultsAreRefused(t *testing.T) {
	h := start(t)
	if h.sim.FailNext("PlanChanges", simulator.Fault{Kind: simulator.FaultReset}) == nil {
		t.Error("an unknown target was accepted")
	}
	if h.sim.FailNext("PlanChange", simulator.Fault{Kind: "reset"}) == nil {
		t.Error("an unknown fault was accepted")
	}
}
