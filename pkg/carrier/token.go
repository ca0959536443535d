package carrier

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Token is an access token and its expiry.
type Token struct {
	AccessToken Secret
	Expires     time.Time // counted from before the token request, by the source's clock
}

const (
	minLifetime     = 5 * time.Second   // a token with a shorter lifetime is useless
	maxLifetime     = 300 * time.Second // spec §8: 300 seconds in the response shape; longer lifetimes are not trusted
	defaultLifetime = 60 * time.Second  // if expires_in is missing or not a number
)

// grantedToken is an access token that the identity provider granted.
type grantedToken struct {
	token       Token
	grantedAt   time.Time // just before it was requested
	usableUntil time.Time // it may be handed out until then
	keyID       string    // the key that was accepted
}

// usableFor returns how long a token with a given lifetime is handed out: for 80 % of its lifetime,
// but only while at least min(15 s, half of it) is left.
func usableFor(lifetime time.Duration) time.Duration {
	left := min(15*time.Second, lifetime/2)
	return min(lifetime/5*4, lifetime-left)
}

// lifetimeOf reads expires_in, in seconds: a number, or a number in a string. The lifetime has
// an upper bound, because a wrong, large value would keep an expired token in use until the
// carrier refused it.
func lifetimeOf(expiresIn any) time.Duration {
	var seconds float64
	switch value := expiresIn.(type) {
	case float64:
		seconds = value
	case int64:
		seconds = float64(value)
	case string:
		parsed, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return defaultLifetime
		}
		seconds = parsed
	default:
		return defaultLifetime
	}
	if math.IsNaN(seconds) {
		return defaultLifetime
	}
	return time.Duration(math.Min(math.Max(seconds, 0), maxLifetime.Seconds()) * float64(time.Second))
}

// TokenSource hands out access tokens. It is safe for concurrent use.
type TokenSource interface {
	// Token returns a token with at least min(15 s, half of its lifetime) left. It does not wait long
	// for one: see PendingWait.
	Token(ctx context.Context) (Token, error)
	// Invalidate reports that the carrier responded with 401 to a call with this token. It has no
	// effect on any other token, so if many calls with one token are refused, only the first causes a
	// new exchange.
	Invalidate(token Token)
	// Suspect reports that a response of the carrier may, but need not, mean that this token is
	// invalid. The token is replaced if it is at least a minute old.
	Suspect(token Token)
}

// TokenReason states why there is no token. The values are condition reasons.
type TokenReason string

// The token reasons.
const (
	TokenRejected    TokenReason = "TokenRejected"    // the identity provider refuses the client
	TokenNotAccepted TokenReason = "TokenNotAccepted" // granted, and refused by the carrier
	TokenTooShort    TokenReason = "TokenTooShort"    // the token's lifetime is less than 5 seconds
	TokenUnreachable TokenReason = "Unreachable"      // the identity provider cannot be reached or does not work
	TokenClockSkew   TokenReason = "ClockSkew"        // refused, and the two clocks are more than 5 minutes apart
	TokenKeyInvalid  TokenReason = "KeyInvalid"       // the private key cannot be used; wraps a KeyError
	TokenPending     TokenReason = "Pending"          // an exchange is in progress and takes long: try again later
)

// ErrTokenNotAccepted is the error of a token source whose tokens the carrier refuses.
var ErrTokenNotAccepted = &TokenError{
	Reason: TokenNotAccepted, HTTPStatus: http.StatusUnauthorized,
	Message: "the carrier refuses tokens that the identity provider has just granted",
}

// pendingWait is shorter than any pause of a token source, so that a caller that asks again
// after pendingWait finds the result.
const pendingWait = 3 * time.Second

// PendingWait returns how long to wait before the next call of Token if err means that an exchange
// is still in progress, and zero otherwise.
func PendingWait(err error) time.Duration {
	if failure, ok := errors.AsType[*TokenError](err); ok && failure.Reason == TokenPending {
		return pendingWait
	}
	return 0
}

// TokenError states why there is no access token. From the body of a token exchange, it keeps only
// the error code and description of RFC 6749.
type TokenError struct {
	Reason      TokenReason
	HTTPStatus  int    // zero: no response
	Code        string // RFC 6749 section 5.2, such as invalid_client; empty: none
	Description string // the identity provider's description of the code, safe to display; empty: none
	KeyID       string // the key in use; empty: no key was used
	Message     string

	cause error
}

// noToken begins the text of each TokenError.
const noToken = "no access token: "

// Error returns the message, the code, the key and the cause, sanitized and bounded.
func (e *TokenError) Error() string {
	if _, names := errors.AsType[*KeyError](e.cause); names {
		return noToken + e.cause.Error() // it names the key and the defect
	}
	text := e.Answer()
	if e.KeyID != "" {
		text += fmt.Sprintf(", key %q", e.KeyID)
	}
	if e.cause != nil {
		cause := scrubber(nil).message(steadyText(e.cause), maxMessage) // it may quote a server or its certificate
		text += ": " + strings.TrimPrefix(cause, noToken)               // a clock skew wraps a refusal
	}
	return text
}

// Answer returns the message with the identity provider's code and description, without the key.
func (e *TokenError) Answer() string {
	text := noToken + e.Message
	if description := strings.Trim(e.Code+": "+e.Description, ": "); description != "" {
		text += " (" + description + ")"
	}
	return text
}

// Unwrap returns the underlying [KeyError] or network error.
func (e *TokenError) Unwrap() error { return e.cause }
