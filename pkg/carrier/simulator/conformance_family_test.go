package simulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// asyncFamily describes an operation of the asynchronous pattern for the cases.
type asyncFamily struct {
	name      string
	operation simulator.Operation
	submit    string
	version   string
	accepted  string // a body that is accepted
	foreign   string // a body about another client's resource, empty if there is no such body
	refused   string // a body that is refused with 422
}

func asyncFamilies() []asyncFamily {
	return []asyncFamily{
		{
			"aggregation conversion", simulator.OpAggregationConversion, aggregation, "8",
			conversionBody(fttp), conversionBody(foreign), conversionBody(notTC4),
		},
		{
			"plan change", simulator.OpPlanChange, planChange, "8",
			planChangeBody(fttp, "Fast", 1), planChangeBody(foreign, "Fast", 1), planChangeBody(fttp, "None", 1),
		},
		{"plan options", simulator.OpPlanOptions, planOptions, "8", serviceBody(fttp), serviceBody(foreign), `{}`},
		{
			"DSL stability profile change", simulator.OpDSLStabilityProfileChange, profile, "8",
			profileBody(copper), profileBody(foreign), body(`{"serviceId":%d,"dslStabilityProfile":"Fast"}`, copper),
		},
		{
			"fibre build charge", simulator.OpFibreBuildCharge, fibre, "8",
			`{"locationId":"` + location + `"}`, "", `{"locationId":"LOC1"}`,
		},
		{
			"reclaim", simulator.OpReclaim, reclaims, "8",
			serviceBody(cancelledService), serviceBody(foreign), serviceBody(fttp),
		},
		{
			"appointment slots", simulator.OpAppointmentSlots, slots, "8",
			slotsBody(555), slotsBody(556), `{"orderId":555}`,
		},
		{
			"diagnostic test", simulator.OpDiagnosticTest, diagnostics, "8",
			diagnosticBody(fttp, "port-reset"), diagnosticBody(foreign, "port-reset"), diagnosticBody(fttp, "dance"),
		},
		{"health", simulator.OpHealth, health, "8", serviceBody(fttp), serviceBody(foreign), `{}`},
		{
			"health at version 5", simulator.OpHealth, health, "5",
			serviceBody(fttp), serviceBody(foreign), `{"serviceId":null}`,
		},
	}
}

func slotsBody(order int) string { return body(`{"orderId":%d,"dateFrom":"2026-12-04"}`, order) }

// familyCases run the same scenarios for every asynchronous operation.
func familyCases() []conformanceCase {
	return each(asyncFamilies(), func(f asyncFamily) []conformanceCase {
		return []conformanceCase{
			{name: f.name + " completes", run: f.completes},
			{name: f.name + " fails", run: f.fails},
			{name: f.name + " is refused", run: f.isRefused},
			{name: f.name + " of another client", run: f.ofAnotherClient},
			{name: f.name + " is not permitted", run: f.notPermitted, edits: []func(*simulator.Seed){
				func(s *simulator.Seed) { s.Clients[0].Denied = []simulator.Operation{f.operation} },
			}},
		}
	})
}

func (f asyncFamily) post(c *caseRun, content string) response {
	return c.atVersion(f.version, http.MethodPost, f.submit, content)
}

func (f asyncFamily) get(c *caseRun, path string) response {
	return c.atVersion(f.version, http.MethodGet, path, "")
}

func (f asyncFamily) completes(c *caseRun) {
	outcome := f.post(c, f.accepted).created()
	f.get(c, outcome).is(http.StatusAccepted)
	c.covers("§1 rule 3: 202 while in progress")
	c.wait(10 * time.Second)
	got := f.get(c, outcome).is(http.StatusOK)
	c.coversIf("§1 rule 3: 200 with the resource", got.body != "")
	c.coversIf("§1 rule 1: bodies are JSON",
		got.header.Get("Content-Type") == "application/json" && json.Valid([]byte(got.body)))
}

func (f asyncFamily) fails(c *caseRun) {
	c.arm("POST "+string(f.operation), simulator.Fault{Kind: simulator.FaultEndInError, Body: "it went wrong"})
	outcome := f.post(c, f.accepted).created()
	c.wait(10 * time.Second)
	f.get(c, outcome).is(http.StatusUnprocessableEntity)
	c.covers("§1 rule 3: 422 with the standard error body") // checked by checkError
}

