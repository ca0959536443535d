package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// How often due events are sent and the state is saved, and how long a callback may take.
const (
	deliverEvery    = 100 * time.Millisecond
	saveEvery       = time.Second
	callbackTimeout = 10 * time.Second
)

// background does the periodic work while the servers run: it delivers events and saves the state.
type background struct {
	sim    *simulator.Simulator
	state  *simulator.StateFile // nil if no state is kept
	client *http.Client
	log    *slog.Logger
}

// newBackground returns the background work for the settings, and restores the saved state.
func newBackground(s settings, sim *simulator.Simulator, log *slog.Logger) (*background, error) {
	authorities, err := readAuthorities(s.callbackCA)
	if err != nil {
		return nil, err
	}
	b := &background{sim: sim, log: log, client: callbackClient(authorities)}
	if s.state != "" {
		b.state, err = simulator.OpenState(sim, s.state)
	}
	if err != nil {
		return nil, fmt.Errorf("--state: %w", err)
	}
	return b, nil
}

// callbackClient follows no redirects, so that an event is sent only to the callback.
func callbackClient(authorities *x509.CertPool) *http.Client {
	return &http.Client{
		Timeout:       callbackTimeout,
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// runDuring does the periodic work while a function runs, and saves the state once more afterwards.
func (b *background) runDuring(ctx context.Context, work func() error) error {
	ctx, cancel := context.WithCancel(ctx)
	delivering, saving := make(chan struct{}), make(chan struct{})
	go b.every(ctx, deliverEvery, delivering, func() { b.sim.Deliver(ctx, b.client) })
	go b.every(ctx, saveEvery, saving, b.save)
	err := work()
	cancel()
	<-delivering
	<-saving
	if b.state != nil {
		err = errors.Join(err, b.state.Save())
	}
	return err
}

// every calls a function periodically until the context ends.
func (*background) every(ctx context.Context, interval time.Duration, ended chan<- struct{}, do func()) {
	defer close(ended)
	ticker := time.NewTicker(interval) //nolint:forbidigo // the program uses the real clock
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			do()
		}
	}
}

// save saves the state; after an error the next call tries again.
func (b *background) save() {
	if b.state == nil {
		return
	}
	if err := b.state.Save(); err != nil {
		b.log.Error("cannot save the state", "error", err)
	}
}

// readFile reads a file that a flag names.
func readFile(path string) ([]byte, error) {
	return os.ReadFile(path) //nolint:gosec,wrapcheck // G304: the path comes from a flag; both callers add context
}

// readSecret reads a secret from a file; it is empty if no file is given.
func readSecret(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	content, err := readFile(path)
	if err != nil {
		return "", fmt.Errorf("read callback secret: %w", err)
	}
	secret := strings.TrimRight(string(content), "\r\n")
	if secret == "" {
		return "", fmt.Errorf("read callback secret: %s is empty", path)
	}
	return secret, nil
}

// readAuthorities reads CA certificates; nil means those of the system.
func readAuthorities(path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // crypto/tls takes nil as the system's certificates
	}
	content, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("read --callback-ca: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(content) {
		return nil, fmt.Errorf("read --callback-ca: %s has no certificate", path)
	}
	return pool, nil
}
