package carrier

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// tlsServer is a server that proves its identity, or fails to.
type tlsServer struct {
	until    time.Time
	host     net.IP
	trusted  bool
	versions [2]uint16 // lowest and highest
}

// tlsServers are the servers of security case 52, and one with valid TLS.
func tlsServers() map[string]tlsServer {
	future, past := newClock().Now().AddDate(50, 0, 0), newClock().Now().AddDate(-5, 0, 0)
	here, elsewhere := net.IPv4(127, 0, 0, 1), net.IPv4(192, 0, 2, 1)
	current, old := [2]uint16{tls.VersionTLS12, tls.VersionTLS13}, [2]uint16{tls.VersionTLS10, tls.VersionTLS11}
	return map[string]tlsServer{
		"valid":                  {future, here, true, current},
		"expired":                {past, here, true, current},
		"another host's":         {future, elsewhere, true, current},
		"signed by itself":       {future, here, false, current},
		"nothing above TLS 1.1":  {future, here, true, old},
		"expired and TLS 1.1":    {past, here, true, old},
		"signed by itself, past": {past, here, false, current},
	}
}

// serve starts the server and returns the certificates that a client would trust.
func (s tlsServer) serve(t *testing.T, handler http.Handler) (address string, roots *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "carrier"}, IPAddresses: []net.IP{s.host},
		NotBefore: s.until.AddDate(-100, 0, 0), NotAfter: s.until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // its errors are expected
	server.TLS = &tls.Config{
		MinVersion: s.versions[0], MaxVersion: s.versions[1],
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	roots = x509.NewCertPool()
	if s.trusted {
		roots.AddCert(certificate)
	}
	return server.URL, roots
}

// TestTLSRefusals (52): a carrier that does not prove its identity receives no byte of a request,
// and an identity provider that does not prove its identity receives no assertion.
func TestTLSRefusals(t *testing.T) {
	for name, server := range tlsServers() {
		t.Run(name, func(t *testing.T) {
			good := name == "valid"
			var requests atomic.Int64
			address, roots := server.serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				w.Header().Set("Date", newClock().Now().Format(http.TimeFormat))
				body := `{"httpStatusCode":422,"type":"business.rule","code":"validation","error":"invalid_client"}`
				respond(http.StatusUnprocessableEntity, body, "Content-Type", "application/json")(w, r)
			}))
			client := testClient(t, address, func(c *Config) { c.RootCAs = roots })
			want := map[bool]Delivery{true: Rejected, false: NotSent}[good]
			for _, op := range []Operation{Health, OrderCreate} { // a kept-alive connection, and one of its own
				if got := client.Submit(t.Context(), op, 8, healthBody); got.Delivery != want {
					t.Errorf("%s: %s, %v; want %s", op, got.Delivery, got.Err, want)
				}
			}
			a := newTokenSetup(t, func(c *TokenConfig) { c.TokenURL, c.RootCAs = address+"/realms/r"+protocolPart, roots })
			a.mustFail(t, map[bool]TokenReason{true: TokenRejected, false: TokenUnreachable}[good])
			if arrived := requests.Load() > 0; arrived != good {
				t.Errorf("%d requests arrived", requests.Load())
			}
		})
	}
}
