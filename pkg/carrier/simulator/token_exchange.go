package simulator

import (
	"net/http"
	"net/url"
	"time"
)

// The path of the token endpoint (spec §5), before and after the name of the realm.
const (
	identityPrefix = "/auth/realms/"
	tokenSuffix    = "/protocol/openid-connect/token"
)

// tokenExchange is one call of the identity provider.
type tokenExchange struct {
	sim     *Simulator
	request *http.Request
	body    []byte
	bodyErr error
	now     time.Time
	realm   string
	form    url.Values
	fault   Fault
	call    Call
}

// recordViolation records that the exchange breaks a rule.
func (x *tokenExchange) recordViolation(rule Rule, detail string) {
	x.sim.mu.Lock()
	defer x.sim.mu.Unlock()
	x.sim.state.Journal.Violations.add(x.violation(rule, detail))
}

func (x *tokenExchange) violation(rule Rule, detail string) Violation {
	return Violation{Time: x.now, Rule: rule, Detail: truncate(detail), Operation: OpToken, Path: truncate(x.call.Path)}
}

// oauthError is a refused exchange, in Keycloak's wording.
type oauthError struct {
	status      int
	Code        string `json:"error"`
	Description string `json:"error_description,omitempty"`
}

// Error returns the code and the description.
func (e *oauthError) Error() string { return e.Code + ": " + e.Description }

func invalidRequest(description string) error {
	return &oauthError{status: http.StatusBadRequest, Code: "invalid_request", Description: description}
}

// invalidClient returns Keycloak's refusal of an assertion, which has status 400 and not 401.
func invalidClient(reason string) error {
	return &oauthError{
		status: http.StatusBadRequest, Code: "invalid_client",
		Description: "Client authentication with signed JWT failed: " + reason,
	}
}
