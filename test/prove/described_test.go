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

// describedSuffix is the end of the name of a scenario in which the carrier describes its services.
const describedSuffix = ", described"

// describedOperations returns the names of the scenarios that are also run with a carrier that
// describes its services. Only the outcomes of these requests are proven by a description.
func describedOperations() []string {
	return []string{"PlanChange", planWithNTD, "AggregationConversion", "DSLStabilityProfileChange"}
}

// describedScenarios returns the scenarios of describedOperations with the extension ServiceRead.
func describedScenarios() []*Scenario {
	scenarios := slices.DeleteFunc(serviceScenarios(), func(scenario *Scenario) bool {
		return !slices.Contains(describedOperations(), scenario.Name)
	})
	for _, scenario := range scenarios {
		object := scenario.Object
		scenario.Name, scenario.Described = scenario.Name+describedSuffix, true
		scenario.Object = func(w *world.World) client.Object {
			applied := object(w)
			if service, is := applied.(*v1alpha1.BroadbandService); is {
				service.Spec.Observe.ServiceInterval = service.Spec.Observe.HealthInterval
			}
			return applied
		}
	}
	return scenarios
}

// describe gives the carrier of a described scenario the extension ServiceRead.
func (s *Scenario) describe(options *simulator.Options) {
	if s.Described {
		options.Seed.Extensions = []string{simulator.ExtensionServiceRead}
	}
}

// configure edits the account of a scenario. The account gets the extension that its carrier has.
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

// begun returns when an attempt was sent, or else when its intent was recorded.
func (w *recorder) begun(attempt string) time.Time {
	if sent := w.sentAs(attempt); sent != nil {
		return sent.at
	}
	at := slices.IndexFunc(w.intents, func(one intent) bool { return one.AttemptID == attempt })
	return w.intents[at].SubmittedAt.Time
}

// readSince reports whether one of these calls was made at or after a time.
func (w *recorder) readSince(since time.Time, reads ...string) bool {
	return slices.ContainsFunc(w.run.effects, func(effect Effect) bool {
		return slices.Contains(reads, effect.What) && !effect.at.Before(since)
	})
}

// Comparison counts the unknown outcomes after a crash in all operations, with a carrier that does
// not describe its services, and with one that does.
type Comparison struct{ Without, With Tally }

// Add adds the counts of a scenario. A scenario without a described counterpart counts on both
// sides, and a scenario with another extension, or an installed one, counts on neither.
func (c *Comparison) Add(scenario *Scenario, counts Tally) {
	if scenario.Followed || scenario.Installed {
		return
	}
	if !scenario.Described {
		c.Without.Add(counts)
	}
	if scenario.Described || !slices.Contains(describedOperations(), scenario.Name) {
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
