// SPDX-License-Identifier: Apache-2.0

package requests_test

import (
	"net"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The numbers are those of docs/security-cases.md.

// foreignHost is a host that must not be called, and counts the calls.
func foreignHost() (host string, visits *atomic.Int64) {
	visits = &atomic.Int64{}
	server := httptest.NewUnstartedServer(nil)
	server.Listener = counting{server.Listener, visits}
	server.Start()
	DeferCleanup(server.Close)
	return server.Listener.Addr().String(), visits
}

// counting counts connections, whatever is sent on them.
type counting struct {
	net.Listener

	visits *atomic.Int64
}

// Accept counts the connection.
func (c counting) Accept() (net.Conn, error) {
	connection, err := c.Listener.Accept()
	if err == nil {
		c.visits.Add(1)
	}
	return connection, err
}

// answerAt makes the carrier accept the next plan change and respond with a Location. In it, {path}
// stands for the path of the request, and {end} for the last two segments of that path.
func answerAt(w *world.World, location string) {
	GinkgoHelper()
	fault := simulator.Fault{Kind: simulator.FaultLocation, Location: location}
	Expect(w.Carrier.FailNext("POST PlanChange", fault)).To(Succeed())
}

var _ = DescribeTable("A Location at another host is used only for its id, and reported",
	func(ctx SpecContext, location, reported string) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		host, visits := foreignHost()
		answerAt(w, strings.ReplaceAll(location, "{host}", host))
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())

		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.RequestOf(v1alpha1.OperationPlanChange).Location).To(HaveSuffix("/" + fixture.AcceptedPlanChange(w,
			line)))
		Expect(w.Posts(line)).To(Equal(1))
		Expect(visits.Load()).To(BeZero(), "no packet is sent there")
		events := strings.Join(w.Events.All(), "\n")
		Expect(events + w.Dump(ctx)).NotTo(ContainSubstring("hush"))
		if reported == "" {
			Expect(events).NotTo(ContainSubstring("OddLocation"))
			return
		}
		reported = strings.ReplaceAll(reported, "{host}", host)
		Expect(events).To(ContainSubstring("Warning OddLocation the Location names another host, " + reported))
	},
	Entry("at another host (1)", "https://{host}{path}", "{host}"),
	Entry("at another host, without a scheme (2)", "//{host}{path}", "{host}"),
	Entry("at another host, without TLS (3)", "http://{host}{path}", "{host}"),
	Entry("with a user and a password (4)", "https://me:hush@{host}{path}", "{host}"),
	Entry("with a query and a fragment (9)", "{path}?x=y#frag", ""),
	Entry("behind a gateway's prefix", "/gateway/v2{path}", ""),
	Entry("behind a gateway's prefix at another host", "https://{host}/v2{path}", "{host}"),
	Entry("relative to the path of the POST", "{end}", ""),
	Entry("at a metadata address (12)", "http://169.254.169.254{path}", "169.254.169.254"),
	Entry("at a metadata address inside an IPv6 one (12)",
		"http://[::ffff:169.254.169.254]{path}", "[::ffff:169.254.169.254]"),
	Entry("at a metadata address in decimal (12)", "http://2852039166{path}", "2852039166"),
)

var _ = DescribeTable("An unusable Location loses the handle, and nothing is sent twice",
	func(ctx SpecContext, location string) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		answerAt(w, location)
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		for w.Posts(line) == 0 {
			result, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(result.RequeueAfter)
		}

		lost := w.Read(ctx, site).OpenRequest()
		Expect(lost.Location).To(BeEmpty())
		Expect(len(lost.Error.Message)).To(BeNumerically("<=", 512))
		Expect(strings.IndexFunc(lost.Error.Message, unicode.IsControl)).To(Equal(-1))

		By("finding by a health reading that it was carried out")
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	},
	Entry("with dot segments (5)", "{path}/../../orders/2"),
	Entry("with escaped dots (6)", "{path}/%2e%2e/2"),
	Entry("with an escaped slash (6)", "{path}%2f2"),
	Entry("with a double escape (6)", "{path}%252e"),
	Entry("of another operation (7)", "/api/connect/services/reclaims/requests/77"),
	Entry("with a sign before the id (8)", "/api/connect/services/plan-changes/requests/+1"),
	Entry("with an id in hexadecimal (8)", "/api/connect/services/plan-changes/requests/0x1"),
	Entry("with an id of 2^63 (8)", "/api/connect/services/plan-changes/requests/9223372036854775808"),
	Entry("with an id in full-width digits (8)", "/api/connect/services/plan-changes/requests/１２"),
	Entry("of 60 kB (10)", "{path}"+strings.Repeat("7", 60<<10)),
	Entry("of 100 kB (10)", "{path}"+strings.Repeat("7", 100<<10)),
)

var _ = DescribeTable("A redirect to another host is not followed, and the token is not sent there (13, 14)",
	func(ctx SpecContext, call string, status int, reason string) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		host, visits := foreignHost()
		Expect(w.Carrier.FailNext(call, simulator.Fault{
			Kind: simulator.FaultRedirect, Status: status, Location: "http://" + host + "/api/connect",
		})).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())

		service := process.Drive(ctx, site)

		Expect(world.Ready(service).Reason).To(Equal(reason))
		Expect(visits.Load()).To(BeZero())
		Expect(w.Posts(line)).To(Equal(1))
	},
	Entry("of a POST, which may have been processed", "POST PlanChange", 303, v1alpha1.ReasonOutcomeUnknown),
	Entry("of a POST that is to be sent there", "POST PlanChange", 308, v1alpha1.ReasonOutcomeUnknown),
	Entry("of a poll, which is repeated", "GET PlanChange", 302, v1alpha1.ReasonInSync),
)
