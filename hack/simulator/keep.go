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

// keeper does the periodic work while the servers run: it delivers events and saves the state.
type keeper struct {
	sim   *simulator.Simulator
	state *simulator.StateFile // nil if no state is kept
	via   *http.Client
	log   *slog.Logger
}

// hire returns the keeper for the settings, and restores the saved state.
func hire(s settings, sim *simulator.Simulator, log *slog.Logger) (*keeper, error) {
	authorities, err := readAuthorities(s.callbackCA)
	if err != nil {
		return nil, err
	}
	k := &keeper{sim: sim, log: log, via: callbackClient(authorities)}
	if s.state != "" {
		k.state, err = simulator.OpenState(sim, s.state)
	}
	if err != nil {
		return nil, fmt.Errorf("--state: %w", err)
	}
	return k, nil
}

// callbackClient follows no redirects: an event is sent only to the callback.
func callbackClient(authorities *x509.CertPool) *http.Client {
	return &http.Client{
		Timeout:       callbackTimeout,
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// during does the periodic work while a function runs, and saves the state once more afterwards.
func (k *keeper) during(ctx context.Context, work func() error) error {
	ctx, cancel := context.WithCancel(ctx)
	delivering, saving := make(chan struct{}), make(chan struct{})
	go k.every(ctx, deliverEvery, delivering, func() { k.sim.Deliver(ctx, k.via) })
	go k.every(ctx, saveEvery, saving, k.save)
	err := work()
	cancel()
	<-delivering
	<-saving
	if k.state != nil {
		err = errors.Join(err, k.state.Save())
	}
	return err
}

// every calls a function periodically until the context ends.
func (*keeper) every(ctx context.Context, interval time.Duration, ended chan<- struct{}, do func()) {
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
func (k *keeper) save() {
	if k.state == nil {
		return
	}
	if err := k.state.Save(); err != nil {
		k.log.Error("the state is not saved", "error", err)
	}
}

// readNamed reads a file that a flag names.
func readNamed(path string) ([]byte, error) {
	return os.ReadFile(path) //nolint:gosec,wrapcheck // G304: the path comes from a flag; both callers add context
}

// readSecret reads a secret from a file; it is empty if no file is given.
func readSecret(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	content, err := readNamed(path)
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
	content, err := readNamed(path)
	if err != nil {
		return nil, fmt.Errorf("read --callback-ca: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(content) {
		return nil, fmt.Errorf("read --callback-ca: %s holds no certificate", path)
	}
	return pool, nil
}
