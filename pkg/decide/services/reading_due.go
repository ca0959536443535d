// SPDX-License-Identifier: Apache-2.0

package services

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

func awaitReading(in *Input, topic decide.Topic, what, unread string) *decide.Decision {
	return awaitStep(in, topic, what, unread, decide.ReadingStep)
}

// readingStep returns the next step of a reading.
type readingStep func(*decide.Input, decide.Topic, string, func() (bool, time.Time)) (decide.Step, time.Time)

// awaitStep waits for a reading. The function next returns its next step.
func awaitStep(in *Input, topic decide.Topic, what, unread string, next readingStep) *decide.Decision {
	token := decide.Control(in.Subject, v1alpha1.AnnotationReconcile)
	step, at := next(&in.Input, topic, token, decide.AtOnce)
	reading := in.Memory.Readings.Of(topic)
	verdict := readingVerdict(in, reading, what, unread)
	if notShown := cancellationNotShown(in); topic == decide.TopicCancellation && notShown != nil {
		verdict = *notShown
	}
	return &decide.Decision{Step: step, RequeueAt: at, Verdict: verdict}
}

// awaitTransient waits for a reading, as awaitReading does. Nothing is written while that takes
// only seconds.
func awaitTransient(in *Input, topic decide.Topic, what string) *decide.Decision {
	return markTransient(in, awaitReading(in, topic, what, v1alpha1.ReasonCarrierUnavailable), topic)
}

// readingVerdict explains why a value is not known yet. The argument unread is the reason to report
// for a carrier that responds but gives no reading.
func readingVerdict(in *Input, reading *decide.Reading, what, unread string) decide.Verdict {
	if reading.Empty > 0 && reading.State != decide.ReadingFailed {
		return decide.Working.Verdict(unread, "the carrier's response does not contain "+what+"; the read is retried")
	}
	if isBeingChanged(reading) {
		return decide.Working.Verdict(v1alpha1.ReasonProgressing,
			"the carrier is still applying a change of "+what+", which is read again at growing intervals")
	}
	if reading.State != decide.ReadingFailed && reading.Failures < decide.FailuresShown {
		return decide.Working.Verdict(v1alpha1.ReasonProgressing, what+" is being read")
	}
	switch carrier.ClassOf(reading.Err) {
	case carrier.NotFoundOrForbidden:
		return decide.NotFoundOrForbidden(in.Service.ServiceNumber())
	case carrier.Unreachable, carrier.ServerFault, carrier.Throttled, carrier.Unauthorized:
		return decide.Working.Verdict(v1alpha1.ReasonCarrierUnavailable,
			what+" cannot be read: "+decide.ErrorText(reading.Err)+"; the read is retried")
	case carrier.Refused, carrier.Invalid, carrier.Unreadable:
	}
	return decide.Working.Verdict(unread,
		what+" could not be read: "+decide.ErrorText(reading.Err)+"; the read is retried")
}

// refreshTakes is how long a reading may take before the object reports the wait. Until then
// nothing is written: the status is updated together with the request, in the same write.
const refreshTakes = time.Minute

// markTransient marks a decision that waits for a reading. While that takes only seconds, nothing
// is written: the status is updated with the next write.
func markTransient(in *Input, decision *decide.Decision, topic decide.Topic) *decide.Decision {
	asked := in.Memory.Readings.Of(topic).RequestedAt
	seconds := asked.IsZero() || in.Now.Before(asked.Add(refreshTakes)) // it is about to be requested, or just was
	decision.Transient = decision.Verdict.Reason == v1alpha1.ReasonProgressing && seconds
	return decision
}

// The intervals that apply if spec.observe does not set them.
const (
	defaultHealthInterval       = 24 * time.Hour
	defaultServiceInterval      = 24 * time.Hour
	defaultCancellationInterval = 24 * time.Hour
	managedCancellationInterval = 6 * time.Hour // while spec.cancellation is set
)

// observation is a topic that is read at an interval.
type observation struct {
	topic    decide.Topic
	interval time.Duration // 0: the topic is not read
	firstNow bool          // it is read now, usually because nothing is known about it yet
}

