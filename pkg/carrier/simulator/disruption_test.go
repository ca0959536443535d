package simulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// withDisruptions gives the FTTP service 45 disruptions, one a day, from 40 days ago to 4 days
// ahead.
func withDisruptions(s *simulator.Seed) {
	for i := range 45 {
		begins := time.Date(2026, 10, 11+i, 11, 0, 0, 0, time.UTC)
		ends := begins.Add(time.Hour)
		s.Services[0].Disruptions = append(s.Services[0].Disruptions, simulator.Disruption{
			ID: fmt.Sprintf("CRQ%02d", i), Type: "scheduled", StartAt: begins, EndAt: &ends,
			Severity: []string{"Low", "High"}[i%2],
		})
	}
	s.Services[0].Disruptions = append(s.Services[0].Disruptions, simulator.Disruption{
		ID: "INC1", Type: "unscheduled", StartAt: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC),
	})
}

func disruptions(query string) string {
	return fmt.Sprintf("/api/connect/services/%d/disruptions?%s", fttp, query)
}

// ids are the IDs of a page.
func (a response) ids() string {
	a.t.Helper()
	items := a.list("content")
	found := make([]string, 0, len(items))
	for _, item := range items {
		if object, isObject := item.(map[string]any); isObject {
			found = append(found, fmt.Sprint(object["wholesaleDisruptionId"]))
		}
	}
	return strings.Join(found, " ")
}

// TestDisruptionsArePaginated walks all pages with the defaults of spec §8.
func TestDisruptionsArePaginated(t *testing.T) {
	h := start(t, withDisruptions)
	pages := []string{
		"20 CRQ44 first=true last=false", "20 CRQ25 first=false last=false",
		"6 CRQ05 first=false last=true", "0  first=false last=true",
	}
	for page, want := range pages {
		got := h.get(disruptions(fmt.Sprint("page=", page))).is(http.StatusOK)
		first, _, _ := strings.Cut(got.ids(), " ")
		size, isFirst, isLast := got.find("currentPageSize"), got.find("firstPage"), got.find("lastPage")
		if summary := fmt.Sprintf("%v %s first=%v last=%v", size, first, isFirst, isLast); summary != want {
			t.Errorf("page %d: %s, want %s", page, summary, want)
		}
		if got.find("totalElements") != json.Number("46") || got.find("totalPages") != json.Number("3") {
			t.Error(got.body)
		}
	}
	want := []any{map[string]any{
		"direction": "DESC", "property": "maintenanceStartAt", "ignoreCase": false, "nullHandling": "NATIVE",
		"ascending": false, "descending": true,
	}}
	if diff := cmp.Diff(any(want), h.get(disruptions("")).find("sort")); diff != "" {
		t.Error(diff)
	}
}

// TestDisruptionsAreFilteredAndSorted requests statuses, sizes and sort orders.
func TestDisruptionsAreFilteredAndSorted(t *testing.T) {
	h := start(t, withDisruptions)
	cases := map[string]string{
		"status=SCHEDULED":                  "CRQ44 CRQ43 CRQ42 CRQ41 CRQ40",
		"status=ACTIVE":                     "INC1",
		"status=ACTIVE&status=SCHEDULED":    "CRQ44 CRQ43 CRQ42 CRQ41 CRQ40 INC1",
		"size=2&sort=maintenanceStartAt":    "CRQ00 CRQ01",
		"size=2&sort=severity,desc":         "CRQ00 CRQ02",
		"size=1&sort=type,DESC":             "INC1",
		"size=1&sort=maintenanceEndAt,ASC":  "INC1",
		"size=1&page=1&sort=status,ASC":     "CRQ00",
		"size=1&sort=wholesaleDisruptionId": "CRQ00",
	}
	for query, want := range cases {
		if got := h.get(disruptions(query)).is(http.StatusOK).ids(); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// TestDisruptionItem compares a disruption with the table of spec §2.
func TestDisruptionItem(t *testing.T) {
	h := start(t, withDisruptions)
	want := map[string]any{
		"type": "unscheduled", "maintenanceStartAt": "2026-11-20T09:00:00Z", "maintenanceEndAt": nil,
		"wholesaleDisruptionId": "INC1", "description": "", "severity": "", "category": "", "status": "ACTIVE",
	}
	if diff := cmp.Diff([]any{want}, h.get(disruptions("status=ACTIVE")).list("content")); diff != "" {
		t.Error(diff)
	}
}

// TestDisruptionsRefused covers calls that cannot be parsed or concern another client.
func TestDisruptionsRefused(t *testing.T) {
	h := start(t)
	for _, query := range []string{"page=-1", "page=x", "size=0", "status=active", "sort=color", "sort=type,UP"} {
		h.get(disruptions(query)).refusedWith(400, "method.argument.type.mismatch")
	}
	h.get("/api/connect/services/abc/disruptions").refusedWith(400, "method.argument.type.mismatch")
	h.get(fmt.Sprintf("/api/connect/services/%d/disruptions", foreign)).refusedWith(404, "resource.not.found")
	if got := h.get(disruptions("")).is(200); got.find("lastPage") != true || len(got.list("content")) != 0 {
		t.Error(got.body)
	}
}
