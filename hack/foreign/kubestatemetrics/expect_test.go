// SPDX-License-Identifier: Apache-2.0

package kubestatemetrics_test

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/kube-state-metrics/v2/pkg/customresourcestate"

	. "github.com/onsi/gomega"
)

// expectObject compares the series of an object with the state that it is named after: the reason of
// Ready, and whether it is ready or stalled.
func expectObject(t *testing.T, object *unstructured.Unstructured, series map[string]string) {
	t.Helper()
	reason, state, _ := strings.Cut(object.GetName(), "-")
	g := NewWithT(t)
	about := object.GetKind() + " " + object.GetName()
	g.Expect(series).To(HaveKeyWithValue("metric", metricOf(object.GetKind())), about)
	g.Expect(series).To(HaveKeyWithValue("value", "1"), about)
	g.Expect(series).To(HaveKeyWithValue("exported_namespace", namespace), about)
	g.Expect(strings.ToLower(series["reason"])).To(Equal(reason), about)
	for label, is := range map[string]bool{"ready": state == "ready", "stalled": state == "stalled"} {
		if is {
			g.Expect(series).To(HaveKeyWithValue(label, "True"), about)
		} else {
			g.Expect(series).NotTo(HaveKeyWithValue(label, "True"), about)
		}
	}
}

// metricOf returns the metric of a kind: broadband_service_order_info for ServiceOrder.
func metricOf(kind string) string {
	words := regexp.MustCompile(`[A-Z][a-z]+`).FindAllString(strings.TrimPrefix(kind, "Broadband"), -1)
	return "broadband_" + strings.ToLower(strings.Join(words, "_")) + "_info"
}

// expectLedgers compares the series of the RequestLedgers with what a real manager has recorded.
func expectLedgers(t *testing.T, all []map[string]string) {
	t.Helper()
	shown := map[string]map[string]string{}
	for _, series := range all {
		if series["customresource_kind"] == "RequestLedger" {
			shown[series["holder"]] = series
		}
	}
	g := NewWithT(t)
	g.Expect(shown).To(HaveLen(2))
	g.Expect(shown["in-progress"]).To(And(
		HaveKeyWithValue("metric", "broadband_open_request_info"),
		HaveKeyWithValue("operation", "DSLStabilityProfileChange"),
		HaveKeyWithValue("phase", "InProgress"), HaveKeyWithValue("service_id", MatchRegexp(`^\d+$`))))
	g.Expect(shown["lost"]).To(And(
		HaveKeyWithValue("metric", "broadband_open_request_info"),
		HaveKeyWithValue("operation", "OrderCreate"),
		HaveKeyWithValue("phase", "OutcomeUnknown"), HaveKeyWithValue("customer_reference", "SITE-LOST")))
}

// expectDetails compares labels that only some kinds have with the fields of the objects in the files.
func expectDetails(t *testing.T, shown map[string]map[string]string) {
	t.Helper()
	for object, labels := range map[string]map[string]string{
		"AppointmentRequest/completed-ready": {"account": "default", "order_id": "555"},
		"BroadbandService/awaitingapproval-waiting": {
			"approval_required": "True", "service_id": "4000001",
		},
		"BroadbandService/drifted-stalled":     {"drifted": "True"},
		"BroadbandService/overdue-reconciling": {"in_flight": "PlanChange"},
		"CarrierAccount/tokenissued-ready":     {"carrier": "True", "client": "reseller"},
		"DiagnosticTest/completed-ready":       {"test_type": "port-reset"},
		"HealthCheck/completed-ready":          {"health": "Green"},
		"ServiceOrder/progressing-reconciling": {"in_flight": "OrderCreate"},
		"ServiceOrder/submitted-ready": {
			"customer_reference": "SITE-014", "order_id": "9007199254740993", "service_id": builtService,
		},
	} {
		for label, want := range labels {
			NewWithT(t).Expect(shown[object]).To(HaveKeyWithValue(label, want), object)
		}
	}
}

// expectLabels fails on a label that no object gives a value. kube-state-metrics silently leaves
// out such a label, and its path may lead nowhere.
func expectLabels(t *testing.T, resource customresourcestate.Resource, all []map[string]string) {
	t.Helper()
	for _, metric := range resource.Metrics {
		wanted := maps.Clone(resource.LabelsFromPath)
		maps.Copy(wanted, metric.Each.Info.LabelsFromPath)
		for _, label := range slices.Sorted(maps.Keys(wanted)) {
			has := slices.ContainsFunc(all, func(series map[string]string) bool {
				return series["metric"] == resource.GetMetricNamePrefix()+"_"+metric.Name &&
					series["customresource_kind"] == resource.GroupVersionKind.Kind && series[label] != ""
			})
			if !has {
				t.Errorf("%s: no object gives the label %s of %s a value", resource.GroupVersionKind.Kind, label, metric.Name)
			}
		}
	}
}

// Every kind has a metric, under the plural of its CustomResourceDefinition.
func TestEveryKindHasAMetric(t *testing.T) {
	g := NewWithT(t)
	files, err := filepath.Glob(root + "/config/crd/bases/*.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	kinds := map[string]string{}
	for _, file := range files {
		crd := read(t, file).Object
		kind, _, err := unstructured.NestedString(crd, "spec", "names", "kind")
		g.Expect(err).NotTo(HaveOccurred(), file)
		kinds[kind], _, err = unstructured.NestedString(crd, "spec", "names", "plural")
		g.Expect(err).NotTo(HaveOccurred(), file)
	}
	shown := map[string]string{}
	for _, resource := range configured(t) {
		shown[resource.GroupVersionKind.Kind] = resource.ResourcePlural
		for _, metric := range resource.Metrics {
			g.Expect(metric.Help).NotTo(BeEmpty(), metric.Name)
			g.Expect(metric.Name).To(HaveSuffix("_info"))
		}
	}
	g.Expect(shown).To(Equal(kinds))
}
