// SPDX-License-Identifier: Apache-2.0

package account_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// uncalledServer is a server that must not receive any packet.
type uncalledServer struct {
	url         string
	connections atomic.Int64
}

func newUncalledServer() *uncalledServer {
	s := &uncalledServer{}
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.connections.Add(1)
		}
	}
	server.Start()
	DeferCleanup(server.Close)
	s.url = server.URL
	return s
}

func hostOf(address string) string { return strings.TrimPrefix(address, "http://") }

// allowHosts lists in a Secret the hosts at which it may be used.
func allowHosts(ctx context.Context, w *world.World, hosts ...string) {
	GinkgoHelper()
	secret := &corev1.Secret{}
	Expect(w.Get(ctx, client.ObjectKeyFromObject(w.Secret()), secret)).To(Succeed())
	metav1.SetMetaDataAnnotation(&secret.ObjectMeta, v1alpha1.AnnotationAllowedHosts, strings.Join(hosts, ","))
	Expect(w.Update(ctx, secret)).To(Succeed())
}

var _ = Describe("Two tenants with the same client name", func() {
	It("log in separately, and neither uses the other's token", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		next := w.InAnotherNamespace(ctx)
		next.ClientName = w.ClientName
		Expect(next.Create(ctx, next.Account())).To(Succeed()) // and no Secret
		Expect(next.Create(ctx, next.Service(site, w.Line()))).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		calls := len(w.Carrier.Calls())

		By("reconciling the tenant without a key")
		fixture.ReconcileFor(ctx, next, process.In(next), untilLongestPause)
		Expect(fixture.AccountReady(ctx, next).Reason).To(Equal(v1alpha1.ReasonSecretNotFound))
		Expect(w.Carrier.Calls()).To(HaveLen(calls))

		By("giving it a key")
		before := logins(w)
		Expect(next.Create(ctx, next.Secret())).To(Succeed())
		_, err := process.In(next).ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(fixture.AccountReady(ctx, next).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
		Expect(logins(w)-before).To(Equal(1), "a login of its own")
	})

	It("are closed separately: deleting one does not affect the other", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		next := w.InAnotherNamespace(ctx)
		next.ClientName = w.ClientName
		next.Login(ctx)
		_, err := process.In(next).ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(logins(w)).To(Equal(2))
		Expect(w.Delete(ctx, w.Account())).To(Succeed())
		_, err = process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(next.Create(ctx, next.Service(site, w.Line()))).To(Succeed())
		fixture.ExpectReady(process.In(next).Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(logins(w)).To(Equal(2))
	})
})

var _ = DescribeTable("A key that may not be used with the hosts of an account counts as missing",
	func(ctx SpecContext, baseURL, tokenURL bool) {
		w, foreign := world.New(ctx, fixture.Plane), newUncalledServer()
		account := w.Login(ctx, func(a *v1alpha1.CarrierAccount) {
			if baseURL {
				a.Spec.BaseURL = foreign.url
			}
			if tokenURL {
				a.Spec.Auth.TokenURL = strings.Replace(a.Spec.Auth.TokenURL, w.URL, foreign.url, 1)
			}
		})
		allowHosts(ctx, w, hostOf(w.URL), "other.example")
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		process := w.Start(world.CrashPoint{})
		fixture.ReconcileFor(ctx, w, process, untilLongestPause)
		refused := fixture.AccountReady(ctx, w)
		Expect(refused.Reason).To(Equal(v1alpha1.ReasonSecretNotFound))
		Expect(refused.Message).To(ContainSubstring(hostOf(foreign.url)), "what to do about it")
		Expect(foreign.connections.Load()).To(BeZero(), "no packet to a host that is not allowed")
		Expect(w.Carrier.Calls()).To(BeEmpty(), "and none to the other host")

		By("deleting the Secret")
		Expect(w.Delete(ctx, w.Secret())).To(Succeed())
		fixture.ReconcileFor(ctx, w, process, 10*time.Minute)
		absent := fixture.AccountReady(ctx, w)
		Expect(absent).To(Equal(refused), "the same message, and the same condition since then")

		By("creating it again, allowed for these hosts")
		Expect(w.Create(ctx, w.Secret())).To(Succeed())
		allowHosts(ctx, w, hostOf(foreign.url), hostOf(w.URL))
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		w.Clock.Advance(time.Minute)
		fixture.ReconcileFor(ctx, w, process, time.Minute)
		Expect(fixture.AccountReady(ctx, w).Reason).NotTo(Equal(v1alpha1.ReasonSecretNotFound))
		Expect(w.Get(ctx, client.ObjectKeyFromObject(account), account)).To(Succeed())
	},
	Entry("if the carrier's host is not among them", true, false),
	Entry("if the identity provider's host is not among them", false, true),
	Entry("if neither is", true, true),
)

