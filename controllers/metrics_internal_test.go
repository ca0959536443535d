// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/accounts"
	"github.com/broadband-operator/broadband-operator/controllers/internal/metrics"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/scrape"
)

// heldObjects returns objects as a manager's cache does: a list contains the objects themselves,
// not copies, and is limited by the fields that are indexed.
type heldObjects struct {
	client.Client

	services map[types.NamespacedName]*v1alpha1.BroadbandService
	lists    map[string][]runtime.Object // by type of the list
	fails    error
}

func (h *heldObjects) List(_ context.Context, list client.ObjectList, options ...client.ListOption) error {
	held := h.lists[fmt.Sprintf("%T", list)]
	applied := client.ListOptions{}
	applied.ApplyOptions(options)
	if applied.UnsafeDisableDeepCopy == nil || !*applied.UnsafeDisableDeepCopy {
		return fmt.Errorf("a %T may be long, and must not be copied", list)
	}
	if applied.FieldSelector != nil {
		for _, by := range applied.FieldSelector.Requirements() {
			lacks := func(one runtime.Object) bool { return !hasField(one, by.Field, by.Value) }
			held = slices.DeleteFunc(slices.Clone(held), lacks)
		}
	}
	return errors.Join(h.fails, meta.SetList(list, held))
}

// hasField reports whether an object has a value in an indexed field.
func hasField(of runtime.Object, field, value string) bool {
	object, isObject := of.(client.Object)
	for _, kind := range indexes() {
		if isObject && reflect.TypeOf(kind.object) == reflect.TypeOf(of) && kind.fields[field] != nil {
			return slices.Contains(kind.fields[field](object), value)
		}
	}
	return false
}

func (h *heldObjects) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	service, is := into.(*v1alpha1.BroadbandService)
	if found := h.services[key]; is && found != nil {
		found.DeepCopyInto(service)
		return nil
	}
	return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
}

// fleetOf returns services with their ledgers. Every tenth has an open request, and for every
// hundredth of those the service no longer exists.
func fleetOf(services int, now time.Time) *heldObjects {
	held := &heldObjects{
		services: map[types.NamespacedName]*v1alpha1.BroadbandService{}, lists: map[string][]runtime.Object{},
	}
	serviceList, ledgerList := "*v1alpha1.BroadbandServiceList", "*v1alpha1.RequestLedgerList"
	for i := range services {
		name := types.NamespacedName{Namespace: "sites", Name: fmt.Sprintf("site-%05d", i)}
		service := &v1alpha1.BroadbandService{}
		service.Namespace, service.Name, service.UID = name.Namespace, name.Name, types.UID(name.Name)
		service.Status.Conditions = []metav1.Condition{
			{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonInSync},
			{Type: v1alpha1.ConditionPlanSynced, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonInSync},
			{Type: v1alpha1.ConditionHealthy, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonHealthGood},
		}
		ledger := &v1alpha1.RequestLedger{}
		ledger.Spec.Holder = v1alpha1.LedgerHolder{Namespace: name.Namespace, Name: name.Name, UID: name.Name}
		if i%10 == 0 {
			open := v1alpha1.Request{
				Operation: v1alpha1.OperationPlanChange, Phase: v1alpha1.PhaseInProgress,
				SubmittedAt: metav1.NewTime(now.Add(-time.Duration(i) * time.Second)),
			}
			service.Status.Requests, ledger.Spec.Open = []v1alpha1.Request{open}, []v1alpha1.Request{open}
		}
		held.lists[ledgerList] = append(held.lists[ledgerList], ledger)
		if i%1000 == 0 {
			continue // it is deleted
		}
		held.services[name] = service
		held.lists[serviceList] = append(held.lists[serviceList], service)
	}
	return held
}

func (h *heldObjects) operator(now time.Time) *Operator {
	clock := func() time.Time { return now }
	return &Operator{
		Client: h, Accounts: &accounts.Registry{Now: clock}, Protocol: &operate.Protocol{Now: clock},
		Policies: &Policies{},
	}
}

func scraped(tb testing.TB, operator *Operator) *prometheus.Registry {
	tb.Helper()
	registry := prometheus.NewRegistry()
	counts, err := metrics.New(registry)
	if err != nil {
		tb.Fatal(err)
	}
	counts.State.ReadWith(func() *metrics.Fleet { return operator.fleet(tb.Context()) })
	return registry
}

var scrapedAt = time.Date(2026, time.November, 24, 12, 0, 0, 0, time.UTC)

func TestAScrapeCountsTheObjectsInTheCaches(t *testing.T) {
	t.Parallel()
	page := scrape.PageOf(t, scraped(t, fleetOf(2000, scrapedAt).operator(scrapedAt)))
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
	held := fleetOf(1, scrapedAt)
	held.fails = errors.New("no cache")
	page := scrape.PageOf(t, scraped(t, held.operator(scrapedAt)))
	if value, there := page[`broadband_services_drifted`]; there {
		t.Errorf("%v services have drifted, according to no cache", value)
	}
	if _, there := page[`broadband_late_acceptances_total{operation="OrderCreate"}`]; !there {
		t.Error("a counter is missing")
	}
}

// BenchmarkScrape measures a scrape of 10,000 services; docs/metrics.md has the result.
func BenchmarkScrape(b *testing.B) {
	registry := scraped(b, fleetOf(10_000, scrapedAt).operator(scrapedAt))
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
	waiting := func(waits v1alpha1.MarkerWait) *Marker {
		marker := &Marker{}
		marker.update(&v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{
			Marker: &v1alpha1.LedgerMarker{Clusters: []string{""}, Waits: waits},
		}}, decide.Found{})
		return marker
	}
	for name, test := range map[string]struct {
		submit, unprotected bool
		marker              *Marker
		want                string
	}{
		"with --submit=false":                  {false, true, waiting(v1alpha1.MarkerRecovery), metrics.WithheldByFlag},
		"without the admission policies":       {true, true, waiting(v1alpha1.MarkerRecovery), metrics.WithheldByPolicy},
		"after a restore":                      {true, false, waiting(v1alpha1.MarkerRecovery), "Recovery"},
		"with objects of another installation": {true, false, waiting(v1alpha1.MarkerNewInstallation), "NewInstallation"},
		"on standby":                           {true, false, &Marker{}, ""},
		"once it is acknowledged":              {true, false, waiting(""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			operator := fleetOf(1, scrapedAt).operator(scrapedAt)
			operator.Submit, operator.Marker = test.submit, test.marker
			operator.Policies.missing.Store(test.unprotected)
			page := scrape.PageOf(t, scraped(t, operator))
			for _, reason := range []string{metrics.WithheldByFlag, metrics.WithheldByPolicy, "Recovery", "NewInstallation"} {
				shown := page[`broadband_sending_withheld{reason="`+reason+`"}`] == 1
				if shown != (reason == test.want) {
					t.Errorf("%s is shown: %t", reason, shown)
				}
			}
		})
	}
}
