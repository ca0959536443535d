// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
)

// found is what is recorded from a response of healthAt, whichever API version it has.
func found() v1alpha1.HealthCheckStatus {
	return v1alpha1.HealthCheckStatus{
		RequestedOn: "2026-03-02T20:00:00+11:00", LastRefreshedOn: "2026-03-02T20:00:40+11:00",
		Plan: "Home 50/20", Line: v1alpha1.Line{
			TechnologyType: "FTTP", LocationID: "LOC000000000001", WholesaleServiceID: "WSI1",
			AVCID: "AVC000000000001", PRIID: "PRI000000000001",
		},
		HRIID: "HRI1", ErrorDetail: "an earlier error",
		CurrentCondition: &v1alpha1.HealthCondition{
			Code: "C1", Status: "Red", AlertMessage: "Loss of signal", Summary: "The line is down",
		},
		NextAction: &v1alpha1.HealthNextAction{Code: "N1", Description: "Check the cable"},
		Indicator:  &v1alpha1.HealthIndicator{Connectivity: "Red", Performance: "Grey", Stability: "Green"},
		HealthCategories: []v1alpha1.HealthCategory{
			{Type: "Dropouts", Items: []v1alpha1.HealthItem{
				{Type: "Count", ID: "DAY", Status: "Red", Value: "12", Unit: "Count"}, {Type: "Count", ID: "WEEK"},
			}},
			{Type: "Ncd", Items: []v1alpha1.HealthItem{}},
		},
	}
}

// healthAt returns a response at an API version. Up to version 5, some fields have other names.
func healthAt(version int32) string {
	body := `{"id":77,"requestedById":42,"requestedOn":"2026-03-02T20:00:00+11:00",
		"lastRefreshedOn":"2026-03-02T20:00:40+11:00","status":"COMPLETED","wholesaleServiceId":"WSI1",
		"technologyType":"FTTP","plan":"Home 50/20","locId":"LOC000000000001","avcId":"AVC000000000001",
		"priId":"PRI000000000001","hriId":"HRI1","errorDetail":"an earlier error",
		"currentCondition":{"code":"C1","status":"Red","alertMessage":"Loss of signal","summary":"The line is down"},
		"nextAction":{"code":"N1","description":"Check the cable"},
		"indicator":{"connectivity":"Red","performance":"Grey","stability":"Green"},
		"healthCategories":[{"type":"Dropouts","items":[
			{"type":"Count","id":"DAY","status":"Red","unit":"Count","value":"12"},
			{"type":"Count","id":"WEEK","status":null,"unit":null,"value":null}]},{"type":"Ncd","items":[]}]}`
	if version > 5 {
		return body
	}
	return strings.NewReplacer(`"status":"COMPLETED"`, `"serviceStatus":"COMPLETED"`, `"indicator"`, `"indicators"`,
		`"connectivity"`, `"connectivityIndicator"`, `"performance"`, `"performanceIndicator"`,
		`"stability"`, `"stabilityIndicator"`, `"healthCategories"`, `"healthCategory"`).Replace(body)
}

func TestTheWholeHealthIsRecordedAtEachVersion(t *testing.T) {
	t.Parallel()
	for _, version := range []int32{5, 6, 7, 8} {
		var status v1alpha1.HealthCheckStatus
		request := &v1alpha1.Request{
			Operation: v1alpha1.OperationHealth, APIVersion: version, Location: "/api/connect/services/health/requests/0077",
		}
		why := oneshots.RecordHealth(&status, request, []byte(healthAt(version)))
		if why != nil || !equality.Semantic.DeepEqual(status, found()) {
			t.Errorf("version %d: %+v, %+v, want %+v", version, why, status, found())
		}
	}
}

func TestTheHealthOfAServiceIsSummarized(t *testing.T) {
	t.Parallel()
	status := found()
	const want = "Red: connectivity Red, performance Grey, stability Green; alert: Loss of signal; next: Check the cable"
	if said := oneshots.SummarizeHealth(&status); said != want {
		t.Errorf("%q, want %q", said, want)
	}
	status.CurrentCondition.AlertMessage = strings.Repeat("x", 1000)
	if said := oneshots.SummarizeHealth(&status); len(said) > 400 {
		t.Errorf("the summary has %d characters", len(said))
	}
	if said := oneshots.SummarizeHealth(&v1alpha1.HealthCheckStatus{}); said != "" {
		t.Errorf("nothing is known, and the summary is %q", said)
	}
}

