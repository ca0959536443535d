// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// The ends of the names of scenarios in which the carrier describes its services.
const (
	describedSuffix   = ", described"
	unconfirmedSuffix = ", described, nothing confirmed"
)

// describedOperations returns the names of the scenarios that are also run with a carrier that
// describes its services. A description proves the outcome of these requests only.
func describedOperations() []string {
	return []string{"PlanChange", planWithNTD, "AggregationConversion", "DSLStabilityProfileChange"}
}

// describedScenarios returns the scenarios of describedOperations with the extension ServiceRead,
// at a carrier that has confirmed that it lists what it has accepted. The last scenario repeats the
// first one at a carrier that has confirmed nothing.
func describedScenarios() []*Scenario {
	scenarios := slices.DeleteFunc(serviceScenarios(), func(scenario *Scenario) bool {
		return !slices.Contains(describedOperations(), scenario.Name)
	})
	unconfirmed := *scenarios[0]
	for _, scenario := range scenarios {
		scenario.describedAs(describedSuffix)
		scenario.Confirmed = true
	}
	unconfirmed.describedAs(unconfirmedSuffix)
	return append(scenarios, &unconfirmed)
}

// describedAs makes the scenario one in which the carrier describes its services, and appends the
// suffix to its name.
func (s *Scenario) describedAs(suffix string) {
	object := s.Object
	s.Name, s.Described = s.Name+suffix, true
	s.Object = func(w *world.World) client.Object {
		applied := object(w)
		if service, is := applied.(*v1alpha1.BroadbandService); is {
			service.Spec.Observe.ServiceInterval = service.Spec.Observe.HealthInterval
		}
		return applied
	}
}

// describe gives the carrier of a described scenario the extension ServiceRead.
func (s *Scenario) describe(options *simulator.Options) {
	if s.Described {
		options.Seed.Extensions = []string{simulator.ExtensionServiceRead}
		options.Seed.ServiceRead.ListAll = s.Confirmed
	}
}

// configure edits the account of a scenario. It gets the extension that its carrier has, and declares
// what the carrier has confirmed.
func (s *Scenario) configure(account *v1alpha1.CarrierAccount) {
	if s.Installed {
		asInstalled(account)
		return
	}
	forManyRuns(account)
	switch {
	case s.Described:
		account.Spec.Extensions = []v1alpha1.Extension{v1alpha1.ExtensionServiceRead}
	case s.Followed:
		account.Spec.Extensions = []v1alpha1.Extension{v1alpha1.ExtensionOrderRead}
	}
	if s.Confirmed {
		account.Spec.ServiceRead.Modifications = v1alpha1.ModificationsListedFromAcceptance
	}
}

// The calls that read a service: its description, and its health.
var (
	readsDescription = fmt.Sprintf("%s /api/connect/services/%d", http.MethodGet, lineID)
	readsHealth      = http.MethodPost + " /api/connect/services/health/request"
)

// noExtensionCall checks that an account without an extension makes no call that the specification
// does not have.
func noExtensionCall(w *recorder) string {
	effects, scenario := w.run.effects, w.run.plan.Scenario
	if len(effects) == 0 || scenario.Described || scenario.Followed || !effects[len(effects)-1].isExtensionCall() {
		return ""
	}
	return effects[len(effects)-1].What + " was called"
}

// isExtensionCall reports whether an effect is a call that the specification does not have.
func (e Effect) isExtensionCall() bool {
	method, path, isCall := strings.Cut(e.What, " ")
	return isCall && e.Op == Poll && world.IsExtensionCall(method, path)
}

// provenLater checks that an attempt of a described scenario is only proven by a reading that was
// requested at least a minute after the attempt was sent, or after its intent was recorded if it
// was not sent. A reading from before the POST proves nothing. If the carrier has refused to
// describe the service, its health is read instead.
func provenLater(w *recorder) string {
	if !w.run.plan.Scenario.Described {
		return ""
	}
	for _, step := range w.phaseChanges {
		proven := step.to == v1alpha1.PhaseSucceeded && w.endedBy[step.attempt] == v1alpha1.EndedByProof
		if proven && !w.readSince(w.begun(step.attempt).Add(time.Minute), readsDescription, readsHealth) {
			return fmt.Sprintf("%s was proven, and nothing was read a minute after it was sent", step.attempt)
		}
	}
	return ""
}

// unacceptedAfter is how long after its intent an attempt can be shown not to have been accepted.
const unacceptedAfter = 6*time.Minute + 15*time.Second

