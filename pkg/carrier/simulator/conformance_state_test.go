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

// cancelledBy gives the leaving service a cancellation in a state; none removes it.
func cancelledBy(state string) []func(*simulator.Seed) {
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
			{name: "a cancellation comes true", run: cancellationComesTrue},
			{name: "no cancellation", run: noCancellation},
			{name: "a date that has passed, or none", run: datesThatHavePassed},
			{name: "a service that cannot be cancelled", run: notCancellable, edits: []func(*simulator.Seed){
				func(s *simulator.Seed) { s.Services[4].NotCancellable = true },
			}},
			{name: "an alteration that fails later", run: alterationFails},
			{name: "cancellations of others", run: cancellationsOfOthers},
		},
		each(openStates(), alterationsFrom),
		each(closedStates(), noAlterationsFrom),
	)
}

func alterationsFrom(from string) []conformanceCase {
	return []conformanceCase{
		{name: "reschedule from " + from, edits: cancelledBy(from), run: func(c *trial) {
			c.alters(rescheduling, moveTo(leaving, "2026-11-25"), "REQUESTED", []any{false, true, true})
			c.shows("§3 reschedule " + from + " → REQUESTED")
		}},
		{name: "abort from " + from, edits: cancelledBy(from), run: func(c *trial) {
			got := c.alters(aborting, about(leaving), "ABORTED", []any{true, false, false})
			c.holds("§3 abort "+from+" → ABORTED", got.text("abortedOn") != "" && got.text("abortedByName") == "Ada")
		}},
	}
}

func noAlterationsFrom(from string) []conformanceCase {
	return []conformanceCase{{name: "alterations from " + from, edits: cancelledBy(from), run: func(c *trial) {
		c.leavesAlone(rescheduling, moveTo(leaving, "2026-12-25"))
		c.shows("§3 reschedule " + from + ": unchanged, 422")
		c.leavesAlone(aborting, about(leaving))
		c.shows("§3 abort " + from + ": unchanged, 422")
	}}}
}

// alters changes the leaving service's cancellation and reads the result: the state and the three
// can* flags.
func (c *trial) alters(path, content, state string, can []any) answer {
	c.t.Helper()
	c.post(path, content).altered()
	c.get(cancellation(leaving)).is(http.StatusAccepted)
	c.wait(10 * time.Second)
	got := c.get(cancellation(leaving)).is(http.StatusOK)
	seen := []any{
		got.find("canRequestCancellation"), got.find("canAbortCancellation"), got.find("canRescheduleCancellation"),
	}
	if diff := cmp.Diff(can, seen); diff != "" || got.text("status") != state || got.find("cancelled") != false {
		c.t.Errorf("%s\n%s", diff, got.body)
	}
	return got
}

// leavesAlone checks that a refused alteration changes nothing.
func (c *trial) leavesAlone(path, content string) {
	c.t.Helper()
	before := c.get(cancellation(leaving)).is(http.StatusOK)
	c.post(path, content).refusedWith(422, "validation", "constraints.service-cancellation.not.requested status")
	if after := c.get(cancellation(leaving)).is(http.StatusOK); after.body != before.body {
		c.t.Errorf("%s\n%s", before.body, after.body)
	}
}

func cancellationComesTrue(c *trial) {
	c.sim.Advance(34 * 24 * time.Hour)
	got := c.get(cancellation(leaving)).is(http.StatusOK)
	c.holds("§3 REQUESTED reaching its date → COMPLETED", got.text("status") == "COMPLETED" &&
		got.find("cancelled") == true && got.text("cancelledOn") != "" && got.find("canRequestCancellation") == false &&
		got.find("canAbortCancellation") == false && got.find("canRescheduleCancellation") == false)
}

func noCancellation(c *trial) {
	got := c.get(cancellation(fttp)).is(http.StatusOK)
	c.holds("§3 no cancellation: status null", got.find("status") == nil && got.find("cancelled") == false &&
		got.find("canRequestCancellation") == true && got.find("canAbortCancellation") == false &&
		got.find("canRescheduleCancellation") == false)
}

func datesThatHavePassed(c *trial) {
	for _, day := range []string{`"2026-11-19"`, "null"} {
		c.post(rescheduling, body(`{"serviceId":%d,"cancellationDate":%s}`, leaving, day)).
			refusedWith(422, "method.argument.not.valid", "constraints.local.date.future.or.present cancellationDate")
	}
}

func notCancellable(c *trial) {
	c.post(aborting, about(leaving)).
		refusedWith(422, "validation", "constraints.service.not.eligible.for.cancellation status")
}

func alterationFails(c *trial) {
	c.arm("CancellationAbort", simulator.Fault{Kind: simulator.FaultEndInError})
	c.post(aborting, about(leaving)).altered()
	c.wait(10 * time.Second)
	c.get(cancellation(leaving)).is(http.StatusUnprocessableEntity)
}

