// SPDX-License-Identifier: Apache-2.0

package services

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// recordDisruptions counts the disruptions of the service. It shows the active one that started
// last and the scheduled one that comes next.
func recordDisruptions(in *Input, found []carrier.Disruption) {
	seen := countDisruptions(found)
	if held := in.Service.Status.Disruptions; held != nil {
		seen.Since = held.Since
		if equality.Semantic.DeepEqual(&seen, held) {
			return
		}
	}
	seen.Since = metav1.NewTime(in.Now)
	in.Service.Status.Disruptions = &seen
}

func countDisruptions(found []carrier.Disruption) v1alpha1.DisruptionStatus {
	var seen v1alpha1.DisruptionStatus
	for i := range found {
		one := disruptionOf(&found[i])
		switch found[i].Status {
		case carrier.DisruptionActive:
			seen.Active++
			if seen.Current == nil || seen.Current.StartAt.Before(&one.StartAt) {
				seen.Current = one
			}
		case carrier.DisruptionScheduled:
			seen.Scheduled++
			if seen.Next == nil || one.StartAt.Before(&seen.Next.StartAt) {
				seen.Next = one
			}
		case carrier.DisruptionCompleted:
		}
	}
	seen.Items, seen.Truncated = disruptionItems(found)
	return seen
}

// The limits for the list of disruptions.
const (
	maxDisruptionItems = 20
	maxDisruptionBytes = 8 << 10
)

// disruptionItems lists the active disruptions, the newest first, and then the scheduled ones, the
// next first. It returns true if some were left out.
func disruptionItems(found []carrier.Disruption) ([]v1alpha1.DisruptionItem, bool) {
	var active, scheduled []v1alpha1.DisruptionItem
	for i := range found {
		switch found[i].Status {
		case carrier.DisruptionActive:
			active = append(active, disruptionItem(&found[i]))
		case carrier.DisruptionScheduled:
			scheduled = append(scheduled, disruptionItem(&found[i]))
		case carrier.DisruptionCompleted:
		}
	}
	earlier := func(a, b v1alpha1.DisruptionItem) int { return a.StartAt.Compare(b.StartAt.Time) }
	slices.SortStableFunc(active, func(a, b v1alpha1.DisruptionItem) int { return earlier(b, a) })
	slices.SortStableFunc(scheduled, earlier)
	left := maxDisruptionBytes
	return decide.Fitting(append(active, scheduled...), maxDisruptionItems, &left)
}

func disruptionItem(found *carrier.Disruption) v1alpha1.DisruptionItem {
	one := disruptionOf(found)
	return v1alpha1.DisruptionItem{
		ID: one.ID, Severity: one.Severity, StartAt: one.StartAt, EndAt: one.EndAt,
		Status: decide.Bounded(string(found.Status), 64), Type: decide.Bounded(found.Type, 64),
		Category: decide.Bounded(found.Category, 64),
	}
}

func disruptionOf(found *carrier.Disruption) *v1alpha1.Disruption {
	one := &v1alpha1.Disruption{
		ID: decide.Bounded(found.WholesaleDisruptionID, 64), Severity: decide.Bounded(found.Severity, 64),
		Description: decide.Bounded(found.Description, 1024),
	}
	if at, ok := found.MaintenanceStartAt.Time(); ok {
		one.StartAt = v1alpha1.WholeSeconds(at)
	}
	if at, ok := found.MaintenanceEndAt.Time(); ok {
		one.EndAt = v1alpha1.WholeSeconds(at)
	}
	return one
}
