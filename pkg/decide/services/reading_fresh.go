// SPDX-License-Identifier: Apache-2.0

package services

import (
	"cmp"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

const (
	// refreshAge is the maximum age of the reading on which a request is based (R7).
	refreshAge = 10 * time.Minute

	// unreadAfter is how long a reading may fail before the change needs an approval without it (R7).
	unreadAfter = time.Hour
)

// basis is the readable value on which a request is based, which is the value that it changes.
type basis struct {
	topic  decide.Topic
	what   string // the value, in words
	field  string // the field of the change that has the old and the new value
	reason string // the reason of the condition while the carrier responds without a reading
}

// basisOf returns the basis of an operation. If the API version cannot read the value, there is
// none: our own success, or what a person has declared, then counts (R7).
func basisOf(in *Input, operation v1alpha1.Operation) (on basis, readable bool) {
	if field, described := describedField(in, operation); described {
		return basis{decide.TopicService, theDescription, field, v1alpha1.ReasonCarrierUnavailable}, true
	}
	if operation == v1alpha1.OperationPlanChange && decide.CheckSupported(&in.Input, carrier.Health) == nil {
		return basis{decide.TopicHealth, "the service's plan", decide.FieldPlan, v1alpha1.ReasonPlanUnknown}, true
	}
	on = basis{decide.TopicCancellation, theCancellation, fieldCancellation, v1alpha1.ReasonCarrierUnavailable}
	if operation == v1alpha1.OperationReclaim {
		on.field = fieldDisconnection
	}
	return on, decide.TouchesCancellation(operation)
}

// basisIsOutdated reads the basis of a request once more. If the basis has the wanted value by now,
// the rules that compare values find nothing to do. It is the last guard, so that nothing is read
// for a change that waits for something else (R7), except for its price: see [withBasis].
func basisIsOutdated(in *Input, want decide.DesiredChange) *decide.Decision {
	on, readable := basisOf(in, want.Operation)
	if !readable {
		return nil
	}
	if on.topic == decide.TopicService && in.Memory.Readings.Service.Modified > 0 {
		return anotherModification(in, on)
	}
	if isFresh(in, want, on) {
		return nil
	}
	if from := readableFrom(in, on); in.Now.Before(from) {
		decision := decide.RestWorking(v1alpha1.ReasonProgressing, on.what+" is about to be read again")
		decision.RequeueAt = from
		// A trusted value has to be recorded. Otherwise each pass would see it as new, and this
		// wait of a second would start again.
		decision.Transient = !isPlanUnconfirmed(in)
		return decision
	}
	return awaitNeeded(in, on.topic, on.what, on.reason)
}

// isPlanUnconfirmed reports whether the known plan comes from an order or from the user, not from
// the carrier.
func isPlanUnconfirmed(in *Input) bool {
	known := in.Service.LastKnown().Plan
	return known != nil && (known.Source == v1alpha1.SourceOrder || known.Source == v1alpha1.SourceDeclared)
}

// isFresh reports whether a request is based on a fresh reading: it was requested after this
// process first saw the generation, and after the newest modification ended (R7). If a person
// approved the change without a reading, the failed reading must be equally recent.
func isFresh(in *Input, want decide.DesiredChange, on basis) bool {
	reading := in.Memory.Readings.Of(on.topic)
	switch {
	case !requestedForGeneration(in, reading), reading.RequestedAt.Before(decide.ModifiedAt(&in.Input)),
		reading.RequestedAt.Before(pausedUntil(in, want)):
		return false
	case reading.State == decide.ReadingOpen:
		return want.Unread && !in.Now.Before(reading.RequestedAt.Add(unreadAfter))
	case want.Unread: // its end counts, because it may have been requested long before
		return in.Now.Sub(decide.Later(reading.RequestedAt, reading.LastPoll)) <= refreshAge
	case decide.AgeOf(&in.Input, reading) > refreshAge:
		return false
	}
	return matchesReading(in, on) || want.Operation.AltersCancellation() && showsOwnFailure(in)
}

// pausedUntil returns the end of the pause after the carrier refused a change because a request
// is in progress; zero if there is no pause. That request may be this very change, and a reading
// from before the end of the pause may be older than the end of the request.
func pausedUntil(in *Input, want decide.DesiredChange) time.Time {
	last := decide.ReachedOf(&in.Input, want.Operation)
	if last == nil || !decide.AnotherInProgress(last) {
		return time.Time{}
	}
	return decide.AutoRetryAt(&in.Input, last)
}

// matchesReading reports whether the known value is the one from the reading. The two differ if the
// status is older than the reading, or if the value was lost before it was written.
func matchesReading(in *Input, on basis) bool {
	reading := in.Memory.Readings.Of(on.topic)
	if !hasValue(reading, on.topic) {
		return false
	}
	switch on.topic {
	case decide.TopicCancellation:
		return showsKnownCancellation(in)
	case decide.TopicService:
		return matchesDescription(in)
	case decide.TopicHealth, decide.TopicDisruptions, decide.TopicOptions, decide.TopicTestTypes, decide.TopicOrder:
	}
	known := in.Service.LastKnown().Plan
	if known == nil {
		return false
	}
	asHealth := cmp.Or(known.AsHealth, known.Value)
	if planDrifted(known) {
		asHealth = known.Value
	}
	return decide.PlanInHealth(reading.Health) == asHealth
}

func hasValue(reading *decide.Reading, topic decide.Topic) bool {
	return reading.Answered() && (topic != decide.TopicHealth || decide.PlanInHealth(reading.Health) != "")
}

// readableFrom returns the time from which a reading counts. A reading that was requested in the
// same second in which the known value was recorded cannot be distinguished from an older one.
func readableFrom(in *Input, on basis) time.Time {
	from := decide.ModifiedAt(&in.Input)
	if known := in.Service.LastKnown().Plan; on.topic == decide.TopicHealth && known != nil {
		from = decide.Later(from, in.Past(known.Since).Add(decide.StatusPrecision))
	}
	return from
}

// isUnread reports whether the value to be changed could not be read for this generation. It
// stays true until a reading succeeds. Another process sees this in the recorded plan of changes.
func isUnread(in *Input, want decide.DesiredChange, on basis) bool {
	reading := in.Memory.Readings.Of(on.topic)
	switch {
	case waitsOrHeldBack(in, want):
		return false
	case !requestedForGeneration(in, reading):
	case hasValue(reading, on.topic):
		// For an hour, every reading that a request could be based on has taken the carrier too long.
		return !reading.FailingSince.IsZero() && !reading.LastPoll.Before(reading.FailingSince.Add(unreadAfter))
	case givesNoReading(in, reading):
		return true
	}
	return in.Service.Status.ObservedGeneration == in.Service.Generation && showsUnread(in, on.field)
}

// givesNoReading reports whether the carrier refuses the reading, has failed to give one for an
// hour, or has responded without the value (R7).
func givesNoReading(in *Input, reading *decide.Reading) bool {
	since := reading.FailingSince
	if since.IsZero() {
		since = reading.RequestedAt
	}
	failing := reading.State == decide.ReadingOpen || reading.State == decide.ReadingFailed
	// A service that is not shown may just be new, or not the intended one, if its plan was only ordered or declared.
	mayAppear := isPlanUnconfirmed(in) && in.Service.LastKnown().Plan.AsHealth == "" &&
		carrier.ClassOf(reading.Err) == carrier.NotFoundOrForbidden
	refused := reading.Refused() && !mayAppear
	return !failing || refused || !in.Now.Before(since.Add(unreadAfter))
}

// orUnread marks a change whose value could not be read. Its old value stays empty, so that the
// plan that a person approves shows that nobody knows it (R7).
func orUnread(in *Input, want decide.DesiredChange) decide.DesiredChange {
	on, readable := basisOf(in, want.Operation)
	if !readable || !want.Wanted() || !isUnread(in, want, on) {
		return want
	}
	change := v1alpha1.Change{Operation: want.Operation, Field: on.field, To: want.Target.Plan}
	others := make([]v1alpha1.Change, 0, len(want.Changes))
	for _, other := range want.Changes {
		if other.Field == on.field {
			change.To = other.To
			continue
		}
		others = append(others, other)
	}
	want.Unread, want.Before = true, v1alpha1.RequestBefore{}
	want.Changes = append([]v1alpha1.Change{change}, others...)
	return want
}

// matchesDescription reports whether the known values are those of the newest description. A value
// that the description does not contain counts as matching.
func matchesDescription(in *Input) bool {
	state := in.Service.LastKnown()
	for _, value := range describedValues(in, &state) {
		if value.shown != "" && !decide.SameName(value.shown, (*value.known).ValueOrEmpty()) {
			return false
		}
	}
	return true
}

// anotherModification waits while the description of the service lists modifications, because the
// carrier accepts only one at a time. The form of the list is not known, so it may also contain
// ended modifications. Nothing is sent until the list is empty.
func anotherModification(in *Input, on basis) *decide.Decision {
	reading := &in.Memory.Readings.Service
	again := reading.RequestedAt.Add(decide.InProgressPause(reading.Modified))
	token := decide.Control(in.Subject, v1alpha1.AnnotationReconcile)
	step, at := decide.ReadingStep(&in.Input, on.topic, token, func() (bool, time.Time) {
		return decide.ReconcileRequested(&in.Input, reading) || !in.Now.Before(again), again
	})
	return &decide.Decision{Step: step, RequeueAt: at, Verdict: decide.Working.Verdict(v1alpha1.ReasonChangeInProgress,
		"the carrier's description of the service lists a modification: somebody else's, one whose response was lost, or "+
			"one that has just ended. Nothing is sent until it is no longer listed. The description is read again in 5 to 30 "+
			"minutes; if the carrier continues to list modifications that have ended, remove ServiceRead from "+
			"spec.extensions of the account")}
}

// describedField returns the field of spec that the description of the service shows and that an
// operation changes, if the description is the basis of such a request.
func describedField(in *Input, operation v1alpha1.Operation) (field string, has bool) {
	readsPlan := operation != v1alpha1.OperationPlanChange || readsPlanFromService(in)
	for _, value := range describedValues(in, &v1alpha1.CarrierState{}) {
		if value.operation == operation && readsService(in) && readsPlan {
			return value.field, true
		}
	}
	return "", false
}

// awaitNeeded waits for a reading without which a change cannot be sent, even while the topic is
// failing. Nothing is written while that takes only seconds.
func awaitNeeded(in *Input, topic decide.Topic, what, unread string) *decide.Decision {
	next := decide.ReadingStep
	if in.Memory.Readings.Of(topic).State == decide.ReadingFailed {
		next = decide.NeededReadingStep
	}
	return markTransient(in, awaitStep(in, topic, what, unread, next), topic)
}
