package simulator_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// endlessBody is an endless body that counts how much of it was read.
type endlessBody struct{ read int64 }

// Read returns spaces.
func (e *endlessBody) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	e.read += int64(len(p))
	return len(p), nil
}

// serve calls a handler without a network.
func (h *harness) serve(handler http.Handler, path string, content io.Reader, headers map[string]string) response {
	request := httptest.NewRequestWithContext(h.t.Context(), http.MethodPost, path, content)
	request.Header.Set("Authorization", "Bearer "+h.token)
	request.Header.Set("X-Api-Version", "8")
	request.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return response{t: h.t, status: recorder.Code, header: recorder.Header(), body: recorder.Body.String()}
}

// TestEndlessBodiesAreReadUpToALimit sends an endless body to each server.
func TestEndlessBodiesAreReadUpToALimit(t *testing.T) {
	h := start(t)
	form := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	cases := map[string]struct {
		handler http.Handler
		path    string
		headers map[string]string
		bound   int64
	}{
		"carrier":           {h.sim, health, nil, 1 << 20},
		"identity provider": {h.sim.Identity(), tokenPath, form, 64 << 10},
		"unknown path":      {h.sim, "/nowhere", nil, 1 << 20},
	}
	for name, c := range cases {
		content := &endlessBody{}
		got := h.serve(c.handler, c.path, content, c.headers)
		if got.status/100 != 4 || content.read > 2*c.bound {
			t.Errorf("%s: %d after %d bytes", name, got.status, content.read)
		}
	}
	if got := h.serve(h.sim.Management(), "/_sim/plan", &endlessBody{}, nil); got.status != http.StatusBadRequest {
		t.Errorf("management: %d", got.status)
	}
}

// TestCompressedBodiesAreNotDecompressed sends a gigabyte compressed to a megabyte.
func TestCompressedBodiesAreNotDecompressed(t *testing.T) {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if _, err := zip.Write(bytes.Repeat([]byte(" "), 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	h := start(t)
	bomb := strings.Repeat(packed.String(), 1000)
	h.send(http.MethodPost, health, bomb, header("Content-Encoding", "gzip")).
		refusedWith(http.StatusUnsupportedMediaType, "media.type.not.supported")
}

// TestAmbiguousAndNestedBodiesAreRefused repeats a member in other spellings, and nests deeply.
func TestAmbiguousAndNestedBodiesAreRefused(t *testing.T) {
	const deep = 100_000
	h := start(t)
	for name, content := range map[string]string{
		"twice, once escaped": `{"serviceId":1000001,"service\u0049d":1000002}`,
		"twice, one null":     `{"serviceId":1000001,"serviceId":null}`,
		"deep arrays":         `{"serviceId":1000001,"x":` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + `}`,
		"deep objects":        strings.Repeat(`{"a":`, deep) + "1" + strings.Repeat("}", deep),
		"a lone surrogate":    "{\"serviceId\":1000001,\"x\":\"\xed\xa0\x80\"}",
		"a byte order mark":   "\ufeff" + serviceBody(fttp),
		"a zero byte":         "{\"serviceId\":1000001}\x00",
	} {
		if got := h.post(health, content); got.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if got := h.sim.Submissions(simulator.OpHealth, 0); got.Processed != 0 {
		t.Errorf("counted %+v", got)
	}
}

// TestUnusualIDsInPathsAreRefused puts unusual IDs into paths.
func TestUnusualIDsInPathsAreRefused(t *testing.T) {
	h := start(t)
	for _, id := range []string{
		"%00", "%2e%2e", "%2f", "..%2f..", "%ff%fe", "-1", "+1", "01", "1e3", "0x1", "9223372036854775808", "%EF%BC%91",
		strings.Repeat("9", 10_000),
	} {
		for _, path := range []string{aggregationRead, planChangeRead, disruptionsRead, cancelledRead} {
			if got := h.get(strings.Replace(path, "{id}", id, 1)); got.status/100 != 4 {
				t.Errorf("%s: %d", id, got.status)
			}
		}
	}
}

// TestUnusualHeadersAndQueriesAreRefused sends unusual headers and queries.
func TestUnusualHeadersAndQueriesAreRefused(t *testing.T) {
	h := start(t)
	for name, value := range map[string]string{
		"Authorization": "Bearer", "X-API-VERSION": strings.Repeat("8", 10_000), "Content-Type": ";;;=",
	} {
		if got := h.send(http.MethodPost, health, serviceBody(fttp), header(name, value)); got.status/100 != 4 {
			t.Errorf("%s: %d", name, got.status)
		}
	}
	disruptions := strings.Replace(disruptionsRead, "{id}", fmt.Sprint(fttp), 1)
	for query, want := range map[string]int{
		"size=1e9": 400, "page=-1": 400, "sort=,": 400, "status=%ff": 400, "page=9223372036854775807&size=100": 200, "%": 200,
	} {
		h.get(disruptions + "?" + query).is(want)
	}
}

// TestSlowClientsDoNotBlockOthers begins calls that never finish, to both servers, and makes other
// calls.
func TestSlowClientsDoNotBlockOthers(t *testing.T) {
	h := start(t)
	for _, begun := range []string{
		"POST " + health + " HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
		"POST " + tokenPath + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n" +
			"Content-Length: 100\r\n\r\ng",
		"GET " + health + " HTTP/1.1\r\nHo",
	} {
		var dialer net.Dialer
		peer, err := dialer.DialContext(t.Context(), "tcp", h.server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = peer.Close() }) //nolint:errcheck // the server may have closed it
		if _, err := io.WriteString(peer, begun); err != nil {
			t.Fatal(err)
		}
	}
	h.login("reseller")
	h.post(health, serviceBody(fttp)).created()
}
