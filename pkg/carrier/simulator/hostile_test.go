package simulator_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// hostileHarness is a hostile carrier without a network, so that calls have a fixed order.
type hostileHarness struct {
	*harness

	seen map[string]int // faults that occurred, by name
}

func startHostile(t *testing.T, randomSeed uint64) *hostileHarness {
	t.Helper()
	h := start(t)
	h.sim = simulator.New(simulator.Options{
		Seed: seed(), Now: h.clock, Hostile: true, RandomSeed: randomSeed, IdentityURL: h.server.URL,
	})
	t.Cleanup(h.sim.Close)
	h.sim.Close() // hanging calls are released immediately
	return &hostileHarness{harness: h, seen: make(map[string]int)}
}

// call makes one call in this goroutine. Anything that is not a response has status 0.
func (h *hostileHarness) call(method, path, body string, headers map[string]string) (got response) {
	request := httptest.NewRequestWithContext(h.t.Context(), method, path, strings.NewReader(body))
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	recorder := httptest.NewRecorder()
	defer func() {
		if stopped := recover(); stopped != nil {
			if err, isError := stopped.(error); !isError || !errors.Is(err, http.ErrAbortHandler) {
				panic(stopped)
			}
			got = response{t: h.t}
		}
	}()
	h.sim.Handler().ServeHTTP(recorder, request)
	return response{t: h.t, status: recorder.Code, header: recorder.Header(), body: recorder.Body.String()}
}

// runRounds submits and polls many requests, and returns the responses without the tokens, which
// differ in every run.
func (h *hostileHarness) runRounds(rounds int) []string {
	var results []string
	for range rounds {
		form := grant("reseller", h.sign(h.claims("reseller")))
		got := h.call(http.MethodPost, tokenPath, form.Encode(), map[string]string{
			"Content-Type": "application/x-www-form-urlencoded",
		})
		h.seen[fmt.Sprint("token ", got.status)]++
		results = append(results, fmt.Sprint("token ", got.status))
		if !json.Valid([]byte(got.body)) || got.status != http.StatusOK {
			continue
		}
		h.seen[fmt.Sprintf("expires_in %v", got.find("expires_in"))]++
		h.token = got.text("access_token")
		results = append(results, h.runRound(aggregation, conversionBody(fttp), aggregationRead)...)
		results = append(results, h.runRound(health, serviceBody(fttp), healthRead)...)
		results = append(results, h.runRound(planOptions, serviceBody(fttp), planOptionsRead)...)
		h.wait(time.Minute)
	}
	return results
}

// runRound is one submission with three reads.
func (h *hostileHarness) runRound(path, content, read string) []string {
	headers := map[string]string{
		"Authorization": "Bearer " + h.token, "X-API-VERSION": "8", "Content-Type": "application/json",
	}
	submitted := h.call(http.MethodPost, path, content, headers)
	location := submitted.header.Get("Location")
	h.seen[fmt.Sprint("POST ", submitted.status)]++
	results := make([]string, 0, 4)
	results = append(results, fmt.Sprint(submitted.status, " ", location))
	calls := h.sim.Calls()
	id := calls[len(calls)-1].RequestID
	for range 3 {
		got := h.call(http.MethodGet, strings.Replace(read, "{id}", id, 1), "", headers)
		h.seen[fmt.Sprint("GET ", got.status)]++
		if got.status == http.StatusAccepted && got.body == "" {
			h.seen["202 without a body"]++
		}
		results = append(results, fmt.Sprint(got.status, " ", len(got.body)))
		h.wait(7 * time.Second)
	}
	return results
}

// TestAHostileCarrierIsRepeatable runs one scenario twice with one seed, and once with another.
func TestAHostileCarrierIsRepeatable(t *testing.T) {
	first, second := startHostile(t, 7).runRounds(60), startHostile(t, 7).runRounds(60)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(first, startHostile(t, 8).runRounds(60)) {
		t.Error("another seed leads to the same results")
	}
}

// TestAHostileCarrierCausesEveryFault expects each item of the fault mix in a long run.
func TestAHostileCarrierCausesEveryFault(t *testing.T) {
	h := startHostile(t, 1)
	h.runRounds(400)
	for _, call := range h.sim.Calls() {
		h.seen["fault "+string(call.Fault)]++
		if call.Duplicated {
			h.seen["duplicated"]++
		}
	}
	wants := []string{
		"token 200", "token 500", "token 503", "expires_in 300", "expires_in 299", "expires_in 1", "expires_in 0",
		"expires_in <nil>", "expires_in -300",
		"POST 0", "POST 201", "POST 401", "POST 429", "POST 500", "POST 502", "POST 503", "POST 303", "POST 307",
		"POST 308", "GET 0", "GET 200", "GET 202", "GET 404", "202 without a body", "duplicated",
		"fault Hang", "fault Reset", "fault CutBody", "fault Trickle", "fault Bomb", "fault NoLocation", "fault Location",
		"fault Page", "fault Redirect", "fault Status",
	}
	for _, want := range wants {
		if h.seen[want] == 0 {
			t.Errorf("%s was never seen: %v", want, h.seen)
		}
	}
	count := h.sim.Submissions(simulator.OpHealth, fttp)
	if count.Processed == 0 || count.Processed > count.Seen || count.Duplicated == 0 {
		t.Errorf("counted %+v", count)
	}
}

// TestAHostileCarrierContinuesItsSequenceAfterARestart saves it in the middle of a run.
func TestAHostileCarrierContinuesItsSequenceAfterARestart(t *testing.T) {
	whole := startHostile(t, 7)
	whole.runRounds(20)
	want := whole.runRounds(20)
	halves := startHostile(t, 7)
	halves.runRounds(20)
	var kept bytes.Buffer
	if err := halves.sim.Save(&kept); err != nil {
		t.Fatal(err)
	}
	halves.sim = simulator.New(simulator.Options{
		Seed: seed(), Now: halves.clock, Hostile: true, RandomSeed: 7, IdentityURL: halves.server.URL,
	})
	halves.sim.Close()
	if err := halves.sim.Restore(&kept); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, halves.runRounds(20)); diff != "" {
		t.Error(diff)
	}
}

// TestFaultThatSendsHalfAResponse sends half of a response and then nothing.
func TestFaultThatSendsHalfAResponse(t *testing.T) {
	h := start(t)
	h.sim.Close() // the fault no longer waits
	h.arm("CancellationRead", simulator.Fault{Kind: simulator.FaultTrickle})
	got, err := h.trySend(http.MethodGet, cancellation(fttp), "", nil)
	if got.status != http.StatusOK || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d, %v", got.status, err)
	}
}

// TestFaultThatSendsADecompressionBomb reads the first part of a gigabyte.
func TestFaultThatSendsADecompressionBomb(t *testing.T) {
	h := start(t)
	h.arm("CancellationRead", simulator.Fault{Kind: simulator.FaultBomb})
	got := h.send(http.MethodGet, cancellation(fttp), "", map[string]string{"Accept-Encoding": "gzip"}).is(http.StatusOK)
	if got.header.Get("Content-Encoding") != "gzip" || len(got.body) > 2<<20 {
		t.Fatalf("%v, %d bytes", got.header, len(got.body))
	}
	unpacked, err := gzip.NewReader(strings.NewReader(got.body))
	if err != nil {
		t.Fatal(err)
	}
	const some = 64 << 20
	if n, err := io.CopyN(io.Discard, unpacked, some); n != some || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}
