package carrier

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

const maxTokenBytes = 16 << 10

// readToken validates the token that the identity provider returned.
func readToken(response *oauth2.Token, start time.Time) (grantedToken, error) {
	lifetime := lifetimeOf(response.Extra("expires_in"))
	switch {
	case !strings.EqualFold(response.TokenType, "Bearer"):
		return grantedToken{}, rejectedToken("the identity provider granted a token that is not of type Bearer")
	case len(response.AccessToken) > maxTokenBytes || strings.IndexFunc(response.AccessToken, notInToken) >= 0:
		return grantedToken{}, rejectedToken("the identity provider granted a token that is not valid in a header")
	case lifetime < minLifetime:
		return grantedToken{}, &TokenError{
			Reason: TokenTooShort, HTTPStatus: http.StatusOK,
			Message: "the identity provider grants tokens that are valid for less than 5 seconds",
		}
	}
	return grantedToken{
		token:       Token{AccessToken: NewSecret(response.AccessToken), Expires: start.Add(lifetime)},
		grantedAt:   start,
		usableUntil: start.Add(usableFor(lifetime)),
	}, nil
}

func rejectedToken(message string) *TokenError {
	return &TokenError{Reason: TokenRejected, HTTPStatus: http.StatusOK, Message: message}
}

func notInToken(r rune) bool { return r <= ' ' || r >= 0x7f }

// secretsIn returns an assertion and its parts.
func secretsIn(signed string) scrubber {
	return append(scrubber{signed}, strings.Split(signed, ".")...)
}

// exchangeError classifies a failed exchange. From the response body, it keeps only the code and
// the description of RFC 6749.
func exchangeError(err error, scrub scrubber) *TokenError {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return refusalError(refused, scrub)
	}
	if broken, ok := errors.AsType[*url.Error](err); ok {
		return &TokenError{
			Reason: TokenUnreachable, Message: "the identity provider cannot be reached", cause: broken.Err,
		}
	}
	return &TokenError{
		Reason: TokenUnreachable, HTTPStatus: http.StatusOK, Message: "the identity provider's response is not a token",
	}
}

// refusalError distinguishes a refusal of the client, which a person must fix, from an outage
// of the identity provider or of a server in front of it. A refusal has an error code of RFC
// 6749, or is a 401, which is always about the client. Keycloak returns 400 invalid_client to
// an unknown client. Any other status, such as a gateway's page with 403 or 404, is an outage.
func refusalError(refused *oauth2.RetrieveError, scrub scrubber) *TokenError {
	status := refused.Response.StatusCode
	failure := &TokenError{
		Reason: TokenUnreachable, HTTPStatus: status, Code: oauthErrorCode(refused.ErrorCode),
		Description: scrub.message(refused.ErrorDescription, maxExcerpt),
		Message:     "the identity provider answered " + strconv.Itoa(status),
	}
	busy := status == http.StatusRequestTimeout || status == http.StatusTooManyRequests
	switch {
	case busy || status >= http.StatusInternalServerError:
	case status == http.StatusUnauthorized, isRefusalCode(failure.Code):
		failure.Reason = TokenRejected
	default:
		failure.Message += " without an OAuth error, so something else may have answered: " +
			"if it lasts, check spec.auth.tokenURL"
	}
	return failure
}

// isRefusalCode reports whether a code is one of the errors of RFC 6749 that are about the client or
// its request: those of section 5.2, and access_denied, with which some identity providers refuse a
// client.
func isRefusalCode(code string) bool {
	switch code {
	case "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
		"invalid_scope", "access_denied":
		return true
	}
	return false
}

// oauthErrorCode returns a code in the form of those of RFC 6749, or "" for text in another form.
func oauthErrorCode(code string) string {
	const longest = 64
	if len(code) > longest || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return ""
	}
	return code
}
