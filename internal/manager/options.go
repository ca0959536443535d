// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
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
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/admission"
)

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

// leaseName returns the name of the lease, which depends on --namespaces (R29). If two managers
// of different namespaces shared a lease, one of them would never act. The order of the
// namespaces does not matter.
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
