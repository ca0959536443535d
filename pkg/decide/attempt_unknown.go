// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
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
	return fmt.Sprintf("the outcome of %s for %s%s is unknown (%s)%s",
		open.Operation, atCarrier(in), sent, reason, candidateText(open))
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
