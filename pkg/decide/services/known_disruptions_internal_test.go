// SPDX-License-Identifier: Apache-2.0

package services

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

func TestDisruptionsAreListedWithTheActiveOnesFirst(t *testing.T) {
	t.Parallel()
	day := func(day string) carrier.Timestamp { return carrier.Timestamp("2026-03-" + day + "T09:00:00Z") }
	found := []carrier.Disruption{
		{WholesaleDisruptionID: "next", Status: carrier.DisruptionScheduled, MaintenanceStartAt: day("04")},
		{WholesaleDisruptionID: "older", Status: carrier.DisruptionActive, MaintenanceStartAt: day("01")},
		{WholesaleDisruptionID: "later", Status: carrier.DisruptionScheduled, MaintenanceStartAt: day("05")},
		{WholesaleDisruptionID: "newest", Status: carrier.DisruptionActive, MaintenanceStartAt: day("02")},
	}
	seen := countDisruptions(found)
	ids := make([]string, 0, len(seen.Items))
	for _, item := range seen.Items {
		ids = append(ids, item.ID)
	}
	if diff := cmp.Diff([]string{"newest", "older", "next", "later"}, ids); diff != "" || seen.Truncated {
		t.Errorf("the list, truncated %t (-want +got):\n%s", seen.Truncated, diff)
	}
	if seen.Active != 2 || seen.Scheduled != 2 || seen.Current.ID != "newest" || seen.Next.ID != "next" {
		t.Errorf("%+v", seen)
	}
}

func TestOnlyAnActiveDisruptionDisruptsAService(t *testing.T) {
	t.Parallel()
	for active, want := range map[int32]metav1.ConditionStatus{0: metav1.ConditionFalse, 1: metav1.ConditionTrue} {
		in := &Input{Service: &v1alpha1.BroadbandService{}}
		in.Service.Status.Disruptions = &v1alpha1.DisruptionStatus{Active: active, Scheduled: 1}
		if active > 0 {
			in.Service.Status.Disruptions.Current = &v1alpha1.Disruption{
				DisruptionFacts: v1alpha1.DisruptionFacts{ID: "7"},
			}
		}
		if aspect := disruptionAspect(in); aspect.Status != want {
			t.Errorf("%d active: %+v", active, aspect)
		}
	}
}