func (f asyncFamily) isRefused(c *caseRun) { f.post(c, f.refused).is(http.StatusUnprocessableEntity) }

func (f asyncFamily) ofAnotherClient(c *caseRun) {
	outcome := f.post(c, f.accepted).created()
	if f.foreign != "" {
		f.post(c, f.foreign).is(http.StatusNotFound)
	}
	c.token = c.login("other")
	f.get(c, outcome).is(http.StatusNotFound)
	c.covers("§5 a service of another client is 404")
}

func (f asyncFamily) notPermitted(c *caseRun) {
	f.post(c, f.accepted).is(http.StatusNotFound)
	c.covers("§5 lack of permission is 404")
}

// statusCases produce the statuses that are the same for every endpoint: those for bad tokens,
// faults and IDs.
func statusCases() []conformanceCase {
	return slices.Concat(
		each(endpoints(), endpoint.tokenCases),
		each(endpoints(), endpoint.faultCases),
		each(endpoints(), endpoint.idCases),
	)
}

func (e endpoint) name() string { return e.method + " " + e.path }

func (e endpoint) tokenCases() []conformanceCase {
	if e.path == orders {
		return nil // spec §4 lists only the statuses 201 and 422 for it
	}
	return []conformanceCase{{name: e.name() + " with a bad token", run: e.badToken}}
}

func (e endpoint) faultCases() []conformanceCase {
	return each([]int{http.StatusInternalServerError, http.StatusBadGateway}, func(status int) []conformanceCase {
		if !slices.Contains(e.statuses, status) {
			return nil
		}
		return []conformanceCase{{name: fmt.Sprintf("%s, %d", e.name(), status), run: func(c *caseRun) {
			c.arm("*", simulator.Fault{Kind: simulator.FaultStatus, Status: status})
			e.call(c, "1").is(status)
		}}}
	})
}

func (e endpoint) idCases() []conformanceCase {
	var cases []conformanceCase
	if e.method == http.MethodGet {
		cases = append(cases, conformanceCase{name: e.name() + " of nothing", run: func(c *caseRun) {
			e.call(c, "1").is(http.StatusNotFound)
		}})
	}
	if slices.Contains(e.statuses, http.StatusBadRequest) {
		cases = append(cases, conformanceCase{name: e.name() + " by a text", run: func(c *caseRun) {
			e.call(c, "abc").refusedWith(http.StatusBadRequest, "method.argument.type.mismatch")
		}})
	}
	return cases
}

// call calls the endpoint with an ID in its path.
func (e endpoint) call(c *caseRun, id string) response {
	version := "8"
	if e.path == healthReadV5 {
		version = "5"
	}
	return c.atVersion(version, e.method, strings.Replace(e.path, "{id}", id, 1), "")
}

func (e endpoint) badToken(c *caseRun) {
	c.token = "made-up"
	want := http.StatusUnauthorized
	if e.path == planOptions {
		want = http.StatusNotFound
		c.covers("§4 options: the POST responds to a bad token with 404")
	}
	e.call(c, "1").is(want)
}

// pollCase is a request that is polled at its beginning, half-way and at its end.
type pollCase struct {
	resource string
	family   string
	fault    simulator.FaultKind
	edit     func(*simulator.Seed)
	want     []string // the status in the response and its HTTP status
}

