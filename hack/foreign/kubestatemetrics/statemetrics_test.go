// SPDX-License-Identifier: Apache-2.0

// Package kubestatemetrics_test runs kube-state-metrics itself with config/kube-state-metrics, over a
// real API server with real objects of each kind.
package kubestatemetrics_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/go-logr/logr"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"gopkg.in/yaml.v3"
	"k8s.io/kube-state-metrics/v2/pkg/app"
	"k8s.io/kube-state-metrics/v2/pkg/customresourcestate"
	"k8s.io/kube-state-metrics/v2/pkg/options"
	"sigs.k8s.io/controller-runtime/pkg/log"

	. "github.com/onsi/gomega"
)

const (
	configFile = root + "/config/kube-state-metrics/config.yaml"
	namespace  = "sites" // of the objects
)

// kubeconfigOf is the environment variable with the kubeconfig of a process that runs
// kube-state-metrics instead of the tests. It needs a process of its own, because its watches end
// only with its process, and while they last, the API server does not stop.
const kubeconfigOf = "KUBE_STATE_METRICS_KUBECONFIG"

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	if kubeconfig := os.Getenv(kubeconfigOf); kubeconfig != "" {
		serve(kubeconfig, os.Args[1:])
		return
	}
	os.Exit(m.Run())
}

// serve runs kube-state-metrics on two ports: one for its metrics, and one for metrics about
// itself.
func serve(kubeconfig string, ports []string) {
	chosen := options.NewOptions()
	chosen.CustomResourceConfigFile, chosen.CustomResourcesOnly = configFile, true
	chosen.Kubeconfig, chosen.Host, chosen.TelemetryHost = kubeconfig, "127.0.0.1", "127.0.0.1"
	chosen.TotalShards, chosen.ServerReadHeaderTimeout = 1, time.Minute
	chosen.Namespaces = options.DefaultNamespaces
	for i, port := range []*int{&chosen.Port, &chosen.TelemetryPort} {
		var err error
		if *port, err = strconv.Atoi(ports[i]); err != nil {
			panic(err)
		}
	}
	ctx := context.Background() //nolint:forbidigo // a main function
	if err := app.RunKubeStateMetricsWrapper(ctx, chosen); err != nil {
		panic(err)
	}
}

// configured decodes the configuration as kube-state-metrics does, except that an unknown field is
// an error.
func configured(t *testing.T) []customresourcestate.Resource {
	t.Helper()
	g := NewWithT(t)
	text, err := os.ReadFile(configFile)
	g.Expect(err).NotTo(HaveOccurred())
	var config struct {
		customresourcestate.Metrics `yaml:",inline"`

		Kind string `yaml:"kind"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	g.Expect(decoder.Decode(&config)).To(Succeed())
	g.Expect(config.Kind).To(Equal("CustomResourceStateMetrics"))
	return config.Spec.Resources
}

// start runs kube-state-metrics until the test ends, and returns the address of its metrics.
func (c cluster) start(t *testing.T) string {
	t.Helper()
	g := NewWithT(t)
	program, err := os.Executable()
	g.Expect(err).NotTo(HaveOccurred())
	ports := []string{freePort(t), freePort(t)}
	process := exec.CommandContext(t.Context(), program, ports...) //nolint:gosec // this test itself
	process.Env = append(os.Environ(), kubeconfigOf+"="+c.kubeconfig)
	var said bytes.Buffer
	process.Stderr = &said
	g.Expect(process.Start()).To(Succeed())
	t.Cleanup(func() {
		g.Expect(process.Wait()).NotTo(Succeed(), "the end of the test kills it")
		if t.Failed() {
			t.Log(said.String())
		}
	})
	return "http://127.0.0.1:" + ports[0] + "/metrics"
}

var typeInfo = regexp.MustCompile(`(?m)^# TYPE \S+ info\n`)

// scrape returns the series on a page of metrics, each as its labels.
func scrape(t *testing.T, g Gomega, address string) []map[string]string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	g.Expect(err).NotTo(HaveOccurred())
	response, err := http.DefaultClient.Do(request) //nolint:forbidigo // a page on this machine
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { g.Expect(response.Body.Close()).To(Succeed()) }()
	page, err := io.ReadAll(response.Body) //nolint:forbidigo // of our own process
	g.Expect(err).NotTo(HaveOccurred())
	parser := expfmt.NewTextParser(model.UTF8Validation)
	// The metric type info belongs to OpenMetrics, which this parser does not know.
	families, err := parser.TextToMetricFamilies(bytes.NewReader(typeInfo.ReplaceAll(page, nil)))
	g.Expect(err).NotTo(HaveOccurred())
	var all []map[string]string
	for name, family := range families {
		for _, metric := range family.GetMetric() {
			all = append(all, labeled(name, metric))
		}
	}
	return all
}

func labeled(name string, metric *dto.Metric) map[string]string {
	labels := map[string]string{"metric": name, "value": fmt.Sprint(cmp.Or(metric.GetGauge().GetValue(),
		metric.GetUntyped().GetValue()))}
	for _, pair := range metric.GetLabel() {
		labels[pair.GetName()] = pair.GetValue()
	}
	return labels
}

// Each object has its series, each open request of a RequestLedger has one, and nothing else is shown.
func TestKubeStateMetricsShowsRealObjects(t *testing.T) {
	resources := configured(t)
	c := startCluster(t)
	objects := c.fill(t)
	address := c.start(t)
	var all []map[string]string
	NewWithT(t).Eventually(func(g Gomega) {
		all = scrape(t, g, address)
		g.Expect(len(all)).To(BeNumerically(">=", len(objects)))
	}).WithTimeout(time.Minute).Should(Succeed())
	t.Logf("%d objects, %d series", len(objects), len(all))

	shown := map[string]map[string]string{}
	for _, series := range all {
		shown[series["customresource_kind"]+"/"+series["name"]] = series
	}
	NewWithT(t).Expect(shown).To(HaveLen(len(objects)))
	for _, object := range objects {
		if object.GetKind() != "RequestLedger" {
			expectObject(t, object, shown[object.GetKind()+"/"+object.GetName()])
		}
	}
	expectLedgers(t, all)
	expectDetails(t, shown)
	for _, resource := range resources {
		expectLabels(t, resource, all)
	}
}
