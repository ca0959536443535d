// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// notKnown describes what to ask the carrier: "service number, operation, sent at (account's time
// zone)".
func notKnown(in *Input, open *v1alpha1.Request, why *v1alpha1.RequestError) string {
	sent := "" // for a request lost with its ledger the time is unknown
	if !open.SubmittedAt.IsZero() {
		sent = ", sent at " + clock(in, open.SubmittedAt.Time) + ","
	}
	return fmt.Sprintf("what became of %s of %s%s is not known (%s)",
		open.Operation, atCarrier(in), sent, errorMessage(why))
}

// atCarrier names the subject of an object in the carrier's terms.
func atCarrier(in *Input) string {
	switch object := in.Subject.(type) {
	case *v1alpha1.BroadbandService:
		return "service " + string(object.ServiceNumber())
	case *v1alpha1.ServiceOrder:
		return "the order with reference " + object.Spec.CustomerReference
	case *v1alpha1.DiagnosticTest:
		if in.Ledger != nil && in.Ledger.Spec.Diagnostics != nil {
			return "service " + string(in.Ledger.Spec.Diagnostics.ID)
		}
	case *v1alpha1.AppointmentRequest:
		return "order " + string(object.Spec.OrderID)
	}
	return v1alpha1.ShortName(in.Subject) + "/" + in.Subject.GetName()
}

const (
	clockFormat = "15:04:05"
	dayFormat   = "2006-01-02 " + clockFormat + " -07:00"
)

// clock formats a time in the account's time zone.
func clock(in *Input, at time.Time) string { return at.In(zone(in)).Format(dayFormat) }

// clocks formats several times; only the first includes the day.
func clocks(in *Input, times []time.Time) string {
	times = slices.Compact(times)
	words := make([]string, len(times))
	for i, at := range times {
		words[i] = at.In(zone(in)).Format(clockFormat)
	}
	words[0] = clock(in, times[0])
	return strings.Join(words, ", ")
}
