// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// tellAhead is by how much a time on record must be ahead of the clock to be reported: clocks of
// several machines are never quite the same.
const tellAhead = time.Minute

// Ahead are the times on record that lay in the future when a process first saw them, and when that
// was. They are kept for as long as they are on record.
type Ahead map[time.Time]time.Time

// Clock is how a process judges the times on record.
type Clock struct {
	Now   time.Time
	Ahead Ahead
}

// past is a time on record, or, where that lay in the future, the time at which this process first
// saw it: "A time on record that lies in the future counts as now" (R19). Otherwise what waits for it
// would wait for as long as the clock was ahead by which it was written.
func (c Clock) past(at metav1.Time) time.Time {
	if seen, ahead := c.Ahead[at.UTC()]; ahead {
		return seen
	}
	if at.After(c.Now) {
		return c.Now
	}
	return at.Time
}

// before says whether one time on record comes before another. Of two that lie in the future no more
// is known than their order.
func (c Clock) before(a, b metav1.Time) bool {
	isAhead := c.past(a).Before(a.Time)
	return a.Before(&b) && (isAhead || a.Time.Before(c.past(b)))
}

func (in *Input) past(at metav1.Time) time.Time {
	return Clock{Now: in.Now, Ahead: in.Memory.Ahead}.past(at)
}

// Clocked says which of the times on record lie in the future, and in what words to report those that
// are news; "" for none.
func Clocked(in *Input) (ahead Ahead, report string) {
	for _, at := range timesOnRecord(in) {
		seen, known := in.Memory.Ahead[at.UTC()]
		if !known && !at.After(in.Now) {
			continue
		}
		if !known {
			seen = in.Now
		}
		if !known && at.After(in.Now.Add(tellAhead)) {
			report = aheadReport(at, in.Now)
		}
		if ahead == nil {
			ahead = Ahead{}
		}
		ahead[at.UTC()] = seen
	}
	return ahead, report
}

// aheadReport words that a time lies in the future.
func aheadReport(at metav1.Time, now time.Time) string {
	return fmt.Sprintf("a time on record lies in the future (%s, now it is %s) and counts as now: "+
		"see to the clock of this manager, or of the one that wrote it",
		at.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
}

// timesOnRecord are those from which something is measured.
func timesOnRecord(in *Input) []metav1.Time {
	var times []metav1.Time
	note := func(request *v1alpha1.Request) {
		if request != nil {
			times = append(times, request.SubmittedAt, request.FinishedAt, request.LostSince)
		}
	}
	for _, contract := range carrier.Contracts() {
		operation := v1alpha1.Operation(contract.Operation)
		note(in.Subject.RequestOf(operation))
		note(in.Ledger.ReachedLast(operation))
	}
	if last := in.Subject.NewestError(); last != nil {
		times = append(times, last.At)
	}
	return append(times, plansKnownSince(in)...)
}

// plansKnownSince is since when the plan of a service is known, and the one that it was brought to.
func plansKnownSince(in *Input) []metav1.Time {
	var times []metav1.Time
	service, is := in.Subject.(*v1alpha1.BroadbandService)
	if is && service.Status.Carrier != nil && service.Status.Carrier.Plan != nil {
		times = append(times, service.Status.Carrier.Plan.Since)
	}
	if in.Ledger != nil && in.Ledger.Spec.Baseline != nil {
		times = append(times, in.Ledger.Spec.Baseline.Since)
	}
	return times
}
