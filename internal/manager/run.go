// SPDX-License-Identifier: Apache-2.0

// Package manager is the program of main.go: flags, scheme, controllers, health and metrics. It is a
// package of its own so that tests can start it.
package manager

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/uuid"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/admission"

	_ "time/tzdata" // an image may have no time zones
)

// Main runs the manager with these arguments until ctx ends, and returns the exit code of the
// process.
func Main(ctx context.Context, args []string) (code int) {
	signal.Ignore(syscall.SIGPIPE) // a reader of the request log that ends must not end the manager
	err := run(ctx, args, os.Stderr)
	if errors.Is(err, errVersion) {
		_, err = fmt.Fprintln(os.Stdout, versionText())
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		_, _ = fmt.Fprintln(os.Stderr, "broadband-operator:", err) // stderr is the last place to report it
		return 1
	}
	return 0
}

// run is the whole program, so that a test can start it. It ends after ctx does, once the
// responses to requests in progress are recorded.
func run(ctx context.Context, args []string, out io.Writer) error {
	parsed, err := parse(args, out)
	if err != nil {
		return err
	}
	ctrl.SetLogger(parsed.logger(out))
	cluster, err := parsed.restConfig()
	if err != nil {
		return fmt.Errorf("find the API server: %w", err)
	}
	options, err := parsed.managerOptions()
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(cluster, options)
	if err != nil {
		return fmt.Errorf("create the manager: %w", err)
	}
	own := parsed.controllerOptions()
	own.Policies, err = parsed.policies()
	if err != nil {
		return err
	}
	own.CarrierHosts, err = parsed.hosts()
	if err != nil {
		return err
	}
	err = controllers.Setup(ctx, mgr, own)
	if err != nil {
		return err
	}
	err = errors.Join(registerBuildInfo(),
		mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("caches", cachesFull(mgr.GetCache())))
	if err != nil {
		return fmt.Errorf("add health checks and the build information: %w", err)
	}
	go logStandby(ctx, mgr, parsed)
	err = mgr.Start(ctx)
	// After the loss of the lease, Start does not wait for the passes in progress. Await waits for
	// their submissions, whose responses would be lost otherwise.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), controllers.LongestSubmission)
	defer cancel()
	own.Submissions.Await(last)
	if err != nil {
		return fmt.Errorf("run the manager: %w", err)
	}
	return nil
}

// logStandby logs that a manager that does not lead is waiting for the lease.
func logStandby(ctx context.Context, mgr ctrl.Manager, own settings) {
	const soon = 5 * time.Second // a free lease is taken within its retry period
	if !own.leaderElect {
		return
	}
	select {
	case <-mgr.Elected():
	case <-ctx.Done():
	case <-time.After(soon): //nolint:forbidigo // the one place where the clock comes from
		mgr.GetLogger().Info("standing by: another manager holds the lease; this one starts once it acquires it",
			"lease", own.operatorNamespace+"/"+own.leaseName())
	}
}

// cachesFull reports a manager as ready when every kind has been listed. A standby manager is ready
// too, because its caches are already full. No health check calls the carrier, because a restart
// does not fix a carrier that is down.
func cachesFull(held cache.Cache) healthz.Checker {
	const most = 500 * time.Millisecond // shorter than the second that a kubelet waits
	return func(request *http.Request) error {
		ctx, cancel := context.WithTimeout(request.Context(), most)
		defer cancel()
		if !held.WaitForCacheSync(ctx) {
			return errors.New("the caches are not filled yet")
		}
		return nil
	}
}

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

func (s settings) logger(out io.Writer) logr.Logger {
	// At levels more verbose than debug, client-go logs response bodies, including Secrets.
	options := &slog.HandlerOptions{Level: max(s.logLevel, slog.LevelDebug)}
	if s.logText {
		return logr.FromSlogHandler(slog.NewTextHandler(out, options))
	}
	return logr.FromSlogHandler(slog.NewJSONHandler(out, options))
}

