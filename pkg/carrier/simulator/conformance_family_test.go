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
	refused   string // a body that is answered 422
}

func asyncFamilies() []asyncFamily {
	return []asyncFamily{
		{
			"aggregation conversion", simulator.OpAggregationConversion, aggregation, "8",
			convert(fttp), convert(foreign), convert(other),
		},
		{
			"plan change", simulator.OpPlanChange, planChange, "8",
			changeTo(fttp, "Fast", 1), changeTo(foreign, "Fast", 1), changeTo(fttp, "None", 1),
		},
		{"plan options", simulator.OpPlanOptions, planOptions, "8", about(fttp), about(foreign), `{}`},
		{
			"DSL stability profile change", simulator.OpDSLStabilityProfileChange, profile, "8",
			stabilize(copper), stabilize(foreign), body(`{"serviceId":%d,"dslStabilityProfile":"Fast"}`, copper),
		},
		{
			"fibre build charge", simulator.OpFibreBuildCharge, fibre, "8",
			`{"locationId":"` + place + `"}`, "", `{"locationId":"LOC1"}`,
		},
		{"reclaim", simulator.OpReclaim, reclaims, "8", about(gone), about(foreign), about(fttp)},
		{
			"appointment slots", simulator.OpAppointmentSlots, slots, "8",
			slotsOf(555), slotsOf(556), `{"orderId":555}`,
		},
		{
			"diagnostic test", simulator.OpDiagnosticTest, diagnostics, "8",
			test(fttp, "port-reset"), test(foreign, "port-reset"), test(fttp, "dance"),
		},
		{"health", simulator.OpHealth, health, "8", about(fttp), about(foreign), `{}`},
		{"health at version 5", simulator.OpHealth, health, "5", about(fttp), about(foreign), `{"serviceId":null}`},
	}
}

func slotsOf(order int) string { return body(`{"orderId":%d,"dateFrom":"2026-12-04"}`, order) }

// familyCases run the same scenarios for every asynchronous operation.
func familyCases() []conformanceCase {
	return each(asyncFamilies(), func(f asyncFamily) []conformanceCase {
		return []conformanceCase{
			{name: f.name + " completes", run: f.completes},
			{name: f.name + " fails", run: f.fails},
			{name: f.name + " is refused", run: f.isRefused},
			{name: f.name + " of another client", run: f.ofAnother},
			{name: f.name + " is not permitted", run: f.notPermitted, edits: []func(*simulator.Seed){
				func(s *simulator.Seed) { s.Clients[0].Denied = []simulator.Operation{f.operation} },
			}},
		}
	})
}

func (f asyncFamily) post(c *trial, content string) answer {
	return c.at(f.version, http.MethodPost, f.submit, content)
}

func (f asyncFamily) get(c *trial, path string) answer {
	return c.at(f.version, http.MethodGet, path, "")
}

func (f asyncFamily) completes(c *trial) {
	outcome := f.post(c, f.accepted).created()
	f.get(c, outcome).is(http.StatusAccepted)
	c.shows("§1 rule 3: 202 while in progress")
	c.wait(10 * time.Second)
	got := f.get(c, outcome).is(http.StatusOK)
	c.holds("§1 rule 3: 200 with the resource", got.body != "")
	c.holds("§1 rule 1: bodies are JSON",
		got.header.Get("Content-Type") == "application/json" && json.Valid([]byte(got.body)))
}

func (f asyncFamily) fails(c *trial) {
	c.arm("POST "+string(f.operation), simulator.Fault{Kind: simulator.FaultEndInError, Body: "it went wrong"})
	outcome := f.post(c, f.accepted).created()
	c.wait(10 * time.Second)
	f.get(c, outcome).is(http.StatusUnprocessableEntity)
	c.shows("§1 rule 3: 422 with the standard error body") // judged by judgeError
}

func (f asyncFamily) isRefused(c *trial) { f.post(c, f.refused).is(http.StatusUnprocessableEntity) }

func (f asyncFamily) ofAnother(c *trial) {
	outcome := f.post(c, f.accepted).created()
	if f.foreign != "" {
		f.post(c, f.foreign).is(http.StatusNotFound)
	}
	c.token = c.login("other")
	f.get(c, outcome).is(http.StatusNotFound)
	c.shows("§5 a service of another client is 404")
}

func (f asyncFamily) notPermitted(c *trial) {
	f.post(c, f.accepted).is(http.StatusNotFound)
	c.shows("§5 lack of permission is 404")
}

// statusCases produce the statuses that are the same everywhere: for the token, IDs and faults.
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
		return nil // spec §4: its statuses other than 201 and 422 are not listed
	}
	return []conformanceCase{{name: e.name() + " with a bad token", run: e.badToken}}
}

func (e endpoint) faultCases() []conformanceCase {
	return each([]int{http.StatusInternalServerError, http.StatusBadGateway}, func(status int) []conformanceCase {
		if !slices.Contains(e.statuses, status) {
			return nil
		}
		return []conformanceCase{{name: fmt.Sprintf("%s, %d", e.name(), status), run: func(c *trial) {
			c.arm("*", simulator.Fault{Kind: simulator.FaultStatus, Status: status})
			e.call(c, "1").is(status)
		}}}
	})
}

func (e endpoint) idCases() []conformanceCase {
	var cases []conformanceCase
	if e.method == http.MethodGet {
		cases = append(cases, conformanceCase{name: e.name() + " of nothing", run: func(c *trial) {
			e.call(c, "1").is(http.StatusNotFound)
		}})
	}
	if slices.Contains(e.statuses, http.StatusBadRequest) {
		cases = append(cases, conformanceCase{name: e.name() + " by a word", run: func(c *trial) {
			e.call(c, "abc").refusedWith(http.StatusBadRequest, "method.argument.type.mismatch")
		}})
	}
	return cases
}

