// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/tools/leaderelection"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// settings has the manager's flags.
type settings struct {
	kubeconfig           string
	allowInsecureCarrier bool
	carrierHosts         string
	operatorNamespace    string
	leaderElect          bool
	leaseDuration        time.Duration
	renewDeadline        time.Duration
	retryPeriod          time.Duration
	namespaces           string
	submit               bool
	approvalElsewhere    bool
	workers              int
	metricsAddress       string
	metricsSecure        bool
	metricsCertDir       string
	probeAddress         string
	logLevel             slog.Level
	logText              bool
	eventsAddress        string
	eventsCertDir        string
}

func parse(args []string, out io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("broadband-operator", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&s.kubeconfig, "kubeconfig", "",
		"`path` of the kubeconfig; default: $KUBECONFIG, then the pod's service account, then ~/.kube/config")
	flags.BoolVar(&s.allowInsecureCarrier, "allow-insecure-carrier", false,
		"allow http and loopback addresses for carriers and identity providers; for demos and tests only")
	flags.StringVar(&s.carrierHosts, "carrier-hosts", "",
		"comma-separated `hosts` that CarrierAccounts may name, such as api.example.com, *.example.com for all its "+
			"subdomains, or api.example.com:8443; default: any host")
	flags.StringVar(&s.operatorNamespace, "operator-namespace", "broadband-operator",
		"`namespace` of the lease for leader election")
	flags.BoolVar(&s.leaderElect, "leader-elect", false, "elect one of several managers to act; the others stand by")
	electionFlags(flags, &s)
	flags.StringVar(&s.namespaces, "namespaces", "",
		"comma-separated `namespaces` to manage; default: all. "+
			"Managers of different namespaces must not have accounts with the same login")
	flags.BoolVar(&s.submit, "submit", true,
		"send requests to the carrier; if false, only poll, compare and report; "+
			"use false for the first start after a restore")
	flags.BoolVar(&s.approvalElsewhere, "approval-checked-elsewhere", false,
		"send requests without the admission policies of config/policy, because something else decides who may approve")
	flags.IntVar(&s.workers, "workers", 64, "number of objects of each kind that are reconciled concurrently")
	serverFlags(flags, &s)
	flags.TextVar(&s.logLevel, "log-level", slog.LevelInfo, "lowest `level` that is logged: debug, info, warn or error")
	flags.BoolVar(&s.logText, "log-text", false, "write the log as plain text instead of JSON")
	showVersion := flags.Bool("version", false, "print the version and exit")
	if err := flags.Parse(args); err != nil {
		return settings{}, err //nolint:wrapcheck // the flag package reports it in full
	}
	if *showVersion {
		return settings{}, errVersion
	}
	if flags.NArg() > 0 {
		return settings{}, fmt.Errorf("unexpected argument %q: see --help", flags.Arg(0))
	}
	return s, errors.Join(s.checkElection(), s.checkNamespaces(), s.checkWorkers(), s.checkHosts())
}

// serverFlags adds the flags of the servers for metrics, probes and notifications.
func serverFlags(flags *flag.FlagSet, s *settings) {
	flags.StringVar(&s.metricsAddress, "metrics-bind-address", "0",
		"`address` of /metrics, such as :8443; 0 disables it")
	flags.BoolVar(&s.metricsSecure, "metrics-secure", true,
		"serve metrics over https to clients whose token may get /metrics; if false, over http to any client")
	flags.StringVar(&s.metricsCertDir, "metrics-cert-dir", "",
		"`folder` with tls.crt and tls.key for metrics, reloaded when they change; default: a self-signed certificate")
	flags.StringVar(&s.probeAddress, "health-probe-bind-address", ":8081",
		"`address` of /healthz and /readyz; 0 disables them")
	flags.StringVar(&s.eventsAddress, "events-bind-address", ":9443",
		"`address` of the receiver of carrier notifications, opened once an account enables them; 0 disables it")
	flags.StringVar(&s.eventsCertDir, "events-cert-dir", "",
		"`folder` with tls.crt and tls.key for the receiver, reloaded when they change")
}

// electionFlags adds flags with the same names and defaults as in the components of Kubernetes.
func electionFlags(flags *flag.FlagSet, s *settings) {
	flags.DurationVar(&s.leaseDuration, "leader-elect-lease-duration", 15*time.Second,
		"`duration` after which another manager may take over a lease that is not renewed")
	flags.DurationVar(&s.renewDeadline, "leader-elect-renew-deadline", 10*time.Second,
		"`duration` for which the leader tries to renew its lease before it gives up and exits")
	flags.DurationVar(&s.retryPeriod, "leader-elect-retry-period", 2*time.Second,
		"`duration` between two attempts to acquire or renew the lease")
}

// managed returns the namespaces of --namespaces; nil means all.
func (s settings) managed() []string {
	if s.namespaces == "" {
		return nil
	}
	var managed []string
	for namespace := range strings.SplitSeq(s.namespaces, ",") {
		managed = append(managed, strings.TrimSpace(namespace))
	}
	return managed
}

// hosts returns the hosts that accounts may name.
func (s settings) hosts() (carrier.Hosts, error) {
	hosts, err := carrier.ParseHosts(s.carrierHosts)
	if err != nil {
		return carrier.Hosts{}, fmt.Errorf("--carrier-hosts is %q: %w", s.carrierHosts, err)
	}
	return hosts, nil
}

// checkElection returns an error if the durations are inconsistent. A leader must have given up
// before another manager takes over, and must have time for a second attempt to renew the lease.
func (s settings) checkElection() error {
	again := time.Duration(leaderelection.JitterFactor * float64(s.retryPeriod))
	switch {
	case s.leaseDuration < time.Second:
		return fmt.Errorf("--leader-elect-lease-duration is %v: it must be at least 1s", s.leaseDuration)
	case s.retryPeriod <= 0:
		return fmt.Errorf("--leader-elect-retry-period is %v: it must be greater than 0", s.retryPeriod)
	case s.leaseDuration <= s.renewDeadline:
		return fmt.Errorf("--leader-elect-lease-duration is %v: it must be greater than "+
			"--leader-elect-renew-deadline, which is %v", s.leaseDuration, s.renewDeadline)
	case s.renewDeadline <= again:
		return fmt.Errorf("--leader-elect-renew-deadline is %v: it must be greater than %v, "+
			"which is 1.2 times --leader-elect-retry-period", s.renewDeadline, again)
	}
	return nil
}

// checkNamespaces returns an error if --namespaces lists a name that no namespace can have. The
// cache would treat an empty name, as after a trailing comma, as all namespaces, although the
// lease is for some: two managers would then act on the same objects.
func (s settings) checkNamespaces() error {
	for _, namespace := range s.managed() {
		if namespace == "" {
			return fmt.Errorf("--namespaces is %q: a name between its commas is missing; to manage all namespaces, "+
				"omit --namespaces", s.namespaces)
		}
		if flaws := validation.IsDNS1123Label(namespace); len(flaws) > 0 {
			return fmt.Errorf("--namespaces is %q: %q is not the name of a namespace: %s",
				s.namespaces, namespace, strings.Join(flaws, "; "))
		}
	}
	return nil
}

// checkWorkers returns an error if no object could be reconciled.
func (s settings) checkWorkers() error {
	if s.workers < 1 {
		return fmt.Errorf("--workers is %d: it must be at least 1", s.workers)
	}
	return nil
}

// checkHosts returns an error if --carrier-hosts lists a value that is not a host.
func (s settings) checkHosts() error {
	_, err := s.hosts()
	return err
}
