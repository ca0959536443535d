package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
)

// settings are the command line.
type settings struct {
	listen, managementListen string
	seed                     string
	speed                    float64
	tlsCert, tlsKey          string
	publicURL                string
	logLevel                 slog.Level
}

const usage = `Usage: simulator --seed FILE [flags]

Simulates the carrier: its REST API under /api/connect and its identity provider under /auth/realms, at one address.
Clients, services, plans and delays come from the seed. Every call is logged to standard error.

`

// parse reads the command line. A mistake is reported to out together with the usage.
func parse(args []string, out io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("simulator", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&s.listen, "listen", "127.0.0.1:8480",
		"`address` of the carrier API and the identity provider; port 0 takes a free one, which the log names")
	flags.StringVar(&s.managementListen, "management-listen", "",
		"`address` of the controls under /_sim/ (journal, violations, faults, clock); none when empty. "+
			"They ask for no credentials: keep the address local")
	flags.StringVar(&s.seed, "seed", "", "YAML `file` of the world in which the simulator starts (required)")
	flags.Float64Var(&s.speed, "speed", 1, "`factor` by which everything the carrier does is faster than the seed says")
	flags.StringVar(&s.tlsCert, "tls-cert", "", "PEM `file` of the certificate chain; with --tls-key this serves https")
	flags.StringVar(&s.tlsKey, "tls-key", "", "PEM `file` of the certificate's private key")
	flags.StringVar(&s.publicURL, "public-url", "",
		"`origin` by which clients reach the simulator, when a proxy makes it differ from the Host of their requests")
	flags.TextVar(&s.logLevel, "log-level", slog.LevelInfo,
		"least `level` that is logged: DEBUG, INFO, WARN or ERROR")
	flags.Usage = func() {
		_, _ = fmt.Fprint(out, usage) //nolint:errcheck // help that cannot be written helps nobody
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

func (s *settings) check(extra int) error {
	switch {
	case extra > 0:
		return errors.New("only flags are understood")
	case s.seed == "":
		return errors.New("--seed is required")
	case s.speed <= 0:
		return errors.New("--speed must be above 0")
	case (s.tlsCert == "") != (s.tlsKey == ""):
		return errors.New("--tls-cert and --tls-key belong together")
	}
	return nil
}
