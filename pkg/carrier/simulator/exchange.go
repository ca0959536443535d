package simulator

import (
	"net/http"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/rewrite"
)

// exchange is one call of the carrier API, from request to response.
type exchange struct {
	sim     *Simulator
	request *http.Request
	body    []byte
	bodyErr error
	now     time.Time

	route   *route   // set by identify; nil if the specification has no such route
	allowed []string // the methods of the path if only the method is wrong
	id      string   // the id in the path
	fields  fields   // the body; nil if there is none or it cannot be read
	parsed  error    // why the body cannot be read

	client  *client       // set by the token rule
	version int           // set by the version rule
	service *serviceState // set by findService: the service that the call is about

	fault      Fault
	distortion *rewrite.Distortion
	call       Call // the journal entry
}

// serviceID returns the service that the call is about, zero if there is none.
func (x *exchange) serviceID() int64 {
	if x.route.body == serviceIDField {
		return x.fields.number(serviceIDField)
	}
	if x.route.rules.serviceID {
		return parseID(x.id)
	}
	if followed, found := x.sim.state.Requests[x.id]; found && followed.Operation == x.route.operation {
		return followed.ServiceID
	}
	return 0
}

// recordViolation records that the call breaks a rule.
func (x *exchange) recordViolation(rule Rule, detail string) {
	x.sim.state.Journal.Violations.add(Violation{
		Time: x.now, Rule: rule, Detail: truncate(detail), Operation: x.call.Operation, Path: truncate(x.call.Path),
	})
}

// formatLocation returns a path in the form that the seed requires.
func (x *exchange) formatLocation(path string) string {
	form := x.sim.options.Seed.Location
	if form == LocationPath || form == LocationMixed && len(x.sim.state.Requests)%2 == 0 {
		return path
	}
	return origin(x.request, x.sim.options.CarrierURL) + path
}

// origin returns the configured origin, or that of the call.
func origin(r *http.Request, configured string) string {
	if configured != "" {
		return configured
	}
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
