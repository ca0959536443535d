// SPDX-License-Identifier: Apache-2.0

package isolation_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	"golang.org/x/time/rate"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// poisonedObjects is the number of objects of a failing account.
const poisonedObjects = 50

// poison is a failing carrier with its identity provider.
type poison struct {
	url    string
	ended  chan struct{}
	logins atomic.Int64
	calls  atomic.Int64
	open   atomic.Int64 // calls and logins that hang now
}

// newPoison starts a failing carrier. Logins succeed as long as lets returns true, and then hang.
// The carrier accepts the token on the first free call. For any other call it starts a garbage
// response, and never ends it as long as hangs returns true. After that, it no longer knows the
// tokens.
func newPoison(lets, hangs func(turn int64) bool) *poison {
	p := &poison{ended: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/reclaims/requests/1") {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		if !strings.HasSuffix(r.URL.Path, "/token") {
			if !hangs(p.calls.Add(1)) {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			p.hang(w, r)
			return
		}
		if !lets(p.logins.Add(1)) {
			p.hang(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		write(w, `{"access_token":"poison","token_type":"Bearer","expires_in":6}`)
	}))
	DeferCleanup(func() { close(p.ended); server.Close() })
	p.url = server.URL
	return p
}

// hang starts a response, and ends it when the client has gone.
func (p *poison) hang(w http.ResponseWriter, r *http.Request) {
	p.open.Add(1)
	defer p.open.Add(-1)
	write(w, `<html><p>{"status":`)
	if flusher, flushes := w.(http.Flusher); flushes {
		flusher.Flush()
	}
	select {
	case <-r.Context().Done():
	case <-p.ended:
	}
}

// write responds to a client, unless it has gone.
func write(w http.ResponseWriter, text string) {
	if _, err := fmt.Fprint(w, text); err != nil {
		return
	}
}

// createObjects creates an account of the poison in a world, with objects that need calls.
func (p *poison) createObjects(ctx context.Context, w *world.World) {
	GinkgoHelper()
	w.Login(ctx, world.Unlimited, func(a *v1alpha1.CarrierAccount) {
		a.Spec.BaseURL = p.url
		a.Spec.Auth.TokenURL = strings.Replace(a.Spec.Auth.TokenURL, w.URL, p.url, 1)
	})
	for i := range poisonedObjects {
		Expect(w.Create(ctx, w.Service(fmt.Sprint("poisoned-", i), w.Line()))).To(Succeed())
	}
}

// mostOpen starts to look twice a second at the calls that hang, and returns a function that ends
// this and returns the most that two looks in a row have seen. One look may see a call that its
// client has just given up beside the one that follows.
func (p *poison) mostOpen(ctx context.Context) (most func() int64) {
	ctx, stop := context.WithCancel(ctx)
	looks, found := rate.NewLimiter(2, 1), make(chan int64, 1)
	go func() {
		var last, most int64
		for looks.Wait(ctx) == nil {
			now := p.open.Load()
			most, last = max(most, min(last, now)), now
		}
		found <- most
	}()
	return func() int64 { stop(); return <-found }
}

// createFailing creates failing objects in a healthy account: one whose every response is 500, one
// whose change never ends, and one that another writer edits all the time. It returns the number of
// these edits.
func createFailing(ctx context.Context, w *world.World) (edits *atomic.Int64) {
	GinkgoHelper()
	failing, endless, contended := w.Line(), w.Line(), w.Line()
	Expect(w.Carrier.FailNext("POST Health", simulator.Fault{
		Kind: simulator.FaultStatus, Status: http.StatusInternalServerError, ServiceID: failing, Times: 100_000,
	})).To(Succeed())
	for name, line := range map[string]int64{"failing": failing, "endless": endless, "contended": contended} {
		Expect(w.Create(ctx, w.Service(name, line))).To(Succeed())
	}
	return editConstantly(ctx, w, "contended")
}

// editConstantly is the other writer, which edits up to fifty times a second. On a busy machine an
// edit may fail.
func editConstantly(ctx context.Context, w *world.World, name string) (edits *atomic.Int64) {
	edits = &atomic.Int64{}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	turns, stopped := rate.NewLimiter(50, 1), make(chan struct{})
	go func() {
		defer close(stopped)
		for turn := 0; turns.Wait(ctx) == nil; turn++ {
			service := &v1alpha1.BroadbandService{}
			service.Namespace, service.Name = w.Namespace, name
			note := fmt.Sprintf(`{"metadata":{"annotations":{"example.com/turn":"%d"}}}`, turn)
			if w.Patch(ctx, service, client.RawPatch(types.MergePatchType, []byte(note))) == nil {
				edits.Add(1)
			}
		}
	}()
	DeferCleanup(func() { stop(); <-stopped })
	return edits
}