func pollCases() []pollCase {
	const ok, failed = simulator.FaultNone, simulator.FaultEndInError
	timedOut := withOutcome("DiagnosticTest", simulator.OutcomeTimesOut)
	unhealthyService := func(s *simulator.Seed) { s.Services[0].Health.Fails = true }
	withoutStatus := func(last string) []string { return []string{"in progress 202", "in progress 202", last} }
	withStatus := func(last string) []string { return []string{"OPEN 202", "IN_PROGRESS 202", last} }
	stalled := func(word string) []string { return []string{"OPEN 202", word + " 202", "COMPLETED 200"} }
	return []pollCase{
		{"aggregation conversion", "aggregation conversion", ok, nil, withStatus("COMPLETED 200")},
		{"aggregation conversion", "aggregation conversion", failed, nil, withStatus("FAILED 422")},
		{"aggregation conversion", "aggregation conversion", simulator.FaultStall, nil, stalled("IN_ERROR")},
		{"DSL stability profile change", "DSL stability profile change", ok, nil, withStatus("COMPLETED 200")},
		{"DSL stability profile change", "DSL stability profile change", failed, nil, withStatus("IN_ERROR 422")},
		{
			"DSL stability profile change", "DSL stability profile change", simulator.FaultStall, nil,
			stalled("IN_ERROR_RETRY"),
		},
		{"fibre build charge", "fibre build charge", ok, nil, withoutStatus("complete 200")},
		{"fibre build charge", "fibre build charge", failed, nil, withoutStatus("IN_ERROR 422")},
		{"plan change", "plan change", ok, nil, withoutStatus("COMPLETED 200")},
		{"plan change", "plan change", failed, nil, withoutStatus("IN_ERROR 422")},
		{"reclaim", "reclaim", ok, nil, withoutStatus("COMPLETED 200")},
		{"reclaim", "reclaim", failed, nil, withoutStatus("IN_ERROR 422")},
		{"health", "health at version 5", ok, nil, withStatus("COMPLETED 200")},
		{"health", "health at version 5", failed, nil, withStatus("IN_ERROR 422")},
		{"health", "health at version 5", simulator.FaultStall, nil, stalled("IN_ERROR_RETRY")},
		{"health", "health at version 5", ok, unhealthyService, withStatus("FAILED 422")},
		{"diagnostic test", "diagnostic test", ok, nil, withoutStatus("completed 200")},
		{"diagnostic test", "diagnostic test", failed, nil, withoutStatus("ERROR_OCCURRED 422")},
		{"diagnostic test", "diagnostic test", ok, timedOut, withoutStatus("TIMEOUT 422")},
	}
}

// stateCases cover the first table of spec §3.
func stateCases() []conformanceCase {
	return each(pollCases(), func(p pollCase) []conformanceCase {
		c := conformanceCase{name: p.resource + ": " + strings.Join(p.want, ", "), run: p.run}
		if p.edit != nil {
			c.edits = []func(*simulator.Seed){p.edit}
		}
		return []conformanceCase{c}
	})
}

func (p pollCase) run(c *caseRun) {
	families := asyncFamilies()
	f := families[slices.IndexFunc(families, func(f asyncFamily) bool { return f.name == p.family })]
	if p.fault != simulator.FaultNone {
		c.arm("POST "+string(f.operation), simulator.Fault{Kind: p.fault, Body: "an error"})
	}
	outcome := f.post(c, f.accepted).created()
	seen := make([]string, 0, len(p.want))
	for range p.want {
		got := f.get(c, outcome)
		status := p.shownStatus(got)
		seen = append(seen, fmt.Sprint(status, " ", got.status))
		c.covers(stateRow{p.resource, status, got.status}.item())
		if status == "IN_ERROR" && got.status == http.StatusAccepted {
			c.coversIf("§3 aggregation conversion IN_ERROR: errorDetail is filled", got.text("errorDetail") != "")
			c.covers("§3 aggregation conversion IN_ERROR: the process continues") // compared below
		}
		c.wait(5 * time.Second)
	}
	if diff := cmp.Diff(p.want, seen); diff != "" {
		c.t.Error(diff)
	}
}

// shownStatus is the status that a response shows in the resource or in the error, or a description
// if it shows none.
func (p pollCase) shownStatus(got response) string {
	switch {
	case got.status == http.StatusUnprocessableEntity:
		var body errorDocument
		if err := json.Unmarshal([]byte(got.body), &body); err != nil || len(body.APISubErrors) != 1 {
			got.t.Fatalf("%v: %s", err, got.body)
		}
		return fmt.Sprint(body.APISubErrors[0].RejectedValue)
	case got.body == "":
		return "in progress"
	case p.resource == "fibre build charge":
		return "complete"
	case p.resource == "diagnostic test":
		return "completed"
	}
	return got.text("status") + got.text("serviceStatus") // one of them is there
}
