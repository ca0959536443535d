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

func withServiceRead(s *simulator.Seed) {
	s.Extensions = append(s.Extensions, simulator.ExtensionServiceRead)
}

func servicePath(id int64) string { return fmt.Sprintf("/api/connect/services/%d", id) }

// readsOfAService are the reads of a service that has a value in every field of the page.
func readsOfAService(h *harness) []response {
	h.post(profile, profileBody(fttp)).created()
	return []response{h.get(servicePath(fttp)).is(http.StatusOK)}
}

// connected gives the first service a value in every field that a read of it shows.
func connected(s *simulator.Seed) {
	text := "x"
	s.Services[0].TechnologyType, s.Services[0].LegacyTechnologyType = "FTTN", "FTTB"
	s.Services[0].AggregationMethod, s.Services[0].PortID = "ETHERNET", "1"
	s.Services[0].Address = simulator.Address{BuildingLevel: &text, UnitNumber: &text, BuildingName: &text}
	s.Plans[0].NFASFee, s.Plans[0].CVCInclusion = &simulator.Price{}, 2.25
}

func (a response) member(path ...string) any {
	var value any = a.json()
	for _, name := range path {
		members, isObject := value.(map[string]any)
		if !isObject {
			a.t.Fatalf("%v is not in %s", path, a.body)
		}
		value = members[name]
	}
	return value
}

func TestAReadServiceSpellsItsPlanAsRequestsDo(t *testing.T) {
	h := start(t, withServiceRead)
	outcome := h.post(planChange, planChangeBody(fttp, "Shouty", 1)).created()
	read := func() response { return h.get(servicePath(fttp)).is(http.StatusOK) }
	if got := read(); got.member("bandwidthProfile", "planName") != "Basic" || got.member("modifiedOn") != "2020-01-01" {
		t.Error("before the change: " + got.body)
	}
	h.wait(10 * time.Second)
	h.get(outcome).is(http.StatusOK)
	got := read()
	if got.member("bandwidthProfile", "planName") != "Shouty" || got.member("modifiedOn") != "2026-11-20T10:00:10Z" {
		t.Error("after the change: " + got.body)
	}
}

func TestAReadServiceShowsItsSLAMethodAndProfile(t *testing.T) {
	h := start(t, withServiceRead)
	body := `{"serviceId":%d,"planName":"Basic","term":12,"restorationSla":"Enhanced - 12 (24/7)"}`
	h.post(planChange, fmt.Sprintf(body, copper)).created()
	h.wait(10 * time.Second)
	h.post(aggregation, conversionBody(copper)).created()
	h.wait(10 * time.Second)
	h.post(profile, profileBody(copper)).created()
	h.wait(10 * time.Second)
	got := h.get(servicePath(copper)).is(http.StatusOK)
	want := map[string]any{
		"eSla": "Enhanced - 12 (24/7)", "aggregationMethod": "ETHERNET", "dslStabilityProfile": "Stable",
		"technologyType": "FTTN", "subscriberSTag": "106", "subscriberCTag": "1006",
	}
	for name, value := range want {
		if got.member(name) != value {
			t.Errorf("%s is %v, want %v", name, got.member(name), value)
		}
	}
	fibre := h.get(servicePath(fttp))
	if fibre.member("dslStabilityProfile") != nil || fibre.member("subscriberSTag") != nil {
		t.Error("a fibre service in L2TP: " + fibre.body)
	}
}

func TestAServiceListsTheModificationInProgress(t *testing.T) {
	h := start(t, withServiceRead)
	listed := func() string { return modificationsOf(h.get(servicePath(fttp)).is(http.StatusOK)) }
	before := listed()
	h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	want := [2]string{`[]`, `[{"requestedOn":"2026-11-20T10:00:00Z","type":"PlanChange"}]`}
	if diff := cmp.Diff(want, [2]string{before, listed()}); diff != "" {
		t.Error(diff)
	}
	h.wait(10 * time.Second)
	if got := listed(); got != want[0] {
		t.Errorf("a service without any lists %s", got)
	}
}

func modificationsOf(r response) string {
	r.t.Helper()
	var read struct {
		Modifications json.RawMessage `json:"modifications"`
	}
	if err := json.Unmarshal([]byte(r.body), &read); err != nil {
		r.t.Fatal(err)
	}
	return string(read.Modifications)
}

