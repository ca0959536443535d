package simulator_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// ruleCases are the cases of spec §1 and §4 that concern only one family.
func ruleCases() []conformanceCase {
	return []conformanceCase{
		{name: "the headers of every call", run: requiredHeaders},
		{name: "ids that are not numbers", run: nonNumericIDs},
		{name: "date-times and dates", run: dateFormats},
		{name: "an SLA change names the existing plan", run: slaChange},
		{name: "a plan change names an SLA as well", run: planAndSLAChange},
		{name: "an NTD option below version 8", run: orderContact},
		{name: "an appointment-request is cancelled", run: cancelSlotsRequest},
		{
			name: "disruptions by status", run: disruptionsByStatus,
			edits: []func(*simulator.Seed){withDisruptionsOfEachStatus},
		},
		{name: "a stability profile change during one", run: secondProfileChange},
		{name: "a missing dateFrom", run: func(c *caseRun) { c.post(slots, `{"orderId":555}`).is(422) }},
		{name: "a malformed locationId", run: func(c *caseRun) { c.post(fibre, `{"locationId":"LOC12"}`).is(422) }},
	}
}

func requiredHeaders(c *caseRun) {
	got := c.send(http.MethodPost, health, serviceBody(fttp), header("Authorization", ""))
	c.coversIf("§1 rule 2: Authorization is needed", got.status == http.StatusUnauthorized)
	got = c.send(http.MethodPost, health, serviceBody(fttp), header("X-API-VERSION", ""))
	c.coversIf("§1 rule 2: X-API-VERSION is needed", got.status == http.StatusBadRequest)
	got = c.send(http.MethodPost, health, serviceBody(fttp), header("Content-Type", "text/plain"))
	c.coversIf("§1 rule 1: bodies are JSON", got.status == http.StatusUnsupportedMediaType)
}

func nonNumericIDs(c *caseRun) {
	for path, item := range map[string]string{
		aggregationRead: "an aggregation conversion", profileRead: "a DSL stability profile change",
		disruptionsRead: "disruptions",
	} {
		c.get(strings.Replace(path, "{id}", "seven", 1)).refusedWith(400, "method.argument.type.mismatch")
		c.covers("§1 rule 4: a non-numeric id of " + item + " is 400")
	}
}

