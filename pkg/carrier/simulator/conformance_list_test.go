package simulator_test

import (
	"fmt"
	"net/http"
	"slices"
)

// specSection is a section of the specification with everything that it lists.
type specSection struct {
	name  string
	items []string
}

// checklist is what the specification lists, section by section. An item without a case fails the
// suite. The list is transcribed from the specification and not from the simulator.
func checklist() []specSection {
	return []specSection{
		{"§1 common rules", ruleItems()},
		{"§2 order scenarios", orderItems()},
		{"§3 states", stateItems()},
		{"§3 cancellation", cancellationItems()},
		{"§4 endpoints", statusItems()},
		{"§5 authentication", tokenItems()},
		{"§6 events", prefixed("§6 ", eventItems())},
		{"§7 errors", errorItems()},
		{"§8 limits", limitItems()},
		{"§9 versions", versionItems()},
	}
}

const (
	ruleCreated   = "§1 rule 3: 201, an empty body and a Location"
	ruleNoContent = "§1 rule 3: 204 of reschedule and abort"
	ruleHeaders   = "§1 rule 5: the common response headers"
)

func ruleItems() []string {
	return []string{
		"§1 rule 1: bodies are JSON",
		"§1 rule 2: Authorization is needed",
		"§1 rule 2: X-API-VERSION is needed",
		ruleCreated,
		ruleNoContent,
		"§1 rule 3: 202 while in progress",
		"§1 rule 3: 200 with the resource",
		"§1 rule 3: 422 with the standard error body",
		"§1 rule 4: a non-numeric id of an aggregation conversion is 400",
		"§1 rule 4: a non-numeric id of a DSL stability profile change is 400",
		"§1 rule 4: a non-numeric id of disruptions is 400",
		ruleHeaders,
		"§1 rule 6: date-times have a UTC offset",
		"§1 rule 6: dates are YYYY-MM-DD",
	}
}

func orderItems() []string {
	return []string{
		"§2 scenario 1: the first service at a location",
		"§2 scenario 2: a free port",
		"§2 scenario 2: refused for lack of capacity",
		"§2 scenario 3: a replacement NTD",
		"§2 scenario 3: refused when another NTD would do",
		"§2 scenario 4: an additional NTD",
		"§2 scenario 4: refused when installation options are not populated",
		"§2 scenario 4: an additional copper pair when all are in use",
		"§2 scenario 4: an additional copper pair refused while one is free",
		"§2 scenario 5: an NTD port in use is a transfer",
		"§2 scenario 5: a copper pair in use is a transfer",
		"§2 scenario 5: transferType and avcIdForTransfer are needed",
		"§2 scenario 6: SERVICE_TRANSFER with an AVC id",
		"§2 scenario 6: CONNECT_OUTSTANDING without one",
		"§2 scenario 6: an incorrect AVC id is rejected later",
		"§2 scenario 7: neither for the first infrastructure",
		"§2 scenario 7: neither for an additional infrastructure",
		"§2 scenario 8: serviceStatus and copperPairStatus exclude each other",
		"§2 scenario 9: an active pair of another company is a transfer",
		"§2 scenario 10: the client's own service there is disconnected",
	}
}

// stateRow is a row of the first table of spec §3.
type stateRow struct {
	resource, status string
	httpStatus       int
}

func (r stateRow) item() string {
	return fmt.Sprintf("§3 %s %s → %d", r.resource, r.status, r.httpStatus)
}

func stateRows() []stateRow {
	return []stateRow{
		{"aggregation conversion", "OPEN", 202},
		{"aggregation conversion", "IN_PROGRESS", 202},
		{"aggregation conversion", "IN_ERROR", 202},
		{"aggregation conversion", "COMPLETED", 200},
		{"aggregation conversion", "FAILED", 422},
		{"DSL stability profile change", "OPEN", 202},
		{"DSL stability profile change", "IN_PROGRESS", 202},
		{"DSL stability profile change", "COMPLETED", 200},
		{"DSL stability profile change", "IN_ERROR", 422},
		{"DSL stability profile change", "IN_ERROR_RETRY", 202},
		{"fibre build charge", "in progress", 202},
		{"fibre build charge", "complete", 200},
		{"fibre build charge", "IN_ERROR", 422},
		{"plan change", "in progress", 202},
		{"plan change", "COMPLETED", 200},
		{"plan change", "IN_ERROR", 422},
		{"reclaim", "in progress", 202},
		{"reclaim", "COMPLETED", 200},
		{"reclaim", "IN_ERROR", 422},
		{"health", "OPEN", 202},
		{"health", "IN_PROGRESS", 202},
		{"health", "IN_ERROR_RETRY", 202},
		{"health", "COMPLETED", 200},
		{"health", "IN_ERROR", 422},
		{"health", "FAILED", 422},
		{"diagnostic test", "in progress", 202},
		{"diagnostic test", "completed", 200},
		{"diagnostic test", "TIMEOUT", 422},
		{"diagnostic test", "ERROR_OCCURRED", 422},
	}
}

