// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

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

// candidatePolled polls the candidate of a request, which costs nothing, before anything else is done
// about its lost response; nil if it has none, or if it has been polled often enough. The
// specification has no call to poll an order.
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
