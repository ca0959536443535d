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
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// The documents in the client's testdata are transcribed from the field tables of spec §2, and the
// client decodes them. Here they are compared with the simulator's output: the same keys and the
// same JSON types, on every level. Values differ.

// goldenCase produces a resource in as many variants as needed to fill every field.
type goldenCase struct {
	file    string
	edits   []func(*simulator.Seed)
	produce func(*harness) []response
	// neverFilled are fields that the specification allows to be null and that the simulator never
	// fills.
	neverFilled []string
}

func goldenCases() []goldenCase {
	stalls := func(operation string) []func(*simulator.Seed) {
		return []func(*simulator.Seed){withOutcome(operation, simulator.OutcomeStalls)}
	}
	return []goldenCase{
		{"aggregation-conversion.json", stalls("AggregationConversion"), polled(aggregation, conversionBody(fttp)), nil},
		{"dsl-stability-profile-change.json", stalls("DSLStabilityProfileChange"), polled(profile, profileBody(fttp)), nil},
		{"fibre-build-charge.json", nil, polled(fibre, `{"locationId":"`+location+`"}`), nil},
		{"reclaim.json", nil, polled(reclaims, serviceBody(cancelledService)), nil},
		{
			"diagnostic-test.json", nil, polled(diagnostics, diagnosticBody(fttp, "port-reset")),
			[]string{".result.status[].reason"},
		},
		{"appointment-slots.json", nil, polled(slots, slotsBody(555)), nil},
		{"health-8.json", []func(*simulator.Seed){degraded}, polled(health, serviceBody(fttp)), nil},
		{"health-5.json", []func(*simulator.Seed){degraded}, healthAtVersion5(10 * time.Second), nil},
		{"health-5-pending.json", nil, healthAtVersion5(0), nil},
		{"disruptions.json", []func(*simulator.Seed){degraded}, func(h *harness) []response {
			return []response{h.get(strings.Replace(disruptionsRead, "{id}", fmt.Sprint(fttp), 1))}
		}, nil},
		{"plan-change.json", nil, polled(planChange, gigaWithContact()), nil},
		{"plan-change-alternate.json", []func(*simulator.Seed){func(s *simulator.Seed) {
			s.Services[2].RestorationSLA = "Standard"
		}}, polled(planChange, planChangeBody(alternate, "Fast", 1)), nil},
		{"plan-options.json", nil, polled(planOptions, serviceBody(fttp)), nil},
		{"service-cancellation.json", nil, cancellationsOfEveryState, nil},
		{"order.json", []func(*simulator.Seed){withAddresses}, ordersOfEveryKind, []string{
			".avcId", ".bandwidthProfile.cvcInclusion", ".infrastructure.productId", ".legacyTechnologyType",
			".ntdOption", ".360ServiceId", ".appointments[]",
		}},
		{"order-read.json", []func(*simulator.Seed){withOrderRead, withAddresses}, completedOrders, []string{
			".bandwidthProfile.cvcInclusion", ".legacyTechnologyType", ".ntdOption",
			".appointments[].contact.notes",
		}},
		{"order-rejected.json", []func(*simulator.Seed){withOrderRead, withAddresses}, rejectedOrder, []string{
			".bandwidthProfile.cvcInclusion", ".legacyTechnologyType", ".ntdOption", ".infrastructure.productId",
		}},
		{"service.json", []func(*simulator.Seed){withServiceRead, connected}, readsOfAService, nil},
		{"error-400.json", nil, refusal(func(h *harness) response { return h.get(cancelledPath("abc")) }), nil},
		{"error-404.json", nil, refusal(func(h *harness) response { return h.get(cancelledPath("1")) }), nil},
		{"error-422.json", nil, refusal(func(h *harness) response {
			return h.post(planChange, planChangeBody(fttp, "None", 1))
		}), nil},
		{"error-422-fields.json", nil, refusal(func(h *harness) response {
			return h.post(fibre, `{"locationId":"LOC1"}`)
		}), nil},
		{"error-502.json", nil, refusal(func(h *harness) response {
			h.arm("*", simulator.Fault{Kind: simulator.FaultStatus, Status: http.StatusBadGateway})
			return h.get(cancellation(fttp))
		}), nil},
	}
}

// refusal is one response with an error.
func refusal(call func(*harness) response) func(*harness) []response {
	return func(h *harness) []response { return []response{call(h)} }
}

func cancelledPath(id string) string { return strings.Replace(cancelledRead, "{id}", id, 1) }

// polled submits a request and reads its result.
func polled(path, content string) func(*harness) []response {
	return func(h *harness) []response {
		outcome := h.post(path, content).created()
		h.wait(10 * time.Second)
		return []response{h.get(outcome).is(http.StatusOK)}
	}
}

func healthAtVersion5(after time.Duration) func(*harness) []response {
	return func(h *harness) []response {
		outcome := h.atVersion("5", http.MethodPost, health, serviceBody(fttp)).created()
		h.wait(after)
		return []response{h.atVersion("5", http.MethodGet, outcome, "")}
	}
}

func gigaWithContact() string {
	return strings.Replace(withNTD(), "}",
		`,"contactName":"A","contactPhone":"1","contactEmail":"a@b","restorationSla":"Standard"}`, 1)
}

