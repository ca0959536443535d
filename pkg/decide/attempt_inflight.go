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
	// senderGrace is how long a Submitting request written by another process is not touched: that
	// process may still be recording the response.
	senderGrace = 120 * time.Second

	// CacheLag is the wait before an object is decided again if the cache is older than the last
	// write.
	CacheLag = time.Second

	// HandleGrace is how long a Location that returns 404 or 400 is still polled. queryGrace is the
	// corresponding time for a Query, which is then sent again.
	HandleGrace = 24 * time.Hour
	queryGrace  = time.Minute
)

// Evidence is how a kind determines the outcome of a request if no outcome is recorded.
type Evidence interface {
	// Verify decides about a request that may or may not have reached the carrier.
	Verify(open *v1alpha1.Request) *Decision
	// Proof resolves an unknown outcome from the facts known now; nil if they prove nothing.
	Proof(open *v1alpha1.Request) *Decision
}

// UntilEnded returns a decision as long as a request has not ended.
func UntilEnded(in *Input, open *v1alpha1.Request, by Evidence) *Decision {
	if open == nil {
		return nil
	}
	switch open.Phase {
	case v1alpha1.PhaseSubmitting:
		return submitting(in, open, by)
	case v1alpha1.PhaseInProgress:
		return inProgress(in, open, by)
	case v1alpha1.PhaseOutcomeUnknown:
		return outcomeUnknown(in, open, by)
	case v1alpha1.PhaseLateAcceptance:
		return acceptedLate(in, open)
	case v1alpha1.PhaseSucceeded, v1alpha1.PhaseFailed, v1alpha1.PhaseNotSent,
		v1alpha1.PhaseNotProcessed, v1alpha1.PhaseRejected, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned,
		v1alpha1.PhaseRepeated:
	}
	return RestStuck(v1alpha1.ReasonOutcomeUnknown, fmt.Sprintf(
		"%s attempt %s is in phase %q, which this version of the operator does not know: run the version that recorded it",
		open.Operation, open.AttemptID, open.Phase))
}

// acceptedLate reports a late acceptance, which a person resolves as Succeeded, Abandoned or
// Accepted. NotAccepted is not possible, because the carrier has accepted the request (R15).
func acceptedLate(in *Input, open *v1alpha1.Request) *Decision {
	abandon := "=" + resolvedAbandoned
	if isUsedUp(in, open.AttemptID+abandon) {
		abandon = resolvedAll + "<the present time, as RFC 3339>" + abandon +
			" as the value, because <attempt id>" + abandon + " is used up"
	}
	return RestStuck(v1alpha1.ReasonLateAcceptance, fmt.Sprintf(
		"the carrier accepted %s attempt %s as %s, which became known only after the attempt had been resolved, or its "+
			"object deleted. %s until you resolve it. "+
			"If the request is valid, run: %s; if it was cancelled at the carrier or is not valid, use %s",
		open.Operation, open.AttemptID, open.Location, heldUntilResolved(open.Operation),
		ResolveCommand(in, open, ResolvedSucceeded), abandon)+notResolvedByAll(in, open))
}

// submitting decides about an intent without an outcome.
func submitting(in *Input, open *v1alpha1.Request, by Evidence) *Decision {
	attempt := in.Memory.Attempts[open.AttemptID]
	switch {
	case open.Error != nil: // the POST was sent and the response was lost
		if decision := candidatePolled(in, open); decision != nil {
			return decision
		}
		return by.Verify(open)
	case open.Sender == in.Memory.Sender && !attempt.Posted:
		// This process has written the intent and has not sent the request since.
		return NotPosted(open)
	case !in.Now.Before(attempt.FirstSeen.Add(senderGrace)):
		return by.Verify(open)
	case attempt.Posted:
		// The response is recorded, but the cache does not show it yet. Our own write triggers no event.
		return RequeueAt(RestOn(progressing(open)), in.Now.Add(CacheLag))
	}
	return RequeueAt(awaitResponse(open, by), attempt.FirstSeen.Add(senderGrace))
}

// awaitResponse waits for the response: the process that sent the request may still be recording
// it. If a person or the account holds the request back, that verdict is reported immediately,
// because otherwise each new process would first report progress for two minutes.
func awaitResponse(open *v1alpha1.Request, by Evidence) *Decision {
	held := by.Verify(open)
	if held.Verdict.State == Waiting || held.Verdict.State == Stuck && IsRest(held.Step) {
		return held
	}
	return RestWorking(v1alpha1.ReasonProgressing, fmt.Sprintf(
		"another process was sending %s attempt %s: the operator waits up to two minutes for that process to "+
			"record the response",
		open.Operation, open.AttemptID))
}

func inProgress(in *Input, open *v1alpha1.Request, by Evidence) *Decision {
	next := NextPoll(in, open, in.Memory.Attempts[open.AttemptID].LastPoll)
	decision := RequeueAt(RestOn(trackingVerdict(in, open)), Earlier(next, overdueAt(in, open)))
	switch {
	case handleLost(in, open):
		decision = by.Verify(open)
	case !in.Now.Before(next):
		decision.Step = Poll{AttemptID: open.AttemptID}
	}
	return decision
}