// call makes the call with an ID in place of the row's.
func (e endpoint) call(c *trial, id string) answer {
	version := "8"
	if e.path == healthReadV5 {
		version = "5"
	}
	return c.at(version, e.method, strings.Replace(e.path, "{id}", id, 1), "")
}

func (e endpoint) badToken(c *trial) {
	c.token = "made-up"
	want := http.StatusUnauthorized
	if e.path == planOptions {
		want = http.StatusNotFound
		c.shows("§4 options: the POST answers a bad token with 404")
	}
	e.call(c, "1").is(want)
}

// watch is a request that is polled at its beginning, half-way and at its end.
type watch struct {
	resource string
	family   string
	how      simulator.FaultKind
	edit     func(*simulator.Seed)
	want     []string // status and answer
}

func watches() []watch {
	const ok, failed = simulator.FaultNone, simulator.FaultEndInError
	timedOut := ends("DiagnosticTest", simulator.OutcomeTimesOut)
	sickness := func(s *simulator.Seed) { s.Services[0].Health.Fails = true }
	silent := func(last string) []string { return []string{"in progress 202", "in progress 202", last} }
	spoken := func(last string) []string { return []string{"OPEN 202", "IN_PROGRESS 202", last} }
	stalled := func(word string) []string { return []string{"OPEN 202", word + " 202", "COMPLETED 200"} }
	return []watch{
		{"aggregation conversion", "aggregation conversion", ok, nil, spoken("COMPLETED 200")},
		{"aggregation conversion", "aggregation conversion", failed, nil, spoken("FAILED 422")},
		{"aggregation conversion", "aggregation conversion", simulator.FaultStall, nil, stalled("IN_ERROR")},
		{"DSL stability profile change", "DSL stability profile change", ok, nil, spoken("COMPLETED 200")},
		{"DSL stability profile change", "DSL stability profile change", failed, nil, spoken("IN_ERROR 422")},
		{
			"DSL stability profile change", "DSL stability profile change", simulator.FaultStall, nil,
			stalled("IN_ERROR_RETRY"),
		},
		{"fibre build charge", "fibre build charge", ok, nil, silent("complete 200")},
		{"fibre build charge", "fibre build charge", failed, nil, silent("IN_ERROR 422")},
		{"plan change", "plan change", ok, nil, silent("COMPLETED 200")},
		{"plan change", "plan change", failed, nil, silent("IN_ERROR 422")},
		{"reclaim", "reclaim", ok, nil, silent("COMPLETED 200")},
		{"reclaim", "reclaim", failed, nil, silent("IN_ERROR 422")},
		{"health", "health at version 5", ok, nil, spoken("COMPLETED 200")},
		{"health", "health at version 5", failed, nil, spoken("IN_ERROR 422")},
		{"health", "health at version 5", simulator.FaultStall, nil, stalled("IN_ERROR_RETRY")},
		{"health", "health at version 5", ok, sickness, spoken("FAILED 422")},
		{"diagnostic test", "diagnostic test", ok, nil, silent("completed 200")},
		{"diagnostic test", "diagnostic test", failed, nil, silent("ERROR_OCCURRED 422")},
		{"diagnostic test", "diagnostic test", ok, timedOut, silent("TIMEOUT 422")},
	}
}

// stateCases cover the first table of spec §3.
func stateCases() []conformanceCase {
	return each(watches(), func(w watch) []conformanceCase {
		story := conformanceCase{name: w.resource + ": " + strings.Join(w.want, ", "), run: w.run}
		if w.edit != nil {
			story.edits = []func(*simulator.Seed){w.edit}
		}
		return []conformanceCase{story}
	})
}

func (w watch) run(c *trial) {
	families := asyncFamilies()
	f := families[slices.IndexFunc(families, func(f asyncFamily) bool { return f.name == w.family })]
	if w.how != simulator.FaultNone {
		c.arm("POST "+string(f.operation), simulator.Fault{Kind: w.how, Body: "an error"})
	}
	outcome := f.post(c, f.accepted).created()
	seen := make([]string, 0, len(w.want))
	for range w.want {
		got := f.get(c, outcome)
		word := w.word(got)
		seen = append(seen, fmt.Sprint(word, " ", got.status))
		c.shows(stateRow{w.resource, word, got.status}.item())
		if word == "IN_ERROR" && got.status == http.StatusAccepted {
			c.holds("§3 aggregation conversion IN_ERROR: errorDetail is filled", got.text("errorDetail") != "")
			c.shows("§3 aggregation conversion IN_ERROR: the process continues") // compared below
		}
		c.wait(5 * time.Second)
	}
	if diff := cmp.Diff(w.want, seen); diff != "" {
		c.t.Error(diff)
	}
}

// word is the status that an answer shows: in the resource, in the error, or by its absence.
func (w watch) word(got answer) string {
	switch {
	case got.status == http.StatusUnprocessableEntity:
		var body errorDocument
		if err := json.Unmarshal([]byte(got.body), &body); err != nil || len(body.APISubErrors) != 1 {
			got.t.Fatalf("%v: %s", err, got.body)
		}
		return fmt.Sprint(body.APISubErrors[0].RejectedValue)
	case got.body == "":
		return "in progress"
	case w.resource == "fibre build charge":
		return "complete"
	case w.resource == "diagnostic test":
		return "completed"
	}
	return got.text("status") + got.text("serviceStatus") // one of them is there
}
