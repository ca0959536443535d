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

// handler responds to a call that passed the common rules. Its errors are of type *problem.Error;
// an error of any other type is a 500.
type handler func(*exchange) (response, error)

// lastVersion is the newest X-API-VERSION (spec §9).
const lastVersion = 8

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
