// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// carrierSettings is what the process of the simulated carrier is started with.
type carrierSettings struct {
	Seed               simulator.Seed     `json:"seed"`
	Listen, Management string             // addresses
	RoundTrip          simulator.Duration `json:"roundTrip"`
	Times              times              `json:"times"`
}

// paceURL makes the carrier as slow as its settings say. Before that it responds at once, so that
// the preparation of a run takes no longer than necessary.
const paceURL = "/pace"

// runCarrier serves the simulated carrier until the context ends.
func runCarrier(ctx context.Context, with carrierSettings) error {
	const journalLimit = 5_000_000
	var paced atomic.Bool
	carrier := simulator.New(simulator.Options{
		Seed: with.Seed, Now: now, JournalLimit: journalLimit,
		Duration: func(operation simulator.Operation, service int64) time.Duration {
			if !paced.Load() {
				return 0
			}
			return with.Times.of(operation, service)
		},
	})
	context.AfterFunc(ctx, carrier.Close)
	management := http.NewServeMux()
	management.Handle("/_sim/", carrier.Management())
	management.HandleFunc("POST "+paceURL, func(http.ResponseWriter, *http.Request) { paced.Store(true) })
	ended := make(chan error)
	go func() { ended <- serve(ctx, with.Management, management) }()
	go func() {
		ended <- serve(ctx, with.Listen, delayed(carrier.Handler(), time.Duration(with.RoundTrip), paced.Load))
	}()
	return errors.Join(<-ended, <-ended)
}

func serve(ctx context.Context, address string, handler http.Handler) error {
	const headerTimeout = 10 * time.Second
	server := &http.Server{Addr: address, Handler: handler, ReadHeaderTimeout: headerTimeout}
	context.AfterFunc(ctx, func() { _ = server.Close() }) //nolint:errcheck // the process ends
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", address, err)
	}
	return nil
}

// delayed lets half of a round trip pass before each call and half before its response.
func delayed(next http.Handler, roundTrip time.Duration, applies func() bool) http.Handler {
	const ways = 2
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !applies() {
			next.ServeHTTP(w, r)
			return
		}
		l := &late{ResponseWriter: w, request: r, way: roundTrip / ways}
		l.travel(r.Context())
		next.ServeHTTP(l, r)
	})
}

// late delays the first byte of a response.
type late struct {
	http.ResponseWriter

	request *http.Request
	way     time.Duration
	sent    bool
}

// travel lets one way of a round trip pass, or less if the caller has gone.
func (l *late) travel(ctx context.Context) { _ = pause(ctx, l.way) } //nolint:errcheck // nobody waits any more

// WriteHeader sends the status late.
func (l *late) WriteHeader(status int) {
	if !l.sent {
		l.sent = true
		l.travel(l.request.Context())
	}
	l.ResponseWriter.WriteHeader(status)
}

// Write sends a body, with the status before it.
func (l *late) Write(body []byte) (int, error) {
	if !l.sent {
		l.WriteHeader(http.StatusOK)
	}
	return l.ResponseWriter.Write(body) //nolint:wrapcheck // the caller expects the error of the connection
}

// Unwrap gives [http.ResponseController] the connection, which a fault closes.
func (l *late) Unwrap() http.ResponseWriter { return l.ResponseWriter }
