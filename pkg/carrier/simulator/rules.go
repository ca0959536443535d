package simulator

import (
	"cmp"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/problem"
)

// commonRules returns the rules for every call, which run in this order before its handler. The
// first broken rule determines the response.
func commonRules() []func(*exchange) error {
	return []func(*exchange) error{
		knownRoute,       // 404, 405
		noIdempotencyKey, // never refused: the carrier ignores the header
		validToken,       // 401; 404 for the POST of plan change options
		permitted,        // 404
		supportedVersion, // 400
		jsonMedia,        // 415
		readableBody,     // 413, 400
		knownFields,      // never refused: unknown fields are ignored
		validFields,      // 422
	}
}

func knownRoute(x *exchange) error {
	if x.route != nil {
		return nil
	}
	if len(x.allowed) > 0 {
		x.recordViolation(RuleMethod, x.request.Method)
		return problem.MethodRefused(strings.Join(x.allowed, ", "))
	}
	x.recordViolation(RulePath, "the specification has no such path")
	return problem.NotFound()
}

// noIdempotencyKey records a violation for a header that allows Go's transport to resend a POST by
// itself.
func noIdempotencyKey(x *exchange) error {
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		if x.request.Method == http.MethodPost && x.request.Header.Get(name) != "" {
			x.recordViolation(RuleIdempotencyKey, name)
		}
	}
	return nil
}

// validToken applies spec §1 rule 2 and §5: every call needs a bearer token that was issued and has
// not expired.
func validToken(x *exchange) error {
	status := x.route.rules.unauthorized
	if status == 0 {
		status = http.StatusUnauthorized
	}
	if x.request.Header.Get("Authorization") == "" {
		x.recordViolation(RuleHeader, "Authorization is missing")
	}
	x.client = x.sim.bearer(x.request)
	if x.client == nil || x.sim.refusesOnce(bearerToken(x.request)) {
		return problem.TokenRefused(status)
	}
	return nil
}

// refusesOnce reports whether a hostile carrier refuses a valid token. It does so at most once.
func (s *Simulator) refusesOnce(token string) bool {
	refused := s.hostile != nil && s.state.RefuseOnce[token]
	delete(s.state.RefuseOnce, token)
	return refused
}

// permitted applies spec §5: without permission for an operation the status is 404.
func permitted(x *exchange) error {
	if slices.Contains(x.client.Denied, x.route.operation) {
		return problem.NotFound()
	}
	return nil
}

// bearer returns the client to which the call's token was issued, nil without a valid one.
func (s *Simulator) bearer(r *http.Request) *client {
	holder, valid := s.state.Tokens.get(bearerToken(r), s.options.Now())
	if !valid {
		return nil
	}
	return s.clients[holder]
}

// bearerToken returns the token of a call, empty if it has none.
func bearerToken(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}

// versionOf returns the call's X-API-VERSION, zero if it is missing or not a number.
func versionOf(r *http.Request) int {
	version, err := strconv.Atoi(r.Header.Get("X-Api-Version"))
	if err != nil {
		return 0
	}
	return version
}

// supportedVersion applies spec §9.
func supportedVersion(x *exchange) error {
	if x.request.Header.Get("X-Api-Version") == "" {
		x.recordViolation(RuleHeader, "X-API-VERSION is missing")
		return problem.VersionRefused("X-API-VERSION is required")
	}
	x.version = versionOf(x.request)
	if x.version < x.route.since || x.version > x.route.until {
		x.recordViolation(RuleVersion, "X-API-VERSION "+x.request.Header.Get("X-Api-Version"))
		return problem.VersionRefused("X-API-VERSION is not supported here")
	}
	return nil
}

// jsonMedia applies spec §1 rule 1: the Content-Type of a request is JSON. A call without a body is
// never refused because of its Content-Type.
func jsonMedia(x *exchange) error {
	contentType := x.request.Header.Get("Content-Type")
	isJSON, withBody := isJSONMedia(contentType), x.route.body != ""
	switch {
	case contentType == "":
		x.recordViolation(RuleHeader, "Content-Type is missing")
	case !isJSON && !withBody:
		x.recordViolation(RuleHeader, "Content-Type is "+contentType)
	}
	if withBody && (!isJSON || x.request.Header.Get("Content-Encoding") != "") {
		return problem.MediaTypeRefused()
	}
	return nil
}

func isJSONMedia(contentType string) bool {
	media, parameters, err := mime.ParseMediaType(contentType)
	charset := cmp.Or(parameters["charset"], "utf-8")
	return err == nil && media == jsonMediaType && strings.EqualFold(charset, "utf-8")
}

func readableBody(x *exchange) error {
	if x.route.body == "" {
		return nil
	}
	if x.bodyErr != nil {
		return problem.BodyTooLarge()
	}
	if x.parsed != nil {
		x.recordViolation(RuleBody, x.parsed.Error())
		return x.parsed
	}
	return x.fields.checkTypes(x.route.fields)
}

// knownFields drops the fields that the route does not have at the call's version, and records a
// violation.
func knownFields(x *exchange) error {
	known := make(fields, len(x.fields))
	for _, row := range x.route.fields {
		if value, present := x.fields[row.name]; present && row.since <= x.version {
			known[row.name] = value
		}
	}
	for name := range x.fields {
		if _, kept := known[name]; !kept {
			x.recordViolation(RuleField, name+" is not a field of this request at this version")
		}
	}
	x.fields = known
	return nil
}

// validFields applies the rules for single fields in the tables of spec §4.
func validFields(x *exchange) error {
	if broken := x.fields.subErrors(x.route.fields); len(broken) > 0 {
		return problem.ArgumentsInvalid(broken...)
	}
	return nil
}