var _ = DescribeTable("An account with an audience of its own needs a key whose owner lists its hosts",
	func(ctx SpecContext, allowed func(front, carrier string) []string, reason string) {
		w := world.New(ctx, fixture.Plane)
		front := newFront(w.URL)
		w.Login(ctx, func(a *v1alpha1.CarrierAccount) {
			a.Spec.Auth.TokenURL = strings.Replace(a.Spec.Auth.TokenURL, w.URL, front.url, 1)
			a.Spec.Auth.Audience = w.URL + "/auth/realms/" + world.Realm
		})
		if hosts := allowed(hostOf(front.url), hostOf(w.URL)); hosts != nil {
			allowHosts(ctx, w, hosts...)
		}
		_, err := w.Start(world.CrashPoint{}).ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		ready := fixture.AccountReady(ctx, w)
		Expect(ready.Reason).To(Equal(reason), ready.Message)
		if reason == v1alpha1.ReasonTokenIssued {
			Expect(front.calls.Load()).To(Equal(int64(1)))
			return
		}
		Expect(ready.Message).To(And(ContainSubstring("spec.auth.audience"), ContainSubstring(hostOf(front.url))))
		Expect(front.calls.Load()).To(BeZero(), "no assertion is sent")

		By("deleting the Secret")
		Expect(w.Delete(ctx, w.Secret())).To(Succeed())
		w.Clock.Advance(time.Minute)
		_, err = w.Start(world.CrashPoint{}).ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(fixture.AccountReady(ctx, w).Message).To(Equal(ready.Message), "the message does not show which Secrets exist")
	},
	Entry("and works with all of them",
		func(front, carrier string) []string { return []string{front, carrier} }, v1alpha1.ReasonTokenIssued),
	Entry("and is refused if the owner lists none",
		func(string, string) []string { return nil }, v1alpha1.ReasonSecretNotFound),
	Entry("and is refused without the host of the token URL",
		func(_, carrier string) []string { return []string{carrier} }, v1alpha1.ReasonSecretNotFound),
	Entry("and is refused without the host of the audience",
		func(front, _ string) []string { return []string{front} }, v1alpha1.ReasonSecretNotFound),
)

// front is a reverse proxy with another address in front of an identity provider.
type front struct {
	url   string
	calls atomic.Int64
}

func newFront(behind string) *front {
	target, err := url.Parse(behind)
	Expect(err).NotTo(HaveOccurred())
	f := &front{}
	proxy := &httputil.ReverseProxy{Rewrite: func(request *httputil.ProxyRequest) {
		f.calls.Add(1)
		request.SetURL(target)
	}}
	server := httptest.NewServer(proxy)
	DeferCleanup(server.Close)
	f.url = server.URL
	return f
}

var _ = Describe("A key with hosts that are allowed", func() {
	It("that no longer allows them ends the session at its next login, until it does", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		allowHosts(ctx, w, hostOf(w.URL))
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.DriveUntilAccepted(ctx, w, process)

		allowHosts(ctx, w, "elsewhere.example")
		w.Clock.Advance(4 * time.Minute) // 80 % of the lifetime of a token
		calls := len(w.Carrier.Calls())
		fixture.ReconcileFor(ctx, w, process, untilLongestPause)
		Expect(fixture.AccountReady(ctx, w).Reason).To(Equal(v1alpha1.ReasonSecretNotFound))
		fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAccountNotReady)
		Expect(w.Carrier.Calls()).To(HaveLen(calls))

		allowHosts(ctx, w, hostOf(w.URL))
		fixture.ReconcileFor(ctx, w, process, 10*time.Minute)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("is used only at the port that is named", func(ctx SpecContext) {
		w := world.New(ctx, fixture.Plane)
		w.Login(ctx)
		host, _, _ := strings.Cut(hostOf(w.URL), ":")
		allowHosts(ctx, w, host)
		process := w.Start(world.CrashPoint{})
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(fixture.AccountReady(ctx, w).Reason).To(Equal(v1alpha1.ReasonSecretNotFound))
		Expect(w.Carrier.Calls()).To(BeEmpty())
	})
})

var _ = Describe("A contact that may not be sent to the carrier's host", func() {
	It("counts as missing, and nothing is sent", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line, func(s *v1alpha1.BroadbandService) {
			s.Spec.Plan = &v1alpha1.Plan{
				Name: world.PlanGiga, Term: 12, NTDOption: "4_PORT_RESIDENTIAL",
				ContactSecretRef: &v1alpha1.SecretReference{Name: "contact"},
			}
		}))).To(Succeed())
		fixture.ReconcileFor(ctx, w, process, 10*time.Minute)
		absent := world.Ready(w.Read(ctx, site))
		Expect(absent.Reason).To(Equal(v1alpha1.ReasonContactRequired))

		contact := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: w.Namespace, Name: "contact",
				Annotations: map[string]string{v1alpha1.AnnotationAllowedHosts: "api.carrier.example"},
			},
			StringData: map[string]string{"name": "Jo Doe", "phone": "0400 000 000", "email": "jo@example.com"},
		}
		Expect(w.Create(ctx, contact)).To(Succeed())
		fixture.ReconcileFor(ctx, w, process, 10*time.Minute)
		Expect(world.Ready(w.Read(ctx, site))).To(Equal(absent), "the same message as for one that does not exist")
		Expect(w.Posts(line)).To(BeZero())

		contact.Annotations[v1alpha1.AnnotationAllowedHosts] += "," + hostOf(w.URL)
		Expect(w.Update(ctx, contact)).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})
})
