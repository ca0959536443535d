package carrier_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// Client and simulator were written independently from the specification. These tests connect them
// over HTTP.

const (
	service             = int64(1000001) // an FTTP service
	pendingCancellation = int64(1000002) // with a cancellation requested
	copperService       = int64(1000003) // an FTTN service
	cancelled           = int64(1000004) // cancelled, and can be reclaimed
	foreign             = int64(1000005) // of another client
	order               = int64(555)
	location            = "LOC000000000042"
	keyID               = "key-1"
	processingDelay     = 10 * time.Second
)

// privateKey is generated once: it is slow.
var privateKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func privatePEM() []byte {
	der := x509.MarshalPKCS1PrivateKey(privateKey())
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: der})
}

func publicPEM() string {
	der := x509.MarshalPKCS1PublicKey(&privateKey().PublicKey)
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: der}))
}

func seed(now time.Time) simulator.Seed {
	owned := func(s simulator.Service) simulator.Service {
		s.Client, s.Plan = "reseller", "Basic"
		return s
	}
	requested := &simulator.Cancellation{Status: "REQUESTED", RequestDate: "2026-12-24"}
	completed := &simulator.Cancellation{Status: "COMPLETED", RequestDate: "2026-03-01"}
	return simulator.Seed{
		Location: simulator.LocationMixed,
		Delays:   map[string]simulator.Duration{"default": simulator.Duration(processingDelay)},
		Clients: []simulator.Client{
			{Name: "reseller", Realm: "resale", Keys: map[string]string{keyID: publicPEM()}},
			{Name: "other", Realm: "resale", Keys: map[string]string{keyID: publicPEM()}},
		},
		Plans: []simulator.Plan{
			{Name: "Basic", SpeedDown: 25, SpeedUp: 5, Price: simulator.Price{Monthly: "40.00"}},
			{Name: "Fast", SpeedDown: 100, SpeedUp: 20, Price: simulator.Price{OneTime: "10.00", Monthly: "70.00"}},
			{Name: "Doomed", SpeedDown: 50, SpeedUp: 20, Fails: true},
		},
		SLAs:        []simulator.SLA{{Name: "Standard"}, {Name: "Enhanced", Price: simulator.Price{Monthly: "15.00"}}},
		FibreBuilds: []simulator.FibreBuild{{LocationID: location, POIName: "Hobart", PriceCents: 123456}},
		Qualifications: []simulator.Qualification{
			{QualificationSearchID: "q-1", Client: "reseller", LocationID: location},
		},
		Orders: []simulator.PlacedOrder{{ID: order, Client: "reseller"}},
		Services: []simulator.Service{
			owned(simulator.Service{ID: service, Disruptions: []simulator.Disruption{
				{ID: "CHG1", Type: "scheduled", StartAt: now.Add(time.Hour)},
				{ID: "CHG2", Type: "unscheduled", StartAt: now.Add(-time.Hour)},
				{ID: "CHG3", Type: "scheduled", StartAt: now.Add(2 * time.Hour)},
			}}),
			owned(simulator.Service{ID: pendingCancellation, Cancellation: requested}),
			owned(simulator.Service{ID: copperService, TechnologyType: "FTTN"}),
			owned(simulator.Service{ID: cancelled, Cancellation: completed, ReclaimableUntil: "2026-12-30"}),
			{ID: foreign, Client: "other", Plan: "Basic"},
		},
	}
}

// wire is a client and a simulator with a shared clock.
type wire struct {
	*carrier.Client

	sim *simulator.Simulator
	mu  sync.Mutex
	now time.Time
}

func newWire(t *testing.T) *wire {
	t.Helper()
	return newWireWithWords(t, "", "")
}

// newWireWithWords returns a wire whose simulator and client each use a word; empty: wholesale.
func newWireWithWords(t *testing.T, theirs, ours string) *wire {
	t.Helper()
	w := &wire{now: time.Date(2026, time.March, 14, 9, 26, 53, 0, time.UTC)}
	w.sim = simulator.New(simulator.Options{Seed: seed(w.now), Now: w.clock, APIWord: theirs})
	server := httptest.NewServer(w.sim.Handler())
	t.Cleanup(server.Close)
	t.Cleanup(w.sim.Close)
	w.connect(t, server.URL, ours)
	return w
}

// connect gives the wire a client that uses a carrier's word; empty: wholesale.
func (w *wire) connect(t *testing.T, address, word string) {
	t.Helper()
	tokens, err := carrier.NewTokenSource(carrier.TokenConfig{
		TokenURL:   address + "/auth/realms/resale/protocol/openid-connect/token",
		ClientName: "reseller", AllowInsecure: true, Now: w.clock, MinTimeout: time.Minute,
		NewID: func() string { return string(uuid.NewUUID()) },
		Keys: func(context.Context) ([]carrier.Key, error) {
			return []carrier.Key{{ID: keyID, PEM: privatePEM()}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Client, err = carrier.NewClient(carrier.Config{
		BaseURL: address, Version: 8, Word: word, Tokens: tokens, AllowInsecure: true, Now: w.clock,
		Rate: carrier.NewRate(1000, 1000), MinTimeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.CloseIdleConnections)
}

func (w *wire) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *wire) advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// complete submits a request and polls it until it ends, within the poll bounds.
func (w *wire) complete(t *testing.T, op carrier.Operation, version int, body []byte) carrier.Outcome {
	t.Helper()
	receipt := w.Submit(t.Context(), op, version, body)
	if receipt.Delivery != carrier.Accepted {
		t.Fatalf("%s: %s, %v", op, receipt.Delivery, receipt.Err)
	}
	contract, ok := carrier.ContractOf(op)
	if !ok {
		t.Fatalf("no contract of %s", op)
	}
	for wait := contract.Poll.First; ; wait = contract.Poll.Min {
		w.advance(wait)
		outcome, err := w.Poll(t.Context(), receipt.Handle)
		if err != nil {
			t.Fatalf("%s: %v", op, err)
		}
		if outcome.State != carrier.Pending {
			return outcome
		}
	}
}

// mustHaveOnePOST expects exactly one POST and no broken rule.
func (w *wire) mustHaveOnePOST(t *testing.T, op carrier.Operation) {
	t.Helper()
	if got := w.sim.Submissions(simulator.Operation(op), 0); got.Seen != 1 || got.Processed != 1 {
		t.Errorf("%s: %+v, want one POST", op, got)
	}
	for _, violation := range w.sim.Violations() {
		t.Errorf("%s: %+v", op, violation)
	}
}
