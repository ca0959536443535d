// SPDX-License-Identifier: Apache-2.0

// Package world is the test environment of the operator: a real kube-apiserver, the simulator as
// the carrier, one clock that only the test moves, and a seam. Every effect of an operator process
// passes through the seam, so that the process can be ended at each effect.
//
// The reconcilers are the production ones, run one pass at a time. The test advances the clock by
// the time that they want to wait.
package world

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// Names that every world uses.
const (
	AccountName  = "default"
	SecretName   = "carrier-key"
	SecretKey    = "tls.key"
	ClientName   = "reseller" // of a carrier that is not the world's own
	KeyID        = "key-1"
	Realm        = "reseller"
	OperatorName = "broadband-operator" // the operator's own namespace
)

// Plans and SLAs that the simulated carrier sells.
const (
	PlanSlow  = "Home 50/20"
	PlanFast  = "Home 100/20"
	PlanFails = "Home Doomed"
	PlanGiga  = "Home 2000/500" // above 1000 MBit/s: needs an NTD option
	PlanCheap = "Home 25/5"     // less per month than the others, and no one-time fee
	PlanSetUp = "Home 25/10"    // less per month, with a one-time fee
	PlanNFAS  = "Home 40/10"    // less per month, with a one-time NFAS commitment fee
	SLAStd    = "Standard"
	SLAFast   = "Enhanced-8"
)

// PlacedOrderID is an order that the carrier has from the start.
const PlacedOrderID = int64(555)

// World is the environment of one test: a namespace, a carrier, a clock.
type World struct {
	client.Client

	Plane     *ControlPlane
	Namespace string
	Clock     *Clock
	Carrier   *simulator.Simulator
	URL       string // the carrier's and the identity provider's origin

	// ClientName is the client of the world's account. RequestLedgers outlive a world, and a new
	// carrier may get the address of an ended one. Therefore each world with an API server has a
	// client of its own.
	ClientName string

	KeyPEM []byte // the reseller's private key
	Events *Recorder

	RequestLog io.Writer // of the managers of the world; nil: none

	// DoubtAfter is how long the managers of the world wait after an object became less settled; 0:
	// the program's default.
	DoubtAfter time.Duration

	// Marker is the RequestLedger that processes of the world look for; "" for an acknowledged
	// installation. Processes with a marker manage no other namespace.
	Marker string

	// Election makes the managers of the world elect a leader; otherwise each of them leads.
	Election bool

	// ProductionTimeouts makes the calls of the world's processes end within production's time limits,
	// for servers that never answer. Otherwise a call may take minutes.
	ProductionTimeouts bool

	clients       *clients
	word          string // the carrier's own word in identifiers
	now           func() time.Time
	records       Records
	proxy         *recordingProxy
	held          *heldResponses
	checkedEvents int // how many of the Events were checked
	extensions    *extensionUse
	provoked      map[simulator.Rule]bool
}

// Records are the carrier's records of a world's services.
type Records interface {
	AddService(service simulator.Service) error
}

// DuringPOST runs a function once, during the next POST to a path.
func (w *World) DuringPOST(path string, do func()) { w.proxy.duringPOST.Store(path, do) }

// New makes a world whose time stands still until the test moves it. A manager of such a world uses
// its clock too, including the work queues: see [Manager.Advance].
func New(ctx context.Context, plane *ControlPlane, edits ...func(*simulator.Seed)) *World {
	return NewWithWord(ctx, plane, "", edits...)
}

// NewWithWord is New with a carrier that uses a word of its own in identifiers; "" for the default,
// which is wholesale.
func NewWithWord(ctx context.Context, plane *ControlPlane, word string, edits ...func(*simulator.Seed)) *World {
	clock := NewClock()
	w := build(ctx, plane, simulator.Options{Now: clock.Now, Speed: 1, APIWord: word}, edits...)
	w.Clock = clock
	return w
}

// Speed is how many times faster a carrier works in real time than its seed says.
const Speed = 5

