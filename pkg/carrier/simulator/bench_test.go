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

// bench is a simulator with many services and without a network.
type bench struct {
	b     *testing.B
	sim   *simulator.Simulator
	token string
	wish  string // an order
	now   time.Time
}

const benchServices = 10_000

func newBench(b *testing.B) *bench {
	b.Helper()
	planted := seed()
	for i := range benchServices {
		id := int64(2_000_000 + i)
		planted.Services = append(planted.Services, simulator.Service{ID: id, Client: "reseller", Plan: "Basic"})
	}
	w := &world{t: b, now: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), server: &httptest.Server{URL: "http://carrier"}}
	p := &bench{b: b, now: w.now, wish: orderBody(nil)}
	p.sim = simulator.New(simulator.Options{
		Seed: planted, Now: func() time.Time { return p.now }, IdentityURL: w.server.URL,
	})
	form := strings.NewReader(grant("reseller", w.sign(w.claims("reseller"))).Encode())
	request := httptest.NewRequestWithContext(b.Context(), http.MethodPost, tokenPath, form)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	recorder := httptest.NewRecorder()
	p.sim.Identity().ServeHTTP(recorder, request)
	p.token = answer{t: b, body: recorder.Body.String()}.text("access_token")
	return p
}

// request is a call with the headers of the common rules.
func (p *bench) request(method, url, body string) *http.Request {
	request, err := http.NewRequestWithContext(p.b.Context(), method, url, strings.NewReader(body))
	if err != nil {
		p.b.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+p.token)
	request.Header.Set("X-Api-Version", "8")
	request.Header.Set("Content-Type", "application/json")
	return request
}

// call makes one call without a network and returns the path of its Location.
func (p *bench) call(method, path, body string, want int) string {
	recorder := httptest.NewRecorder()
	p.sim.ServeHTTP(recorder, p.request(method, path, body))
	if recorder.Code != want {
		p.b.Fatalf("%s %s: %d %s", method, path, recorder.Code, recorder.Body)
	}
	return strings.TrimPrefix(recorder.Header().Get("Location"), "http://")
}

// mix is ten calls of several families: submissions, reads of their results, reads of services, an
// order and a refusal.
func (p *bench) mix(i int) {
	id := int64(2_000_000 + i%benchServices)
	if i > 0 && i%benchServices == 0 {
		p.sim.Advance(time.Minute) // the services can be changed again
	}
	checked := p.call(http.MethodPost, health, about(id), 201)
	changed := p.call(http.MethodPost, planChange, changeTo(id, "Fast", 1), 201)
	listed := p.call(http.MethodPost, planOptions, about(id), 201)
	p.call(http.MethodGet, checked, "", 202)
	p.call(http.MethodGet, changed, "", 202)
	p.call(http.MethodGet, listed, "", 202)
	p.call(http.MethodGet, cancellation(id), "", 200)
	p.call(http.MethodGet, strings.Replace(disruptionsRead, "{id}", strconv.FormatInt(id, 10), 1), "", 200)
	p.call(http.MethodPost, orders, p.wish, 201)
	p.call(http.MethodPost, aggregation, convert(id), 422) // the plan change is in progress
}

const callsOfMix = 10

// BenchmarkMixedCalls measures the mix, for a carrier with few requests and for one with many: the
// cost of a call is the same. The goal is 10,000 calls/s.
func BenchmarkMixedCalls(b *testing.B) {
	for _, before := range []int{0, 1_000_000} {
		b.Run(fmt.Sprintf("after %d requests", before), func(b *testing.B) {
			p := newBench(b)
			p.fill(before)
			b.ReportAllocs()
			var i int
			for b.Loop() {
				p.mix(i)
				i++
			}
			b.ReportMetric(float64(callsOfMix*b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}

// BenchmarkOverHTTP measures calls over kept-alive connections, with all processors; client and
// server share them. The goal is 10,000 calls/s.
func BenchmarkOverHTTP(b *testing.B) {
	p := newBench(b)
	server := httptest.NewServer(p.sim)
	b.Cleanup(server.Close)
	via := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: runtime.NumCPU() * 4}}
	var made atomic.Int64
	b.SetParallelism(4)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			id := 2_000_000 + made.Add(1)%benchServices
			request := p.request(http.MethodGet, server.URL+cancellation(id), "")
			if id%2 == 0 {
				request = p.request(http.MethodPost, server.URL+health, about(id))
			}
			response, err := via.Do(request)
			if err != nil {
				b.Error(err)
				return
			}
			_, err = io.Copy(io.Discard, response.Body)
			if err = errors.Join(err, response.Body.Close()); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

// fill adds a number of requests, of three kinds, to the carrier.
func (p *bench) fill(requests int) {
	for i := range requests {
		id := int64(2_000_000 + i%benchServices)
		switch i % 4 {
		case 0:
			p.call(http.MethodPost, orders, p.wish, 201)
		case 1:
			p.call(http.MethodPost, planOptions, about(id), 201)
		default:
			p.call(http.MethodPost, health, about(id), 201)
		}
	}
}

// BenchmarkMemory measures the memory for a million requests: the goal is less than 2 GiB.
func BenchmarkMemory(b *testing.B) {
	const many = 1_000_000
	for b.Loop() {
		p := newBench(b)
		p.fill(many)
		runtime.GC()
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		b.ReportMetric(float64(memory.HeapAlloc)/(1<<20), "MiB")
		b.ReportMetric(float64(memory.Sys)/(1<<20), "MiB-from-the-system")
		runtime.KeepAlive(p.sim)
	}
}
