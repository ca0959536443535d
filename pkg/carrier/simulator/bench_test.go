package simulator_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// bench is a simulator with many services and no wire.
type bench struct {
	b     *testing.B
	sim   *simulator.Simulator
	token string
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
	p := &bench{b: b, now: w.now}
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

// call makes one call and returns the Location.
func (p *bench) call(method, path, body string, want int) string {
	request := httptest.NewRequestWithContext(p.b.Context(), method, path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+p.token)
	request.Header.Set("X-Api-Version", "8")
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	p.sim.ServeHTTP(recorder, request)
	if recorder.Code != want {
		p.b.Fatalf("%s %s: %d %s", method, path, recorder.Code, recorder.Body)
	}
	return strings.TrimPrefix(recorder.Header().Get("Location"), "http://example.com")
}

// BenchmarkMixedCalls measures a health request with two reads, a plan change with two reads and a
// read of a cancellation.
func BenchmarkMixedCalls(b *testing.B) {
	p := newBench(b)
	b.ReportAllocs()
	var i int
	for b.Loop() {
		id := int64(2_000_000 + i%benchServices)
		i++
		if i%benchServices == 0 {
			p.sim.Advance(time.Minute)
		}
		checked := p.call(http.MethodPost, health, about(id), 201)
		changed := p.call(http.MethodPost, planChange, changeTo(id, "Fast", 1), 201)
		p.call(http.MethodGet, checked, "", 202)
		p.call(http.MethodGet, changed, "", 202)
		p.call(http.MethodGet, cancellation(id), "", 200)
	}
	const callsPerLoop = 5
	b.ReportMetric(float64(callsPerLoop*b.N)/b.Elapsed().Seconds(), "calls/s")
}

// BenchmarkMemory measures what a million requests take.
func BenchmarkMemory(b *testing.B) {
	const many = 1_000_000
	for b.Loop() {
		p := newBench(b)
		for i := range many {
			p.call(http.MethodPost, health, about(int64(2_000_000+i%benchServices)), 201)
		}
		runtime.GC()
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		b.ReportMetric(float64(memory.HeapAlloc)/(1<<20), "MiB")
		runtime.KeepAlive(fmt.Sprint(p.sim.Armed()))
	}
}
