// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// The intervals that apply if spec.observe does not set them.
const (
	defaultHealthInterval       = 24 * time.Hour
	defaultCancellationInterval = 24 * time.Hour
	managedCancellationInterval = 6 * time.Hour // while spec.cancellation is set
)

// observation is a topic that is read at an interval.
type observation struct {
	topic    Topic
	interval time.Duration // 0: not read
	firstNow bool          // nothing is known about it yet, so it is read when first seen
}

// observations returns what is read periodically, where an interval of "0" disables a topic. The
// plan is not read here when first seen: a change waits for it (unknownPlan).
func observations(in *ServiceInput) []observation {
	spec, status := in.Service.Spec, in.Service.Status
	cancellation := defaultCancellationInterval
	if spec.Cancellation != nil {
		cancellation = managedCancellationInterval
	}
	observed := []observation{
		{TopicCancellation, spec.Observe.CancellationInterval.Or(cancellation), knownCancellation(in) == nil},
		{TopicDisruptions, spec.Observe.DisruptionsInterval.Or(0), status.Disruptions == nil},
	}
	if healthSupported(in) == nil {
		health := spec.Observe.HealthInterval.Or(defaultHealthInterval)
		observed = append(observed, observation{TopicHealth, health, false})
	}
	return observed
}

// withReadings uses a decision to rest for a reading that is due at its interval or because of the
// reconcile annotation. The verdict does not change: a reading does not modify the service.
func withReadings(in *ServiceInput, decision Decision) Decision {
	if !isRest(decision.Step) || !readable(in) {
		return decision
	}
	for _, o := range observations(in) {
		token := control(in.Subject, v1alpha1.AnnotationReconcile)
		step, at := readingStep(&in.Input, o.topic, token, func() (bool, time.Time) { return o.due(in) })
		if !isRest(step) {
			decision.Step = step
			break
		}
		decision.LookAt = earlier(decision.LookAt, at)
	}
	return decision
}

// readable reports whether a reading is possible now, regardless of its interval.
func readable(in *ServiceInput) bool {
	return in.Service.ServiceNumber() != "" && accountReady(&in.Input) == nil &&
		Listed(in.Account.Object, in.Service.ServiceNumber())
}

// due reports whether a topic has to be read now, and otherwise when.
func (o observation) due(in *ServiceInput) (bool, time.Time) {
	reading := in.Memory.Readings.Of(o.topic)
	switch {
	case o.interval <= 0:
		return false, time.Time{}
	case reconcileAsks(in, reading), o.firstNow && !reading.refused():
		return true, time.Time{}
	}
	last := later(in.Memory.FirstSeen, reading.AskedAt)
	next := earlier(notifiedReadAt(&in.Input, o.topic), nextSlot(string(in.Subject.GetUID()), o.interval, last))
	return !in.Now.Before(next), next
}

func reconcileAsks(in *ServiceInput, reading *Reading) bool {
	token := control(in.Subject, v1alpha1.AnnotationReconcile)
	return token != "" && token != in.Subject.Controls().Reconcile && token != reading.Token
}

// reconcileServed reports whether the reconcile annotation has been handled: the readings made for
// it have ended, or there is nothing to read.
func reconcileServed(in *ServiceInput) bool {
	token := control(in.Subject, v1alpha1.AnnotationReconcile)
	for _, o := range observations(in) {
		reading := in.Memory.Readings.Of(o.topic)
		waits := reading.Token != token || !reading.ended() && reading.State != ReadingFailed
		if o.interval > 0 && waits {
			return false
		}
	}
	return token != ""
}