func dateFormats(c *caseRun) {
	withOffset := regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$`)
	outcome := c.post(fibre, `{"locationId":"`+location+`"}`).created()
	c.wait(10 * time.Second)
	got := c.get(outcome).is(http.StatusOK)
	c.coversIf("§1 rule 6: date-times have a UTC offset", withOffset.MatchString(got.text("createdOn")))
	day := regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	c.coversIf("§1 rule 6: dates are YYYY-MM-DD", day.MatchString(got.text("quoteDate")))
}

func slaChange(c *caseRun) {
	outcome := c.post(planChange, withSLA("Basic", "Enhanced - 12 (24/7)")).created()
	c.wait(10 * time.Second)
	got := c.get(outcome).is(http.StatusOK)
	c.coversIf("§4 plan change: SLA change with the existing plan",
		got.text("plan", "plan") == "Basic" && got.text("sla", "sla") == "Enhanced - 12 (24/7)")
}

func planAndSLAChange(c *caseRun) {
	outcome := c.post(planChange, withSLA("Fast", "Enhanced - 12 (24/7)")).created()
	c.wait(10 * time.Second)
	service, _ := c.sim.Service(fttp)
	got := c.get(outcome).is(http.StatusOK)
	c.coversIf("§4 plan change: plan and SLA at once", service.Plan == "Fast" &&
		service.RestorationSLA == "Enhanced - 12 (24/7)" && got.text("plan", "plan") == "Fast")
}

func withSLA(plan, sla string) string {
	return body(`{"serviceId":%d,"planName":%q,"term":12,"restorationSla":%q}`, fttp, plan, sla)
}

func withNTD() string {
	return body(`{"serviceId":%d,"planName":"Giga","term":12,"ntdOption":"4_PORT_RESIDENTIAL"}`, fttp)
}

func orderContact(c *caseRun) {
	outcome := c.atVersion("7", http.MethodPost, planChange, withNTD()).created()
	c.wait(10 * time.Second)
	got := c.atVersion("7", http.MethodGet, outcome, "").is(http.StatusOK)
	c.coversIf("§4 plan change: below version 8 the order's contact is used", got.text("contactName") == "Site")
}

func cancelSlotsRequest(c *caseRun) {
	outcome := c.post(slots, slotsBody(555)).created()
	id := outcome[strings.LastIndex(outcome, "/")+1:]
	c.post(slotsCancel, `{"appointmentRequestId":1}`).is(http.StatusNotFound)
	c.post(slotsCancel, `{"appointmentRequestId":`+id+`}`).is(http.StatusNoContent)
	c.covers("§4 slots: cancelling an appointment-request")
}

// withDisruptionsOfEachStatus gives the FTTP service 45 disruptions, 15 of each status.
func withDisruptionsOfEachStatus(s *simulator.Seed) {
	begin := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for i := range 45 {
		s.Services[0].Disruptions = append(s.Services[0].Disruptions, simulator.Disruption{
			ID: fmt.Sprint("CRQ", i), Type: "scheduled", StartAt: begin.Add(time.Duration(i) * time.Hour),
			Status: []string{"SCHEDULED", "ACTIVE", "COMPLETED"}[i%3],
		})
	}
}

func disruptionsByStatus(c *caseRun) {
	path := strings.Replace(disruptionsRead, "{id}", fmt.Sprint(fttp), 1)
	got := c.get(path + "?status=ACTIVE&status=SCHEDULED&size=100").is(http.StatusOK)
	c.coversIf("§4 disruptions: status is repeatable", fmt.Sprint(got.find("totalElements")) == "30")
	c.get(path+"?page=first").refusedWith(400, "method.argument.type.mismatch")
	c.get(strings.Replace(path, fmt.Sprint(fttp), fmt.Sprint(foreign), 1)).is(http.StatusNotFound)
}

func secondProfileChange(c *caseRun) {
	c.post(profile, profileBody(copper)).created()
	c.post(profile, profileBody(copper)).is(http.StatusUnprocessableEntity) // the code is on the list of §7
}

// limitCases are the cases of spec §8.
func limitCases() []conformanceCase {
	return []conformanceCase{
		{name: "a page of disruptions", run: defaultPage, edits: []func(*simulator.Seed){withDisruptionsOfEachStatus}},
		{name: "polling a fibre build charge", run: pollTooSoon},
		{name: "a token of 300 s", run: tokenLifetime},
		{name: "a JWT twice", run: assertionTwice},
	}
}

func defaultPage(c *caseRun) {
	got := c.get(strings.Replace(disruptionsRead, "{id}", fmt.Sprint(fttp), 1)).is(http.StatusOK)
	c.coversIf("§8 disruptions: 20 a page", fmt.Sprint(got.find("size")) == "20" && len(got.list("content")) == 20)
	starts := make([]string, 0, len(got.list("content")))
	for _, item := range got.list("content") {
		if disruption, isObject := item.(map[string]any); isObject {
			starts = append(starts, fmt.Sprint(disruption["maintenanceStartAt"]))
		}
	}
	slices.Reverse(starts)
	c.coversIf("§8 disruptions: newest maintenanceStartAt first",
		slices.IsSorted(starts) && starts[len(starts)-1] == "2026-11-02T20:00:00Z")
}

func pollTooSoon(c *caseRun) {
	outcome := c.post(fibre, `{"locationId":"`+location+`"}`).created()
	c.get(outcome)
	c.wait(5 * time.Second)
	c.get(outcome)
	c.expectViolations()
	c.wait(4 * time.Second)
	c.get(outcome)
	c.expectViolations(simulator.RulePollInterval)
	c.covers("§8 a fibre build charge is polled once per 5 s")
}

func tokenLifetime(c *caseRun) {
	c.wait(300*time.Second - time.Nanosecond)
	c.get(cancellation(fttp)).is(http.StatusOK)
	c.wait(time.Nanosecond)
	c.get(cancellation(fttp)).is(http.StatusUnauthorized)
	c.covers("§8 an access token is valid for 300 s")
	c.covers("§5 an expired token is 401")
}

func assertionTwice(c *caseRun) {
	form := grant("reseller", c.sign(c.claims("reseller")))
	c.exchange(form).is(http.StatusOK)
	c.exchange(form).is(http.StatusBadRequest)
	c.covers("§8 a JWT is accepted once")
	c.covers("§5 single use of a JWT")
}

// eventCases cover the events of the specification (spec §6).
func eventCases() []conformanceCase {
	var cases []conformanceCase
	for name, scenario := range eventScenarios() {
		if len(scenario.specified) == 0 {
			continue
		}
		cases = append(cases, conformanceCase{name: "event: " + name, run: func(c *caseRun) {
			for _, delivered := range scenario.run(c.t, simulator.EventsOfSpecification, scenario.specified) {
				c.covers("§6 " + delivered)
			}
		}})
	}
	return cases
}

// tokenCases are the cases of spec §5.
func tokenCases() []conformanceCase {
	return slices.Concat(
		[]conformanceCase{
			{name: "the token response", run: tokenReplyFields}, {name: "algorithms and keys", run: algorithmsAndKeys},
		},
		each(claimNames(), func(claim string) []conformanceCase {
			return []conformanceCase{{name: "without the claim " + claim, run: func(c *caseRun) {
				claims := c.claims("reseller")
				delete(claims, claim)
				got := c.exchange(grant("reseller", c.sign(claims))).is(http.StatusBadRequest)
				c.coversIf("§5 claim "+claim, got.text("error") == "invalid_client")
			}}}
		}),
		each(formNames(), func(name string) []conformanceCase {
			return []conformanceCase{{name: "without the parameter " + name, run: func(c *caseRun) {
				form := grant("reseller", c.sign(c.claims("reseller")))
				form.Del(name)
				c.exchange(form).is(http.StatusBadRequest)
				c.covers("§5 parameter " + name)
			}}}
		}),
	)
}

func tokenReplyFields(c *caseRun) {
	got := c.exchange(grant("reseller", c.sign(c.claims("reseller")))).is(http.StatusOK)
	numbers := fmt.Sprint([]any{got.find("expires_in"), got.find("refresh_expires_in"), got.find("not-before-policy")})
	c.coversIf("§5 the fields of the response", got.text("access_token") != "" && got.text("token_type") == "Bearer" &&
		numbers == "[300 0 0]" && got.find("scope") == "")
}

// algorithmsAndKeys changes the header of an assertion, which also breaks its signature.
// TestSignaturesOfOtherKeysAreRefused shows that a valid signature of another algorithm is refused.
func algorithmsAndKeys(c *caseRun) {
	for item, head := range map[string]string{
		"§5 alg RS256 alone":   `{"alg":"none","kid":"` + keyID + `","typ":"JWT"}`,
		"§5 kid names the key": `{"alg":"RS256","kid":"another","typ":"JWT"}`,
	} {
		_, rest, _ := strings.Cut(c.sign(c.claims("reseller")), ".")
		got := c.exchange(grant("reseller", encodeBase64(head)+"."+rest)).is(http.StatusBadRequest)
		c.coversIf(item, got.text("error") == "invalid_client")
	}
}
