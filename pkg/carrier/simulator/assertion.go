package simulator

import (
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// assertionType is the only client_assertion_type (spec §5).
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// maxAssertionLifetime is the most that exp may be after iat.
const maxAssertionLifetime = time.Minute

// authenticate applies spec §5: the client must prove its identity with a signed JWT that it uses
// only once.
func (x *tokenExchange) authenticate() error {
	if x.form.Get("client_assertion_type") != assertionType {
		return invalidRequest("Parameter client_assertion_type is missing or not known")
	}
	if x.form.Get("client_assertion") == "" {
		return invalidRequest("Parameter client_assertion is missing")
	}
	var claims assertionClaims
	if err := x.verify(&claims); err != nil {
		x.recordViolation(RuleAssertion, err.Error())
		return err
	}
	return x.useOnce(claims.RegisteredClaims)
}

// assertionClaims are the claims of an assertion. Its times must be JSON numbers, because spec §5
// lists each as a NumericDate. The JWT library also accepts strings.
type assertionClaims struct {
	jwt.RegisteredClaims
}

// UnmarshalJSON reads the claims, and refuses a time that is not a number.
func (c *assertionClaims) UnmarshalJSON(content []byte) error {
	var times struct {
		Exp any `json:"exp"`
		Nbf any `json:"nbf"`
		Iat any `json:"iat"`
	}
	if err := json.Unmarshal(content, &times); err != nil {
		return fmt.Errorf("read the claims: %w", err)
	}
	for _, claim := range []any{times.Exp, times.Nbf, times.Iat} {
		if _, isNumber := claim.(float64); claim != nil && !isNumber {
			return errNotNumeric
		}
	}
	if err := json.Unmarshal(content, &c.RegisteredClaims); err != nil {
		return fmt.Errorf("read the claims: %w", err)
	}
	return nil
}

var errNotNumeric = errors.New("exp, nbf and iat are numbers")

// verify checks the signature and every claim that spec §5 lists.
func (x *tokenExchange) verify(claims *assertionClaims) error {
	parser := jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodRS256.Alg()}), // spec §5: must be RS256
		jwt.WithTimeFunc(func() time.Time { return x.now }),
		jwt.WithLeeway(time.Duration(x.sim.options.Seed.Token.ClockTolerance)),
		jwt.WithExpirationRequired(), jwt.WithNotBeforeRequired(), jwt.WithIssuedAt(),
		jwt.WithAudience(origin(x.request, x.sim.options.IdentityURL)+identityPrefix+x.realm),
		jwt.WithStrictDecoding(),
	)
	_, err := parser.ParseWithClaims(x.form.Get("client_assertion"), claims, func(token *jwt.Token) (any, error) {
		x.call.Client, x.call.JTI, x.call.Subject = claims.Issuer, claims.ID, claims.Issuer
		return x.key(token, &claims.RegisteredClaims)
	})
	if err != nil {
		return invalidClient(keycloakReason(err))
	}
	switch {
	case claims.ID == "" || claims.IssuedAt == nil:
		return invalidClient("The token has no jti or no iat")
	case len(claims.Audience) != 1: // spec §5: the address of the realm alone
		return invalidClient("Invalid token audience")
	case claims.ExpiresAt.Sub(claims.IssuedAt.Time) > maxAssertionLifetime:
		return invalidClient("Token expiration is too far in the future")
	}
	return nil
}

// keyError is the reason why no key was found, in Keycloak's wording.
type keyError string

// Error returns the reason.
func (r keyError) Error() string { return string(r) }

// key finds the client's public key by the kid in the header.
func (x *tokenExchange) key(token *jwt.Token, claims *jwt.RegisteredClaims) (*rsa.PublicKey, error) {
	x.sim.mu.Lock()
	defer x.sim.mu.Unlock()
	holder, known := x.sim.clients[claims.Issuer]
	named := x.form.Get("client_id")
	if !known || holder.Realm != x.realm || claims.Subject != claims.Issuer || named != claims.Issuer {
		return nil, keyError("Invalid client or Invalid client credentials")
	}
	kid, isText := token.Header["kid"].(string)
	if !isText || holder.keys[kid] == nil || x.sim.hostile.refusesKey(holder.keys, kid, x.now) {
		return nil, keyError("Unable to load public key")
	}
	return holder.keys[kid], nil
}

// keycloakReason returns Keycloak's wording of a refusal.
func keycloakReason(err error) string {
	if known, found := errors.AsType[keyError](err); found {
		return string(known)
	}
	words := []struct {
		of    error
		words string
	}{
		{jwt.ErrTokenMalformed, "Invalid token"},
		{jwt.ErrTokenSignatureInvalid, "Signature on JWT token failed validation"},
		{jwt.ErrTokenInvalidAudience, "Invalid token audience"},
		{jwt.ErrTokenExpired, "Token is not active"},
		{jwt.ErrTokenNotValidYet, "Token is not active"},
		{jwt.ErrTokenUsedBeforeIssued, "Token was issued in the future"},
		{jwt.ErrTokenRequiredClaimMissing, "A required claim is missing"},
	}
	for _, row := range words {
		if errors.Is(err, row.of) {
			return row.words
		}
	}
	return "Invalid token"
}

// useOnce marks the jti as used (spec §8: each JWT is single use).
func (x *tokenExchange) useOnce(claims jwt.RegisteredClaims) error {
	x.sim.mu.Lock()
	defer x.sim.mu.Unlock()
	key := claims.Issuer + " " + claims.ID
	if _, used := x.sim.state.Assertions.get(key, x.now); used {
		x.sim.state.Journal.Violations.add(x.violation(RuleTokenReuse, "jti "+claims.ID))
		return invalidClient("Token reuse detected")
	}
	until := claims.ExpiresAt.Add(time.Duration(x.sim.options.Seed.Token.ClockTolerance) + time.Second)
	x.sim.state.Assertions.put(key, struct{}{}, x.now, until)
	return nil
}
