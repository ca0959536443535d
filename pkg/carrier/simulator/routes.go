package simulator

import (
	"net/http"
	"slices"
	"strings"
)

// route is one row of the tables of spec §4: a method, a path, and the rules for a call.
type route struct {
	method    string
	path      string // {id} stands for one segment
	operation Operation
	since     int    // the first version with the route (spec §9)
	until     int    // the last version
	body      string // the body field that identifies the subject of the call; empty if there is no body
	fields    []field
	rules     routeRules
	handle    handler
}

// routeRules has the few deviations of a route from the common rules.
type routeRules struct {
	unauthorized int  // the status for a missing or invalid token; 401 by default
	numericID    bool // a non-numeric id is a 400 and not a 404 (spec §1 rule 4)
	serviceID    bool // the id is a service id
}

// handler responds to a call that passed the common rules. An error is a *problem; any other error
// is a 500.
type handler func(*exchange) (response, error)

// lastVersion is the newest X-API-VERSION (spec §9).
const lastVersion = 8

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

// Fields used in several bodies and sub-errors.
const (
	serviceIDField    = "serviceId"
	statusField       = "status"
	termField         = "term"
	contactNameField  = "contactName"
	contactPhoneField = "contactPhone"
	contactEmailField = "contactEmail"
)

// serviceFields is the body of most submissions.
func serviceFields() []field {
	return []field{{name: serviceIDField, kind: number, required: true}}
}

// match reports whether the path is the route's, and returns its id.
func (r *route) match(path string) (string, bool) {
	before, after, hasID := strings.Cut(r.path, "{id}")
	if !hasID {
		return "", path == r.path
	}
	rest, fits := strings.CutPrefix(path, before)
	if !fits {
		return "", false
	}
	id, fits := strings.CutSuffix(rest, after)
	return id, fits && id != "" && !strings.Contains(id, "/")
}

// at returns the path with the id filled in.
func (r *route) at(id string) string {
	return strings.Replace(r.path, "{id}", id, 1)
}

// name is the name of the route in a fault's target, such as "GET PlanChange".
func (r *route) name() string {
	return r.method + " " + string(r.operation)
}

// lookup finds the route of a call. If there is none, it returns the methods of the path.
func (s *Simulator) lookup(method, path string) (found *route, id string, allowed []string) {
	for i := range s.routes {
		row := &s.routes[i]
		segment, fits := row.match(path)
		if !fits {
			continue
		}
		if row.method == method {
			return row, segment, nil
		}
		allowed = append(allowed, row.method)
	}
	return nil, "", allowed
}

// readPath returns the path for polling a request of the operation at a version.
func (s *Simulator) readPath(operation Operation, version int, id string) string {
	i := slices.IndexFunc(s.routes, func(r route) bool {
		return r.method == http.MethodGet && r.operation == operation && r.since <= version && version <= r.until
	})
	return s.routes[i].at(id)
}

// knownOperation reports whether a route, or the token endpoint, has the name.
func knownOperation(operation Operation) bool {
	return operation == OpToken || slices.ContainsFunc(routes(), func(r route) bool { return r.operation == operation })
}