func stateItems() []string {
	return append(
		each(stateRows(), func(row stateRow) []string { return []string{row.item()} }),
		"§3 aggregation conversion IN_ERROR: errorDetail is filled",
		"§3 aggregation conversion IN_ERROR: the process continues",
	)
}

func cancellationItems() []string {
	return slices.Concat(
		[]string{"§3 REQUESTED reaching its date → COMPLETED", "§3 no cancellation: status null"},
		each(openStates(), func(from string) []string {
			return []string{"§3 reschedule " + from + " → REQUESTED", "§3 abort " + from + " → ABORTED"}
		}),
		each(closedStates(), func(from string) []string {
			return []string{"§3 reschedule " + from + ": unchanged, 422", "§3 abort " + from + ": unchanged, 422"}
		}),
	)
}

// openStates are the states in which a cancellation has not been submitted to the carrier yet.
func openStates() []string { return []string{"REQUESTED", "IN_ERROR"} }

// closedStates are the cancellation states that the table calls "other status": no cancellation,
// and the statuses that were observed.
func closedStates() []string {
	return []string{"none", "COMPLETED", "ABORTED", "IN_PROGRESS", "IN_ERROR_RETRY", "REJECTED"}
}

// endpoint is a row of the tables of spec §4 with the statuses listed below it.
type endpoint struct {
	method, path string
	statuses     []int
}

// The reads of spec §4.
const (
	aggregationRead = "/api/connect/services/aggregation-conversions/requests/{id}"
	planChangeRead  = "/api/connect/services/plan-changes/requests/{id}"
	planOptionsRead = "/api/connect/services/plan-changes/options/requests/{id}"
	profileRead     = "/api/connect/services/dsl-stability-profile-changes/requests/{id}"
	fibreRead       = "/api/connect/ee/fibre-build-charge/requests/{id}"
	reclaimRead     = "/api/connect/services/reclaims/requests/{id}"
	slotsRead       = "/api/connect/orders/appointment-requests/requests/{id}"
	diagnosticRead  = "/api/connect/services/diagnostic-tests/requests/{id}"
	healthRead      = "/api/connect/services/health/requests/{id}"
	healthReadV5    = "/api/connect/services/health/request/{id}"
	disruptionsRead = "/api/connect/services/{id}/disruptions"
	cancelledRead   = "/api/connect/services/service-cancellations/requests/{id}"
)

// endpoints is spec §4, with the statuses of section 1, rule 4, where section 4 omits them.
func endpoints() []endpoint {
	const get, post = http.MethodGet, http.MethodPost
	return []endpoint{
		{post, aggregation, []int{201, 401, 404, 422, 500}},
		{get, aggregationRead, []int{200, 202, 401, 400, 404, 422, 500}},
		{post, planChange, []int{201, 401, 404, 422, 500, 502}},
		{get, planChangeRead, []int{200, 202, 401, 404, 422, 500, 502}},
		{post, planOptions, []int{201, 404, 422, 500, 502}},
		{get, planOptionsRead, []int{200, 202, 401, 404, 422, 500, 502}},
		{post, profile, []int{201, 401, 404, 422, 500}},
		{get, profileRead, []int{200, 202, 401, 400, 404, 422, 500, 502}},
		{post, fibre, []int{201, 401, 404, 422, 500}},
		{get, fibreRead, []int{200, 202, 401, 404, 422, 500}},
		{post, reclaims, []int{201, 401, 404, 422, 500, 502}},
		{get, reclaimRead, []int{200, 202, 401, 404, 422, 500}},
		{post, slots, []int{201, 401, 404, 422, 500, 502}},
		{get, slotsRead, []int{200, 202, 401, 404, 500, 502}},
		{post, slotsCancel, []int{204, 401, 404, 500}},
		{post, diagnostics, []int{201, 401, 404, 422, 500, 502}},
		{get, diagnosticRead, []int{200, 202, 401, 404, 422, 500}},
		{post, rescheduling, []int{204, 401, 404, 422, 500}},
		{post, aborting, []int{204, 401, 404, 422, 500}},
		{post, health, []int{201, 401, 404, 422, 500}},
		{get, healthRead, []int{200, 202, 401, 404, 422, 500}},
		{get, healthReadV5, []int{200, 202, 401, 404, 422, 500}},
		{get, disruptionsRead, []int{200, 401, 400, 404, 500}},
		{post, orders, []int{201, 422}},
		{get, cancelledRead, []int{200, 202, 401, 400, 404, 422, 500}},
	}
}

