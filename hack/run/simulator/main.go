// Simulator runs the carrier of the specification as a server, for demonstrations and tests, and as
// a sandbox for clients in any language. One listener serves the carrier API and the identity
// provider. The management endpoints, which a real carrier lacks, are served by the same listener
// or by an optional second one.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"

	_ "time/tzdata" // a container image may have no time zone database
)

func main() {
	root := context.Background() //nolint:forbidigo // the root context of the program
	ctx, stop := signal.NotifyContext(root, os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "simulator:", err)
		os.Exit(1)
	}
}

// run serves until the context ends. All output goes to out.
func run(ctx context.Context, args []string, out io.Writer) error {
	chosen, err := parse(args, out)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: chosen.logLevel}))
	sim, err := build(chosen, log)
	if err != nil {
		return err
	}
	defer sim.Close()
	background, err := newBackground(chosen, sim, log)
	if err != nil {
		return err
	}
	return background.runDuring(ctx, func() error { return serveAll(ctx, chosen, sim, log) })
}

// build returns the simulator for the settings.
func build(s settings, log *slog.Logger) (*simulator.Simulator, error) {
	file, err := os.Open(s.seed)
	if err != nil {
		return nil, fmt.Errorf("open seed: %w", err)
	}
	defer file.Close() //nolint:errcheck // nothing was written
	seed, err := simulator.LoadSeed(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.seed, err)
	}
	secret, err := readSecret(s.callbackSecretFile)
	if err != nil {
		return nil, err
	}
	return simulator.New(simulator.Options{
		Seed: seed, Now: time.Now, Speed: s.speed, //nolint:forbidigo // the only use of the real clock
		CarrierURL: s.publicURL, IdentityURL: s.publicURL,
		Callback: s.callback, CallbackSecret: secret,
		APIWord: s.apiWord, Hostile: s.hostile, RandomSeed: s.randomSeed,
		Observe: func(call simulator.Call) { logCall(log, call) },
	}), nil
}

// logCall logs a call and its response. A call contains neither tokens nor contact details.
func logCall(log *slog.Logger, call simulator.Call) {
	attributes := []any{
		"method", call.Method, "path", call.Path, "operation", call.Operation,
		"client", call.Client, "status", call.Status,
	}
	if call.Subject != "" {
		attributes = append(attributes, "subject", call.Subject)
	}
	if call.RequestID != "" {
		attributes = append(attributes, "request", call.RequestID)
	}
	if len(call.Codes) > 0 {
		attributes = append(attributes, "codes", call.Codes)
	}
	if call.Fault != simulator.FaultNone {
		attributes = append(attributes, "fault", call.Fault)
	}
	log.Info("call", attributes...)
}