// shownUnaccepted checks that an attempt is proved not to have been accepted only if the carrier
// has confirmed that its list is complete, and only by a description that was requested late
// enough. If the carrier has accepted the attempt, the opposite must never be proved, whatever a
// person has said about another attempt.
func shownUnaccepted(w *recorder) string {
	for _, step := range w.phaseChanges {
		sent := w.sentAs(step.attempt)
		switch {
		case step.to != v1alpha1.PhaseNotAccepted || w.endedBy[step.attempt] != v1alpha1.EndedByProof:
		case !w.run.plan.Scenario.Confirmed:
			return step.attempt + " was shown not to be accepted, and the carrier has confirmed nothing"
		case sent != nil && sent.accepted:
			return step.attempt + " was shown not to be accepted, and the carrier has accepted it"
		case !w.readSince(w.intended(step.attempt).Add(unacceptedAfter), readsDescription):
			return step.attempt + " was shown not to be accepted, and the description was not read late enough"
		}
	}
	return ""
}

// begun returns when an attempt was sent, or else when its intent was recorded.
func (w *recorder) begun(attempt string) time.Time {
	if sent := w.sentAs(attempt); sent != nil {
		return sent.at
	}
	return w.intended(attempt)
}

// intended returns when the intent of an attempt was recorded.
func (w *recorder) intended(attempt string) time.Time {
	at := slices.IndexFunc(w.intents, func(one intent) bool { return one.AttemptID == attempt })
	return w.intents[at].SubmittedAt.Time
}

// readSince reports whether one of these calls was made at or after a time.
func (w *recorder) readSince(since time.Time, reads ...string) bool {
	return slices.ContainsFunc(w.run.effects, func(effect Effect) bool {
		return slices.Contains(reads, effect.What) && !effect.at.Before(since)
	})
}

// isExcused reports whether it is known why an accepted request is recorded as not accepted.
func (c *simulationRecorder) isExcused(of transition) bool {
	return of.repeatsQuery || of.failedUnseen() || c.isReverted(of) || c.resolvedFalsely[of.request.AttemptID]
}

// noteFailedUnseen notes that a request may be sent again, because it had failed unseen.
func (of transition) noteFailedUnseen() {
	if of.failedUnseen() {
		of.sent.failedUnseen = true
	}
}

// failedUnseen reports whether an accepted request is recorded as not accepted because it had
// already failed when the carrier described the service: nothing was in progress and nothing had
// changed. Such a request may be sent again.
func (of transition) failedUnseen() bool {
	shown := of.to == v1alpha1.PhaseNotAccepted && of.request.EndedBy == v1alpha1.EndedByProof
	return shown && of.sent != nil && of.sent.endsInError
}

// isReverted reports whether the carrier has changed the plan by itself since it accepted a request
// that its description shows as not accepted: "accepted, done, and changed back within an hour by
// somebody else" (docs/design/0030). A description cannot show that this has happened.
func (c *simulationRecorder) isReverted(of transition) bool {
	shown := of.to == v1alpha1.PhaseNotAccepted && of.request.EndedBy == v1alpha1.EndedByProof
	return shown && of.sent != nil && c.planSets[of.sent] != of.member.subject.planSets
}

// Comparison counts the unknown outcomes after a crash in all operations, with a carrier that does
// not describe its services, and with one that does.
type Comparison struct{ Without, With Tally }

// Add adds the counts of a scenario. A scenario without a described counterpart counts on both
// sides, and a scenario with another extension, or an installed one, counts on neither. A described
// scenario counts only if its carrier has confirmed its list.
func (c *Comparison) Add(scenario *Scenario, counts Tally) {
	if scenario.Followed || scenario.Installed {
		return
	}
	if !scenario.Described {
		c.Without.Add(counts)
	}
	if scenario.Confirmed || !scenario.Described && !slices.Contains(describedOperations(), scenario.Name) {
		c.With.Add(counts)
	}
}

// String returns a line of the report.
func (c *Comparison) String() string {
	return fmt.Sprintf("unknown outcomes after a crash, without ServiceRead: %s; with ServiceRead: %s",
		shareOfUnknown(&c.Without), shareOfUnknown(&c.With))
}

// shareOfUnknown describes how many crashes needed a person, and how many without need.
func shareOfUnknown(t *Tally) string {
	const percent = 100
	of := float64(max(t.Crashes, 1)) / percent
	return fmt.Sprintf("%d of %d (%.1f %%), needless: %d (%.1f %%)",
		t.Unknown, t.Crashes, float64(t.Unknown)/of, t.Needless, float64(t.Needless)/of)
}
