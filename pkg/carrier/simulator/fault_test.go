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
func (w *world) arm(target string, fault simulator.Fault) {
	w.t.Helper()
	if err := w.sim.FailNext(target, fault); err != nil {
		w.t.Fatal(err)
	}
}

// counted checks how often the FTTP service's plan change was submitted.
func (w *world) counted(seen, processed int) {
	w.t.Helper()
	if got := w.sim.Submissions(simulator.OpPlanChange, fttp); got != (simulator.Count{Seen: seen, Processed: processed}) {
		w.t.Errorf("counted %+v, want %d seen and %d processed", got, seen, processed)
	}
}

// TestFaultsThatAnswerSomethingElse arms each such fault before and after the call takes effect.
func TestFaultsThatAnswerSomethingElse(t *testing.T) {
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
				w := start(t)
				c.fault.Processed = processed
				w.arm("PlanChange", c.fault)
				got := w.post(planChange, changeTo(fttp, "Fast", 1)).is(c.status)
				if !strings.Contains(got.body, c.contains) || got.header.Get(c.header[0]) != c.header[1] {
					t.Errorf("%s %v", got.body, got.header)
				}
				w.counted(1, map[bool]int{true: 1}[processed])
			})
		}
	}
}

// TestFaultsThatBreakTheConnection cuts the connection before and after the call takes effect.
func TestFaultsThatBreakTheConnection(t *testing.T) {
	for _, processed := range []bool{false, true} {
		w := start(t)
		w.arm("POST PlanChange", simulator.Fault{Kind: simulator.FaultReset, Processed: processed})
		if got, err := w.try(http.MethodPost, planChange, changeTo(fttp, "Fast", 1), nil); err == nil {
			t.Errorf("answered %d", got.status)
		}
		w.counted(1, map[bool]int{true: 1}[processed])
	}
}

// TestFaultThatCutsTheAnswer breaks a 200 in the middle of its body.
func TestFaultThatCutsTheAnswer(t *testing.T) {
	w := start(t)
	outcome := w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	w.wait(10 * time.Second)
	w.arm("GET PlanChange", simulator.Fault{Kind: simulator.FaultCutBody})
	got, err := w.try(http.MethodGet, outcome, "", nil)
	if got.status != http.StatusOK || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d, %v", got.status, err)
	}
	w.get(outcome).is(http.StatusOK)
}

// TestFaultThatHangsUntilItIsReleased checks that Close releases a hanging call.
func TestFaultThatHangsUntilItIsReleased(t *testing.T) {
	w := start(t)
	w.arm("PlanChange", simulator.Fault{Kind: simulator.FaultHang, Processed: true})
	ended := make(chan error)
	go func() {
		_, err := w.try(http.MethodPost, planChange, changeTo(fttp, "Fast", 1), nil)
		ended <- err
	}()
	seen := func() int { return w.sim.Submissions(simulator.OpPlanChange, fttp).Seen }
	gomega.NewWithT(t).Eventually(seen).WithTimeout(time.Minute).Should(gomega.Equal(1))
	w.counted(1, 1)
	w.sim.Close()
	if err := <-ended; err == nil {
		t.Error("the call was answered")
	}
}

// TestFaultsOfTheLocation omits the Location, and points it elsewhere.
func TestFaultsOfTheLocation(t *testing.T) {
	w := start(t)
	w.arm("PlanChange", simulator.Fault{Kind: simulator.FaultNoLocation})
	w.arm("PlanChange", simulator.Fault{Kind: simulator.FaultLocation, Location: "https://evil.example{path}?a=b"})
	if got := w.post(planChange, changeTo(fttp, "Fast", 1)).is(201); got.header.Get("Location") != "" {
		t.Error(got.header)
	}
	w.wait(10 * time.Second)
	got := w.post(planChange, changeTo(fttp, "Fast", 1)).is(201)
	location, err := url.Parse(got.header.Get("Location"))
	if err != nil || location.Host != "evil.example" || location.RawQuery != "a=b" {
		t.Errorf("Location %q", got.header.Get("Location"))
	}
	w.get(location.Path).is(http.StatusAccepted)
}

// TestFaultThatLetsARequestEndInError accepts a request that then fails.
func TestFaultThatLetsARequestEndInError(t *testing.T) {
	w := start(t)
	w.arm("PlanChange", simulator.Fault{Kind: simulator.FaultEndInError, Body: "no such thing"})
	outcome := w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	w.wait(10 * time.Second)
	w.get(outcome).refusedWith(422, "validation", "constraints.service.plan.change.status.in.error status")
}

// TestFaultsStrikeTheirTargetOnce checks targets, the restriction to a service, and that faults are
// consumed.
func TestFaultsStrikeTheirTargetOnce(t *testing.T) {
	w := start(t)
	failure := simulator.Fault{Kind: simulator.FaultStatus, Status: 500, ServiceID: fttp, Times: 2}
	w.arm("*", failure)
	w.post(health, about(copper)).created()
	w.post(health, about(fttp)).is(500)
	w.get(cancellation(fttp)).is(500)
	w.get(cancellation(fttp)).is(200)
	w.arm("GET PlanChange", simulator.Fault{Kind: simulator.FaultStatus, Status: 500})
	w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	if w.sim.Armed() != 1 {
		t.Errorf("%d faults are armed", w.sim.Armed())
	}
	w.sim.Disarm()
	if w.sim.Armed() != 0 {
		t.Error("a fault is still armed")
	}
}

// TestFaultsOfTheTokenEndpoint checks that the identity provider can fail as well.
func TestFaultsOfTheTokenEndpoint(t *testing.T) {
	w := start(t)
	w.arm("Token", simulator.Fault{Kind: simulator.FaultStatus, Status: 503, RetryAfter: "1"})
	w.arm("Token", simulator.Fault{Kind: simulator.FaultBody, Status: 200, Body: `{"expires_in":"300"}`})
	w.arm("Token", simulator.Fault{Kind: simulator.FaultReset})
	form := func() url.Values { return grant("reseller", w.sign(w.claims("reseller"))) }
	if got := w.exchange(form()).is(503); got.header.Get("Retry-After") != "1" {
		t.Error(got.header)
	}
	if got := w.exchange(form()).is(200); got.body != `{"expires_in":"300"}` {
		t.Error(got.body)
	}
	if _, err := w.try(http.MethodPost, tokenPath, "", nil); err == nil {
		t.Error("the call was answered")
	}
	w.exchange(form()).is(200)
}

// TestFaultsThatDoNotExist checks that a misspelled fault is reported when it is armed.
func TestFaultsThatDoNotExist(t *testing.T) {
	w := start(t)
	if w.sim.FailNext("PlanChanges", simulator.Fault{Kind: simulator.FaultReset}) == nil {
		t.Error("an unknown target was taken")
	}
	if w.sim.FailNext("PlanChange", simulator.Fault{Kind: "reset"}) == nil {
		t.Error("an unknown fault was taken")
	}
}
