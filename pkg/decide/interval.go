// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// The intervals where spec.observe does not set them.
const (
	defaultHealthInterval       = 24 * time.Hour
	defaultCancellationInterval = 24 * time.Hour
	managedCancellationInterval = 6 * time.Hour // while spec.cancellation is set
)

// observation is a topic that is read at an interval.
type observation struct {
	topic    Topic
	interval time.Duration // 0: not read
	firstNow bool          // whether nothing is known of it yet, so that it is read at first sight
}

// observations are what is read of a service at intervals, "0" switching one off. The
// plan is not read here at first sight: a change waits for it (unknownPlan).
func observations(v *ServiceView) []observation {
	spec, status := v.Service.Spec, v.Service.Status
	cancellation := defaultCancellationInterval
	if spec.Cancellation != nil {
		cancellation = managedCancellationInterval
	}
	observed := []observation{
		{TopicCancellation, spec.Observe.CancellationInterval.Or(cancellation), knownCancellation(v) == nil},
		{TopicDisruptions, spec.Observe.DisruptionsInterval.Or(0), status.Disruptions == nil},
	}
	if healthSupported(v) == nil {
		health := spec.Observe.HealthInterval.Or(defaultHealthInterval)
		observed = append(observed, observation{TopicHealth, health, false})
	}
	return observed
}

// withReadings takes the time of a decision to rest for a reading that is due: at its
// interval, or because the reconcile annotation asks. The verdict stays: a reading
// is no work on the service.
func withReadings(v *ServiceView, decision Decision) Decision {
	if !rests(decision.Step) || !readable(v) {
		return decision
	}
	for _, o := range observations(v) {
		token := control(v.Subject, v1alpha1.AnnotationReconcile)
		step, at := readingStep(&v.View, o.topic, token, func() (bool, time.Time) { return o.due(v) })
		if !rests(step) {
			decision.Step = step
			break
		}
		decision.LookAt = earlier(decision.LookAt, at)
	}
	return decision
}

// readable says whether a reading makes sense now, whatever its time.
func readable(v *ServiceView) bool {
	return v.Service.ServiceNumber() != "" && accountReady(&v.View) == nil &&
		Listed(v.Account.Object, v.Service.ServiceNumber())
}

// due says whether a topic is to be read now, and else when.
func (o observation) due(v *ServiceView) (bool, time.Time) {
	reading := v.Memory.Readings.Of(o.topic)
	switch {
	case o.interval <= 0:
		return false, time.Time{}
	case reconcileAsks(v, reading), o.firstNow && !reading.refused():
		return true, time.Time{}
	}
	last := later(v.Memory.FirstSeen, reading.AskedAt)
	next := earlier(toldToRead(&v.View, o.topic), nextSlot(string(v.Subject.GetUID()), o.interval, last))
	return !v.Now.Before(next), next
}

func reconcileAsks(v *ServiceView, reading *Reading) bool {
	token := control(v.Subject, v1alpha1.AnnotationReconcile)
	return token != "" && token != v.Subject.Controls().Reconcile && token != reading.Token
}

// reconcileServed says whether the reconcile annotation has had what it asked for: the
// readings made for it have ended, or there is nothing to read.
func reconcileServed(v *ServiceView) bool {
	token := control(v.Subject, v1alpha1.AnnotationReconcile)
	for _, o := range observations(v) {
		reading := v.Memory.Readings.Of(o.topic)
		waits := reading.Token != token || !reading.ended() && reading.State != ReadingFailed
		if o.interval > 0 && waits {
			return false
		}
	}
	return token != ""
}
