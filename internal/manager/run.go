// SPDX-License-Identifier: Apache-2.0

// Package manager is the program of main.go: flags, scheme, controllers, health and metrics. It is a
// package of its own so that tests can start it.
package manager

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/broadband-operator/broadband-operator/controllers"

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
	var hostsErr error
	own.Policies, err = parsed.policies()
	own.CarrierHosts, hostsErr = parsed.hosts()
	if err != nil || hostsErr != nil {
		return errors.Join(err, hostsErr)
	}
	err = errors.Join(controllers.Setup(ctx, mgr, own), registerBuildInfo(),
		mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("caches", cachesFull(mgr.GetCache())))
	if err != nil {
		return fmt.Errorf("set up the manager: %w", err)
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

// version and revision are set by the linker: the contents of the file VERSION, and the commit.
var (
	version  = "devel"
	revision = "unknown" //nolint:gochecknoglobals // like version, which the linter allows
)

// errVersion ends the program after --version.
var errVersion = errors.New("the version was requested")

// versionText is the output of --version.
func versionText() string {
	return fmt.Sprintf("broadband-operator %s (%s, %s, %s/%s)",
		version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// userAgent is the User-Agent header of every call to a carrier.
func userAgent() string { return "broadband-operator/" + version }

// registerBuildInfo adds the metric that shows which build runs where.
func registerBuildInfo() error {
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "broadband_build_info",
		Help: "Always 1: its labels are the version, the commit and the version of Go of this manager.",
		ConstLabels: prometheus.Labels{
			"version": version, "revision": revision, "goversion": runtime.Version(),
		},
	})
	info.Set(1)
	if err := metrics.Registry.Register(info); err != nil {
		return fmt.Errorf("register the build information: %w", err)
	}
	return nil
}
