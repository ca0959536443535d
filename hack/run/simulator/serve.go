package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// Limits against slow clients and clients that send too much.
const (
	headerTimeout   = 10 * time.Second
	readTimeout     = 30 * time.Second
	idleTimeout     = 2 * time.Minute
	maxHeaderBytes  = 64 << 10
	shutdownTimeout = 5 * time.Second
)

// listener is a server and the address on which it listens.
type listener struct {
	name    string
	address string
	cert    string
	key     string
	handler http.Handler
}

// serveAll serves every listener until the context ends or one of them fails.
func serveAll(ctx context.Context, s settings, sim *simulator.Simulator, log *slog.Logger) error {
	carrier := listener{name: "carrier", address: s.listen, cert: s.tlsCert, key: s.tlsKey, handler: sim.Handler()}
	if s.managesAtCarrier() {
		carrier.handler = withManagement(sim)
	}
	listeners := []listener{carrier}
	if s.managementListen != "" {
		management := listener{name: "management", address: s.managementListen, handler: sim.Management()}
		listeners = append(listeners, management)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	context.AfterFunc(ctx, sim.Close) // ends the calls that a fault keeps hanging
	ended := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { ended <- l.serve(ctx, log) }()
	}
	var all error
	for range listeners {
		all = errors.Join(all, <-ended)
		cancel() // if one server ends, all stop
	}
	return all
}

// withManagement serves the carrier, and the management endpoints under /_sim/.
func withManagement(sim *simulator.Simulator) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", sim.Handler())
	mux.Handle("/_sim/", sim.Management())
	return mux
}

// serve serves until the context ends, and then completes the calls in progress.
func (l listener) serve(ctx context.Context, log *slog.Logger) error {
	var config net.ListenConfig
	socket, err := config.Listen(ctx, "tcp", l.address)
	if err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	log.Info("listening", "server", l.name, "address", socket.Addr().String(), "tls", l.cert != "")
	server := newServer(l.handler, log)
	stopped := make(chan error, 1)
	context.AfterFunc(ctx, func() { stopped <- shutdown(context.WithoutCancel(ctx), server) })
	if l.cert != "" {
		err = server.ServeTLS(socket, l.cert, l.key)
	} else {
		err = server.Serve(socket)
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	return <-stopped
}

// newServer returns a server with limits on what it reads. Responses have no time limit, because a
// fault may leave a call hanging for as long as the client waits.
func newServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// shutdown stops a server, by force if a call takes too long.
func shutdown(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, shutdownTimeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return errors.Join(err, server.Close())
	}
	return nil
}