func statusItems() []string {
	items := each(endpoints(), func(row endpoint) []string {
		return each(row.statuses, func(status int) []string { return []string{statusItem(row, status)} })
	})
	return append(items,
		"§4 options: the POST responds to a bad token with 404",
		"§4 order: the Location is /api/connect/orders/{id} and the body the order",
		"§4 slots: cancelling an appointment-request",
		"§4 plan change: SLA change with the existing plan",
		"§4 plan change: plan and SLA at once",
		"§4 plan change: below version 8 the order's contact is used",
		"§4 disruptions: status is repeatable",
	)
}

func tokenItems() []string {
	items := slices.Concat(prefixed("§5 claim ", claimNames()), prefixed("§5 parameter ", formNames()))
	return append(items,
		"§5 the fields of the response", "§5 single use of a JWT", "§5 alg RS256 alone", "§5 kid names the key",
		"§5 an expired token is 401", "§5 lack of permission is 404", "§5 a service of another client is 404",
	)
}

func claimNames() []string { return []string{"jti", "exp", "nbf", "iat", "iss", "aud", "sub"} }

func formNames() []string {
	return []string{"grant_type", "client_id", "client_assertion_type", "client_assertion"}
}

// eventItems are the events of spec §6, the deprecated ones included.
func eventItems() []string {
	return []string{
		"ServiceAggregationModified", "ServiceAggregationModificationFailed", "ServiceDslStabilityProfileChanged",
		"ServiceReclaimActivated", "ServicePlanChanged", "ServicePlanChangeRejected", "ServiceRestorationSlaChanged",
		"OrderRejected", "ServiceModified", "ServiceModificationRejected",
	}
}

func errorItems() []string {
	return slices.Concat(
		prefixed("§7 status ", []string{"400", "401", "404", "422", "500", "502"}),
		prefixed("§7 type ", []string{"client.validation", "business.rule", "remote.call"}),
		prefixed("§7 code ", []string{
			"validation", "method.argument.not.valid", "method.argument.type.mismatch", "resource.not.found",
			"remote.call.error",
		}),
		prefixed("§7 apiSubErrors is empty for ", []string{"400", "404", "502"}),
		subErrorItems(),
	)
}

// subErrorItems is the last table of spec §7.
func subErrorItems() []string {
	return []string{
		subErrorItem("constraints.service.not.tc4", "technologyType"),
		subErrorItem("constraints.service.aggregation.conversion.request.failed", "status"),
		subErrorItem("constraints.plan.change.plan.name.invalid", "planName"),
		subErrorItem("constraints.service.plan.change.status.in.error", "status"),
		subErrorItem("constraints.service.dsl.stability.change.request.in.progress",
			"serviceDslStabilityProfileChangeRequest"),
		subErrorItem("constraints.service.dsl.stability.profile.change.status.in.error", "status"),
		subErrorItem("constraints.fibre.build.charge.request.in.error", "status"),
		subErrorItem("constraints.pattern", "locationId"),
		subErrorItem("constraints.service.not.eligible.for.reclaims", "serviceId"),
		subErrorItem("constraints.service.reclaim.request.status.in.error", "status"),
		subErrorItem("constraints.not.null", "dateFrom"),
		subErrorItem("constraints.local.date.future.or.present", "cancellationDate"),
		subErrorItem("constraints.service-cancellation.not.requested", "status"),
		subErrorItem("constraints.service.not.eligible.for.cancellation", "status"),
		subErrorItem("constraints.service-diagnostic-test-request.timed-out", "status"),
		subErrorItem("constraints.service-diagnostic-test-request.in-error", "status"),
		subErrorItem("constraints.avc.id.not.required", "avcIdForTransfer"),
		subErrorItem("constraints.transfer.type.not.required", "transferType"),
	}
}

func limitItems() []string {
	return []string{
		"§8 a fibre build charge is polled once per 5 s",
		"§8 disruptions: 20 a page",
		"§8 disruptions: newest maintenanceStartAt first",
		"§8 an access token is valid for 300 s",
		"§8 a JWT is accepted once",
	}
}

// versionRow is a row of the table of spec §9.
type versionRow struct {
	family string
	since  int
	path   string
	body   string
}

func (r versionRow) items() []string {
	return []string{
		fmt.Sprintf("§9 %s: versions %d to 8", r.family, r.since),
		fmt.Sprintf("§9 %s: no other version", r.family),
	}
}

func versionItems() []string {
	return append(
		each(versionRows(), versionRow.items),
		"§9 plan change: restorationSla from 6",
		"§9 plan change: contact details from 8 when ntdOption is set",
		"§9 plan change: the alternate source from 8",
		"§9 health: 5 has its own path and names",
		"§9 health: 6 has the names of section 2",
	)
}

// each applies a function to every element and concatenates the results.
func each[T, U any](list []T, of func(T) []U) []U {
	all := make([]U, 0, len(list))
	for _, element := range list {
		all = append(all, of(element)...)
	}
	return all
}

// prefixed adds the same prefix to each text.
func prefixed(prefix string, texts []string) []string {
	return each(texts, func(text string) []string { return []string{prefix + text} })
}
