// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

const (
	// refreshAge is the maximum age of the reading on which a request is based: "at most 10 min ago
	// (monotonic, a constant)" (R7).
	refreshAge = 10 * time.Minute

	// refreshTakes is how long a reading may take before the object reports the wait. Until then
	// nothing is written: the status is updated together with the request, in the same write.
	refreshTakes = time.Minute

	// unreadAfter is how long a reading may fail: "has failed for 1 h: unknown asks" (R7).
	unreadAfter = time.Hour
)

// basis is the readable value on which a request is based: the one that it changes.
type basis struct {
	topic  Topic
	what   string // the value, in words
	field  string // of the change that has the old and new value
	reason string // the reason of the service's condition while the carrier answers without a reading
}

// basisOf returns the basis of an operation. "Where the API version has no such read, our own
// success or a person's word decides" (R7).
func basisOf(in *ServiceInput, operation v1alpha1.Operation) (on basis, readable bool) {
	if operation == v1alpha1.OperationPlanChange && healthSupported(in) == nil {
		return basis{TopicHealth, "the carrier's plan", fieldPlan, v1alpha1.ReasonPlanUnknown}, true
	}
	on = basis{
		TopicCancellation, "the service's cancellation", fieldDisconnection, v1alpha1.ReasonCarrierUnavailable,
	}
	return on, operation == v1alpha1.OperationReclaim
}

// refreshed reads the basis of a request once more. If it has the wanted value by now, the
// comparing rules find nothing to do. "It is the last guard: nothing is refreshed for what waits
// for approval, suspension, policy or a limit" (R7).
func refreshed(in *ServiceInput, want desiredChange) *Decision {
	on, readable := basisOf(in, want.operation)
	if !readable || isFresh(in, want, on) {
		return nil
	}
	if from := readableFrom(in, on); in.Now.Before(from) {
		decision := lookAgain(working(v1alpha1.ReasonProgressing, on.what+" is about to be read once more"), from)
		// A trusted value has to be recorded. Otherwise each pass would see it as new, and this second
		// would start again.
		decision.Transient = !believed(in)
		return decision
	}
	return briefly(in, awaitReading(in, on.topic, on.what, on.reason), on.topic)
}

// believed reports whether the known plan comes from an order or from the user, not from the
// carrier.
func believed(in *ServiceInput) bool {
	known := knownPlan(in)
	return known != nil && (known.Source == v1alpha1.SourceOrder || known.Source == v1alpha1.SourceDeclared)
}

// isFresh reports whether a request is based on a fresh reading: "this process asked for it after
// it first saw this generation, and at most 10 min ago ..., and after the ledger's newest
// modification ended" (R7). If a person approved the change without a reading, the failed reading
// must be as recent.
func isFresh(in *ServiceInput, want desiredChange, on basis) bool {
	reading := in.Memory.Readings.Of(on.topic)
	switch {
	case !askedForThis(in, reading), reading.AskedAt.Before(modifiedAt(&in.Input)):
		return false
	case reading.State == ReadingOpen:
		return want.unread && !in.Now.Before(reading.AskedAt.Add(unreadAfter))
	case !isRecent(&in.Input, reading):
		return false
	}
	return want.unread || agrees(in, on)
}

// askedForThis reports whether a reading was requested by a pass over the current generation.
func askedForThis(in *ServiceInput, reading *Reading) bool {
	return reading.State != ReadingNone && reading.Generation >= in.Service.Generation
}

// isRecent uses the clock that shows the longer time: the monotonic clock stops while the machine
// is suspended, and the wall clock can be set by people.
func isRecent(in *Input, reading *Reading) bool {
	passed := max(in.Elapsed-reading.Elapsed, in.Now.Round(0).Sub(reading.AskedAt.Round(0)))
	return passed <= refreshAge
}

// agrees reports whether the known value is the one from the reading. It is not if the status is
// older, or if it was lost before it was written.
func agrees(in *ServiceInput, on basis) bool {
	reading := in.Memory.Readings.Of(on.topic)
	if !answers(reading, on.topic) {
		return false
	}
	if on.topic == TopicCancellation {
		return cancelled(in) == reading.Cancellation.Cancelled
	}
	known := knownPlan(in)
	if known == nil {
		return false
	}
	asHealth := cmp.Or(known.AsHealth, known.Value)
	if planDrifted(in.Service.Status.Carrier) {
		asHealth = known.Value
	}
	return planOf(reading.Health) == asHealth
}

// answers reports whether the carrier has answered with the requested value.
func answers(reading *Reading, topic Topic) bool {
	answered := reading.State == ReadingAnswered || reading.State == ReadingTaken
	return answered && (topic != TopicHealth || planOf(reading.Health) != "")
}

// modifiedAt returns when the ledger's newest modification ended. Times in a status are whole
// seconds, so the end of that second is returned. A request that never reached the carrier does not
// count.
func modifiedAt(in *Input) time.Time {
	var at time.Time
	for _, contract := range carrier.Contracts() {
		done := reachedOf(in, v1alpha1.Operation(contract.Operation))
		if done != nil && !done.FinishedAt.IsZero() && !done.Operation.AltersCancellation() {
			at = later(at, in.past(done.FinishedAt).Add(statusPrecision))
		}
	}
	return at
}

