package simulator_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// TestConformance covers the whole specification in plain HTTP. The items of the specification are
// transcribed in conformance_list_test.go; the cases produce them. At the end a table lists the
// cases that produced each item, and an item without a case is a failure. `go test -v -run
// TestConformance` prints the table.
func TestConformance(t *testing.T) {
	s := &suite{covered: make(map[string][]string)}
	cases := slices.Concat(
		familyCases(), statusCases(), ruleCases(), stateCases(), cancellationCases(), orderCases(),
		tokenCases(), eventCases(), limitCases(), versionCases(),
	)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(s.start(t, c)) })
	}
	s.report(t)
}

// conformanceCase is one scenario for the simulator.
type conformanceCase struct {
	name  string
	edits []func(*simulator.Seed)
	run   func(*caseRun)
}

// suite collects the items that the cases have covered.
type suite struct {
	covered map[string][]string // item → cases
}

// caseRun is one case while it runs.
type caseRun struct {
	*harness

	suite *suite
	name  string
}

// start starts a case. Every response is checked against the common rules and is recorded for the
// items that it covers.
func (s *suite) start(t *testing.T, c conformanceCase) *caseRun {
	t.Helper()
	run := &caseRun{harness: start(t, c.edits...), suite: s, name: c.name}
	run.observe = run.checkResponse
	return run
}

// covers records that the case has produced an item.
func (c *caseRun) covers(item string) {
	if !slices.Contains(c.suite.covered[item], c.name) {
		c.suite.covered[item] = append(c.suite.covered[item], c.name)
	}
}

// coversIf records an item if a comparison holds, and fails otherwise.
func (c *caseRun) coversIf(item string, comparison bool) {
	c.t.Helper()
	switch comparison {
	case true:
		c.covers(item)
	case false:
		c.t.Errorf("not covered: %s", item)
	}
}

// checkResponse checks what must hold for every response.
func (c *caseRun) checkResponse(method, path string, got response) {
	c.t.Helper()
	of, known := endpointOf(method, path)
	if !known {
		return // the token endpoint, or a path outside the specification
	}
	c.covers(statusItem(of, got.status))
	c.checkHeaders(got)
	switch {
	case got.status == http.StatusCreated, got.status == http.StatusNoContent:
		c.checkAccepted(of, got)
	case got.status >= http.StatusBadRequest:
		c.checkError(got)
	}
}

// checkHeaders applies spec §1 rule 5.
func (c *caseRun) checkHeaders(got response) {
	c.t.Helper()
	for name, value := range commonHeaders() {
		if got.header.Get(name) != value {
			c.t.Errorf("%s is %q, want %q", name, got.header.Get(name), value)
		}
	}
	c.covers(ruleHeaders)
}

// checkAccepted applies spec §1 rule 3: an empty body and a Location. An order has a body, and the
// withdrawal of an appointment-request has no Location (spec §4).
func (c *caseRun) checkAccepted(of endpoint, got response) {
	c.t.Helper()
	if of.path != orders && got.body != "" {
		c.t.Errorf("the %d of %s has a body: %s", got.status, of.path, got.body)
	}
	if (of.path == slotsCancel) != (got.header.Get("Location") == "") {
		c.t.Errorf("the %d of %s has the Location %q", got.status, of.path, got.header.Get("Location"))
	}
	if got.status == http.StatusCreated {
		c.covers(ruleCreated)
		return
	}
	c.covers(ruleNoContent)
}

// errorDocument is the standard error body of spec §7.
type errorDocument struct {
	HTTPStatusCode int    `json:"httpStatusCode"`
	Type           string `json:"type"`
	Code           string `json:"code"`
	Message        string `json:"message"`
	APISubErrors   []struct {
		Code          string `json:"code"`
		Message       string `json:"message"`
		Object        string `json:"object"`
		Field         string `json:"field"`
		RejectedValue any    `json:"rejectedValue"`
	} `json:"apiSubErrors"`
	Timestamp string `json:"timestamp"`
}

// checkError applies spec §7 to every refusal.
func (c *caseRun) checkError(got response) {
	c.t.Helper()
	var body errorDocument
	decoder := json.NewDecoder(strings.NewReader(got.body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil {
		c.t.Errorf("error body %q: %v", got.body, err)
		return
	}
	if body.HTTPStatusCode != got.status || body.Message == "" || body.Timestamp == "" || body.APISubErrors == nil {
		c.t.Errorf("error body %s of a %d", got.body, got.status)
	}
	c.covers("§7 status " + fmt.Sprint(got.status))
	c.covers("§7 type " + body.Type)
	c.covers("§7 code " + body.Code)
	emptied := []int{http.StatusBadRequest, http.StatusNotFound, http.StatusBadGateway}
	if slices.Contains(emptied, got.status) {
		c.coversIf(fmt.Sprintf("§7 apiSubErrors is empty for %d", got.status), len(body.APISubErrors) == 0)
	}
	for _, sub := range body.APISubErrors {
		c.covers(subErrorItem(sub.Code, sub.Field))
	}
}

func statusItem(of endpoint, status int) string {
	return fmt.Sprintf("§4 %s %s → %d", of.method, of.path, status)
}

func subErrorItem(code, field string) string {
	return fmt.Sprintf("§7 sub-error %s on %s", code, field)
}

// endpointOf finds the row of spec §4 that a call belongs to.
func endpointOf(method, path string) (endpoint, bool) {
	path, _, _ = strings.Cut(path, "?")
	rows := endpoints()
	i := slices.IndexFunc(rows, func(e endpoint) bool {
		before, after, hasID := strings.Cut(e.path, "{id}")
		if e.method != method || !hasID {
			return e.method == method && e.path == path
		}
		id, fits := strings.CutPrefix(path, before)
		id, ends := strings.CutSuffix(id, after)
		return fits && ends && id != "" && !strings.Contains(id, "/")
	})
	if i < 0 {
		return endpoint{}, false
	}
	return rows[i], true
}

// report writes the table and lists every item that no case has produced.
func (s *suite) report(t *testing.T) {
	t.Helper()
	var table, summary strings.Builder
	items := 0
	for _, section := range checklist() {
		items += len(section.items)
		fmt.Fprintf(&table, "%s: %d items\n", section.name, len(section.items))
		fmt.Fprintf(&summary, "  %s: %d items\n", section.name, len(section.items))
		for _, item := range section.items {
			if len(s.covered[item]) == 0 {
				t.Errorf("no case produces %q", item)
			}
			fmt.Fprintf(&table, "  %-100s %s\n", item, summarize(s.covered[item]))
		}
	}
	cases := make(map[string]bool)
	for _, name := range slices.Concat(slices.Collect(maps.Values(s.covered))...) {
		cases[name] = true
	}
	t.Logf("specification section → cases\n%s%d items by %d cases", &table, items, len(cases))
	fmt.Fprintf(&summary, "  %d items by %d cases\n", items, len(cases))
	writeSummary(t, summary.String())
}

// writeSummary writes a summary for test runs that collect reports.
func writeSummary(t *testing.T, summary string) {
	t.Helper()
	folder := os.Getenv("TEST_REPORTS")
	if folder == "" {
		return
	}
	file := filepath.Join(folder, "conformance")
	if err := os.WriteFile(file, []byte(summary), 0o600); err != nil { //nolint:gosec // set by the user who runs the tests
		t.Error(err)
	}
}

// summarize names the first case and counts the others.
func summarize(cases []string) string {
	switch len(cases) {
	case 0:
		return "NONE"
	case 1:
		return cases[0]
	default:
		return fmt.Sprintf("%s; and %d more", cases[0], len(cases)-1)
	}
}
