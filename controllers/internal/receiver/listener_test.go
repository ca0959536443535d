// SPDX-License-Identifier: Apache-2.0

package receiver_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/broadband-operator/broadband-operator/controllers/internal/receiver"
	"github.com/broadband-operator/broadband-operator/test/ports"
)

// certified writes a certificate for 127.0.0.1 into a folder, and returns a pool that trusts it.
func certified(t *testing.T) (folder string, trust *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(2100, time.January, 1, 0, 0, 0, 0, time.UTC),
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	folder, trust = t.TempDir(), x509.NewCertPool()
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	trust.AppendCertsFromPEM(public)
	for name, content := range map[string][]byte{
		"tls.crt": public, "tls.key": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder, trust
}

func shut(t *testing.T, what io.Closer) {
	t.Helper()
	if err := what.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// freeAddress is an address at which a listener can listen.
func freeAddress(t *testing.T) string {
	t.Helper()
	address, err := ports.Reserve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// served is a fixture behind a running listener.
func served(t *testing.T) (d *fixture, address string, trust *tls.Config) {
	t.Helper()
	folder, roots := certified(t)
	address, trust = freeAddress(t), &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	d = newFixture(t, hmacOnly())
	run(t, &receiver.Listener{Receiver: d.Receiver, Address: address, CertDir: folder})
	eventually(t, func() bool {
		socket, err := (&tls.Dialer{Config: trust}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			shut(t, socket)
		}
		return err == nil
	})
	return d, address, trust
}

// run starts a listener, and stops it with the test.
func run(t *testing.T, listener *receiver.Listener) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- listener.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the listener ended with %v", err)
		}
	})
}

func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, time.Minute, true,
		func(context.Context) (bool, error) { return holds(), nil })
	if err != nil {
		t.Fatal(err)
	}
}

// speak sends raw bytes and returns the first line of the response.
func speak(t *testing.T, address string, trust *tls.Config, bytes string) string {
	t.Helper()
	dial := (&net.Dialer{}).DialContext
	if trust != nil {
		dial = (&tls.Dialer{Config: trust}).DialContext
	}
	socket, err := dial(t.Context(), "tcp", address)
	if err != nil {
		return err.Error()
	}
	defer shut(t, socket)
	if _, err = io.WriteString(socket, bytes); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(socket).ReadString('\n')
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(line)
}

func TestListenerAcceptsNotificationsOverHTTPS(t *testing.T) {
	t.Parallel()
	d, address, trust := served(t)
	request := d.signed(t, secret, "evt_1", planned)
	request.URL.Host, request.RequestURI = address, ""
	carrier := &http.Client{Transport: &http.Transport{TLSClientConfig: trust, ForceAttemptHTTP2: true}}
	answer, err := carrier.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
	if answer.StatusCode != http.StatusAccepted || answer.ProtoMajor != 1 {
		t.Errorf("answered %s over %s", answer.Status, answer.Proto)
	}
}

// Case 87: other protocols, and requests that two servers could read differently, are refused.
func TestListenerRefusesOtherProtocols(t *testing.T) {
	t.Parallel()
	d, address, trust := served(t)
	old := trust.Clone()
	old.MinVersion, old.MaxVersion = tls.VersionTLS11, tls.VersionTLS11
	post := "POST " + path(secret) + " HTTP/1.1\r\nHost: x\r\n"
	for name, scenario := range map[string]struct {
		trust *tls.Config
		bytes string
		want  string
	}{
		"HTTP/1.0":       {trust, "POST " + path(secret) + " HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}", "505"},
		"CL and TE":      {trust, post + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "401"},
		"two lengths":    {trust, post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "400"},
		"broken chunks":  {trust, post + "Transfer-Encoding: chunked\r\n\r\n2x\r\n{}\r\n0\r\n\r\n", "400"},
		"another coding": {trust, post + "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", "501"},
		"h2c":            {nil, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "EOF"},
		"h2 within TLS":  {trust, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "405"},
		"no TLS":         {nil, post + "Content-Length: 2\r\n\r\n{}", "400"},
		"TLS 1.1":        {old, post, "protocol version"},
		"endless header": {trust, post + "X: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", "431"},
	} {
		line := speak(t, address, scenario.trust, scenario.bytes)
		if !strings.Contains(line, scenario.want) || strings.Contains(line, " 202 ") {
			t.Errorf("%s: answered %q, want %s", name, line, scenario.want)
		}
	}
	if len(d.taken) != 0 {
		t.Errorf("took %+v", d.taken)
	}
}

// A proxy that obeys the Content-Length instead of the chunks could pass on a second request inside
// the body of the first one, so the connection ends after the first response.
func TestConnectionEndsAfterChunks(t *testing.T) {
	t.Parallel()
	d, address, trust := served(t)
	first, second := d.signed(t, secret, "evt_1", planned), d.signed(t, secret, "evt_2", planned)
	first.ContentLength, first.TransferEncoding = -1, []string{"chunked"}
	plain, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer shut(t, plain)
	trust.ServerName = "127.0.0.1"
	socket := tls.Client(plain, trust)
	for _, request := range []*http.Request{first, second} {
		if err = request.Write(socket); err != nil {
			t.Fatal(err)
		}
	}
	answers, err := io.ReadAll(io.LimitReader(socket, 64<<10)) //nolint:forbidigo // the length is limited
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(answers), "HTTP/1.1 202 ") || strings.Count(string(answers), "HTTP/1.1 ") != 1 {
		t.Errorf("answered %q", answers)
	}
	if len(d.taken) != 1 {
		t.Errorf("took %+v", d.taken)
	}
}

// The receiver listens only if an account asks for it.
func TestListenerWaitsForTheFirstAccount(t *testing.T) {
	t.Parallel()
	folder, _ := certified(t)
	address := freeAddress(t)
	d := &fixture{now: time.Unix(0, 0), secrets: map[string]string{"a": secret}}
	d.Receiver = receiver.New(d.config())
	run(t, &receiver.Listener{Receiver: d.Receiver, Address: address, CertDir: folder})
	if line := speak(t, address, nil, "x"); !strings.Contains(line, "refused") {
		t.Errorf("somebody listens already: %s", line)
	}
	d.learn(t, hmacOnly())
	eventually(t, func() bool { return !strings.Contains(speak(t, address, nil, "x\r\n\r\n"), "refused") })
}

// The error that keeps the receiver from listening is reported on the accounts that use it.
func TestAccountShowsWhyThereIsNoListener(t *testing.T) {
	t.Parallel()
	for want, listener := range map[string]*receiver.Listener{
		"--events-bind-address=0":   {Address: "0"},
		"without --events-cert-dir": {Address: freeAddress(t)},
		"read the certificate":      {Address: freeAddress(t), CertDir: t.TempDir()},
	} {
		d := newFixture(t, hmacOnly())
		listener.Receiver = d.Receiver
		run(t, listener)
		events := hmacOnly()
		eventually(t, func() bool {
			_, err := d.Learn(t.Context(), account(&events))
			return strings.Contains(fmt.Sprint(err), want)
		})
	}
}