// observations returns what is read periodically, where an interval of "0" disables a topic. Health
// is not read here when the service is first seen: planIsUnknown reads it if the plan is needed.
func observations(in *Input) []observation {
	spec, status := in.Service.Spec, in.Service.Status
	cancellation := defaultCancellationInterval
	if spec.Cancellation != nil {
		cancellation = managedCancellationInterval
	}
	var observed []observation
	if decide.MayReadService(&in.Account) {
		interval := spec.Observe.ServiceInterval.Or(defaultServiceInterval)
		observed = append(observed, observation{decide.TopicService, interval, knowsNoValue(in)})
	}
	observed = append(observed, observation{
		decide.TopicCancellation, spec.Observe.CancellationInterval.Or(cancellation), readsCancellationNow(in),
	}, observation{
		decide.TopicDisruptions, spec.Observe.DisruptionsInterval.Or(0), status.Disruptions == nil,
	})
	if decide.CheckSupported(&in.Input, carrier.Health) == nil {
		health := spec.Observe.HealthInterval.Or(defaultHealthInterval)
		observed = append(observed, observation{decide.TopicHealth, health, false})
	}
	return observed
}

func knowsNoValue(in *Input) bool {
	known := in.Service.LastKnown()
	return known.Plan == nil && known.RestorationSLA == nil &&
		known.AggregationMethod == nil && known.DSLStabilityProfile == nil
}

// readsCancellationNow reports whether the cancellation has to be read before its interval is
// over: it is not known, or only it can show why the service is not described. A service that has
// been described exists, so its cancellation is read at its interval, unless the spec declares a
// cancellation.
func readsCancellationNow(in *Input) bool {
	spec, reading := in.Service.Spec, &in.Memory.Readings.Service
	switch {
	case !decide.MayReadService(&in.Account):
	case carrier.ClassOf(reading.Err) == carrier.NotFoundOrForbidden:
		return in.Memory.Readings.Cancellation.State == decide.ReadingNone
	case wasDescribed(in) && spec.Cancellation == nil && spec.Disconnection == "":
		return false
	}
	return in.Service.LastKnown().Cancellation == nil && !isChanging(in)
}

// withReadings adds a reading to a decision that would otherwise rest, if the reading is due at its
// interval or because of the reconcile annotation. The verdict does not change, because a reading
// does not modify the service. withReadings also marks the reconcile annotation as handled once the
// readings that were requested for it have ended or failed.
func withReadings(in *Input, decision decide.Decision) decide.Decision {
	if reconcileServed(in) {
		decision.Handled.Reconcile = decide.Control(in.Subject, v1alpha1.AnnotationReconcile)
	}
	number := in.Service.ServiceNumber()
	isReadable := number != "" && decide.AccountIsNotReady(&in.Input) == nil && decide.Listed(in.Account.Object, number)
	if !decide.IsRest(decision.Step) || !isReadable {
		return decision
	}
	for _, o := range observations(in) {
		token := decide.Control(in.Subject, v1alpha1.AnnotationReconcile)
		step, at := decide.ReadingStep(&in.Input, o.topic, token, func() (bool, time.Time) { return o.due(in) })
		if !decide.IsRest(step) {
			decision.Step = step
			break
		}
		decision.RequeueAt = decide.Earlier(decision.RequeueAt, at)
	}
	return decision
}

func (o observation) due(in *Input) (bool, time.Time) {
	reading := in.Memory.Readings.Of(o.topic)
	switch {
	case o.interval <= 0:
		return false, time.Time{}
	case decide.ReconcileRequested(&in.Input, reading), o.firstNow && !reading.Refused():
		return true, time.Time{}
	}
	// A first reading, or one that was requested, can be made just before a regular one.
	recent := reading.RequestedAt.Add(o.interval / 4)
	regular := decide.NextAtInterval(string(in.Subject.GetUID()), o.interval, decide.Later(in.Memory.FirstSeen, recent))
	next := decide.Earlier(decide.NotifiedReadAt(&in.Input, o.topic), regular)
	return !in.Now.Before(next), next
}

