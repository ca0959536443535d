// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// absorbHealth records the result of a health request.
func absorbHealth(in *ServiceInput, reading *Reading) {
	state, health := carrierState(in.Service), reading.Health
	state.TechnologyType = bounded(health.TechnologyType, 64)
	state.LocationID = bounded(health.LocationID, 64)
	state.AVCID = bounded(health.AVCID, 64)
	state.PRIID = bounded(health.PRIID, 64)
	state.WholesaleServiceID = bounded(health.WholesaleServiceID, 64)
	absorbColors(in, health)
	if plan := planOf(health); plan != "" {
		absorbPlan(in, state, plan, reading.AskedAt)
	}
}

// absorbColors records the carrier's rating of the line. Its time is when this rating was first
// seen, so that an unchanged rating needs no write.
func absorbColors(in *ServiceInput, health carrier.HealthResult) {
	view := v1alpha1.HealthStatus{
		Summary:      bounded(string(health.CurrentCondition.Status), 64),
		Connectivity: bounded(string(health.Indicator.Connectivity), 64),
		Performance:  bounded(string(health.Indicator.Performance), 64),
		Stability:    bounded(string(health.Indicator.Stability), 64),
		Alert:        bounded(health.CurrentCondition.AlertMessage, 1024),
		NextAction:   bounded(health.NextAction.Description, 1024),
		HRIID:        bounded(health.HRIID, 64),
	}
	if held := in.Service.Status.Health; held != nil {
		newest := view.HRIID
		view.Since, view.HRIID = held.Since, held.HRIID // each reading has its own record id, which is not a change
		if view == *held {
			return
		}
		view.HRIID = newest
	}
	view.Since = metav1.NewTime(in.Now)
	in.Service.Status.Health = &view
}

// TakeCancellation records the state of a service's cancellation. Its time is when this state was
// first seen. Days are in the given time zone, because the carrier may write the requested day as a
// date-time.
func TakeCancellation(
	service *v1alpha1.BroadbandService, found carrier.Cancellation, now time.Time, days *time.Location,
) {
	state := v1alpha1.CancellationState{
		Status: bounded(string(found.Status), 64), Cancelled: found.Cancelled,
		RequestDate: dayOf(bounded(found.RequestDate, 64), days), RequestedOn: bounded(string(found.RequestedOn), 64),
		CancelledOn: bounded(string(found.CancelledOn), 64), AbortedOn: bounded(string(found.AbortedOn), 64),
		ErrorDetail: bounded(found.ErrorDetail, 1024),
		CanRequest:  found.CanRequest, CanAbort: found.CanAbort, CanReschedule: found.CanReschedule,
	}
	state.PendingDate = pendingDate(&state)
	if held := carrierState(service).Cancellation; held != nil {
		state.Since, state.Agreed = held.Since, held.Agreed
		if state == *held {
			return
		}
	}
	state.Since = metav1.NewTime(now)
	service.Status.Carrier.Cancellation = &state
}

// pendingDate returns the day on which the service will be cancelled; "" if no cancellation is
// pending: none was requested, or it was aborted, rejected or carried out.
func pendingDate(state *v1alpha1.CancellationState) string {
	if state.Cancelled || carrier.CancellationStatus(state.Status) == carrier.CancellationCompleted ||
		!live(state) && !pastReturn(state) {
		return ""
	}
	return state.RequestDate
}

// absorbDisruptions counts the disruptions of the service. It shows the active one that started
// last and the scheduled one that comes next.
func absorbDisruptions(in *ServiceInput, found []carrier.Disruption) {
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
	return seen
}

func disruptionOf(found *carrier.Disruption) *v1alpha1.Disruption {
	one := &v1alpha1.Disruption{
		ID: bounded(found.WholesaleDisruptionID, 64), Severity: bounded(found.Severity, 64),
		Description: bounded(found.Description, 1024),
	}
	if at, ok := found.MaintenanceStartAt.Time(); ok {
		one.StartAt = v1alpha1.WholeSeconds(at)
	}
	if at, ok := found.MaintenanceEndAt.Time(); ok {
		one.EndAt = v1alpha1.WholeSeconds(at)
	}
	return one
}
