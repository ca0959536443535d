package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// settings are the command line flags.
type settings struct {
	listen, managementListen string
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
  simulator --seed hack/simulator/seed.example.yaml --management-listen 127.0.0.1:8481 --state carrier.json

Flags:
`

// parse reads the command line. An error is written to out together with the usage.
func parse(args []string, out io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("simulator", flag.ContinueOnError)
	flags.SetOutput(out)
	s.serverFlags(flags)
	s.worldFlags(flags)
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
		"`address` of the carrier API and the identity provider; port 0 takes a free one, which the log names")
	flags.StringVar(&s.managementListen, "management-listen", "",
		"`address` of the controls under /_sim/ (journal, violations, events, faults, clock); none when empty. "+
			"They ask for no credentials: keep the address local")
	flags.StringVar(&s.tlsCert, "tls-cert", "", "PEM `file` of the certificate chain; with --tls-key this serves https")
	flags.StringVar(&s.tlsKey, "tls-key", "", "PEM `file` of the certificate's private key")
	flags.StringVar(&s.publicURL, "public-url", "",
		"`origin` by which clients reach the simulator, when a proxy makes it differ from the Host of their requests")
	flags.TextVar(&s.logLevel, "log-level", slog.LevelInfo,
		"least `level` that is logged: DEBUG, INFO, WARN or ERROR")
}

// worldFlags adds the flags for the simulated carrier.
func (s *settings) worldFlags(flags *flag.FlagSet) {
	flags.StringVar(&s.seed, "seed", "", "YAML `file` of the world in which the simulator starts (required)")
	flags.StringVar(&s.state, "state", "",
		"`file` that keeps everything across restarts: services, requests, orders, events, tokens, the journal and the "+
			"clock. Read at the start, written every second when something has changed, and at the end; the old one is "+
			"replaced as a whole. Plans and clients are always the seed's. Nothing is kept when empty")
	flags.Float64Var(&s.speed, "speed", 1, "`factor` by which everything the carrier does is faster than the seed says")
	flags.StringVar(&s.apiWord, "api-word", "",
		"`word` of the carrier that stands for wholesale in keys and in values of enumerations, in both directions: with "+
			"abc, abcLocationId, abc_test_id, abc-tech, sourceType abc")
	flags.BoolVar(&s.hostile, "hostile", false,
		"do by chance what a bad carrier, gateway or network does: failures before and after a call took effect, cut and "+
			"endless answers, odd Location and Retry-After headers, tokens refused once, ids that are not found at first")
	flags.Uint64Var(&s.randomSeed, "random-seed", 1,
		"`number` that decides what --hostile does; with the same one, the same calls meet the same misfortunes")
}

// eventFlags adds the flags for the delivery of events.
func (s *settings) eventFlags(flags *flag.FlagSet) {
	flags.StringVar(&s.callback, "callback", "",
		"`URL` to which events are posted, for clients to which the seed gives none of their own")
	flags.StringVar(&s.callbackSecretFile, "callback-secret-file", "",
		"`file` with the secret that signs events; the seed's when empty. A line break at its end is not part of it")
	flags.StringVar(&s.callbackCA, "callback-ca", "",
		"PEM `file` of the authorities that callbacks' certificates are judged by; the system's when empty")
}

func (s *settings) check(extra int) error {
	switch {
	case extra > 0:
		return errors.New("only flags are understood")
	case s.seed == "":
		return errors.New("--seed is required")
	case s.speed <= 0:
		return errors.New("--speed must be above 0")
	case s.apiWord != "" && simulator.CheckAPIWord(s.apiWord) != nil:
		return fmt.Errorf("--api-word: %w", simulator.CheckAPIWord(s.apiWord))
	case simulator.CheckCallback(s.callback) != nil:
		return fmt.Errorf("--callback: %w", simulator.CheckCallback(s.callback))
	case (s.tlsCert == "") != (s.tlsKey == ""):
		return errors.New("--tls-cert and --tls-key belong together")
	}
	return nil
}