func (s settings) restConfig() (*rest.Config, error) {
	if s.kubeconfig != "" {
		cluster, err := clientcmd.BuildConfigFromFlags("", s.kubeconfig)
		if err != nil {
			return nil, fmt.Errorf("read --kubeconfig: %w", err)
		}
		cluster.QPS = -1 // as without the flag, so the API server's own fairness is the limit, not 5 calls a second
		return cluster, nil
	}
	return ctrl.GetConfig() //nolint:wrapcheck // the caller adds the context
}

// gracefulShutdown is longer than the longest POST and the recording of its response, so that a
// request in progress at shutdown is not lost.
const gracefulShutdown = controllers.LongestSubmission + 10*time.Second

func (s settings) managerOptions() (ctrl.Options, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return ctrl.Options{}, fmt.Errorf("build the scheme: %w", err)
	}
	shutdown, warmup := gracefulShutdown, true
	watched := cache.Options{
		DefaultNamespaces: s.watched(), DefaultTransform: controllers.Trim,
	}
	return ctrl.Options{
		Scheme:                        scheme,
		Cache:                         watched,
		Metrics:                       s.metricsOptions(),
		HealthProbeBindAddress:        s.probeAddress,
		LeaderElection:                s.leaderElect,
		LeaderElectionID:              s.leaseName(),
		LeaderElectionNamespace:       s.operatorNamespace,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &s.leaseDuration,
		RenewDeadline:                 &s.renewDeadline,
		RetryPeriod:                   &s.retryPeriod,
		GracefulShutdownTimeout:       &shutdown,
		Controller:                    config.Controller{EnableWarmup: &warmup},
	}, nil
}

// leaseName returns a name for the lease, which depends on --namespaces (R29): with one lease, one
// of two managers of different namespaces would never act. The order of the namespaces does not
// matter.
func (s settings) leaseName() string {
	const name = "broadband-operator.wholesale.broadband"
	managed := s.managed()
	if len(managed) == 0 {
		return name
	}
	slices.Sort(managed)
	sum := sha256.Sum256([]byte(strings.Join(slices.Compact(managed), ",")))
	return name + "-" + hex.EncodeToString(sum[:8])
}

// metricsOptions requires authentication and authorization by the API server unless
// --metrics-secure is false, because metrics reveal how much is ordered, and when. Profiles are not
// served at all.
func (s settings) metricsOptions() metricsserver.Options {
	options := metricsserver.Options{
		BindAddress: s.metricsAddress, SecureServing: s.metricsSecure, CertDir: s.metricsCertDir,
	}
	if s.metricsSecure {
		options.FilterProvider = filters.WithAuthenticationAndAuthorization
	}
	return options
}

// watched returns the namespaces that the cache holds; nil means all.
func (s settings) watched() map[string]cache.Config {
	var watched map[string]cache.Config
	for _, namespace := range s.managed() {
		if watched == nil {
			watched = map[string]cache.Config{}
		}
		watched[namespace] = cache.Config{}
	}
	return watched
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

// policies returns the admission policies without which nothing is sent; nil if something else
// checks approvals.
func (s settings) policies() ([]admission.Policy, error) {
	if s.approvalElsewhere {
		return nil, nil
	}
	return admission.Shipped(s.operatorNamespace)
}

func (s settings) controllerOptions() controllers.Options {
	return controllers.Options{
		Namespaces:    s.managed(),
		AllowInsecure: s.allowInsecureCarrier,
		Submit:        s.submit,
		Marker:        v1alpha1.MarkerName,
		Workers:       s.workers,
		EventsAddress: s.eventsAddress,
		EventsCertDir: s.eventsCertDir,
		Submissions:   &controllers.Submissions{},
		RequestLog:    os.Stdout,
		UserAgent:     userAgent(),
		Now:           time.Now, //nolint:forbidigo // the one place where the clock comes from
		NewID:         func() string { return string(uuid.NewUUID()) },
	}
}
