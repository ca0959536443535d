package simulator

import (
	"net/http"
	"slices"
)

const (
	servicesPath      = "/api/connect/services/"
	planChangesPath   = servicesPath + "plan-changes/"
	healthPath        = servicesPath + "health/"
	cancellationsPath = servicesPath + "service-cancellations/requests/"
	aggregationPath   = servicesPath + "aggregation-conversions/"
	profilePath       = servicesPath + "dsl-stability-profile-changes/"
	reclaimsPath      = servicesPath + "reclaims/"
	testsPath         = servicesPath + "diagnostic-tests/"
	fibrePath         = "/api/connect/ee/fibre-build-charge/"
	ordersPath        = "/api/connect/orders/"
	slotsPath         = ordersPath + "appointment-requests/"
)

// routes is the contract: spec §4 for the paths, §9 for the versions.
func routes() []route {
	oddToken := routeRules{unauthorized: http.StatusNotFound} // spec §4: the POST of options lists 404 for a bad token
	byService := routeRules{serviceID: true}
	numericID := routeRules{numericID: true}
	return []route{
		post(OpAggregationConversion, 4, aggregationPath+"request", aggregationFields(), submit),
		with(numericID, get(OpAggregationConversion, 4, aggregationPath+"requests/{id}", poll)),
		post(OpPlanChange, 1, planChangesPath+"request", planChangeFields(), submit),
		get(OpPlanChange, 1, planChangesPath+"requests/{id}", poll),
		with(oddToken, post(OpPlanOptions, 1, planChangesPath+"options/request", serviceFields(), submit)),
		get(OpPlanOptions, 1, planChangesPath+"options/requests/{id}", poll),
		post(OpHealth, 5, healthPath+"request", serviceFields(), submit),
		until(5, get(OpHealth, 5, healthPath+"request/{id}", poll)), // spec §4: version 5 has a different path
		get(OpHealth, 6, healthPath+"requests/{id}", poll),
		post(OpDSLStabilityProfileChange, 4, profilePath+"request", profileFields(), submit),
		with(numericID, get(OpDSLStabilityProfileChange, 4, profilePath+"requests/{id}", poll)),
		post(OpFibreBuildCharge, 6, fibrePath+"request", fibreFields(), submit),
		get(OpFibreBuildCharge, 6, fibrePath+"requests/{id}", poll),
		post(OpReclaim, 1, reclaimsPath+"request", serviceFields(), submit),
		get(OpReclaim, 1, reclaimsPath+"requests/{id}", poll),
		post(OpAppointmentSlots, 1, slotsPath+"request", slotsFields(), submit),
		get(OpAppointmentSlots, 1, slotsPath+"requests/{id}", poll),
		post(OpAppointmentCancel, 1, slotsPath+"cancel", slotsCancelFields(), cancelSlots),
		post(OpDiagnosticTest, 1, testsPath+"request", diagnosticFields(), submit),
		get(OpDiagnosticTest, 1, testsPath+"requests/{id}", poll),
		post(OpCancellationReschedule, 1, cancellationsPath+"reschedule", rescheduleFields(), reschedule),
		post(OpCancellationAbort, 1, cancellationsPath+"abort", serviceFields(), abort),
		with(byService, get(OpCancellationRead, 1, cancellationsPath+"{id}", readCancellation)),
		with(byService, get(OpDisruptions, 1, servicesPath+"{id}/disruptions", listDisruptions)),
		post(OpOrderCreate, 1, ordersPath+"create", orderFields(), createOrder),
	}
}

func post(operation Operation, since int, path string, body []field, handle handler) route {
	return route{
		method: http.MethodPost, path: path, operation: operation,
		since: since, until: lastVersion, body: body[0].name, fields: body, handle: handle,
	}
}

func get(operation Operation, since int, path string, handle handler) route {
	return route{
		method: http.MethodGet, path: path, operation: operation,
		since: since, until: lastVersion, handle: handle,
	}
}

// with replaces the rules of a row.
func with(rules routeRules, row route) route {
	row.rules = rules
	return row
}

// until limits a row to versions up to the given one.
func until(version int, row route) route {
	row.until = version
	return row
}

// knownOperation reports whether an operation is that of a route, including the routes of all
// extensions, or of the token endpoint.
func knownOperation(operation Operation) bool {
	all := append(routes(), extensionRoutes(extensions())...)
	return operation == OpToken || slices.ContainsFunc(all, func(r route) bool { return r.operation == operation })
}