// An unreadable response ends nothing. The request stays open and shows why.
func TestAnUnreadableHealthIsNotRecorded(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"<html>", "[]"} {
		var status v1alpha1.HealthCheckStatus
		why := oneshots.RecordHealth(&status, &v1alpha1.Request{APIVersion: 8}, []byte(body))
		if why == nil || why.Phase != v1alpha1.PhaseSubmitting || why.Error.Message == "" {
			t.Errorf("%s: got %+v, want an attempt that is still %s", body, why, v1alpha1.PhaseSubmitting)
		}
		if !equality.Semantic.DeepEqual(status, v1alpha1.HealthCheckStatus{}) {
			t.Errorf("%s: a health out of nothing: %+v", body, status)
		}
	}
}

// A result with another id is not the result of the request.
func TestTheHealthOfAnotherRequestIsNotRecorded(t *testing.T) {
	t.Parallel()
	for id, ours := range map[int64]bool{7: true, 77: false, 0: true} {
		var status v1alpha1.HealthCheckStatus
		request := &v1alpha1.Request{
			Operation: v1alpha1.OperationHealth, APIVersion: 8, Location: "/api/connect/services/health/requests/7",
		}
		body, err := json.Marshal(carrier.HealthResult{ID: id, Plan: "Home 50/20"})
		if err != nil {
			t.Fatal(err)
		}
		why := oneshots.RecordHealth(&status, request, body)
		lost := why != nil && why.Phase == v1alpha1.PhaseSubmitting && why.Error.Code == v1alpha1.ReasonHandleLost
		if lost == ours || ours != (status.Plan != "") {
			t.Errorf("the result of request %d: %+v, recorded %q", id, why, status.Plan)
		}
	}
}

// health returns a response with the given number of categories, each with the given number of
// items. All texts in it are the given value.
func health(t *testing.T, categories, items int, value string) []byte {
	t.Helper()
	item := carrier.HealthItem{Type: value, ID: value, Status: carrier.HealthColor(value), Unit: value, Value: value}
	category := carrier.HealthCategory{Type: value, Items: slices.Repeat([]carrier.HealthItem{item}, items)}
	body, err := json.Marshal(carrier.HealthResult{
		HealthCategories: slices.Repeat([]carrier.HealthCategory{category}, categories),
	})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestMeasurementsAreBounded(t *testing.T) {
	t.Parallel()
	const wide = "\U0001F600" // four bytes
	for name, test := range map[string]struct {
		body              []byte
		categories, items int
		truncated         bool
	}{
		"as many as fit":        {health(t, 50, 3, "x"), 50, 3, false},
		"as many items as fit":  {health(t, 1, 100, "x"), 1, 100, false},
		"one category more":     {health(t, 51, 3, "x"), 50, 3, true},
		"one item more":         {health(t, 1, 101, "x"), 1, 100, true},
		"longer texts than fit": {health(t, 1, 1, strings.Repeat("x", 257)), 1, 1, true},
		"more bytes than fit":   {health(t, 60, 60, strings.Repeat(wide, 300)), 5, 6, true},
	} {
		var status v1alpha1.HealthCheckStatus
		if why := oneshots.RecordHealth(&status, &v1alpha1.Request{APIVersion: 8}, test.body); why != nil {
			t.Fatalf("%s: %s", name, why.Error.Message)
		}
		kept, err := json.Marshal(status)
		if err != nil || len(kept) > 17<<10 {
			t.Errorf("%s: %d bytes are kept, %v", name, len(kept), err)
		}
		if len(status.HealthCategories) != test.categories || len(status.HealthCategories[0].Items) != test.items {
			t.Errorf("%s: %d categories, and %d items in the first", name,
				len(status.HealthCategories), len(status.HealthCategories[0].Items))
		}
		if status.Truncated != test.truncated {
			t.Errorf("%s: truncated is %t", name, status.Truncated)
		}
	}
}

// The API server may refuse a status because of the carrier's texts. The rest is then recorded
// without them.
func TestTheCarriersTextsCanBeDropped(t *testing.T) {
	t.Parallel()
	check := v1alpha1.HealthCheck{Status: found()}
	check.DropFreeForm()
	got := check.Status
	if got.HealthCategories != nil || got.NextAction != nil || got.Plan+got.ErrorDetail != "" || !got.Truncated {
		t.Errorf("%+v is kept", got)
	}
	if got.CurrentCondition.Status != "Red" || got.HRIID != "HRI1" || got.CurrentCondition.AlertMessage != "" {
		t.Errorf("%+v, want the color and the ids", got)
	}
}