func trackingVerdict(in *Input, open *v1alpha1.Request) Verdict {
	attempt := in.Memory.Attempts[open.AttemptID]
	switch {
	case IsReadAgain(open):
		return readingAgain(in, open)
	case attempt.Failures >= FailuresShown:
		return Verdict{Working, v1alpha1.ReasonCarrierUnavailable, fmt.Sprintf(
			"%s is in progress at the carrier, but it could not be polled: %s; it is polled again automatically",
			open.Operation, ErrorText(attempt.PollError))}
	case IsOnHold(open.CarrierStatus, open.ErrorDetail):
		return Verdict{Working, v1alpha1.ReasonCarrierHold, fmt.Sprintf(
			"the carrier reports an error in %s and continues once the error is fixed: %s; the request is tracked until it ends",
			open.Operation, cmp.Or(JoinTexts(open.CarrierStatus, open.ErrorDetail), "no details were given"))}
	case isOverdue(in, open):
		return Verdict{Working, v1alpha1.ReasonOverdue, fmt.Sprintf(
			"%s has been in progress at the carrier for longer than usual and is still polled at %s; to resolve it by hand: %s",
			open.Operation, open.Location, ResolveHint(in, open))}
	}
	return progressing(open)
}

// handleLost reports whether the Location has returned 404 or 400 for a day, or for a minute in the
// case of a Query. One such response does not prove that there is no request: the carrier may not
// show it for a while.
func handleLost(in *Input, open *v1alpha1.Request) bool {
	grace := HandleGrace
	if ClassOf(open.Operation, open.Target) == carrier.ClassQuery {
		grace = queryGrace
	}
	return !IsReadAgain(open) && !open.LostSince.IsZero() && !in.Now.Before(in.Past(open.LostSince).Add(grace))
}

// outcomeUnknown waits for a person, or for proof of what happened.
func outcomeUnknown(in *Input, open *v1alpha1.Request, by Evidence) *Decision {
	if ended := by.Proof(open); ended != nil {
		return ended
	}
	return RestOn(UnknownVerdict(in, open))
}

// UnknownVerdict asks a person to determine the outcome of a request.
func UnknownVerdict(in *Input, open *v1alpha1.Request) Verdict {
	return Verdict{Stuck, UnknownReason(open.Error), DescribeUnknown(in, open, open.Error) +
		". " + heldUntilResolved(open.Operation) + " until you have asked the carrier and resolved the request: " +
		ResolveHint(in, open) + notResolvedByAll(in, open)}
}

// heldUntilResolved says what is not sent until a person has resolved a request. A request that
// moves or aborts a cancellation never waits for a modification, but every modification waits for
// it.
func heldUntilResolved(operation v1alpha1.Operation) string {
	switch {
	case operation == v1alpha1.OperationOrderCreate:
		return "The order is not sent again"
	case operation == v1alpha1.OperationDiagnosticTest:
		return "No test of this service is sent"
	case operation == v1alpha1.OperationAppointmentCancel:
		return "No slots are requested"
	case operation.AltersCancellation():
		return "Nothing that changes this service is sent"
	}
	return "Of the requests that change this service, only those that move or abort its cancellation are sent"
}

func overdueTime(in *Input, open *v1alpha1.Request) time.Time {
	contract, _ := carrier.ContractOf(carrier.Operation(open.Operation))
	return in.Past(open.SubmittedAt).Add(contract.Poll.Usual)
}

func isOverdue(in *Input, open *v1alpha1.Request) bool {
	return !IsReadAgain(open) && !in.Now.Before(overdueTime(in, open))
}

// overdueAt returns when the verdict becomes Overdue; zero once it has.
func overdueAt(in *Input, open *v1alpha1.Request) time.Time {
	if at := overdueTime(in, open); in.Now.Before(at) {
		return at
	}
	return time.Time{}
}

// ResponseIsUnrecorded returns a decision if this process has a response that is not recorded.
func ResponseIsUnrecorded(in *Input) *Decision {
	for _, open := range in.Subject.Record().OpenRequests() {
		if in.Memory.Attempts[open.AttemptID].Receipt != nil {
			return &Decision{Step: RecordResponse{AttemptID: open.AttemptID}, Verdict: progressing(open)}
		}
	}
	return nil
}

// NotPosted ends an attempt that its own process has never posted.
func NotPosted(open *v1alpha1.Request) *Decision {
	return ResolveBy(WriterSender, open, v1alpha1.PhaseNotSent, &v1alpha1.RequestError{
		Code: codeNotPosted, Message: "the intent was recorded, but nothing was sent",
	})
}

func readingAgain(in *Input, done *v1alpha1.Request) Verdict {
	if attempt := in.Memory.Attempts[done.AttemptID]; attempt.Failures >= FailuresShown {
		return Verdict{Working, v1alpha1.ReasonCarrierUnavailable, fmt.Sprintf(
			"%s is done, but its result cannot be read again: %s; the read is retried",
			done.Operation, ErrorText(attempt.PollError))}
	}
	return Verdict{Working, v1alpha1.ReasonProgressing, fmt.Sprintf(
		"%s is done, but its result is not in the status and is being read from the carrier again", done.Operation)}
}