// TestAnAggregationConversionIsNotListed: it is not known that a carrier lists one.
func TestAnAggregationConversionIsNotListed(t *testing.T) {
	h := start(t, withServiceRead)
	h.post(aggregation, conversionBody(fttp)).created()
	if got := modificationsOf(h.get(servicePath(fttp))); got != "[]" {
		t.Errorf("it is listed: %s", got)
	}
}

func TestAModificationOfSomebodyElseIsListedAndTakesEffect(t *testing.T) {
	h := start(t, withServiceRead)
	other := simulator.Modification{
		ServiceID: fttp, Operation: simulator.OpPlanChange, For: simulator.Duration(time.Minute), Plan: "Fast",
	}
	if err := h.sim.ModifyElsewhere(other); err != nil {
		t.Fatal(err)
	}
	if err := h.sim.ModifyElsewhere(other); err == nil {
		t.Error("a second one began")
	}
	if got := modificationsOf(h.get(servicePath(fttp))); got == "[]" {
		t.Error("it is not listed")
	}
	h.post(planChange, planChangeBody(fttp, "Shouty", 1)).
		refusedWith(422, "validation", "constraints.service.modification.request.in.progress serviceId")
	h.restart(withServiceRead)
	h.wait(time.Minute)
	got := h.get(servicePath(fttp))
	if modificationsOf(got) != "[]" || got.member("bandwidthProfile", "planName") != "Fast" {
		t.Error("when it has ended: " + got.body)
	}
	if n := h.sim.Submissions(simulator.OpPlanChange, fttp); n.Seen != 1 || n.Processed != 0 {
		t.Errorf("the client's own: %+v", n)
	}
}

func TestAReadingCanBeOlderThanTheService(t *testing.T) {
	h := start(t, withServiceRead, func(s *simulator.Seed) { s.ServiceRead.Lag = simulator.Duration(5 * time.Second) })
	h.wait(time.Minute)
	h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	see := func() string {
		got := h.get(servicePath(fttp))
		return fmt.Sprintf("%v %t", got.member("bandwidthProfile", "planName"), modificationsOf(got) != "[]")
	}
	var seen [4]string // at the POST and 5, 10 (when the change completes) and 15 s later
	for i := range seen {
		seen[i] = see()
		h.wait(5 * time.Second)
	}
	if diff := cmp.Diff([...]string{"Basic false", "Basic true", "Basic true", "Fast false"}, seen); diff != "" {
		t.Error(diff)
	}
	h.sim.SetServiceReadLag(time.Hour)
	if got := see(); got != "Basic false" {
		t.Error("an hour late: " + got)
	}
}

func TestOnlyTheOwnerReadsAService(t *testing.T) {
	h := start(t, withServiceRead)
	read := func(version, path string) response { return h.atVersion(version, http.MethodGet, path, "") }
	for _, version := range []string{"4", "8"} {
		read(version, servicePath(fttp)).is(http.StatusOK)
	}
	read("3", servicePath(fttp)).refusedWith(400, "api.version.invalid")
	read("8", servicePath(foreign)).refusedWith(404, "resource.not.found")
	read("8", servicePath(404)).refusedWith(404, "resource.not.found")
	read("8", "/api/connect/services/abc").refusedWith(400, "method.argument.type.mismatch")
	h.post(servicePath(fttp), "{}").is(http.StatusMethodNotAllowed)
}

func TestAReadOfAServiceCanBeRefused(t *testing.T) {
	h := start(t, withServiceRead)
	for _, status := range []int{http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed} {
		h.arm("ServiceRead", simulator.Fault{Kind: simulator.FaultStatus, Status: status, ServiceID: fttp})
		h.get(servicePath(copper)).is(http.StatusOK)
		h.get(servicePath(fttp)).is(status)
	}
}

func TestAReadServiceHasTheWordOfTheCarrierInItsKeys(t *testing.T) {
	h := start(t, withServiceRead)
	initial := seed()
	withServiceRead(&initial)
	h.sim = simulator.New(simulator.Options{Seed: initial, Now: h.clock, APIWord: "nbn"})
	h.server.Config.Handler = h.sim.Handler()
	h.token = h.login("reseller")
	if got := h.get(servicePath(fttp)).is(http.StatusOK); !strings.Contains(got.body, `"nbnServiceActivatedOn":`) {
		t.Error(got.body)
	}
}

func TestTheSettingsOfServiceReadAreValidated(t *testing.T) {
	wrong := seed()
	wrong.ServiceRead.Lag = -1
	if err := wrong.Validate(); err == nil || !strings.Contains(err.Error(), "serviceRead") {
		t.Error(err)
	}
}
