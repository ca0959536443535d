// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// describedSuffix ends the name of a scenario in which the carrier describes its services.
const describedSuffix = ", described"

// describedOperations returns the names of the scenarios that are also run with a carrier that
// describes its services: only these requests can be proven by a description.
func describedOperations() []string {
	return []string{"PlanChange", planWithNTD, "AggregationConversion", "DSLStabilityProfileChange"}
}

// describedScenarios returns the same scenarios with the extension ServiceRead.
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

// describe gives the carrier of a scenario the extension.
func (s *Scenario) describe(options *simulator.Options) {
	if s.Described {
		options.Seed.Extensions = []string{simulator.ExtensionServiceRead}
	}
}

// extend gives the account of a scenario the extension.
func (s *Scenario) extend(account *v1alpha1.CarrierAccount) {
	if s.Described {
		account.Spec.Extensions = []v1alpha1.Extension{v1alpha1.ExtensionServiceRead}
	}
}

// provenLater checks that an attempt of a described scenario is only proven by a reading that was
// asked for a minute after it was sent, or after its intent if it was not: a reading from before the
// POST proves nothing.
func provenLater(w *recorder) string {
	if !w.run.plan.Scenario.Described {
		return ""
	}
	for _, step := range w.phaseChanges {
		proven := step.to == v1alpha1.PhaseSucceeded && w.endedBy[step.attempt] == v1alpha1.EndedByProof
		if proven && !w.readSince(w.begun(step.attempt).Add(time.Minute)) {
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

// readSince reports whether the service was read at or after a time: its description, or its health if
// the carrier has refused to describe it.
func (w *recorder) readSince(since time.Time) bool {
	reads := []string{
		fmt.Sprintf("%s /api/connect/services/%d", http.MethodGet, lineID),
		http.MethodPost + " /api/connect/services/health/request",
	}
	return slices.ContainsFunc(w.run.effects, func(effect Effect) bool {
		return slices.Contains(reads, effect.What) && !effect.at.Before(since)
	})
}

// Comparison counts the unknown outcomes after a crash in all operations: with a carrier that does not
// describe its services, and with one that does.
type Comparison struct{ Without, With Tally }

// Add adds the counts of a scenario. One without a described counterpart counts on both sides.
func (c *Comparison) Add(scenario *Scenario, counts Tally) {
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
