package simulator_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

func encodeBase64(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// withCancellation gives the leaving service a cancellation with the given status; "none" removes
// the cancellation.
func withCancellation(state string) []func(*simulator.Seed) {
	return []func(*simulator.Seed){func(s *simulator.Seed) {
		if state == "none" {
			s.Services[4].Cancellation = nil
			return
		}
		s.Services[4].Cancellation = &simulator.Cancellation{Status: state, RequestDate: "2026-12-24"}
	}}
}

// cancellationCases cover the second table of spec §3.
func cancellationCases() []conformanceCase {
	return slices.Concat(
		[]conformanceCase{
			{name: "a cancellation is carried out", run: cancellationCarriedOut},
			{name: "no cancellation", run: noCancellation},
			{name: "a date in the past, or none", run: pastDates},
			{name: "a service that cannot be cancelled", run: notCancellable, edits: []func(*simulator.Seed){
				func(s *simulator.Seed) { s.Services[4].NotCancellable = true },
			}},
			{name: "a change that fails later", run: cancellationChangeFails},
			{name: "cancellations of others", run: cancellationsOfOtherClients},
		},
		each(openStates(), changesFrom),
		each(closedStates(), noChangesFrom),
	)
}

func changesFrom(from string) []conformanceCase {
	return []conformanceCase{
		{name: "reschedule from " + from, edits: withCancellation(from), run: func(c *caseRun) {
			rescheduled := rescheduleBody(cancelRequested, "2026-11-25")
			c.changesCancellation(rescheduling, rescheduled, "REQUESTED", []any{false, true, true})
			c.covers("§3 reschedule " + from + " → REQUESTED")
		}},
		{name: "abort from " + from, edits: withCancellation(from), run: func(c *caseRun) {
			got := c.changesCancellation(aborting, serviceBody(cancelRequested), "ABORTED", []any{true, false, false})
			c.coversIf("§3 abort "+from+" → ABORTED", got.text("abortedOn") != "" && got.text("abortedByName") == "Ada")
		}},
	}
}

func noChangesFrom(from string) []conformanceCase {
	return []conformanceCase{{name: "changes from " + from, edits: withCancellation(from), run: func(c *caseRun) {
		c.cancellationUnchanged(rescheduling, rescheduleBody(cancelRequested, "2026-12-25"))
		c.covers("§3 reschedule " + from + ": unchanged, 422")
		c.cancellationUnchanged(aborting, serviceBody(cancelRequested))
		c.covers("§3 abort " + from + ": unchanged, 422")
	}}}
}

// changesCancellation changes the leaving service's cancellation and reads the result: the state
// and the three can* flags.
func (c *caseRun) changesCancellation(path, content, state string, can []any) response {
	c.t.Helper()
	c.post(path, content).expectCancellationChanged()
	c.get(cancellation(cancelRequested)).is(http.StatusAccepted)
	c.wait(10 * time.Second)
	got := c.get(cancellation(cancelRequested)).is(http.StatusOK)
	seen := []any{
		got.find("canRequestCancellation"), got.find("canAbortCancellation"), got.find("canRescheduleCancellation"),
	}
	if diff := cmp.Diff(can, seen); diff != "" || got.text("status") != state || got.find("cancelled") != false {
		c.t.Errorf("%s\n%s", diff, got.body)
	}
	return got
}

// cancellationUnchanged checks that a refused change has no effect.
func (c *caseRun) cancellationUnchanged(path, content string) {
	c.t.Helper()
	before := c.get(cancellation(cancelRequested)).is(http.StatusOK)
	c.post(path, content).refusedWith(422, "validation", "constraints.service-cancellation.not.requested status")
	if after := c.get(cancellation(cancelRequested)).is(http.StatusOK); after.body != before.body {
		c.t.Errorf("%s\n%s", before.body, after.body)
	}
}

func cancellationCarriedOut(c *caseRun) {
	c.sim.Advance(34 * 24 * time.Hour)
	got := c.get(cancellation(cancelRequested)).is(http.StatusOK)
	c.coversIf("§3 REQUESTED reaching its date → COMPLETED", got.text("status") == "COMPLETED" &&
		got.find("cancelled") == true && got.text("cancelledOn") != "" && got.find("canRequestCancellation") == false &&
		got.find("canAbortCancellation") == false && got.find("canRescheduleCancellation") == false)
}

func noCancellation(c *caseRun) {
	got := c.get(cancellation(fttp)).is(http.StatusOK)
	c.coversIf("§3 no cancellation: status null", got.find("status") == nil && got.find("cancelled") == false &&
		got.find("canRequestCancellation") == true && got.find("canAbortCancellation") == false &&
		got.find("canRescheduleCancellation") == false)
}

func pastDates(c *caseRun) {
	for _, day := range []string{`"2026-11-19"`, "null"} {
		c.post(rescheduling, body(`{"serviceId":%d,"cancellationDate":%s}`, cancelRequested, day)).
			refusedWith(422, "method.argument.not.valid", "constraints.local.date.future.or.present cancellationDate")
	}
}

func notCancellable(c *caseRun) {
	c.post(aborting, serviceBody(cancelRequested)).
		refusedWith(422, "validation", "constraints.service.not.eligible.for.cancellation status")
}

func cancellationChangeFails(c *caseRun) {
	c.arm("CancellationAbort", simulator.Fault{Kind: simulator.FaultEndInError})
	c.post(aborting, serviceBody(cancelRequested)).expectCancellationChanged()
	c.wait(10 * time.Second)
	c.get(cancellation(cancelRequested)).is(http.StatusUnprocessableEntity)
}

func cancellationsOfOtherClients(c *caseRun) {
	c.post(rescheduling, rescheduleBody(foreign, "2026-12-25")).is(http.StatusNotFound)
	c.post(aborting, serviceBody(foreign)).is(http.StatusNotFound)
	c.get(cancellation(foreign)).is(http.StatusNotFound)
}

// versionRows are the families of spec §9. In a version that has the family, each call returns 404,
// because what it names does not exist. The fibre build charge names no service, and returns 201.
func versionRows() []versionRow {
	none := int64(42)
	return []versionRow{
		{"aggregation conversion", 4, aggregation, conversionBody(none)},
		{"DSL stability profile change", 4, profile, profileBody(none)},
		{"fibre build charge", 6, fibre, `{"locationId":"LOC000000000001"}`},
		{"health", 5, health, serviceBody(none)},
		{"reclaim", 1, reclaims, serviceBody(none)},
		{"appointment slots", 1, slots, slotsBody(1)},
		{"appointment-request cancel", 1, slotsCancel, `{"appointmentRequestId":1}`},
		{"diagnostic test", 1, diagnostics, diagnosticBody(none, "port-reset")},
		{"cancellation reschedule", 1, rescheduling, rescheduleBody(none, "2026-12-04")},
		{"cancellation abort", 1, aborting, serviceBody(none)},
		{"disruptions", 1, strings.Replace(disruptionsRead, "{id}", "42", 1), ""},
		{"plan change", 1, planChange, planChangeBody(none, "Fast", 1)},
		{"plan change options", 1, planOptions, serviceBody(none)},
	}
}

// versionCases are the cases of spec §9.
func versionCases() []conformanceCase {
	return append(
		each(versionRows(), func(row versionRow) []conformanceCase {
			return []conformanceCase{{name: "versions of " + row.family, run: row.run}}
		}),
		conformanceCase{name: "restorationSla by version", run: slaByVersion},
		conformanceCase{name: "contact details by version", run: contactByVersion},
		conformanceCase{name: "the alternate source by version", run: alternateByVersion},
		conformanceCase{name: "health by version", run: healthByVersion},
	)
}

func (r versionRow) run(c *caseRun) {
	method := http.MethodPost
	if r.body == "" {
		method = http.MethodGet
	}
	offered := http.StatusNotFound // of a service that does not exist
	if r.path == fibre {
		offered = http.StatusCreated // no service is requested
	}
	for version := range 10 {
		got := c.atVersion(fmt.Sprint(version), method, r.path, r.body)
		if version >= r.since && version <= 8 {
			got.is(offered)
		} else {
			got.is(http.StatusBadRequest)
		}
	}
	for _, item := range r.items() {
		c.covers(item)
	}
}

func slaByVersion(c *caseRun) {
	for version, want := range map[string]string{"5": "Standard", "6": "Enhanced - 12 (24/7)"} {
		outcome := c.atVersion(version, http.MethodPost, planChange, withSLA("Basic", "Enhanced - 12 (24/7)")).created()
		c.wait(10 * time.Second)
		got := c.atVersion(version, http.MethodGet, outcome, "").is(http.StatusOK)
		c.coversIf("§9 plan change: restorationSla from 6", got.text("sla", "sla") == want)
		if version == "6" {
			back := c.atVersion("6", http.MethodPost, planChange, withSLA("Basic", "Standard")).created()
			c.wait(10 * time.Second)
			c.get(back).is(http.StatusOK)
		}
	}
}

func contactByVersion(c *caseRun) {
	c.atVersion("8", http.MethodPost, planChange, withNTD()).refusedWith(422, "method.argument.not.valid",
		"constraints.not.null contactName", "constraints.not.null contactPhone", "constraints.not.null contactEmail")
	c.atVersion("7", http.MethodPost, planChange, withNTD()).created()
	c.covers("§9 plan change: contact details from 8 when ntdOption is set")
}

func alternateByVersion(c *caseRun) {
	c.atVersion("7", http.MethodPost, planChange, planChangeBody(alternate, "Fast", 1)).is(http.StatusUnprocessableEntity)
	outcome := c.atVersion("8", http.MethodPost, planChange, planChangeBody(alternate, "Fast", 1)).created()
	c.wait(10 * time.Second)
	got := c.get(outcome).is(http.StatusOK)
	_, hasContact := got.json()["contactName"]
	c.coversIf("§9 plan change: the alternate source from 8", got.text("plan", "plan") == "Fast" && !hasContact)
}

func healthByVersion(c *caseRun) {
	for _, version := range []string{"5", "6", "7", "8"} {
		outcome := c.atVersion(version, http.MethodPost, health, serviceBody(fttp)).created()
		c.wait(10 * time.Second)
		got := c.atVersion(version, http.MethodGet, outcome, "").is(http.StatusOK)
		if version == "5" {
			c.coversIf("§9 health: 5 has its own path and names", strings.Contains(outcome, "/health/request/") &&
				got.text("serviceStatus") == "COMPLETED" && got.list("healthCategory") != nil &&
				got.text("indicators", "connectivityIndicator") == "Green")
			c.atVersion("5", http.MethodGet, strings.Replace(outcome, "/request/", "/requests/", 1), "").
				is(http.StatusBadRequest)
			continue
		}
		c.coversIf("§9 health: 6 has the names of section 2", strings.Contains(outcome, "/health/requests/") &&
			got.text("status") == "COMPLETED" && got.list("healthCategories") != nil &&
			got.text("indicator", "connectivity") == "Green")
	}
}