// reconcileServed reports whether the reconcile annotation has been handled: the readings made for
// it have ended or failed, or there is nothing to read.
func reconcileServed(in *Input) bool {
	token := decide.Control(in.Subject, v1alpha1.AnnotationReconcile)
	for _, o := range observations(in) {
		reading := in.Memory.Readings.Of(o.topic)
		waits := reading.Token != token || !reading.Ended() && reading.State != decide.ReadingFailed
		if o.interval > 0 && waits {
			return false
		}
	}
	return token != ""
}

// hiddenTopic returns the topic whose newest reading shows that the account may not see the
// service; "" if none does. A reading from before a modification of ours is ignored, because the
// carrier accepted the modification. A Location that the carrier does not find proves nothing
// about the service.
func hiddenTopic(in *Input) decide.Topic {
	for _, topic := range []decide.Topic{decide.TopicCancellation, decide.TopicHealth, decide.TopicDisruptions} {
		reading := in.Memory.Readings.Of(topic)
		refused := reading.State == decide.ReadingFailed && carrier.ClassOf(reading.Err) == carrier.NotFoundOrForbidden
		if refused && reading.Handle == (carrier.Handle{}) && !reading.RequestedAt.Before(decide.ModifiedAt(&in.Input)) {
			return topic
		}
	}
	return ""
}

// topicToReadFirst returns a topic that a new process has to read before it reports anything,
// because the status shows the service as hidden; "" if there is none.
func topicToReadFirst(in *Input) decide.Topic {
	if decide.ReadyIn(in.Service.Status.Conditions).Reason != v1alpha1.ReasonNotFoundOrForbidden {
		return ""
	}
	for _, o := range observations(in) {
		if o.interval > 0 && in.Memory.Readings.Of(o.topic).State == decide.ReadingNone {
			return o.topic
		}
	}
	return ""
}

// valueIsUnread waits for what has to be read before the service is compared.
func valueIsUnread(in *Input) *decide.Decision {
	return decide.First(in, []decide.Rule[*Input]{
		serviceIsHidden,       // nothing is reported about a service that the carrier does not show; it is read again
		valueIsUndescribed,    // the carrier's description of the service is read if a declared value has to be known
		planIsUnknown,         // the plan is read if it has to be known
		firstReadingIsMissing, // a first read, of the description or the cancellation, checks whether the service exists
		serviceWasNeverShown,  // a service that no read has shown is not reported as in sync
	})
}

// serviceIsHidden stops if the carrier does not show the service, by a 403 or 404 as in
// hiddenTopic. Nothing is reported about such a service, and nothing is changed in it.
func serviceIsHidden(in *Input) *decide.Decision {
	const what = "the service's state at the carrier"
	topic := hiddenTopic(in)
	if topic == "" {
		first := topicToReadFirst(in)
		if first == "" || failedChange(in) != nil {
			return nil
		}
		return awaitTransient(in, first, what)
	}
	if unreadNeedsApproval(in) {
		return nil
	}
	decision := awaitReading(in, topic, what, v1alpha1.ReasonCarrierUnavailable)
	if failed := failedChange(in); failed != nil {
		decision.Verdict = failed.Verdict // the failure is recorded: processes without this reading report it, too
	}
	return decision
}

// valueIsUndescribed waits for the description of the service if a declared value has to be read
// first, because nobody is asked about a value that can be read.
func valueIsUndescribed(in *Input) *decide.Decision {
	if !readsService(in) {
		return nil
	}
	state := in.Service.LastKnown()
	for _, value := range describedValues(in, &state) {
		if isUndescribed(in, &value) {
			return awaitTransient(in, decide.TopicService, theDescription)
		}
	}
	return nil
}

