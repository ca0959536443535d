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

// withReadings takes the time of a decision to rest for a reading that is due: at its
// interval, or because the reconcile annotation asks. The verdict stays: a reading
// is no work on the service.
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

// readable says whether a reading makes sense now, whatever its time.
func readable(in *ServiceInput) bool {
	return in.Service.ServiceNumber() != "" && accountReady(&in.Input) == nil &&
		Listed(in.Account.Object, in.Service.ServiceNumber())
}

// due says whether a topic is to be read now, and else when.
func (o observation) due(in *ServiceInput) (bool, time.Time) {
	reading := in.Memory.Readings.Of(o.topic)
	switch {
	case o.interval <= 0:
		return false, time.Time{}
	case reconcileAsks(in, reading), o.firstNow && !reading.refused():
		return true, time.Time{}
	}
	last := later(in.Memory.FirstSeen, reading.AskedAt)
	next := earlier(toldToRead(&in.Input, o.topic), nextSlot(string(in.Subject.GetUID()), o.interval, last))
	return !in.Now.Before(next), next
}

func reconcileAsks(in *ServiceInput, reading *Reading) bool {
	token := control(in.Subject, v1alpha1.AnnotationReconcile)
	return token != "" && token != in.Subject.Controls().Reconcile && token != reading.Token
}

// reconcileServed says whether the reconcile annotation has had what it asked for: the
// readings made for it have ended, or there is nothing to read.
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