// degraded gives the FTTP service something to report in every field.
func degraded(s *simulator.Seed) {
	until, text := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC), "x"
	s.Services[0].Health = simulator.Health{
		Code: "C1", AlertMessage: "a", Summary: "b", ErrorDetail: "an earlier error",
		NextAction: simulator.NextAction{Code: "N1", Description: "c"},
		Categories: []simulator.HealthCategory{{Type: "Speed", Items: []simulator.HealthItem{
			{Type: "t", ID: "i", Status: &text, Unit: &text, Value: &text},
		}}},
	}
	s.Services[0].Disruptions = []simulator.Disruption{{
		ID: "CRQ1", Type: "scheduled", StartAt: until.Add(-time.Hour), EndAt: &until, Description: "d", Severity: "Low",
	}}
}

func cancellationsOfEveryState(h *harness) []response {
	return each([]string{"IN_ERROR", "COMPLETED", "ABORTED"}, func(state string) []response {
		set := &simulator.Cancellation{Status: state, RequestDate: "2026-11-01", ErrorDetail: "an error"}
		if err := h.sim.SetCancellation(cancelRequested, set); err != nil {
			h.t.Fatal(err)
		}
		return []response{h.get(cancellation(cancelRequested)).is(http.StatusOK)}
	})
}

func withAddresses(s *simulator.Seed) {
	text := "x"
	for i := range s.Qualifications {
		site := &s.Qualifications[i]
		site.POI, site.POIName = "2POI", "POI"
		site.Address = simulator.Address{BuildingLevel: &text, UnitNumber: &text, BuildingName: &text}
	}
}

func ordersOfEveryKind(h *harness) []response {
	return []response{h.post(orders, orderOnPort(2, transferFields("SERVICE_TRANSFER", "AVC999"))).is(http.StatusCreated)}
}

// TestTheSimulatorProducesTheGoldenDocuments compares each resource with its document.
func TestTheSimulatorProducesTheGoldenDocuments(t *testing.T) {
	for _, c := range goldenCases() {
		t.Run(c.file, func(t *testing.T) {
			content, err := os.ReadFile(filepath.Join("..", "testdata", c.file))
			if err != nil {
				t.Fatal(err)
			}
			compared := &comparison{t: t, filled: make(map[string]bool), wanted: make(map[string]bool)}
			for _, got := range c.produce(start(t, c.edits...)) {
				compared.value("", parsed(t, string(content)), parsed(t, got.body))
			}
			compared.checkFilled(c.neverFilled)
		})
	}
}

// TestEveryGoldenDocumentIsCompared fails for a document that no case covers.
func TestEveryGoldenDocumentIsCompared(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "testdata", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	known := append(
		each(goldenCases(), func(c goldenCase) []string { return []string{c.file} }),
		"qualification.json", // spec §4: the endpoint that returns it is not shown
	)
	for _, file := range files {
		if !slices.Contains(known, filepath.Base(file)) {
			t.Errorf("%s is compared with nothing", file)
		}
	}
}

func parsed(t *testing.T, content string) any {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(content), &value); err != nil {
		t.Fatalf("%v: %s", err, content)
	}
	return value
}

// comparison compares documents with a golden one.
type comparison struct {
	t      *testing.T
	wanted map[string]bool // paths that have a value in the golden document
	filled map[string]bool // paths that have a value in some produced document
}

// value compares the values at a path. Null matches everything, but where the golden document has a
// value, at least one produced document must have one too.
func (c *comparison) value(path string, golden, produced any) {
	c.t.Helper()
	if golden == nil {
		return
	}
	c.wanted[path] = true
	if produced == nil {
		return
	}
	c.filled[path] = true
	switch want := golden.(type) {
	case map[string]any:
		if got, isObject := produced.(map[string]any); isObject {
			c.object(path, want, got)
			return
		}
	case []any:
		if got, isArray := produced.([]any); isArray {
			c.array(path, want, got)
			return
		}
	}
	if jsonType(golden) != jsonType(produced) {
		c.t.Errorf("%s is a %s, want a %s", path, jsonType(produced), jsonType(golden))
	}
}

// object compares keys. The attributes of a fee may have any keys, and only some fees have a name
// (spec §2).
func (c *comparison) object(path string, golden, produced map[string]any) {
	c.t.Helper()
	if strings.HasSuffix(path, ".attributes") {
		for name, value := range produced {
			if jsonType(value) != "string" {
				c.t.Errorf("%s.%s is a %s", path, name, jsonType(value))
			}
		}
		return
	}
	if _, isFee := golden["oneTimeCharge"]; isFee {
		delete(golden, "name")
		delete(produced, "name")
	}
	want, got := slices.Sorted(maps.Keys(golden)), slices.Sorted(maps.Keys(produced))
	if !slices.Equal(want, got) {
		c.t.Errorf("%s has the keys %v, want %v", path, got, want)
	}
	for name, value := range produced {
		c.value(path+"."+name, golden[name], value)
	}
}

// array compares every element with the first golden one.
func (c *comparison) array(path string, golden, produced []any) {
	c.t.Helper()
	if len(golden) == 0 {
		if len(produced) > 0 {
			c.t.Errorf("%s has elements, want none", path)
		}
		return
	}
	c.wanted[path+"[]"] = true
	for _, element := range produced {
		c.value(path+"[]", golden[0], element)
	}
}

// checkFilled lists the paths for which no document has a value.
func (c *comparison) checkFilled(silent []string) {
	c.t.Helper()
	for path := range c.wanted {
		if !c.filled[path] && !slices.Contains(silent, path) {
			c.t.Errorf("%s is always empty", path)
		}
	}
}

func jsonType(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case map[string]any:
		return "object"
	case []any:
		return "array"
	default:
		return "null"
	}
}
