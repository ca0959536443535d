// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/installation"
	"github.com/broadband-operator/broadband-operator/controllers/internal/metrics"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/controllers/internal/sessions"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/admission"
	"github.com/broadband-operator/broadband-operator/test/cache"
	"github.com/broadband-operator/broadband-operator/test/scrape"
	"github.com/broadband-operator/broadband-operator/test/store"
)

func operatorOf(held *cache.Cache, now time.Time) *pass.Operator {
	clock := func() time.Time { return now }
	return &pass.Operator{
		Client: held, Sessions: &sessions.Registry{Now: clock}, Protocol: &operate.Protocol{Now: clock},
		Policies: &installation.Policies{}, Marker: &installation.Marker{},
	}
}

func scraped(tb testing.TB, operator *pass.Operator) *prometheus.Registry {
	tb.Helper()
	registry := prometheus.NewRegistry()
	counts, err := metrics.New(registry)
	if err != nil {
		tb.Fatal(err)
	}
	counts.State.ReadWith(func() *metrics.Fleet { return fleet(tb.Context(), operator) })
	return registry
}

var scrapedAt = time.Date(2026, time.November, 24, 12, 0, 0, 0, time.UTC)

func TestAScrapeCountsTheObjectsInTheCaches(t *testing.T) {
	t.Parallel()
	page := scrape.PageOf(t, scraped(t, operatorOf(cache.Fleet(2000, scrapedAt), scrapedAt)))
	for series, want := range map[string]float64{
		`broadband_objects{kind="BroadbandService",ready="True",reason="InSync"}`: 1998,
		`broadband_request_ledgers`: 2000,
		`broadband_requests_open{operation="PlanChange",phase="InProgress"}`:                    198,
		`broadband_requests_open_oldest_age_seconds{operation="PlanChange",phase="InProgress"}`: 1990,
		`broadband_requests_without_holder{operation="PlanChange"}`:                             2,
		`broadband_requests_without_holder{operation="OrderCreate"}`:                            0,
	} {
		if page[series] != want {
			t.Errorf("%s is %v, want %v", series, page[series], want)
		}
	}
}

// Metrics that cannot be counted are missing, and do not affect the others.
func TestAScrapeWithoutCachesHasTheCounters(t *testing.T) {
	t.Parallel()
	held := cache.Fleet(1, scrapedAt)
	held.Fails = errors.New("no cache")
	page := scrape.PageOf(t, scraped(t, operatorOf(held, scrapedAt)))
	if value, there := page[`broadband_services_drifted`]; there {
		t.Errorf("%v services have drifted, according to no cache", value)
	}
	if _, there := page[`broadband_late_acceptances_total{operation="OrderCreate"}`]; !there {
		t.Error("a counter is missing")
	}
}

// BenchmarkScrape measures a scrape of 10,000 services; docs/metrics.md has the result.
func BenchmarkScrape(b *testing.B) {
	registry := scraped(b, operatorOf(cache.Fleet(10_000, scrapedAt), scrapedAt))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := registry.Gather(); err != nil {
			b.Fatal(err)
		}
	}
}

// Nobody notices a forgotten flag, or a missing acknowledgement, from requests that are not sent.
func TestAScrapeShowsWhySendingIsWithheld(t *testing.T) {
	t.Parallel()
	const unread v1alpha1.MarkerWait = "unread"
	for name, test := range map[string]struct {
		submit, unprotected bool
		waits               v1alpha1.MarkerWait
		want                string
	}{
		"with --submit=false":                  {false, true, v1alpha1.MarkerRecovery, metrics.WithheldByFlag},
		"without the admission policies":       {true, true, v1alpha1.MarkerRecovery, metrics.WithheldByPolicy},
		"after a restore":                      {true, false, v1alpha1.MarkerRecovery, "Recovery"},
		"with objects of another installation": {true, false, v1alpha1.MarkerNewInstallation, "NewInstallation"},
		"on standby":                           {true, false, unread, ""},
		"once it is acknowledged":              {true, false, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := clusterWith(t, test.waits)
			operator := operatorOf(cache.Fleet(1, scrapedAt), scrapedAt)
			operator.Submit = test.submit
			if test.waits != unread {
				operator.Marker = markerIn(t, cluster)
			}
			if test.unprotected {
				operator.Policies = policiesIn(t, cluster)
			}
			expectWithheld(t, operator, test.want)
		})
	}
}

// expectWithheld expects a scrape to show one reason why nothing is sent, or none.
func expectWithheld(t *testing.T, operator *pass.Operator, want string) {
	t.Helper()
	page := scrape.PageOf(t, scraped(t, operator))
	for _, reason := range []string{metrics.WithheldByFlag, metrics.WithheldByPolicy, "Recovery", "NewInstallation"} {
		if shown := page[`broadband_sending_withheld{reason="`+reason+`"}`] == 1; shown != (reason == want) {
			t.Errorf("%s is shown: %t", reason, shown)
		}
	}
}

// clusterWith returns a cluster without admission policies, and with a marker that waits for a person.
func clusterWith(t *testing.T, waits v1alpha1.MarkerWait) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	must(t, errors.Join(v1alpha1.AddToScheme(scheme), clientgoscheme.AddToScheme(scheme)))
	const uid = "cluster"
	cluster := store.New(store.Options{
		Scheme: scheme, Now: func() time.Time { return scrapedAt }, NewUID: func() types.UID { return uid },
	}).Client()
	must(t, cluster.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceSystem}}))
	must(t, cluster.Create(t.Context(), requestledger.New("marker", v1alpha1.RequestLedgerSpec{
		Cluster: uid, Marker: &v1alpha1.LedgerMarker{Clusters: []string{uid}, Waits: waits},
	})))
	return cluster
}

// markerIn returns the marker as a process knows it that has read it.
func markerIn(t *testing.T, cluster client.Client) *installation.Marker {
	t.Helper()
	marker := &installation.Marker{
		Client: cluster, Live: cluster, Ledgers: &requestledger.Store{Cluster: cluster, Live: cluster}, Name: "marker",
	}
	must(t, marker.Start(t.Context()))
	return marker
}

// policiesIn returns the policies as a process knows them that has read them.
func policiesIn(t *testing.T, cluster client.Client) *installation.Policies {
	t.Helper()
	shipped, err := admission.Shipped(operatorName)
	must(t, err)
	policies := &installation.Policies{
		Client: cluster, Live: cluster, Marker: &installation.Marker{}, Wanted: shipped,
		Now: func() time.Time { return scrapedAt },
	}
	must(t, policies.Check(t.Context()))
	return policies
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
