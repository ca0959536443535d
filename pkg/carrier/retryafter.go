package carrier

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The bounds of a Retry-After, so that no server can stop us or make us race.
const (
	minRetryAfter = time.Second
	maxRetryAfter = time.Hour
)

// ParseRetryAfter reads a Retry-After header, in seconds or as a date, into 1 second to 1 hour. It
// returns zero when the value is empty or neither of the two.
func ParseRetryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	seconds, err := strconv.ParseInt(value, 10, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) { // out of range still says "very long", or "before now"
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