// readableFrom returns the time from which a reading counts: one requested within the same second
// in which the known value was recorded cannot be distinguished from an older one.
func readableFrom(in *ServiceInput, on basis) time.Time {
	from := modifiedAt(&in.Input)
	if known := knownPlan(in); on.topic == TopicHealth && known != nil {
		from = later(from, in.past(known.Since).Add(statusPrecision))
	}
	return from
}

// isUnread reports whether the value to be changed could not be read for this generation. It stays
// true until a reading succeeds: another process sees it in the recorded plan of changes.
func isUnread(in *ServiceInput, want desiredChange, on basis) bool {
	reading := in.Memory.Readings.Of(on.topic)
	switch {
	case asksNobody(in, want):
		return false
	case !askedForThis(in, reading):
	case answers(reading, on.topic):
		return false
	case isSilent(in, reading):
		return true
	}
	return in.Service.Status.ObservedGeneration == in.Service.Generation && showsUnread(in, on)
}

// asksNobody reports whether a change waits for an open modification or is held back after a
// failure. Then no person is asked. Otherwise two processes, one without the reading, would
// overwrite each other's status.
func asksNobody(in *ServiceInput, want desiredChange) bool {
	return in.Service.OpenRequest() != nil || refused(in, want.of(in)) != nil
}

// isSilent reports whether the carrier gives no reading: "refused, or has failed for 1 h" (R7), or
// answered without the value.
func isSilent(in *ServiceInput, reading *Reading) bool {
	since := reading.FailingSince
	if since.IsZero() {
		since = reading.AskedAt
	}
	failing := reading.State == ReadingOpen || reading.State == ReadingFailed
	refused := reading.refused() && !mayAppear(in, reading)
	return !failing || refused || !in.Now.Before(since.Add(unreadAfter))
}

// mayAppear reports whether a service that the carrier does not show may just be new, or may not be
// the intended one: its plan is only known from an order or from the user.
func mayAppear(in *ServiceInput, reading *Reading) bool {
	return believed(in) && knownPlan(in).AsHealth == "" && carrier.ClassOf(reading.Err) == carrier.NotFoundOrForbidden
}

// showsUnread reports whether the recorded plan of changes lacks the old value.
func showsUnread(in *ServiceInput, on basis) bool {
	pending := in.Service.Status.Pending
	return pending != nil && slices.ContainsFunc(pending.Changes, func(change v1alpha1.Change) bool {
		return change.Field == on.field && change.From == ""
	})
}

// orUnread marks a change whose value could not be read: "the hash covers 'unread', `before` stays
// empty" (R7).
func (want desiredChange) orUnread(in *ServiceInput) desiredChange {
	on, readable := basisOf(in, want.operation)
	if !readable || !want.wanted() || !isUnread(in, want, on) {
		return want
	}
	change := v1alpha1.Change{Operation: want.operation, Field: on.field, To: want.target.Plan}
	others := make([]v1alpha1.Change, 0, len(want.changes))
	for _, other := range want.changes {
		if other.Field == on.field {
			change.To = other.To
			continue
		}
		others = append(others, other)
	}
	want.unread, want.before = true, v1alpha1.RequestBefore{}
	want.changes = append([]v1alpha1.Change{change}, others...)
	return want
}

// untilApproved follows the text about the unreadable value.
const untilApproved = ", and nothing is sent before somebody approves it, or has it read again with " +
	v1alpha1.AnnotationReconcile

// askingFor returns why a change waits for a person.
func askingFor(in *ServiceInput, want desiredChange) asking {
	switch policy := approvalOf(in); {
	case want.unread:
	case asksWhich(in, want):
		return askingWhich(in, want)
	case policy == v1alpha1.ApprovalOnCost && isFirstChange(in) && !costsMoney(want):
		return asking{
			why: "this object has not changed the service before and did not order it, approval is OnCost, " +
				"and nothing is sent before it is given",
			priced: true,
		}
	default:
		return byPolicy(policy)
	}
	on, _ := basisOf(in, want.operation)
	return asking{why: unreadWords(in, on) + untilApproved, priced: pricing(in, want.operation)}
}

// unreadWords describes what could not be read and why, as this process knows it, or else as the
// status last reported it.
func unreadWords(in *ServiceInput, on basis) string {
	words, reading := on.what+" could not be read", in.Memory.Readings.Of(on.topic)
	switch {
	case reading.State == ReadingAnswered, reading.State == ReadingTaken:
		return words + " (the carrier's answer does not say it)"
	case reading.Err != nil:
		return fmt.Sprintf("%s (%s)", words, errorText(reading.Err))
	}
	for _, said := range in.Service.Status.Conditions {
		before, _, found := strings.Cut(said.Message, untilApproved)
		if found && said.Type == v1alpha1.ConditionApprovalRequired && strings.HasPrefix(before, words) {
			return before
		}
	}
	return words
}