// NewInRealTime makes a world that uses the clock of a manager in its own process. The carrier
// works at Speed.
func NewInRealTime(
	ctx context.Context, plane *ControlPlane, now func() time.Time, edits ...func(*simulator.Seed),
) *World {
	return NewInRealTimeWithWord(ctx, plane, now, "", edits...)
}

// NewInRealTimeWithWord is NewInRealTime with a carrier that uses a word of its own in identifiers;
// "" for the default, which is wholesale.
func NewInRealTimeWithWord(
	ctx context.Context, plane *ControlPlane, now func() time.Time, word string, edits ...func(*simulator.Seed),
) *World {
	return build(ctx, plane, simulator.Options{Now: now, Speed: Speed, APIWord: word}, edits...)
}

// SetCallDuration lets time pass with each call to the carrier. Set it before a manager starts.
func (w *World) SetCallDuration(long time.Duration) {
	w.proxy.onCall = func() { w.Clock.Advance(long) }
}

func build(
	ctx context.Context, plane *ControlPlane, options simulator.Options, edits ...func(*simulator.Seed),
) *World {
	w := &World{
		Client: plane.Client, Plane: plane, Events: &Recorder{}, now: options.Now, held: &heldResponses{},
		Namespace: newNamespace(), word: options.APIWord, extensions: &extensionUse{},
		provoked: make(map[simulator.Rule]bool), clients: &clients{},
	}
	w.ClientName = ClientName + strings.TrimPrefix(w.Namespace, namespacePrefix)
	private, public := keyPair()
	w.KeyPEM = private
	options.Seed, options.Observe = seed(public, w.ClientName), w.held.observe
	for _, edit := range edits {
		edit(&options.Seed)
	}
	w.Carrier = simulator.New(options)
	w.records = w.Carrier
	w.proxy = &recordingProxy{next: w.Carrier.Handler()}
	server := httptest.NewServer(w.proxy)
	w.URL = server.URL
	ginkgo.DeferCleanup(func() {
		w.expectNoExtensionCall()
		w.expectNoViolation()
		w.Carrier.Close()
		server.Close()
	})
	gomega.Expect(plane.AddNamespace(ctx, w.Namespace)).To(gomega.Succeed())
	return w
}

// Offline makes a world without an API server and without sockets: its objects are stored by the
// client, and its carrier is called in this process.
func Offline(cluster client.Client, now func() time.Time, edits ...func(*simulator.Options)) *World {
	private, public := keyPair()
	options := simulator.Options{Seed: seed(public, ClientName), Now: now}
	for _, edit := range edits {
		edit(&options)
	}
	carrier := simulator.New(options)
	return &World{
		Client: cluster, Events: &Recorder{}, now: now, Namespace: "tenant", URL: "http://carrier.example", KeyPEM: private,
		ClientName: ClientName, clients: &clients{}, Carrier: carrier, records: carrier,
	}
}

// WithCarrierAt makes a world whose carrier is a separate process, started with Seed and reached at
// an origin: the world has no Carrier, and uses the clock of the machine.
func WithCarrierAt(ctx context.Context, plane *ControlPlane, origin string, records Records) *World {
	private, _ := keyPair()
	w := &World{
		Client: plane.Client, Plane: plane, Namespace: newNamespace(), URL: origin, KeyPEM: private, records: records,
		ClientName: ClientName, clients: &clients{},
	}
	gomega.Expect(plane.AddNamespace(ctx, w.Namespace)).To(gomega.Succeed())
	return w
}

// Seed returns the initial state of every carrier of a world.
func Seed() simulator.Seed {
	_, public := keyPair()
	return seed(public, ClientName)
}

// InAnotherNamespace returns another namespace of the same world: it has the same carrier and
// clock, but another tenant with its own client.
func (w *World) InAnotherNamespace(ctx context.Context) *World {
	other := *w
	other.Namespace, other.ClientName = newNamespace(), w.AnotherClient()
	gomega.Expect(w.Plane.AddNamespace(ctx, other.Namespace)).To(gomega.Succeed())
	return &other
}

