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

// hostileRun is a hostile carrier without a network, so that calls have a fixed order.
type hostileRun struct {
	*world

	seen map[string]int // faults that occurred, by name
}

func startHostile(t *testing.T, randomSeed uint64) *hostileRun {
	t.Helper()
	w := start(t)
	w.sim = simulator.New(simulator.Options{
		Seed: seed(), Now: w.clock, Hostile: true, RandomSeed: randomSeed, IdentityURL: w.server.URL,
	})
	t.Cleanup(w.sim.Close)
	w.sim.Close() // hanging calls are released at once
	return &hostileRun{world: w, seen: make(map[string]int)}
}

// call makes one call in this goroutine. Anything that is not a response has status 0.
func (h *hostileRun) call(method, path, body string, headers map[string]string) (got answer) {
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
			got = answer{t: h.t}
		}
	}()
	h.sim.Handler().ServeHTTP(recorder, request)
	return answer{t: h.t, status: recorder.Code, header: recorder.Header(), body: recorder.Body.String()}
}

// story submits and polls many requests, and returns the answers without what differs between any
// two runs: tokens.
func (h *hostileRun) story(rounds int) []string {
	var told []string
	for range rounds {
		form := grant("reseller", h.sign(h.claims("reseller")))
		reply := h.call(http.MethodPost, tokenPath, form.Encode(), map[string]string{
			"Content-Type": "application/x-www-form-urlencoded",
		})
		h.seen[fmt.Sprint("token ", reply.status)]++
		told = append(told, fmt.Sprint("token ", reply.status))
		if !json.Valid([]byte(reply.body)) || reply.status != http.StatusOK {
			continue
		}
		h.seen[fmt.Sprintf("expires_in %v", reply.find("expires_in"))]++
		h.token = reply.text("access_token")
		told = append(told, h.round(aggregation, convert(fttp), aggregationRead)...)
		told = append(told, h.round(health, about(fttp), healthRead)...)
		told = append(told, h.round(planOptions, about(fttp), planOptionsRead)...)
		h.wait(time.Minute)
	}
	return told
}

// round is one submission with three reads.
func (h *hostileRun) round(path, content, read string) []string {
	headers := map[string]string{
		"Authorization": "Bearer " + h.token, "X-API-VERSION": "8", "Content-Type": "application/json",
	}
	submitted := h.call(http.MethodPost, path, content, headers)
	location := submitted.header.Get("Location")
	h.seen[fmt.Sprint("POST ", submitted.status)]++
	told := make([]string, 0, 4)
	told = append(told, fmt.Sprint(submitted.status, " ", location))
	calls := h.sim.Calls()
	id := calls[len(calls)-1].RequestID
	for range 3 {
		got := h.call(http.MethodGet, strings.Replace(read, "{id}", id, 1), "", headers)
		h.seen[fmt.Sprint("GET ", got.status)]++
		if got.status == http.StatusAccepted && got.body == "" {
			h.seen["202 without a body"]++
		}
		told = append(told, fmt.Sprint(got.status, " ", len(got.body)))
		h.wait(7 * time.Second)
	}
	return told
}

// TestAHostileCarrierIsRepeatable runs one scenario twice with one seed, and once with another.
func TestAHostileCarrierIsRepeatable(t *testing.T) {
	first, second := startHostile(t, 7).story(60), startHostile(t, 7).story(60)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(first, startHostile(t, 8).story(60)) {
		t.Error("another seed leads to the same story")
	}
}

// TestAHostileCarrierDoesEverything expects each item of the fault mix in a long run.
func TestAHostileCarrierDoesEverything(t *testing.T) {
	h := startHostile(t, 1)
	h.story(400)
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

// TestAHostileCarrierGoesOnAfterARestart saves it in the middle of a run.
func TestAHostileCarrierGoesOnAfterARestart(t *testing.T) {
	whole := startHostile(t, 7)
	whole.story(20)
	want := whole.story(20)
	halves := startHostile(t, 7)
	halves.story(20)
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
	if diff := cmp.Diff(want, halves.story(20)); diff != "" {
		t.Error(diff)
	}
}

// TestFaultThatTrickles sends half of an answer and then nothing.
func TestFaultThatTrickles(t *testing.T) {
	w := start(t)
	w.sim.Close() // nobody waits anymore
	w.arm("CancellationRead", simulator.Fault{Kind: simulator.FaultTrickle})
	got, err := w.try(http.MethodGet, cancellation(fttp), "", nil)
	if got.status != http.StatusOK || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d, %v", got.status, err)
	}
}

// TestFaultThatIsABomb reads the beginning of a gigabyte.
func TestFaultThatIsABomb(t *testing.T) {
	w := start(t)
	w.arm("CancellationRead", simulator.Fault{Kind: simulator.FaultBomb})
	got := w.send(http.MethodGet, cancellation(fttp), "", map[string]string{"Accept-Encoding": "gzip"}).is(http.StatusOK)
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
