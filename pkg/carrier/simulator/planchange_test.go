package simulator_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

func planChangeBody(service int64, plan string, term int) string {
	return body(`{"serviceId":%d,"planName":%q,"term":%d}`, service, plan, term)
}

// TestAPlanChangeCompletes tracks a plan change from 201 through 202 to 200.
func TestAPlanChangeCompletes(t *testing.T) {
	h := start(t)
	outcome := h.post(planChange, planChangeBody(fttp, "Fast", 12)).created()
	for range 3 {
		if got := h.get(outcome).is(http.StatusAccepted); got.body != "" {
			t.Errorf("the 202 has a body: %s", got.body)
		}
		h.wait(3 * time.Second)
	}
	before, _ := h.sim.Service(fttp)
	h.wait(time.Second)
	got := h.get(outcome).is(http.StatusOK)
	after, _ := h.sim.Service(fttp)
	if before.Plan != "Basic" || after.Plan != "Fast" || after.Term != 12 || after.RestorationSLA != "Standard" {
		t.Errorf("the service was %+v and is %+v", before, after)
	}
	if got.text("status") != "COMPLETED" || got.text("requestedOn") != "2026-11-20T10:00:00Z" {
		t.Error(got.body)
	}
	if id := outcome[strings.LastIndex(outcome, "/")+1:]; !strings.Contains(got.body, `"id":`+id+`,`) {
		t.Errorf("id %s is not in %s", id, got.body)
	}
	h.expectViolations()
}

// TestTheDurationOfARequestCanDependOnItsService checks that the option replaces the delays of the
// seed.
func TestTheDurationOfARequestCanDependOnItsService(t *testing.T) {
	h := startWith(t, func(o *simulator.Options) {
		o.Duration = func(operation simulator.Operation, service int64) time.Duration {
			if operation == simulator.OpPlanChange && service == fttp {
				return 2 * time.Second
			}
			return time.Hour
		}
	})
	short := h.post(planChange, planChangeBody(fttp, "Fast", 12)).created()
	long := h.post(health, serviceBody(fttp)).created()
	h.wait(1900 * time.Millisecond)
	h.get(short).is(http.StatusAccepted)
	h.wait(100 * time.Millisecond)
	h.get(short).is(http.StatusOK)
	h.get(long).is(http.StatusAccepted)
}

// TestAPlanChangeShowsItsFee checks the fee of the result, and that its term is a string.
func TestAPlanChangeShowsItsFee(t *testing.T) {
	h := start(t)
	outcome := h.post(planChange, planChangeBody(fttp, "Fast", 12)).created()
	h.wait(10 * time.Second)
	got := h.get(outcome).is(http.StatusOK)
	money := func(amount string) map[string]any {
		return map[string]any{"amount": amount, "currency": "AUD", "symbol": "$"}
	}
	fee := map[string]any{
		"attributes":    map[string]any{"plan": "Fast", "term": "12"},
		"oneTimeCharge": money("10.00"), "monthlyRecurringCharge": money("70.00"),
	}
	if diff := cmp.Diff(fee, got.find("plan", "planFee")); diff != "" || got.text("plan", "term") != "12" {
		t.Errorf("planFee: %s\n%s", diff, got.body)
	}
}

// TestPlanChangesRefused breaks each rule of a plan change on its POST.
func TestPlanChangesRefused(t *testing.T) {
	giga := func(extra string) string {
		return body(`{"serviceId":%d,"planName":"Giga","term":1%s}`, fttp, extra)
	}
	cases := map[string]struct {
		body, code string
		subErrors  []string
	}{
		"an unknown plan": {
			planChangeBody(fttp, "None", 1), "validation", []string{"constraints.plan.change.plan.name.invalid planName"},
		},
		"a plan of another technology": {
			planChangeBody(copper, "Giga", 1), "validation", []string{"constraints.plan.change.plan.name.invalid planName"},
		},
		"a term not offered": {
			planChangeBody(fttp, "Basic", 24), "validation", []string{"constraints.plan.change.term.invalid term"},
		},
		"an SLA not offered": {
			body(`{"serviceId":%d,"planName":"Fast","term":1,"restorationSla":"None"}`, fttp), "validation",
			[]string{"constraints.plan.change.restoration.sla.invalid restorationSla"},
		},
		"no NTD above 1000 MBit/s": {giga(""), "method.argument.not.valid", []string{"constraints.not.null ntdOption"}},
		"no contact with an NTD": {
			giga(`,"ntdOption":"4_PORT_RESIDENTIAL"`), "method.argument.not.valid",
			[]string{
				"constraints.not.null contactName", "constraints.not.null contactPhone", "constraints.not.null contactEmail",
			},
		},
		"an NTD not offered": {
			giga(`,"ntdOption":"9_PORT","contactName":"a","contactPhone":"b","contactEmail":"c"`), "validation",
			[]string{"constraints.plan.change.ntd.option.invalid ntdOption"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := start(t)
			h.post(planChange, c.body).refusedWith(http.StatusUnprocessableEntity, c.code, c.subErrors...)
			if got := h.sim.Submissions(simulator.OpPlanChange, 0); got != (simulator.Count{Seen: 1}) {
				t.Errorf("counted %+v", got)
			}
		})
	}
}