// Neighbor returns a world with its own namespace, carrier and identity provider. It shares the
// clock of this world, and its client has the same name.
func (w *World) Neighbor(ctx context.Context) *World {
	next := build(ctx, w.Plane, simulator.Options{Now: w.Clock.Now, Speed: 1, APIWord: w.word},
		func(all *simulator.Seed) {
			all.Clients[0].Name, all.Qualifications = w.ClientName, qualifications(w.ClientName)
		})
	next.Clock, next.ClientName = w.Clock, w.ClientName
	return next
}

// clients counts how many clients of a carrier worlds have used, besides the first world's.
type clients struct{ used atomic.Int64 }

// otherClients is how many clients a carrier has, beside the first world's.
const otherClients = 8

// AnotherClient returns a client of the world's carrier that no world has used. It has no services.
func (w *World) AnotherClient() string {
	number := w.clients.used.Add(1)
	gomega.Expect(number).To(gomega.BeNumerically("<=", otherClients), "the clients of a carrier")
	return clientName(w.ClientName, number)
}

func clientName(first string, number int64) string {
	first, _, _ = strings.Cut(first, ".")
	return fmt.Sprintf("%s.%d", first, number)
}

const namespacePrefix = "test"

func newNamespace() string { return namespacePrefix + "-" + string(uuid.NewUUID())[:8] }

var keyPair = sync.OnceValues(func() (private []byte, public string) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	pkix, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}),
		string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pkix}))
})

func seed(publicKey, first string) simulator.Seed {
	keys := map[string]string{KeyID: publicKey}
	clients := make([]simulator.Client, 1+otherClients)
	for i := range clients {
		clients[i] = simulator.Client{Name: clientName(first, int64(i)), Realm: Realm, Keys: keys}
	}
	clients[0].Name = first
	terms := []int64{1, 12, 24, 36}
	return simulator.Seed{
		Clients: clients,
		Plans: []simulator.Plan{
			{Name: PlanSlow, Terms: terms, SpeedDown: 50, SpeedUp: 20, Price: simulator.Price{Monthly: "45.00"}},
			{Name: PlanFast, Terms: terms, SpeedDown: 100, SpeedUp: 20, Price: simulator.Price{Monthly: "58.00"}},
			{Name: PlanFails, Terms: terms, SpeedDown: 100, SpeedUp: 20, Price: simulator.Price{Monthly: "58.00"}, Fails: true},
			{
				Name: PlanGiga, Terms: terms, SpeedDown: 2000, SpeedUp: 500, Price: simulator.Price{Monthly: "110.00"},
				NTDOptions: []simulator.NTDOption{
					{Option: "4_PORT_RESIDENTIAL", Recommended: true, Price: simulator.Price{OneTime: "99.00"}},
				},
			},
			{Name: PlanCheap, Terms: terms, SpeedDown: 25, SpeedUp: 5, Price: simulator.Price{Monthly: "30.00"}},
			{
				Name: PlanSetUp, Terms: terms, SpeedDown: 25, SpeedUp: 10,
				Price: simulator.Price{OneTime: "20.00", Monthly: "32.00"},
			},
			{
				Name: PlanNFAS, Terms: terms, SpeedDown: 40, SpeedUp: 10, Price: simulator.Price{Monthly: "38.00"},
				NFASFee: &simulator.Price{OneTime: "200.00"},
			},
		},
		FibreBuilds:    []simulator.FibreBuild{{LocationID: QualifiedSite, POIName: "Eastern Creek", PriceCents: 1234505}},
		Orders:         []simulator.PlacedOrder{{ID: PlacedOrderID, Client: first}},
		Qualifications: qualifications(first),
		Events:         simulator.EventRules{Form: simulator.EventsMixed}, // for accounts with a callback
		SLAs:           []simulator.SLA{{Name: SLAStd}, {Name: SLAFast, Price: simulator.Price{Monthly: "10.00"}}},
		Delays: map[string]simulator.Duration{
			string(simulator.OpHealth): seconds(3), string(simulator.OpPlanChange): seconds(40),
			string(simulator.OpAggregationConversion):     seconds(40),
			string(simulator.OpDSLStabilityProfileChange): seconds(40),
			string(simulator.OpFibreBuildCharge):          seconds(40),
			string(simulator.OpDiagnosticTest):            seconds(40),
		},
	}
}
