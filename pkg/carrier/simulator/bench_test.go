package simulator_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// benchmark is a simulator with many services and without a network.
type benchmark struct {
	b     *testing.B
	sim   *simulator.Simulator
	token string
	order string // an order
	now   time.Time
}

const benchServices = 10_000

func newBenchmark(b *testing.B) *benchmark {
	b.Helper()
	initial := seed()
	for i := range benchServices {
		id := int64(2_000_000 + i)
		initial.Services = append(initial.Services, simulator.Service{ID: id, Client: "reseller", Plan: "Basic"})
	}
	h := &harness{
		t: b, now: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), server: &httptest.Server{URL: "http://carrier"},
	}
	bm := &benchmark{b: b, now: h.now, order: orderBody(nil)}
	bm.sim = simulator.New(simulator.Options{
		Seed: initial, Now: func() time.Time { return bm.now }, IdentityURL: h.server.URL,
	})
	form := strings.NewReader(grant("reseller", h.sign(h.claims("reseller"))).Encode())
	request := httptest.NewRequestWithContext(b.Context(), http.MethodPost, tokenPath, form)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	recorder := httptest.NewRecorder()
	bm.sim.Identity().ServeHTTP(recorder, request)
	bm.token = response{t: b, body: recorder.Body.String()}.text("access_token")
	return bm
}

// request is a call with the headers of the common rules.
func (bm *benchmark) request(method, url, body string) *http.Request {
	request, err := http.NewRequestWithContext(bm.b.Context(), method, url, strings.NewReader(body))
	if err != nil {
		bm.b.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+bm.token)
	request.Header.Set("X-Api-Version", "8")
	request.Header.Set("Content-Type", "application/json")
	return request
}

// call makes one call without a network and returns the path of its Location.
func (bm *benchmark) call(method, path, body string, want int) string {
	recorder := httptest.NewRecorder()
	bm.sim.ServeHTTP(recorder, bm.request(method, path, body))
	if recorder.Code != want {
		bm.b.Fatalf("%s %s: %d %s", method, path, recorder.Code, recorder.Body)
	}
	return strings.TrimPrefix(recorder.Header().Get("Location"), "http://")
}

// mix is ten calls of several families: submissions, reads of their results, reads of services, an
// order and a refusal.
func (bm *benchmark) mix(i int) {
	id := int64(2_000_000 + i%benchServices)
	if i > 0 && i%benchServices == 0 {
		bm.sim.Advance(time.Minute) // the services can be changed again
	}
	checked := bm.call(http.MethodPost, health, serviceBody(id), 201)
	changed := bm.call(http.MethodPost, planChange, planChangeBody(id, "Fast", 1), 201)
	listed := bm.call(http.MethodPost, planOptions, serviceBody(id), 201)
	bm.call(http.MethodGet, checked, "", 202)
	bm.call(http.MethodGet, changed, "", 202)
	bm.call(http.MethodGet, listed, "", 202)
	bm.call(http.MethodGet, cancellation(id), "", 200)
	bm.call(http.MethodGet, strings.Replace(disruptionsRead, "{id}", strconv.FormatInt(id, 10), 1), "", 200)
	bm.call(http.MethodPost, orders, bm.order, 201)
	bm.call(http.MethodPost, aggregation, conversionBody(id), 422) // the plan change is in progress
}

const callsOfMix = 10

// BenchmarkMixedCalls measures the mix, for a carrier with few requests and for one with many. The
// cost of a call should be the same in both cases. The goal is 10,000 calls/s.
func BenchmarkMixedCalls(b *testing.B) {
	for _, before := range []int{0, 1_000_000} {
		b.Run(fmt.Sprintf("after %d requests", before), func(b *testing.B) {
			bm := newBenchmark(b)
			bm.fill(before)
			b.ReportAllocs()
			var i int
			for b.Loop() {
				bm.mix(i)
				i++
			}
			b.ReportMetric(float64(callsOfMix*b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}

// BenchmarkOverHTTP measures calls over kept-alive connections, with all processors; client and
// server share them. The goal is 10,000 calls/s.
func BenchmarkOverHTTP(b *testing.B) {
	bm := newBenchmark(b)
	server := httptest.NewServer(bm.sim)
	b.Cleanup(server.Close)
	via := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: runtime.NumCPU() * 4}}
	var made atomic.Int64
	b.SetParallelism(4)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			id := 2_000_000 + made.Add(1)%benchServices
			request := bm.request(http.MethodGet, server.URL+cancellation(id), "")
			if id%2 == 0 {
				request = bm.request(http.MethodPost, server.URL+health, serviceBody(id))
			}
			resp, err := via.Do(request)
			if err != nil {
				b.Error(err)
				return
			}
			_, err = io.Copy(io.Discard, resp.Body)
			if err = errors.Join(err, resp.Body.Close()); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

// fill adds the given number of requests, of three kinds, to the carrier.
func (bm *benchmark) fill(requests int) {
	for i := range requests {
		id := int64(2_000_000 + i%benchServices)
		switch i % 4 {
		case 0:
			bm.call(http.MethodPost, orders, bm.order, 201)
		case 1:
			bm.call(http.MethodPost, planOptions, serviceBody(id), 201)
		default:
			bm.call(http.MethodPost, health, serviceBody(id), 201)
		}
	}
}

// BenchmarkMemory measures the memory for a million requests. The goal is less than 2 GiB.
func BenchmarkMemory(b *testing.B) {
	const many = 1_000_000
	for b.Loop() {
		bm := newBenchmark(b)
		bm.fill(many)
		runtime.GC()
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		b.ReportMetric(float64(memory.HeapAlloc)/(1<<20), "MiB")
		b.ReportMetric(float64(memory.Sys)/(1<<20), "MiB-from-the-system")
		runtime.KeepAlive(bm.sim)
	}
}