// TestAPlanChangeThatFailsLater accepts a plan change that then ends IN_ERROR.
func TestAPlanChangeThatFailsLater(t *testing.T) {
	h := start(t)
	outcome := h.post(planChange, planChangeBody(fttp, "Doomed", 1)).created()
	h.get(outcome).is(http.StatusAccepted)
	h.wait(10 * time.Second)
	h.get(outcome).refusedWith(http.StatusUnprocessableEntity, "validation",
		"constraints.service.plan.change.status.in.error status")
	if service, _ := h.sim.Service(fttp); service.Plan != "Basic" {
		t.Errorf("the plan is %s", service.Plan)
	}
}

// TestOneModificationAtATime submits during a modification, concurrently with one and after one.
func TestOneModificationAtATime(t *testing.T) {
	h := start(t)
	h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.post(planChange, planChangeBody(fttp, "Basic", 1)).refusedWith(http.StatusUnprocessableEntity, "validation",
		"constraints.service.modification.request.in.progress serviceId")
	h.post(planChange, planChangeBody(copper, "Fast", 1)).created() // another service
	h.wait(10 * time.Second)
	h.post(planChange, planChangeBody(fttp, "Basic", 1)).created()
	if got := h.sim.Submissions(simulator.OpPlanChange, fttp); got != (simulator.Count{Seen: 3, Processed: 2}) {
		t.Errorf("counted %+v", got)
	}
}

// TestRestorationSLAExistsFromVersion6 sends restorationSla at the versions around its
// introduction.
func TestRestorationSLAExistsFromVersion6(t *testing.T) {
	request := body(`{"serviceId":%d,"planName":"Basic","term":12,"restorationSla":"Enhanced - 12 (24/7)"}`, fttp)
	for version, want := range map[string]string{"5": "Standard", "6": "Enhanced - 12 (24/7)"} {
		h := start(t)
		h.atVersion(version, http.MethodPost, planChange, request).created()
		h.wait(10 * time.Second)
		if service, _ := h.sim.Service(fttp); service.RestorationSLA != want {
			t.Errorf("version %s: the SLA is %q", version, service.RestorationSLA)
		}
	}
}

// TestBelowVersion8TheOrdersContactIsUsed omits the contact where that is allowed.
func TestBelowVersion8TheOrdersContactIsUsed(t *testing.T) {
	h := start(t)
	request := body(`{"serviceId":%d,"planName":"Giga","term":1,"ntdOption":"4_PORT_RESIDENTIAL"}`, fttp)
	outcome := h.atVersion("7", http.MethodPost, planChange, request).created()
	h.wait(10 * time.Second)
	got := h.get(outcome).is(http.StatusOK)
	if got.text("contactName") != "Site" || got.text("contactEmail") != "site@example.com" {
		t.Error(got.body)
	}
	if got.find("plan", "requiresAdditionalNtd") != true || got.find("plan", "nfasFee") == nil ||
		len(got.list("plan", "ntdOptions")) != 1 {
		t.Error(got.body)
	}
}

// TestPlanChangesOfTheAlternateSource checks the variant of spec §2 and the version that
// added it.
func TestPlanChangesOfTheAlternateSource(t *testing.T) {
	h := start(t)
	h.atVersion("7", http.MethodPost, planChange, planChangeBody(alternate, "Fast", 1)).
		refusedWith(http.StatusUnprocessableEntity, "validation",
			"constraints.service.source.type.not.supported sourceType")
	outcome := h.post(planChange, planChangeBody(alternate, "Fast", 1)).created()
	h.wait(10 * time.Second)
	got := h.get(outcome).is(http.StatusOK)
	for _, name := range []string{"contactName", "requiresAdditionalNtd", "nfasFee", "ntdOptions"} {
		if strings.Contains(got.body, name) {
			t.Errorf("%s is in %s", name, got.body)
		}
	}
}

// TestPlanChangeOptions lists what a copper service can have.
func TestPlanChangeOptions(t *testing.T) {
	h := start(t)
	outcome := h.post(planOptions, serviceBody(copper)).created()
	h.get(outcome).is(http.StatusAccepted)
	h.wait(10 * time.Second)
	got := h.get(outcome).is(http.StatusOK)
	plans := got.list("plans")
	names := make([]string, 0, len(plans))
	for _, plan := range plans {
		if object, isObject := plan.(map[string]any); isObject {
			names = append(names, fmt.Sprint(object["plan"], " for ", object["term"]))
		}
	}
	want := []string{"Basic for 1", "Basic for 12", "Fast for 1", "Doomed for 1", "Shouty for 1"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if len(got.list("slas")) != 2 {
		t.Error(got.body)
	}
	h.get("/api/connect/services/plan-changes/options/requests/123").is(http.StatusNotFound)
}
