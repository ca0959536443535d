// SPDX-License-Identifier: Apache-2.0

package receiver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/certwatcher"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// Listener serves a receiver over HTTPS, once the first account needs it. It runs on every replica,
// whether it leads or not.
type Listener struct {
	Receiver *Receiver
	Address  string // host:port; "0": do not listen
	CertDir  string // contains tls.crt and tls.key, which may be replaced at any time
}

// The limits of a connection. A sender sends its notification immediately.
const (
	headerTimeout   = 5 * time.Second
	readTimeout     = 10 * time.Second
	writeTimeout    = 30 * time.Second
	idleTimeout     = time.Minute
	maxHeaderBytes  = 4 << 10
	shutdownTimeout = 10 * time.Second
	listenPause     = 30 * time.Second // before listening is tried again
)

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (*Listener) NeedLeaderElection() bool { return false }

// Start listens until the context ends. An error that prevents listening is reported on the
// accounts, and listening is tried again, because a certificate may be added later.
func (l *Listener) Start(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-l.Receiver.needed:
	}
	err := wait.PollUntilContextCancel(ctx, listenPause, true, func(ctx context.Context) (bool, error) {
		err := l.serve(ctx)
		l.Receiver.setFault(err)
		if err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "cannot listen for the carrier's notifications")
		}
		return false, nil
	})
	if ctx.Err() != nil {
		return nil //nolint:nilerr // a shutdown is no error
	}
	return fmt.Errorf("listen for notifications: %w", err)
}

var (
	errSwitchedOff   = errors.New("the manager runs with --events-bind-address=0")
	errNoCertificate = errors.New("the manager runs without --events-cert-dir, the folder of its certificate")
)

func (l *Listener) serve(ctx context.Context) error {
	switch {
	case l.Address == "0":
		return errSwitchedOff
	case l.CertDir == "":
		return errNoCertificate
	}
	var listen net.ListenConfig
	socket, err := listen.Listen(ctx, "tcp", l.Address)
	if err != nil {
		return fmt.Errorf("listen at --events-bind-address: %w", err)
	}
	certificate, err := certwatcher.New(filepath.Join(l.CertDir, "tls.crt"), filepath.Join(l.CertDir, "tls.key"))
	if err != nil {
		return errors.Join(fmt.Errorf("read the certificate in --events-cert-dir: %w", err), socket.Close())
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go watch(ctx, certificate)
	l.Receiver.setFault(nil)
	timeout := shutdownTimeout
	server := manager.Server{
		Name: "carrier notifications", Server: l.server(ctx),
		Listener:        tls.NewListener(limited(socket), l.secured(certificate)),
		ShutdownTimeout: &timeout,
	}
	return server.Start(ctx)
}

// watch reloads the certificate when it changes.
func watch(ctx context.Context, certificate *certwatcher.CertWatcher) {
	if err := certificate.Start(ctx); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "cannot watch the receiver's certificate for changes")
	}
}

// secured returns a TLS configuration like that of current browsers. HTTP/2 is disabled: it is not
// needed here, and has been used to exhaust servers.
func (*Listener) secured(certificate *certwatcher.CertWatcher) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, GetCertificate: certificate.GetCertificate,
	}
}

func (l *Listener) server(ctx context.Context) *http.Server {
	log := slog.New(logr.ToSlogHandler(ctrl.LoggerFrom(ctx).V(1)))
	return &http.Server{
		Handler: l.Receiver, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog:    slog.NewLogLogger(log.Handler(), slog.LevelDebug), // failed handshakes of unknown clients are routine
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
}

// setFault records why the receiver does not listen, or nil if it does. If that changed, the
// accounts are updated.
func (r *Receiver) setFault(err error) {
	r.mu.Lock()
	news := (r.fault == nil) != (err == nil) || err != nil && r.fault.Error() != err.Error()
	r.fault = err
	accounts := r.accounts()
	r.mu.Unlock()
	for _, account := range accounts {
		if news && r.config.Changed != nil {
			r.config.Changed(account)
		}
	}
}

// The most connections that are open at a time. A sender needs one, for less than a second; behind a
// load balancer all of them may have one address. A connection that has not sent its header holds
// about 40 kB.
const (
	mostOpen     = 512
	mostOfSource = 128
)

// limitedListener closes the connections that exceed the limits as soon as it has accepted them, so
// that those who only connect can neither fill the memory of the process nor keep others waiting.
type limitedListener struct {
	net.Listener

	mu   sync.Mutex
	open map[string]int // by the address of the source, without port
	all  int
}

func limited(listener net.Listener) *limitedListener {
	return &limitedListener{Listener: listener, open: map[string]int{}}
}

// Accept returns the next connection within the limits.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err //nolint:wrapcheck // http.Server compares it
		}
		source := sourceOf(conn)
		if l.admit(source) {
			return &limitedConn{Conn: conn, release: sync.OnceFunc(func() { l.release(source) })}, nil
		}
		_ = conn.Close() //nolint:errcheck // nothing was sent
	}
}

func (l *limitedListener) admit(source string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all >= mostOpen || l.open[source] >= mostOfSource {
		return false
	}
	l.all++
	l.open[source]++
	return true
}

func (l *limitedListener) release(source string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	l.open[source]--
	if l.open[source] == 0 {
		delete(l.open, source)
	}
}

// sourceOf returns the address of a connection's source, without port.
func sourceOf(conn net.Conn) string {
	host, _, err := net.SplitHostPort(conn.RemoteAddr().String())
	if err != nil {
		return conn.RemoteAddr().String()
	}
	return host
}

// limitedConn is counted until it is closed.
type limitedConn struct {
	net.Conn

	release func()
}

// Close closes the connection.
func (c *limitedConn) Close() error {
	c.release()
	return c.Conn.Close() //nolint:wrapcheck // this type only counts
}
