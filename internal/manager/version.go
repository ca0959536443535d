// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

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
