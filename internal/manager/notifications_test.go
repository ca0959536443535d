// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"crypto/tls"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// receiverAt is the address at which the carrier reaches a manager's receiver.
func receiverAt(address string) *world.Receiver {
	trust := &tls.Config{RootCAs: authority, MinVersion: tls.VersionTLS12}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: trust}}
	return &world.Receiver{URL: "https://" + address, Client: client}
}

var _ = Describe("Two managers, of which one leads", Ordered, func() {
	var (
		w               *world.World
		first, other    *managerProcess
		leader, standby string // where each receives notifications
		reader          string // token of a user who may read the metrics
	)
	listening := func(ctx context.Context, events string, more ...string) *managerProcess {
		return start(ctx, kubeconfigOf(user), slices.Concat(more, []string{
			"--namespaces=" + w.Namespace, "--events-bind-address=" + events, "--events-cert-dir=" + certificates,
		})...)
	}

	BeforeAll(func(ctx SpecContext) {
		w = world.NewInRealTime(ctx, plane, settings{}.controllerOptions().Now, withoutDelays)
		leader, standby = freeAddress(ctx), freeAddress(ctx)
		reader = scraper(ctx, "counter", metricsReader)
		first = listening(ctx, leader)
		Expect(w.Create(ctx, w.EventsSecret())).To(Succeed())
		w.AwaitLogin(ctx, world.PollEverySecond, world.WithEvents(v1alpha1.SignatureHMAC))
		other = listening(ctx, standby, "--metrics-bind-address=0")
	})

	AfterAll(func() {
		other.end(os.Kill)
		first.end(syscall.SIGTERM)
	})

	AfterEach(func() {
		if CurrentSpecReport().Failed() {
			AddReportEntry("log", first.log.String())
		}
	})

	It("show where notifications are received, and receive one", func(ctx SpecContext) {
		var path string
		Eventually(func() string {
			path = w.EventsPath(ctx)
			return path
		}).WithTimeout(time.Minute).Should(HavePrefix("/events/"))
		ear := receiverAt(leader)
		w.Subscribe(ctx, ear, path, world.SharedSecret)
		Expect(w.Create(ctx, w.Service("notified", w.Line()))).To(Succeed())
		Eventually(func(g Gomega) {
			w.Deliver(ctx, ear)
			g.Expect(world.Ready(w.Read(ctx, "notified")).Reason).To(Equal(v1alpha1.ReasonInSync))
			g.Expect(w.Carrier.Waiting()).To(BeZero())
		}).WithTimeout(time.Minute).WithPolling(100 * time.Millisecond).Should(Succeed())
		Expect(scrape(ctx, reader).text).To(ContainSubstring(
			`broadband_notifications_total{event="ServicePlanChanged",response="accepted"} 1`))
	})

	It("record a rejection that the one that does not lead receives", func(ctx SpecContext) {
		ended := simulator.Fault{Kind: simulator.FaultEndInError, Body: "No access"}
		Expect(w.Carrier.FailNext(string(simulator.OpOrderCreate), ended)).To(Succeed())
		Expect(w.Create(ctx, w.Order("rejected", "SITE-REJECTED"))).To(Succeed())
		Eventually(func(g Gomega) {
			ready := world.Condition(w.ReadOrder(ctx, "rejected").Status.Conditions, v1alpha1.ConditionReady)
			g.Expect(ready.Reason).To(Equal(v1alpha1.ReasonSubmitted), ready.Message)
		}).WithTimeout(time.Minute).Should(Succeed())

		ear := receiverAt(standby)
		w.Subscribe(ctx, ear, w.EventsPath(ctx), world.SharedSecret)
		Eventually(func(g Gomega) {
			w.Deliver(ctx, ear)
			g.Expect(w.ReadOrder(ctx, "rejected").Status.Rejection).To(HaveValue(HaveField("Reason", "No access")))
		}).WithTimeout(time.Minute).WithPolling(100 * time.Millisecond).Should(Succeed())
		ready := world.Condition(w.ReadOrder(ctx, "rejected").Status.Conditions, v1alpha1.ConditionReady)
		Expect(ready.Reason).To(Equal(v1alpha1.ReasonOrderRejected))
	})

	It("leak no secret, including the signing secret of notifications (89)", func(ctx SpecContext) {
		Expect(w.Canaries()).To(ContainElement(world.SharedSecret))
		for where, text := range map[string]string{"log": everyLog.String(), "metrics": scrape(ctx, reader).text} {
			for _, canary := range w.Canaries() {
				Expect(strings.Contains(text, canary)).To(BeFalse(), "a secret is in the %s", where)
			}
		}
		Expect(w.Dump(ctx)).NotTo(ContainSubstring(world.SharedSecret))
	})
})
