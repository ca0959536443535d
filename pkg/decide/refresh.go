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
	// refreshAge is how old a reading may be on which a request rests: "at most 10 min ago (monotonic, a
	// constant)" (R7).
	refreshAge = 10 * time.Minute

	// refreshTakes is how long a reading is waited for before the object says that it is: what there is
	// to say then is said with the request, in the same write.
	refreshTakes = time.Minute

	// unreadAfter is how long a reading may fail: "has failed for 1 h: unknown asks" (R7).
	unreadAfter = time.Hour
)

// basis is the readable value that a request rests on: the one that it changes.
type basis struct {
	topic  Topic
	what   string // the value, in words
	field  string // of the change that says from what to what
	reason string // why the service is not ready while the carrier answers and gives no reading
}

// basisOf is the basis of an operation. "Where the API version has no such read, our own success or a
// person's word decides" (R7).
func basisOf(in *ServiceInput, operation v1alpha1.Operation) (on basis, readable bool) {
	if operation == v1alpha1.OperationPlanChange && healthSupported(in) == nil {
		return basis{TopicHealth, "the carrier's plan", fieldPlan, v1alpha1.ReasonPlanUnknown}, true
	}
	on = basis{
		TopicCancellation, "the service's cancellation", fieldDisconnection, v1alpha1.ReasonCarrierUnavailable,
	}
	return on, operation == v1alpha1.OperationReclaim
}

// refreshed reads once more what a request rests on. Where that is as wanted by now, the rules that
// compare find nothing to do. "It is the last guard: nothing is refreshed for what waits for approval,
// suspension, policy or a limit" (R7).
func refreshed(in *ServiceInput, want desiredChange) *Decision {
	on, readable := basisOf(in, want.operation)
	if !readable || isFresh(in, want, on) {
		return nil
	}
	if from := readableFrom(in, on); in.Now.Before(from) {
		decision := lookAgain(working(v1alpha1.ReasonProgressing, on.what+" is about to be read once more"), from)
		// What is believed is to be on record: else it would be new, and this second would begin again, with
		// each pass.
		decision.Brief = !believed(in)
		return decision
	}
	return briefly(in, awaitReading(in, on.topic, on.what, on.reason), on.topic)
}

// believed says whether the known plan is what an order, or the user, has said.
func believed(in *ServiceInput) bool {
	known := knownPlan(in)
	return known != nil && (known.Source == v1alpha1.SourceOrder || known.Source == v1alpha1.SourceDeclared)
}

// isFresh says whether a request rests on a reading: "this process asked for it after it first saw
// this generation, and at most 10 min ago ..., and after the ledger's newest modification ended"
// (R7). Where the carrier's silence was agreed to, that is to be as new.
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

// askedForThis says whether a reading was asked for by a pass over the present generation.
func askedForThis(in *ServiceInput, reading *Reading) bool {
	return reading.State != ReadingNone && reading.Generation >= in.Service.Generation
}

// isRecent goes by the clock that shows more time gone by: the monotonic one stands still while the
// machine is suspended, and people set the other one.
func isRecent(in *Input, reading *Reading) bool {
	passed := max(in.Elapsed-reading.Elapsed, in.Now.Round(0).Sub(reading.AskedAt.Round(0)))
	return passed <= refreshAge
}

// agrees says whether what is known is what the reading has said. Of an older status, and of one that
// was lost before it was written, it is not.
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

// answers says whether the carrier has answered, and said what was asked for.
func answers(reading *Reading, topic Topic) bool {
	answered := reading.State == ReadingAnswered || reading.State == ReadingTaken
	return answered && (topic != TopicHealth || planOf(reading.Health) != "")
}

// modifiedAt is when the ledger's newest modification ended. A status has whole seconds: it is the
// end of that one. What never reached the carrier has modified nothing.
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

// readableFrom is from when on a reading counts: what is asked for within the second in which the
// known value was written down cannot be told from an older one.
func readableFrom(in *ServiceInput, on basis) time.Time {
	from := modifiedAt(&in.Input)
	if known := knownPlan(in); on.topic == TopicHealth && known != nil {
		from = later(from, in.past(known.Since).Add(statusPrecision))
	}
	return from
}

// isUnread says whether what a change changes could not be read for this generation. It stays so until
// it was read: another process finds in the plan of changes that it was so.
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

// asksNobody says whether a change waits for an open modification, or after a failure: a person is not
// asked then. Of two processes the one without a reading would write against the one that has it.
func asksNobody(in *ServiceInput, want desiredChange) bool {
	return in.Service.OpenRequest() != nil || refused(in, want.of(in)) != nil
}

// isSilent says whether the carrier gives no reading: "refused, or has failed for 1 h" (R7). Or it has
// answered without it.
func isSilent(in *ServiceInput, reading *Reading) bool {
	since := reading.FailingSince
	if since.IsZero() {
		since = reading.AskedAt
	}
	failing := reading.State == ReadingOpen || reading.State == ReadingFailed
	refused := reading.refused() && !mayAppear(in, reading)
	return !failing || refused || !in.Now.Before(since.Add(unreadAfter))
}

// mayAppear says whether a service that the carrier does not show may only be new, or another than was
// meant: nothing but an order, or its user, has ever said what its plan is.
func mayAppear(in *ServiceInput, reading *Reading) bool {
	return believed(in) && knownPlan(in).AsHealth == "" && carrier.ClassOf(reading.Err) == carrier.NotFoundOrForbidden
}

// showsUnread says whether the plan of changes on record has no value to change from.
func showsUnread(in *ServiceInput, on basis) bool {
	pending := in.Service.Status.Pending
	return pending != nil && slices.ContainsFunc(pending.Changes, func(change v1alpha1.Change) bool {
		return change.Field == on.field && change.From == ""
	})
}

// orUnread is a change, or the same where what it changes could not be read: "the hash covers 'unread',
// `before` stays empty" (R7).
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

// untilApproved follows the words on what could not be read.
const untilApproved = ", and nothing is sent before somebody approves it, or has it read again with " +
	v1alpha1.AnnotationReconcile

// askingFor says why a change waits for a person.
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

// unreadWords say what could not be read, and why: as this process knows it, or else as it was said
// last.
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