func cancellationsOfOthers(c *trial) {
	c.post(rescheduling, moveTo(foreign, "2026-12-25")).is(http.StatusNotFound)
	c.post(aborting, about(foreign)).is(http.StatusNotFound)
	c.get(cancellation(foreign)).is(http.StatusNotFound)
}

// versionRows are the families of spec §9, each with a call that is 404 where the version exists.
func versionRows() []versionRow {
	none := int64(42)
	return []versionRow{
		{"aggregation conversion", 4, aggregation, convert(none)},
		{"DSL stability profile change", 4, profile, stabilize(none)},
		{"fibre build charge", 6, fibre, `{"locationId":"LOC000000000001"}`},
		{"health", 5, health, about(none)},
		{"reclaim", 1, reclaims, about(none)},
		{"appointment slots", 1, slots, slotsOf(1)},
		{"appointment-request cancel", 1, slotsCancel, `{"appointmentRequestId":1}`},
		{"diagnostic test", 1, diagnostics, test(none, "port-reset")},
		{"cancellation reschedule", 1, rescheduling, moveTo(none, "2026-12-04")},
		{"cancellation abort", 1, aborting, about(none)},
		{"disruptions", 1, strings.Replace(disruptionsRead, "{id}", "42", 1), ""},
		{"plan change", 1, planChange, changeTo(none, "Fast", 1)},
		{"plan change options", 1, planOptions, about(none)},
	}
}

// versionCases are those of spec §9.
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

func (r versionRow) run(c *trial) {
	method := http.MethodPost
	if r.body == "" {
		method = http.MethodGet
	}
	offered := http.StatusNotFound // of a service that does not exist
	if r.path == fibre {
		offered = http.StatusCreated // no service is requested
	}
	for version := range 10 {
		got := c.at(fmt.Sprint(version), method, r.path, r.body)
		if version >= r.since && version <= 8 {
			got.is(offered)
		} else {
			got.is(http.StatusBadRequest)
		}
	}
	for _, item := range r.items() {
		c.shows(item)
	}
}

func slaByVersion(c *trial) {
	for version, want := range map[string]string{"5": "Standard", "6": "Enhanced - 12 (24/7)"} {
		outcome := c.at(version, http.MethodPost, planChange, withSLA("Basic", "Enhanced - 12 (24/7)")).created()
		c.wait(10 * time.Second)
		got := c.at(version, http.MethodGet, outcome, "").is(http.StatusOK)
		c.holds("§9 plan change: restorationSla from 6", got.text("sla", "sla") == want)
		if version == "6" {
			back := c.at("6", http.MethodPost, planChange, withSLA("Basic", "Standard")).created()
			c.wait(10 * time.Second)
			c.get(back).is(http.StatusOK)
		}
	}
}

func contactByVersion(c *trial) {
	c.at("8", http.MethodPost, planChange, withNTD()).refusedWith(422, "method.argument.not.valid",
		"constraints.not.null contactName", "constraints.not.null contactPhone", "constraints.not.null contactEmail")
	c.at("7", http.MethodPost, planChange, withNTD()).created()
	c.shows("§9 plan change: contact details from 8 when ntdOption is set")
}

func alternateByVersion(c *trial) {
	c.at("7", http.MethodPost, planChange, changeTo(alternate, "Fast", 1)).is(http.StatusUnprocessableEntity)
	outcome := c.at("8", http.MethodPost, planChange, changeTo(alternate, "Fast", 1)).created()
	c.wait(10 * time.Second)
	got := c.get(outcome).is(http.StatusOK)
	_, hasContact := got.json()["contactName"]
	c.holds("§9 plan change: the alternate source from 8", got.text("plan", "plan") == "Fast" && !hasContact)
}

func healthByVersion(c *trial) {
	for _, version := range []string{"5", "6", "7", "8"} {
		outcome := c.at(version, http.MethodPost, health, about(fttp)).created()
		c.wait(10 * time.Second)
		got := c.at(version, http.MethodGet, outcome, "").is(http.StatusOK)
		if version == "5" {
			c.holds("§9 health: 5 has its own path and names", strings.Contains(outcome, "/health/request/") &&
				got.text("serviceStatus") == "COMPLETED" && got.list("healthCategory") != nil &&
				got.text("indicators", "connectivityIndicator") == "Green")
			c.at("5", http.MethodGet, strings.Replace(outcome, "/request/", "/requests/", 1), "").is(http.StatusBadRequest)
			continue
		}
		c.holds("§9 health: 6 has the names of section 2", strings.Contains(outcome, "/health/requests/") &&
			got.text("status") == "COMPLETED" && got.list("healthCategories") != nil &&
			got.text("indicator", "connectivity") == "Green")
	}
}
