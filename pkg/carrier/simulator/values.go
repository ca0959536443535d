package simulator

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"
)

// resource is a JSON object of the carrier.
type resource map[string]any

// timestamp returns a date-time in UTC, with Z as its offset (spec §1 rule 6).
func timestamp(t time.Time) string {
	return t.UTC().Format(time.RFC3339)
}

// instantOrNull returns a date-time, or null for the zero time.
func instantOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	written := timestamp(t)
	return &written
}

// orNull returns the text, or null if it is empty.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func idOrNull(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

// numeric reports whether an id is a number (spec §1 rule 4).
func numeric(id string) bool {
	_, err := strconv.ParseInt(id, 10, 64)
	return err == nil
}

// parseID returns an id in a path as a number, zero if it is not one.
func parseID(id string) int64 {
	parsed, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return 0
	}
	return parsed
}

// opaqueID returns a number as the text of an opaque id (spec §4: plan change options).
func opaqueID(id int64) string {
	const length = 18
	sum := sha256.Sum256([]byte(strconv.FormatInt(id, 10)))
	return base64.RawURLEncoding.EncodeToString(sum[:length])
}

// encoded returns a value of this package as JSON.
func encoded(value any) json.RawMessage {
	content, err := json.Marshal(value)
	if err != nil {
		return nil // every value of this package can be marshaled
	}
	return content
}
