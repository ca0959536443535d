// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// ending is the result of a change.
type ending string

const (
	ready       ending = "Ready"          // done; also for deleted objects that are gone
	unknown     ending = "OutcomeUnknown" // a person resolves it
	stalled     ending = "Stalled"        // a person has to do what the reason names
	toProve     ending = "to be proven"   // health or the service is read 10 and 30 min after the POST
	toRepeat    ending = "to be repeated" // class Converge: it is repeated after 15 minutes
	released    ending = "released"       // not known to be cancelled; kept for ten minutes, and reported by an Event
	polled      ending = "polled"         // accepted, but unknown to the carrier: polled for a day
	withinGrace ending = "within grace"   // its process has ended, and it is left alone for two minutes
	noResult    ending = "no result"      // no result yet
)

// endings returns all endings, in the order of the report.
func endings() []ending {
	return []ending{ready, unknown, stalled, toProve, toRepeat, released, polled, withinGrace, noResult}
}

// keptDeleted is how long a deleted AppointmentRequest is kept for its cancellation.
const keptDeleted = 10 * time.Minute

// finding is the state of a change at the API server and at the carrier.
type finding struct {
	change   *change
	ending   ending
	message  string
	sent     int
	accepted int
}

// find reads the state of a change.
func (l *lane) find(ctx SpecContext, g Gomega, e *change) finding {
	object, isSubject := e.object.DeepCopyObject().(subject)
	g.Expect(isSubject).To(BeTrue())
	count, err := l.submissions(e)
	g.Expect(err).NotTo(HaveOccurred())
	found := finding{change: e, ending: ready, message: "gone", sent: count.Seen, accepted: count.Processed}
	err = l.Get(ctx, client.ObjectKeyFromObject(e.object), object)
	if apierrors.IsNotFound(err) && e.kind.trigger != nil {
		if found.accepted == 0 && realTime().Sub(e.deleted) >= keptDeleted {
			found.ending = released
		}
		return found
	}
	g.Expect(err).NotTo(HaveOccurred())
	conditions, _ := object.Describes()
	condition := world.Condition(*conditions, v1alpha1.ConditionReady)
	found.message = fmt.Sprintf("%s: %s", condition.Reason, condition.Message)
	found.ending = endingOf(object, *conditions)
	return found
}

// endingOf reads an object's state as a person would: from its conditions and its requests.
func endingOf(object subject, conditions []metav1.Condition) ending {
	condition := world.Condition(conditions, v1alpha1.ConditionReady)
	isStalled := world.Condition(conditions, v1alpha1.ConditionStalled).Status == metav1.ConditionTrue
	switch {
	case condition.ObservedGeneration != object.GetGeneration():
		return noResult
	case condition.Status == metav1.ConditionTrue && object.GetDeletionTimestamp().IsZero():
		return ready
	case isStalled && condition.Reason == v1alpha1.ReasonOutcomeUnknown:
		return unknown
	case isStalled:
		return stalled
	}
	return waitsFor(object, condition.Message)
}

// waitsFor returns what a request that has not ended waits for.
func waitsFor(object subject, message string) ending {
	for _, open := range object.Record().OpenRequests() {
		switch {
		case open.Phase == v1alpha1.PhaseInProgress:
			return polled
		case open.Phase != v1alpha1.PhaseSubmitting:
		case strings.Contains(message, "waits up to two minutes"):
			return withinGrace
		case strings.Contains(message, "is safe to repeat and is sent again at"):
			return toRepeat
		case strings.Contains(message, "and may show the outcome"):
			return toProve
		}
	}
	return noResult
}

// isLost reports whether nothing is done about the change, or it wrongly counts as done.
func (f finding) isLost() bool { return f.ending == noResult || f.ending == ready && f.accepted == 0 }

// isSentTwice reports whether the request was sent more often than allowed.
func (f finding) isSentTwice() bool { return f.sent > f.change.kind.maxSubmissions() }

// flaw is something that must not be true of a settled change.
type flaw struct {
	holds bool
	text  string
}

// flawOf describes what is wrong with a change; "" if nothing is.
func (l *lane) flawOf(f finding) string {
	for _, flaw := range slices.Concat(sentFlaws(f), l.endFlaws(f)) {
		if flaw.holds {
			return flaw.text
		}
	}
	return ""
}

// sentFlaws checks that each change was sent at most once, and exactly once unless the object says
// that the outcome is unknown.
func sentFlaws(f finding) []flaw {
	done := f.ending == ready
	return []flaw{
		{f.isLost(), "lost"},
		{f.isSentTwice(), fmt.Sprintf("sent more often than %d times", f.change.kind.maxSubmissions())},
		{done && f.change.kind.isSentOnce() && f.accepted != 1, "done, and not once"},
		{f.ending == toProve && f.accepted > 0, "the carrier shows that it is done, and it was not read"},
	}
}

// endFlaws checks that an outcome is unknown only if a process has left the request behind and
// nothing can determine its outcome.
func (l *lane) endFlaws(f finding) []flaw {
	isOpen := slices.Contains([]ending{unknown, toProve, toRepeat, released, withinGrace}, f.ending)
	may := append(f.change.kind.allowedEndings(), released, withinGrace)
	if l.describes(f.change.kind) {
		may = append(may, toProve)
	}
	isQuery := f.change.kind.class() == carrier.ClassQuery
	return []flaw{
		{f.ending == stalled, "stalled, and the carrier has refused nothing"},
		{
			f.ending == unknown && f.accepted > 0 && l.describes(f.change.kind),
			"the carrier describes that it is done, and a person is asked",
		},
		{f.ending == polled && !l.mayBePolled(), "still polled"},
		{f.ending == polled && isQuery && whole, "a query is sent again after a minute"},
		{isOpen && !l.proxy.wasLeft(f.change.recordName()), "open, and no process has ended with its intent"},
		{isOpen && !slices.Contains(may, f.ending), "it could have been read, or repeated"},
		{f.ending == withinGrace && whole, "two minutes have passed"},
	}
}

// mayBePolled reports whether an accepted request may be recorded without an end. It may be if the
// carrier does not know the request, or for two minutes if a successor saw it without its response.
func (l *lane) mayBePolled() bool {
	return l.fault == forgettingCarrier || l.fault == apiServerDown && !whole
}

// findings reads the state of every change, and returns what is wrong with any.
func (l *lane) findings(ctx SpecContext, g Gomega) (findings []finding, wrong []string) {
	for _, e := range l.changes {
		found := l.find(ctx, g, e)
		findings = append(findings, found)
		if flaw := l.flawOf(found); flaw != "" {
			wrong = append(wrong, fmt.Sprintf("%s: %s: sent %d times, accepted %d times: %s (%s)",
				l.fault, e.object.GetName(), found.sent, found.accepted, flaw, found.message))
		}
	}
	return findings, wrong
}
