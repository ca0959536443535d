// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/cert"

	"github.com/broadband-operator/broadband-operator/test/ports"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// freeAddress returns an address at which a manager can listen.
func freeAddress(ctx context.Context) string {
	GinkgoHelper()
	address, err := ports.Reserve(ctx)
	Expect(err).NotTo(HaveOccurred())
	return address
}

var (
	// metricsAddress is where a manager serves its metrics.
	metricsAddress string
	// certificates is the folder of the serving certificate.
	certificates string
	// authority trusts that certificate.
	authority = x509.NewCertPool()
)

// writeCertificate writes a certificate into its folder, as cert-manager would.
func writeCertificate() {
	certificates = GinkgoT().TempDir()
	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	Expect(err).NotTo(HaveOccurred())
	Expect(os.WriteFile(filepath.Join(certificates, "tls.crt"), certificate, 0o600)).To(Succeed())
	Expect(os.WriteFile(filepath.Join(certificates, "tls.key"), key, 0o600)).To(Succeed())
	Expect(authority.AppendCertsFromPEM(certificate)).To(BeTrue())
}

// metricsReader is the manifest of the role that allows reading the metrics.
const metricsReader = "metrics_reader_role.yaml"

// httpReply is a response.
type httpReply struct {
	status int
	text   string
}

// fetch gets a URL from a listening manager, with a token if there is one.
func fetch(ctx context.Context, url, token string) httpReply {
	GinkgoHelper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	Expect(err).NotTo(HaveOccurred())
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	transport := &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: authority, MinVersion: tls.VersionTLS13},
	}
	var reply *http.Response
	Eventually(ctx, func() error {
		reply, err = (&http.Client{Timeout: 10 * time.Second, Transport: transport}).Do(request) //nolint:bodyclose // below
		return err
	}).Should(Succeed())
	defer func() { Expect(reply.Body.Close()).To(Succeed()) }()
	var text bytes.Buffer
	_, err = text.ReadFrom(reply.Body)
	Expect(err).NotTo(HaveOccurred())
	return httpReply{status: reply.StatusCode, text: text.String()}
}

// scraper creates a ServiceAccount with the given roles, which decide whether it may read the
// metrics, and returns its token.
func scraper(ctx context.Context, name string, roles ...string) string {
	GinkgoHelper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: world.OperatorName, Name: name}}
	Expect(plane.Client.Create(ctx, account)).To(Succeed())
	for _, role := range roles {
		Expect(plane.Grant(ctx, role, "system:serviceaccount:"+world.OperatorName+":"+name)).To(Succeed())
	}
	token := &authenticationv1.TokenRequest{}
	Expect(plane.Client.SubResource("token").Create(ctx, account, token)).To(Succeed())
	return token.Status.Token
}

// scrape reads the metrics as Prometheus would.
func scrape(ctx context.Context, token string) httpReply {
	GinkgoHelper()
	return fetch(ctx, "https://"+metricsAddress+"/metrics", token)
}

var _ = Describe("The endpoints of a manager", Ordered, func() {
	var (
		w       *world.World
		manager *managerProcess
		health  string
	)

	BeforeAll(func(ctx SpecContext) {
		w = world.NewInRealTime(ctx, plane, settings{}.controllerOptions().Now)
		address := freeAddress(ctx)
		health = "http://" + address
		manager = start(ctx, kubeconfigOf(user), "--namespaces="+w.Namespace, "--leader-elect=false",
			"--health-probe-bind-address="+address)
	})

	AfterAll(func() { manager.end(os.Kill) })

	It("serve no metrics without a token, or with an unknown one", func(ctx SpecContext) {
		Expect(scrape(ctx, "").status).To(Equal(http.StatusUnauthorized))
		Expect(scrape(ctx, "mistyped").text).To(Equal("Authentication failed\n"))
	})

	It("serve no metrics to a user without a role for them", func(ctx SpecContext) {
		refused := scrape(ctx, scraper(ctx, "passer-by"))
		Expect(refused.status).To(Equal(http.StatusForbidden))
		Expect(refused.text).NotTo(ContainSubstring("rest_client"))
	})

	It("serve metrics, and nothing else, to a user with the role metrics-reader", func(ctx SpecContext) {
		token := scraper(ctx, "prometheus", metricsReader)
		served := scrape(ctx, token)
		Expect(served.status).To(Equal(http.StatusOK))
		Expect(served.text).To(ContainSubstring("rest_client_requests_total"))
		Expect(served.text).To(ContainSubstring(
			`broadband_build_info{goversion="` + runtime.Version() + `",revision="unknown",version="devel"} 1`))
		Expect(served.text).To(ContainSubstring(`broadband_late_acceptances_total{operation="OrderCreate"} 0`))
		Expect(served.text).To(ContainSubstring(`broadband_unrecorded_responses_total{operation="OrderCreate"} 0`))
		Eventually(func() string { return scrape(ctx, token).text }).
			Should(ContainSubstring(`broadband_requests_without_holder{operation="OrderCreate"} 0`))
		for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap", "/debug/vars", "/"} {
			Expect(fetch(ctx, "https://"+metricsAddress+path, token).status).To(Equal(http.StatusNotFound), path)
		}
	})

	It("report liveness at once, and readiness when the caches are filled", func(ctx SpecContext) {
		Expect(fetch(ctx, health+"/healthz", "").status).To(Equal(http.StatusOK))
		Eventually(func() int { return fetch(ctx, health+"/readyz", "").status }).
			Should(Equal(http.StatusOK))
	})

	It("report liveness but no readiness while nothing can be listed", func(ctx SpecContext) {
		address := freeAddress(ctx)
		other := start(ctx, kubeconfigOf("nobody"), "--leader-elect=false", "--metrics-bind-address=0",
			"--health-probe-bind-address="+address)
		defer other.end(os.Kill)
		Expect(fetch(ctx, "http://"+address+"/readyz", "").status).To(Equal(http.StatusInternalServerError))
		Expect(fetch(ctx, "http://"+address+"/healthz", "").status).To(Equal(http.StatusOK))
	})
})