func planIsUnknown(in *Input) *decide.Decision {
	if !needsPlan(in) || in.Service.LastKnown().Plan != nil || readsPlanFromService(in) {
		return nil
	}
	if err := decide.CheckSupported(&in.Input, carrier.Health); err != nil {
		trust := ""
		if in.Service.Spec.Plan != nil { // otherwise no plan is declared that could be trusted
			trust = ", or list Plan in trustDeclared"
		}
		return decide.RestStuck(v1alpha1.ReasonUnsupportedByAPIVersion, fmt.Sprintf(
			"the service's plan cannot be read: %v; %s%s", err, decide.RaiseVersion, trust))
	}
	return awaitReading(in, decide.TopicHealth, "the service's plan", v1alpha1.ReasonPlanUnknown)
}

// firstReadingIsMissing waits for the first reading of the description of the service, or else of
// its cancellation. It is needed before any report about a service that the carrier has not shown
// and, unless these readings are disabled, before any change of a service that may be cancelled.
func firstReadingIsMissing(in *Input) *decide.Decision {
	if in.Service.LastKnown().Cancellation != nil || in.Memory.Readings.Cancellation.Refused() {
		return nil
	}
	if readsService(in) && !hasBeenShown(in) && !isDescribed(in) {
		return awaitTransient(in, decide.TopicService, theDescription)
	}
	off := in.Service.Spec.Observe.CancellationInterval.Or(defaultCancellationInterval) <= 0
	if hasBeenShown(in) && (off || len(in.wanted.changes) == 0) {
		return nil
	}
	return awaitTransient(in, decide.TopicCancellation, theCancellation)
}

// serviceWasNeverShown waits until a read has shown a service that would otherwise be Ready. If the
// carrier refuses to show the cancellation, health is read. A service with changes is not Ready,
// and a person is asked about a change whose reading is refused.
func serviceWasNeverShown(in *Input) *decide.Decision {
	changes := !in.Service.OnlyObserves() && len(in.wanted.changes) > 0
	if changes || in.Service.LastKnown().Cancellation != nil || hasBeenShown(in) {
		return nil
	}
	topic, what := decide.TopicHealth, "the service's health"
	if decide.CheckSupported(&in.Input, carrier.Health) != nil {
		topic, what = decide.TopicCancellation, theCancellation
	}
	return awaitTransient(in, topic, what)
}

func hasBeenShown(in *Input) bool {
	return in.Service.Status.Health != nil || wasDescribed(in)
}

// showsNothing reports whether there is no plan of changes because the carrier does not show the
// service. A failed change is recorded, so all processes show it.
func showsNothing(in *Input) bool {
	return hiddenTopic(in) != "" && !unreadNeedsApproval(in) && failedChange(in) == nil
}

func failedChange(in *Input) *decide.Decision {
	for _, want := range in.wanted.changes {
		if failed := sameChangeFailed(in, want); failed != nil {
			return failed
		}
	}
	return nil
}

// awaitEvidence reads a topic, in words what, at a time to find out the outcome of a request.
func awaitEvidence(
	in *Input, open *v1alpha1.Request, topic decide.Topic, what string, at time.Time,
) *decide.Decision {
	reading, token := in.Memory.Readings.Of(topic), decide.Control(in.Subject, v1alpha1.AnnotationReconcile)
	if !reading.RequestedAt.Before(at) {
		at = decide.AgainAt(&in.Input, topic, token)
	}
	at = decide.Later(at, reading.RetryAt)
	step, next := decide.NeededReadingStep(&in.Input, topic, token,
		func() (bool, time.Time) { return !in.Now.Before(at), at })
	return proofAwaited(in, open, step, next, what+" is read at "+decide.FormatTime(&in.Input, at))
}

func proofAwaited(
	in *Input, open *v1alpha1.Request, step decide.Step, next time.Time, what string,
) *decide.Decision {
	message := fmt.Sprintf("%s: %s and may show the outcome; to resolve the request by hand: %s",
		decide.DescribeUnknown(&in.Input, open, decide.WhyUnknown(open)), what, decide.ResolveHint(&in.Input, open))
	return &decide.Decision{
		Step: step, RequeueAt: next, Verdict: decide.Working.Verdict(v1alpha1.ReasonProgressing, message),
	}
}
