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

// recordDisruptions counts the disruptions of the service. It lists the active ones, the newest
// first, and then the scheduled ones, the next first.
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
	earlier := func(a, b disruption) int { return a.shown.StartAt.Compare(b.shown.StartAt.Time) }
	later := func(a, b disruption) int { return earlier(b, a) }
	active := sorted(found, carrier.DisruptionActive, later)
	scheduled := sorted(found, carrier.DisruptionScheduled, earlier)
	seen := v1alpha1.DisruptionStatus{
		Active: int32(len(active)), Scheduled: int32(len(scheduled)), //nolint:gosec // at most a thousand are read
		Current: first(active), Next: first(scheduled),
	}
	seen.Items, seen.Truncated = disruptionItems(append(active, scheduled...))
	return seen
}

// disruption is a disruption of the carrier, and what a status shows of it.
type disruption struct {
	found *carrier.Disruption
	shown v1alpha1.Disruption
}

// sorted returns the disruptions with the given status, in the order that a comparison function
// defines.
func sorted(
	found []carrier.Disruption, status carrier.DisruptionStatus, compare func(a, b disruption) int,
) []disruption {
	var kept []disruption
	for i := range found {
		if found[i].Status == status {
			kept = append(kept, disruption{&found[i], disruptionOf(&found[i])})
		}
	}
	slices.SortStableFunc(kept, compare)
	return kept
}

// first returns the first disruption of a list; nil if there is none.
func first(list []disruption) *v1alpha1.Disruption {
	if len(list) == 0 {
		return nil
	}
	return &list[0].shown
}

// The limits for the list of disruptions.
const (
	maxDisruptionItems = 20
	maxDisruptionBytes = 8 << 10
)

// disruptionItems lists the first disruptions, and returns true if some were left out.
func disruptionItems(all []disruption) ([]v1alpha1.DisruptionItem, bool) {
	items := make([]v1alpha1.DisruptionItem, 0, len(all))
	for i := range all {
		found, shown := all[i].found, &all[i].shown
		items = append(items, v1alpha1.DisruptionItem{
			ID: shown.ID, Severity: shown.Severity, StartAt: shown.StartAt, EndAt: shown.EndAt,
			Status: decide.Bounded(string(found.Status), 64), Type: decide.Bounded(found.Type, 64),
			Category: decide.Bounded(found.Category, 64),
		})
	}
	left := maxDisruptionBytes
	return decide.Fitting(items, maxDisruptionItems, &left)
}

func disruptionOf(found *carrier.Disruption) v1alpha1.Disruption {
	one := v1alpha1.Disruption{
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
