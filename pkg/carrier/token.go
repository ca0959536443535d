package carrier

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Token is an access token, and until when it may be used.
type Token struct {
	AccessToken Secret
	Expires     time.Time // measured from before the request that brought it, on the clock of the source
}

// TokenSource hands out access tokens. It is safe for concurrent use.
type TokenSource interface {
	// Token returns a token with at least min(15 s, half of its life) left. It does not wait long for one: see
	// PendingWait.
	Token(ctx context.Context) (Token, error)
	// Invalidate says that the carrier answered 401 to this token. It has no effect on any other token, so that of
	// many calls refused with one token only the first makes a new exchange.
	Invalidate(token Token)
}

// TokenReason says why there is no token; the values are reasons of a condition.
type TokenReason string

// The token reasons.
const (
	TokenRejected    TokenReason = "TokenRejected" // the identity provider refuses the client, or the carrier its tokens
	TokenTooShort    TokenReason = "TokenTooShort" // the token lives less than 5 seconds in all
	TokenUnreachable TokenReason = "Unreachable"   // the identity provider cannot be reached, or is broken
	TokenClockSkew   TokenReason = "ClockSkew"     // refused, and its clock and ours are more than 5 minutes apart
	TokenKeyInvalid  TokenReason = "KeyInvalid"    // the private key cannot be used; wraps a KeyError
	TokenPending     TokenReason = "Pending"       // an exchange is under way and takes its time: come back later
)

// PendingWait is zero, or, where the error says that an exchange is under way and takes its time, how
// long to wait before asking for its token again.
func PendingWait(err error) time.Duration {
	if failure, ok := errors.AsType[*TokenError](err); ok && failure.Reason == TokenPending {
		return pendingPause
	}
	return 0
}

// TokenError says why there is no access token. It never holds anything of the body of a token
// exchange but the error code and description of RFC 6749.
type TokenError struct {
	Reason      TokenReason
	HTTPStatus  int    // zero: there was no answer
	Code        string // RFC 6749 section 5.2, such as invalid_client; empty when there was none
	Description string // what the identity provider says beside the code, fit to be shown; empty when it said nothing
	KeyID       string // the key in use; empty when it did not come to that
	Message     string

	cause error
}

// Error says the message, the code, the key and the cause, sanitized and bounded.
func (e *TokenError) Error() string {
	text := "no access token: " + e.Message
	if _, names := errors.AsType[*KeyError](e.cause); names {
		return "no access token: " + e.cause.Error() // it names the key, and says what is wrong with it
	}
	if said := strings.Trim(e.Code+": "+e.Description, ": "); said != "" {
		text += " (" + said + ")"
	}
	if e.KeyID != "" {
		text += fmt.Sprintf(", key %q", e.KeyID)
	}
	if e.cause != nil {
		text += ": " + scrubber(nil).message(e.cause.Error(), maxMessage) // it may quote a server, or its certificate
	}
	return text
}

// Unwrap returns the [KeyError] or the error of the network below.
func (e *TokenError) Unwrap() error { return e.cause }
