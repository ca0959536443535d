package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"slices"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// The values of --management.
const (
	managementAuto = "auto"
	managementOn   = "on"
	managementOff  = "off"
)

// settings are the command line flags.
type settings struct {
	listen, managementListen string
	management               string // auto, on or off: whether the carrier's address also serves it
	seed                     string
	speed                    float64
	tlsCert, tlsKey          string
	publicURL                string
	callback, callbackCA     string
	callbackSecretFile       string
	state                    string
	apiWord                  string
	hostile                  bool
	randomSeed               uint64
	logLevel                 slog.Level
}

const usage = `Usage: simulator --seed FILE [flags]

Simulates the carrier: its REST API under /api/connect and its identity provider under /auth/realms, at one address.
Clients, services, plans and delays come from the seed. Every call is logged to standard error.

Example:
  simulator --seed hack/run/simulator/seed.example.yaml --state carrier.json   # and open http://127.0.0.1:8480/_sim/

Flags:
`

// parse reads the command line. If it is invalid, the usage is written to out.
func parse(args []string, out io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("simulator", flag.ContinueOnError)
	flags.SetOutput(out)
	s.serverFlags(flags)
	s.simulationFlags(flags)
	s.eventFlags(flags)
	flags.Usage = func() {
		_, _ = fmt.Fprint(out, usage) //nolint:errcheck // there is nowhere to report the error
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return settings{}, fmt.Errorf("read flags: %w", err)
	}
	if err := s.check(flags.NArg()); err != nil {
		flags.Usage()
		return settings{}, err
	}
	return s, nil
}

// serverFlags adds the flags for the listeners.
func (s *settings) serverFlags(flags *flag.FlagSet) {
	flags.StringVar(&s.listen, "listen", "127.0.0.1:8480",
		"`address` of the carrier API and the identity provider; port 0 selects a free port, which is logged")
	flags.StringVar(&s.management, "management", managementAuto,
		"`auto`, on or off: whether the address of --listen also serves /_sim/, a page and endpoints for calls, "+
			"requests, faults and the clock. They require no credentials, so auto serves them on a loopback address only")
	flags.StringVar(&s.managementListen, "management-listen", "",
		"another `address` for /_sim/; --listen then does not serve it")
	flags.StringVar(&s.tlsCert, "tls-cert", "", "PEM `file` of the certificate chain; with --tls-key this serves https")
	flags.StringVar(&s.tlsKey, "tls-key", "", "PEM `file` of the certificate's private key")
	flags.StringVar(&s.publicURL, "public-url", "",
		"`origin` at which clients reach the simulator, if a proxy makes it differ from the Host of their requests")
	flags.TextVar(&s.logLevel, "log-level", slog.LevelInfo,
		"lowest `level` that is logged: DEBUG, INFO, WARN or ERROR")
}

// simulationFlags adds the flags for the simulated carrier.
func (s *settings) simulationFlags(flags *flag.FlagSet) {
	flags.StringVar(&s.seed, "seed", "", "YAML `file` with the initial state (required)")
	flags.StringVar(&s.state, "state", "",
		"`file` that keeps the state across restarts: services, requests, orders, events, tokens, recorded calls and the "+
			"clock. It is read at startup, and replaced atomically at exit and every second if something has "+
			"changed. Plans and clients always come from the seed. When empty, the state is not saved")
	flags.Float64Var(&s.speed, "speed", 1, "`factor` by which all delays of the seed are divided")
	flags.StringVar(&s.apiWord, "api-word", "",
		"`word` that replaces wholesale in keys and enum values, in requests and responses; for example, abc gives "+
			"the names "+
			"abcLocationId, abc_test_id and abc-tech, and the sourceType abc")
	flags.BoolVar(&s.hostile, "hostile", false,
		"inject random faults of a carrier, gateway or network: errors before and after a call took effect, cut and "+
			"endless responses, unusual Location and Retry-After headers, tokens refused once, ids not found at first")
	flags.Uint64Var(&s.randomSeed, "random-seed", 1,
		"`number` that selects the faults of --hostile: the same calls in the same order get the same faults")
}

// eventFlags adds the flags for the delivery of events.
func (s *settings) eventFlags(flags *flag.FlagSet) {
	flags.StringVar(&s.callback, "callback", "",
		"`URL` to which events are posted, for clients without a callback in the seed")
	flags.StringVar(&s.callbackSecretFile, "callback-secret-file", "",
		"`file` with the secret that signs events; when empty, the secret in the seed is used. "+
			"A trailing line break is ignored")
	flags.StringVar(&s.callbackCA, "callback-ca", "",
		"PEM `file` of the CA certificates for callbacks; the system's when empty")
}

func (s *settings) check(extra int) error {
	switch {
	case extra > 0:
		return errors.New("unexpected arguments: only flags are supported")
	case s.seed == "":
		return errors.New("--seed is required")
	case s.speed <= 0:
		return errors.New("--speed must be above 0")
	case s.apiWord != "" && simulator.CheckAPIWord(s.apiWord) != nil:
		return fmt.Errorf("--api-word: %w", simulator.CheckAPIWord(s.apiWord))
	case simulator.CheckCallback(s.callback) != nil:
		return fmt.Errorf("--callback: %w", simulator.CheckCallback(s.callback))
	case !slices.Contains([]string{managementAuto, managementOn, managementOff}, s.management):
		return fmt.Errorf("--management is %q, but must be auto, on or off", s.management)
	case (s.tlsCert == "") != (s.tlsKey == ""):
		return errors.New("--tls-cert and --tls-key must be set together")
	}
	return nil
}

// managesAtCarrier reports whether the address of the carrier also serves the management endpoints.
func (s *settings) managesAtCarrier() bool {
	if s.managementListen != "" {
		return false
	}
	return s.management == managementOn || s.management == managementAuto && isLoopback(s.listen)
}

// isLoopback reports whether an address is reachable from this machine only.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
