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

// ending is the result of an errand.
type ending string

const (
	ready    ending = "Ready"          // done; also for deleted objects that are gone
	unknown  ending = "OutcomeUnknown" // a person resolves it
	stalled  ending = "Stalled"        // a person has to do what the reason names
	proving  ending = "to be proven"   // class Charge: health is read 10 and 30 minutes after it was sent
	again    ending = "to be repeated" // class Converge: it is repeated after 15 minutes
	released ending = "let go"         // not known to be cancelled; kept for ten minutes, and reported by an Event
	followed ending = "followed"       // accepted, but the carrier does not know it: polled for a day
	graced   ending = "within grace"   // its process has ended, and it is left alone for two minutes
	underWay ending = "under way"      // no result yet
)

// endings returns them in the order of the report.
func endings() []ending {
	return []ending{ready, unknown, stalled, proving, again, released, followed, graced, underWay}
}

// keptDeleted is how long a deleted AppointmentRequest is kept for its cancellation.
const keptDeleted = 10 * time.Minute

// finding is the state of an errand at the API server and at the carrier.
type finding struct {
	errand *errand
	ending ending
	says   string
	sent   int
	taken  int
}

// find reads the state of an errand.
func (l *lane) find(ctx SpecContext, g Gomega, e *errand) finding {
	object, isSubject := e.object.DeepCopyObject().(subject)
	g.Expect(isSubject).To(BeTrue())
	count, err := l.submissions(e)
	g.Expect(err).NotTo(HaveOccurred())
	found := finding{errand: e, ending: ready, says: "gone", sent: count.Seen, taken: count.Processed}
	err = l.Get(ctx, client.ObjectKeyFromObject(e.object), object)
	if apierrors.IsNotFound(err) && e.sort.provoke != nil {
		if found.taken == 0 && realTime().Sub(e.deleted) >= keptDeleted {
			found.ending = released
		}
		return found
	}
	g.Expect(err).NotTo(HaveOccurred())
	conditions, _ := object.Describes()
	condition := world.Condition(*conditions, v1alpha1.ConditionReady)
	found.says = fmt.Sprintf("%s: %s", condition.Reason, condition.Message)
	found.ending = endingOf(object, *conditions)
	return found
}

// endingOf reads an object's state as a person would: from its conditions and its requests.
func endingOf(object subject, conditions []metav1.Condition) ending {
	condition := world.Condition(conditions, v1alpha1.ConditionReady)
	isStalled := world.Condition(conditions, v1alpha1.ConditionStalled).Status == metav1.ConditionTrue
	switch {
	case condition.ObservedGeneration != object.GetGeneration():
		return underWay
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
	for _, open := range object.OpenRequests() {
		switch {
		case open.Phase == v1alpha1.PhaseInProgress:
			return followed
		case open.Phase != v1alpha1.PhaseSubmitting:
		case strings.Contains(message, "awaited for two minutes"):
			return graced
		case strings.Contains(message, "it sets a value, and is asked for again at"):
			return again
		case strings.Contains(message, "health"):
			return proving
		}
	}
	return underWay
}

// lost reports whether nothing is done about the errand, or it wrongly counts as done.
func (f finding) lost() bool { return f.ending == underWay || f.ending == ready && f.taken == 0 }

// sentTwice reports whether the request was sent more often than allowed.
func (f finding) sentTwice() bool { return f.sent > f.errand.sort.most() }

// flaw is something that must not be true of an errand at rest.
type flaw struct {
	is   bool
	says string
}

// wrong describes what is wrong with an errand; "" if nothing is.
func (l *lane) wrong(f finding) string {
	for _, flaw := range slices.Concat(sentFlaws(f), l.endFlaws(f)) {
		if flaw.is {
			return flaw.says
		}
	}
	return ""
}

// sentFlaws checks "at most one POST per wanted change, and exactly one unless the object says
// OutcomeUnknown".
func sentFlaws(f finding) []flaw {
	done := f.ending == ready
	return []flaw{
		{f.lost(), "lost"},
		{f.sentTwice(), fmt.Sprintf("sent more often than %d times", f.errand.sort.most())},
		{done && f.errand.sort.once() && f.taken != 1, "done, and not once"},
		{f.ending == proving && f.taken > 0, "the carrier shows that it is done, and nobody has looked"},
	}
}

// endFlaws checks that an outcome is unknown only if a process has left it behind and nothing can
// find it out.
func (l *lane) endFlaws(f finding) []flaw {
	isOpen := slices.Contains([]ending{unknown, proving, again, released, graced}, f.ending)
	may := append(f.errand.sort.mayBe(), released, graced)
	isQuery := f.errand.sort.class() == carrier.ClassQuery
	return []flaw{
		{f.ending == stalled, "stalled, and the carrier has refused nothing"},
		{f.ending == followed && !l.mayFollow(), "still followed"},
		{f.ending == followed && isQuery && whole, "a question is asked anew after a minute"},
		{isOpen && !l.gate.wasLeft(f.errand.recordedAs()), "open, and no process has left its intent behind"},
		{isOpen && !slices.Contains(may, f.ending), "it could have been found out, or asked again"},
		{f.ending == graced && whole, "two minutes have passed"},
	}
}

// mayFollow reports whether an accepted request may be recorded without an end: if the carrier does
// not know it, and for two minutes if a successor saw it without its response.
func (l *lane) mayFollow() bool { return l.trouble == forgetful || l.trouble == gone && !whole }

// judge reads the state of every errand, and returns what is wrong with any.
func (l *lane) judge(ctx SpecContext, g Gomega) (findings []finding, wrong []string) {
	for _, e := range l.errands {
		found := l.find(ctx, g, e)
		findings = append(findings, found)
		if flaw := l.wrong(found); flaw != "" {
			wrong = append(wrong, fmt.Sprintf("%s: %s: sent %d times, taken %d times: %s (%s)",
				l.trouble, e.object.GetName(), found.sent, found.taken, flaw, found.says))
		}
	}
	return findings, wrong
}
