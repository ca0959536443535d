// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"testing"
)

// wrapped returns bodies that say the same as the given one, as gateways and servers send them
// although nobody asked for it.
func wrapped(t *testing.T, body string) map[string]string {
	t.Helper()
	pack := func(text string) string {
		var packed bytes.Buffer
		packer := gzip.NewWriter(&packed)
		if _, err := packer.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := packer.Close(); err != nil {
			t.Fatal(err)
		}
		return packed.String()
	}
	return map[string]string{
		"as it is":                        body,
		"with a byte order mark":          byteOrderMark + body,
		"with white space around it":      "\r\n\t" + body + " \r\n",
		"with zero bytes after it":        body + "\x00\x00",
		"with all of them":                "\n" + byteOrderMark + "\n" + body + "\x00\n",
		"compressed":                      pack(body),
		"compressed, a byte order mark":   pack(byteOrderMark + body),
		"compressed, zero bytes after it": pack(body + "\x00"),
	}
}

func TestWhatWrapsABodyIsUndone(t *testing.T) {
	t.Parallel()
	for name, body := range wrapped(t, `{"id":77,"serviceId":7,"status":"COMPLETED"}`) {
		carrier := serve(t, respond(http.StatusOK, body))
		outcome, err := testClient(t, carrier.URL).Poll(t.Context(), handle)
		if err != nil || outcome.State != Done {
			t.Errorf("%s: %s, %v", name, outcome.State, err)
		}
	}
	for name, body := range wrapped(t, `{"httpStatusCode":404,"type":"business.rule","code":"resource.not.found"}`) {
		carrier := serve(t, respond(http.StatusNotFound, body))
		if err := testClient(t, carrier.URL).CheckToken(t.Context()); err != nil {
			t.Errorf("an error body %s: %v", name, err)
		}
	}
}

func TestWhatWrapsATokenIsUndone(t *testing.T) {
	t.Parallel()
	for name, body := range wrapped(t, tokenResponse("at-1", 300)) {
		a := newTokenSetup(t)
		a.respondWith(http.StatusOK, body)
		if token, err := a.source.Token(t.Context()); err != nil || token.AccessToken.Reveal() != "at-1" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
