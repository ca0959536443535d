package carrier

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// recordStatus records what a response shows beyond this one call: the token is or may be
// invalid, the account exceeds the rate limit, or an overloaded server requires a pause.
func (c *Client) recordStatus(contract Contract, k call, resp response) {
	switch {
	case resp.status == http.StatusUnauthorized:
		c.tokens.Invalidate(resp.token)
	case resp.status == http.StatusNotFound && contract.TokenHiddenIn404 && k.method == http.MethodPost:
		c.tokens.Suspect(resp.token)
	case resp.status == http.StatusTooManyRequests:
		c.limiter.Load().pause(c.now(), max(c.retryAfter(resp), minRetryAfter))
	case resp.status >= http.StatusInternalServerError:
		c.limiter.Load().pause(c.now(), c.retryAfter(resp))
	}
}

func (c *Client) retryAfter(resp response) time.Duration {
	return parseRetryAfter(resp.header.Get("Retry-After"), c.now())
}

// The bounds of a Retry-After. A server can neither block us for long nor cause a busy loop.
const (
	minRetryAfter = time.Second
	maxRetryAfter = time.Hour
)

// parseRetryAfter reads a Retry-After header, in seconds or as a date, and clamps it to 1
// second to 1 hour. It returns zero for an empty or invalid value.
func parseRetryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	seconds, err := strconv.ParseInt(value, 10, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) { // out of range still means "very long" or "in the past"
		seconds = min(max(seconds, 0), int64(maxRetryAfter/time.Second))
		return clampRetryAfter(time.Duration(seconds) * time.Second)
	}
	if date, err := http.ParseTime(value); err == nil {
		return clampRetryAfter(date.Sub(now))
	}
	return 0
}

func clampRetryAfter(wait time.Duration) time.Duration {
	return min(max(wait, minRetryAfter), maxRetryAfter)
}
