// SPDX-License-Identifier: Apache-2.0

package account_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// brokenProvider is an identity provider at which every login fails.
type brokenProvider struct {
	url    string
	logins atomic.Int64
}

// newBrokenProvider returns a provider that answers every login with this handler; nil: it never
// answers.
func newBrokenProvider(answer http.HandlerFunc) *brokenProvider {
	p, closed := &brokenProvider{}, make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.logins.Add(1)
		if answer == nil {
			<-closed
			return
		}
		answer(w, r)
	}))
	DeferCleanup(func() { close(closed); server.Close() })
	p.url = server.URL
	return p
}

// serviceCount is the number of services of an account in these tests.
const serviceCount = 3

// createServices creates the services of an account, which are read every ten minutes.
func createServices(ctx context.Context, w *world.World) []int64 {
	GinkgoHelper()
	lines := make([]int64, serviceCount)
	for i := range lines {
		lines[i] = w.Line()
		Expect(w.Create(ctx, w.Service(fmt.Sprint("site-", i), lines[i], func(s *v1alpha1.BroadbandService) {
			s.Spec.Observe = v1alpha1.Observe{HealthInterval: "10m", CancellationInterval: "10m"}
		}))).To(Succeed())
	}
	return lines
}

// reconcileAll reconciles everything of an account once.
func reconcileAll(ctx context.Context, process *world.Process) {
	GinkgoHelper()
	_, err := process.ReconcileAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
	for i := range serviceCount {
		_, err := process.Reconcile(ctx, fmt.Sprint("site-", i))
		Expect(err).NotTo(HaveOccurred())
	}
}

var _ = DescribeTable("A broken account does not affect a healthy one",
	func(ctx SpecContext, answer http.HandlerFunc) {
		w, process := fixture.Begin(ctx)
		if answer == nil { // each pass waits until the time limit
			w.ProductionTimeouts = true
			process = w.Start(world.CrashPoint{})
			_, err := process.ReconcileAccount(ctx)
			Expect(err).NotTo(HaveOccurred())
		}
		lines, next := createServices(ctx, w), w.InAnotherNamespace(ctx)
		next.Login(ctx)
		createServices(ctx, next)
		reconcileAll(ctx, process.In(next))
		broken, before := newBrokenProvider(answer), logins(w)
		fixture.EditAccount(ctx, next, func(a *v1alpha1.CarrierAccount) {
			a.Spec.Auth.TokenURL = strings.Replace(a.Spec.Auth.TokenURL, w.URL, broken.url, 1)
		})
		for range 60 {
			reconcileAll(ctx, process.In(next))
			reconcileAll(ctx, process)
			w.Clock.Advance(time.Minute)
		}
		for i, line := range lines {
			fixture.ExpectReady(w.Read(ctx, fmt.Sprint("site-", i)), metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(w.Posts(line)).To(Equal(1))
			Expect(w.Carrier.Submissions(simulator.OpHealth, line).Seen).To(BeNumerically("~", 7, 1), "one first, and each slot")
		}
		// A token is used for 240 s, and checked once a minute.
		Expect(logins(w)-before).To(BeNumerically("<=", 60/4), "logins of the healthy account")
		// Pauses of 5 s, doubled up to 5 min: 5+10+20+40+80+160 s, then 3285 s in pauses of 5 min.
		Expect(broken.logins.Load()).To(And(BeNumerically(">=", 1), BeNumerically("<=", 6+11)), "of the broken one")
	},
	Entry("when its logins are refused", refuse),
	Entry("when its identity provider is broken", breakDown),
	Entry("when its identity provider cuts the connection", cutOff),
	Entry("when its identity provider never answers", nil),
)

func refuse(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, `{"error":"invalid_client"}`, http.StatusBadRequest)
}

func breakDown(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "<html>", http.StatusBadGateway)
}

func cutOff(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
