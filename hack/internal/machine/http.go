// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// GetJSON sends a GET to a process on this machine and decodes the JSON in the response.
func GetJSON(ctx context.Context, url string, into any) error { return Get(ctx, url, JSON(into)) }

// Get sends a GET to a process on this machine and passes the response to read.
func Get(ctx context.Context, url string, read func(io.Reader) error) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return fmt.Errorf("ask %s: %w", url, err)
	}
	return Send(request, read)
}

// Send sends a request to a process on this machine and passes the response to read.
func Send(request *http.Request, read func(io.Reader) error) error {
	web := &http.Client{Timeout: responseTimeout}
	response, err := web.Do(request) //nolint:gosec // the caller chose the address
	if err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	if response.StatusCode != http.StatusOK {
		const maxText = 4096
		var text strings.Builder
		_, err := io.CopyN(&text, response.Body, maxText)
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return errors.Join(fmt.Errorf("ask %s: %s: %s", request.URL, response.Status, text.String()), err)
	}
	if err := read(response.Body); err != nil {
		return fmt.Errorf("read the response of %s: %w", request.URL, err)
	}
	return nil
}

// JSON returns a function that decodes a JSON response.
func JSON(into any) func(io.Reader) error {
	return func(response io.Reader) error { return json.NewDecoder(response).Decode(into) }
}
