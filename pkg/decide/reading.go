// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// defaultHealthInterval applies where spec.observe.healthInterval is not set.
const defaultHealthInterval = 24 * time.Hour

// unknownPlan answers while the plan must be known and is not.
func unknownPlan(v *View) *Decision {
	if !needsPlan(v) || knownPlan(v) != nil {
		return nil
	}
	if err := healthSupported(v); err != nil {
		return stuck(v1alpha1.ReasonUnsupportedByAPIVersion, fmt.Sprintf(
			"the carrier's plan cannot be read: %v; raise the account's apiVersion or list Plan in trustDeclared", err))
	}
	step, at := readingStep(v, func() (bool, time.Time) { return true, time.Time{} })
	return &Decision{Step: step, LookAt: at, Verdict: readingVerdict(v)}
}

// withReading takes the time of a decision to rest for a reading that is due: at its
// interval, or because the reconcile annotation asks. The verdict stays: a reading
// is no work on the service.
func withReading(v *View, decision Decision) Decision {
	if _, resting := decision.Step.(Rest); !resting || !readable(v) {
		return decision
	}
	step, at := readingStep(v, func() (bool, time.Time) { return readingDue(v) })
	decision.Step = step
	decision.LookAt = earlier(decision.LookAt, at)
	return decision
}

// readable says whether a reading makes sense now, whatever its time.
func readable(v *View) bool {
	return needsPlan(v) && v.Service.Spec.ServiceID != nil && v.Rival == "" &&
		healthSupported(v) == nil && accountReady(v) == nil
}

// readingStep is the next step of the health request: the one under way first, then
// a new one when it is due. The time is when to look again when there is none.
func readingStep(v *View, due func() (bool, time.Time)) (Step, time.Time) {
	reading := v.Memory.Reading
	if reading.State == ReadingOpen {
		next := nextReadingLook(v)
		if v.Now.Before(next) {
			return Rest{}, next
		}
		return FollowHealth{}, time.Time{}
	}
	if reading.State == ReadingFailed && v.Now.Before(reading.RetryAt) {
		return Rest{}, reading.RetryAt
	}
	now, at := due()
	if now || reading.State == ReadingFailed && !reading.refused() {
		return AskHealth{Token: v.Service.Annotations[v1alpha1.AnnotationReconcile]}, time.Time{}
	}
	return Rest{}, at
}

// readingDue says whether a reading of a plan that is known is due, and else when.
func readingDue(v *View) (bool, time.Time) {
	if reconcileAsked(v) {
		return true, time.Time{}
	}
	interval := v.Service.Spec.Observe.HealthInterval.Or(defaultHealthInterval)
	if interval <= 0 {
		return false, time.Time{}
	}
	last := later(v.Memory.FirstSeen, v.Memory.Reading.AskedAt)
	next := nextSlot(string(v.Service.UID), interval, last)
	return !v.Now.Before(next), next
}

func reconcileAsked(v *View) bool {
	token := v.Service.Annotations[v1alpha1.AnnotationReconcile]
	return token != "" && token != v.Service.Status.Handled.Reconcile && token != v.Memory.Reading.Token
}

// reconcileServed says whether the reconcile annotation has had what it asked for: a
// reading made for it has ended, or there is nothing to read.
func reconcileServed(v *View) bool {
	token := v.Service.Annotations[v1alpha1.AnnotationReconcile]
	if token == "" || !needsPlan(v) || healthSupported(v) != nil {
		return token != ""
	}
	reading := v.Memory.Reading
	return reading.Token == token && (reading.State == ReadingAnswered || reading.State == ReadingFailed)
}

// needsPlan says whether the carrier's plan matters: a plan is declared, or an SLA,
// which is sent together with the current plan.
func needsPlan(v *View) bool {
	return v.Service.Spec.Plan != nil || v.Service.Spec.RestorationSLA != ""
}

func knownPlan(v *View) *v1alpha1.KnownValue {
	if v.Service.Status.Carrier == nil {
		return nil
	}
	return v.Service.Status.Carrier.Plan
}

func knownSLA(v *View) *v1alpha1.KnownValue {
	if v.Service.Status.Carrier == nil {
		return nil
	}
	return v.Service.Status.Carrier.RestorationSLA
}

func healthSupported(v *View) error {
	return supported(v, carrier.Health)
}

// readingVerdict words why the plan is not known yet.
func readingVerdict(v *View) Verdict {
	reading := v.Memory.Reading
	if reading.State != ReadingFailed && reading.Failures < failuresShown {
		return Verdict{Working, v1alpha1.ReasonProgressing, "the carrier's plan is being read by a health request"}
	}
	switch carrier.ClassOf(reading.Err) {
	case carrier.NotFoundOrForbidden:
		return Verdict{Stuck, v1alpha1.ReasonNotFoundOrForbidden, notFoundOrForbidden(*v.Service.Spec.ServiceID)}
	case carrier.Unreachable, carrier.ServerFault, carrier.Throttled, carrier.Unauthorized:
		return Verdict{
			Working, v1alpha1.ReasonCarrierUnavailable,
			"the carrier's plan cannot be read: " + errorText(reading.Err) + "; it is asked again",
		}
	case carrier.Refused, carrier.Invalid, carrier.Unreadable:
	}
	return Verdict{
		Working, v1alpha1.ReasonPlanUnknown,
		"the carrier's plan could not be read: " + errorText(reading.Err) + "; it is asked again",
	}
}

// refused says that the carrier answered and will not give a reading now.
func (r Reading) refused() bool {
	if r.State != ReadingFailed || r.Err == nil {
		return false
	}
	switch carrier.ClassOf(r.Err) {
	case carrier.NotFoundOrForbidden, carrier.Refused, carrier.Invalid, carrier.Unreadable:
		return true
	case carrier.Unreachable, carrier.ServerFault, carrier.Throttled, carrier.Unauthorized:
	}
	return false
}

func notFoundOrForbidden(serviceID int64) string {
	return fmt.Sprintf("the carrier does not let this account see service %d, or there is no such service: "+
		"check spec.serviceID and the account's permissions; it is tried again every ten minutes", serviceID)
}