// resolvable reports whether a person may resolve the request: it is OutcomeUnknown, Overdue or
// accepted late, its outcome is being verified after a lost response or Location, or it was sent with
// another login and is not polled. A request that a process may still be sending is excluded.
func resolvable(in *Input, open *v1alpha1.Request) bool {
	switch open.Phase {
	case v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseLateAcceptance:
		return true
	case v1alpha1.PhaseInProgress:
		return isOverdue(in, open) || handleLost(in, open) || isElsewhere(in, open) && !IsReadAgain(open)
	case v1alpha1.PhaseSubmitting:
		return open.Error != nil || !in.Now.Before(in.Memory.Attempts[open.AttemptID].FirstSeen.Add(senderGrace))
	case v1alpha1.PhaseSucceeded, v1alpha1.PhaseFailed, v1alpha1.PhaseNotSent,
		v1alpha1.PhaseNotProcessed, v1alpha1.PhaseRejected, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned,
		v1alpha1.PhaseRepeated:
	}
	return false
}

// DescribeUnknown describes what to ask the carrier about a request: enough to find it in the
// carrier's records, with the time at which it was sent in the account's time zone.
func DescribeUnknown(in *Input, open *v1alpha1.Request, why *v1alpha1.RequestError) string {
	if StandsForAll(open) {
		return fmt.Sprintf("it is not known which requests the carrier has received for %s (%s)",
			atCarrier(in), ErrorMessage(why))
	}
	reason := ErrorMessage(why)
	if IsBusy(why) {
		reason = busyText(in, open, why)
	}
	sent := "" // for a request lost with its ledger the time is unknown
	if !open.SubmittedAt.IsZero() {
		sent = ", sent at " + FormatTime(in, open.SubmittedAt.Time) + ","
	}
	candidate := ""
	if open.Candidate != "" {
		candidate = "; the response named " + open.Candidate
	}
	return fmt.Sprintf("the outcome of %s for %s%s is unknown (%s)%s",
		open.Operation, atCarrier(in), sent, reason, candidate)
}

// atCarrier names the subject of an object in the carrier's terms.
func atCarrier(in *Input) string {
	if name := v1alpha1.CarrierName(in.Subject); name != "" {
		return name
	}
	if in.Ledger != nil && in.Ledger.Spec.Diagnostics != nil {
		return "service " + string(in.Ledger.Spec.Diagnostics.ID)
	}
	return v1alpha1.ShortName(in.Subject) + "/" + in.Subject.GetName()
}

const (
	clockFormat = "15:04:05"
	dayFormat   = "2006-01-02 " + clockFormat + " -07:00"
)

// FormatTime formats a time in the account's time zone.
func FormatTime(in *Input, at time.Time) string { return at.In(TimeZone(in)).Format(dayFormat) }

// FormatTimes formats a list of times; only the first includes the day.
func FormatTimes(in *Input, times []time.Time) string {
	times = slices.Compact(times)
	words := make([]string, len(times))
	for i, at := range times {
		words[i] = at.In(TimeZone(in)).Format(clockFormat)
	}
	words[0] = FormatTime(in, times[0])
	return strings.Join(words, ", ")
}

// maxCandidatePolls is how often a process polls a candidate before it treats the response as lost. At
// the pace of a plan change, that takes about twenty minutes.
const maxCandidatePolls = 12

// candidatePolled polls the candidate of a request before anything else is done about the lost
// response, because a poll costs nothing. It returns nil if the request has no candidate or was
// polled often enough. The specification has no call to poll an order.
func candidatePolled(in *Input, open *v1alpha1.Request) *Decision {
	contract, _ := carrier.ContractOf(carrier.Operation(open.Operation))
	attempt := in.Memory.Attempts[open.AttemptID]
	if !HasCandidate(open) || !contract.Polled || attempt.Polls >= maxCandidatePolls {
		return nil
	}
	next := NextPoll(in, open, attempt.LastPoll)
	decision := RequeueAt(RestWorking(v1alpha1.ReasonProgressing, fmt.Sprintf(
		"%s, which is polled and may show the outcome; to resolve the request by hand: %s",
		DescribeUnknown(in, open, open.Error), ResolveHint(in, open))), next)
	if !in.Now.Before(next) {
		decision.Step = Poll{AttemptID: open.AttemptID}
	}
	return decision
}

// WhyUnknown returns why the outcome of a request is unknown.
func WhyUnknown(open *v1alpha1.Request) *v1alpha1.RequestError {
	switch {
	case open.Phase == v1alpha1.PhaseInProgress:
		return &v1alpha1.RequestError{Code: v1alpha1.ReasonHandleLost, Message: fmt.Sprintf(
			"polling the request's Location %s has given no result since %s (%s)",
			open.Location, open.LostSince.UTC().Format(time.RFC3339), ErrorMessage(open.Error))}
	case open.Error != nil:
		return open.Error
	}
	return &v1alpha1.RequestError{Message: "the process that sent the request ended before it recorded the response"}
}
