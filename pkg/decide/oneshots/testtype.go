// SPDX-License-Identifier: Apache-2.0

package oneshots

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// testTypeOffered ends a test that the carrier does not offer for the service, before it is sent.
// If the carrier does not say which tests it offers, the test is sent and the carrier decides.
func testTypeOffered(in *Input) *decide.Decision {
	if in.TestType == "" || !in.Account.Object.Extends(v1alpha1.ExtensionTestTypes) {
		return nil
	}
	if ready := decide.ReadyIn(in.Conditions); ready.Reason == v1alpha1.ReasonTestTypeNotOffered {
		return decide.RestStuck(ready.Reason, ready.Message) // the spec is immutable, so it is not asked about again
	}
	reading := &in.Memory.Readings.TestTypes
	switch {
	case reading.Refused(), reading.Failures >= decide.FailuresShown:
		return nil
	case !reading.Ended():
		return readTestTypes(in, reading)
	case slices.Contains(reading.TestTypes, in.TestType):
		return nil
	}
	return decide.RestStuck(v1alpha1.ReasonTestTypeNotOffered, fmt.Sprintf(
		"the carrier does not offer the test %q for service %s: it offers %s. Nothing was sent; create another object",
		in.TestType, in.ServiceID, shownTypes(reading.TestTypes)))
}

// readTestTypes reads which tests are offered. Nothing is written while that succeeds.
func readTestTypes(in *Input, reading *decide.Reading) *decide.Decision {
	const what = "which tests the carrier offers for the service"
	decision := decide.RestWorking(v1alpha1.ReasonProgressing, "reading "+what)
	if reading.State == decide.ReadingFailed {
		decision = decide.RestWorking(v1alpha1.ReasonCarrierUnavailable, fmt.Sprintf(
			"could not read %s: %s; the read is retried", what, decide.ErrorText(reading.Err)))
	}
	decision.Transient = reading.State != decide.ReadingFailed
	decision.Step, decision.RequeueAt = decide.ReadingStep(&in.Input, decide.TopicTestTypes, "", decide.AtOnce)
	return decision
}

// shownTypes lists test types for a message.
func shownTypes(types []string) string {
	const most, longest = 10, 64
	shown := make([]string, 0, most)
	for _, testType := range types[:min(len(types), most)] {
		shown = append(shown, decide.Bounded(testType, longest))
	}
	if len(types) > most {
		shown = append(shown, fmt.Sprintf("and %d more", len(types)-most))
	}
	return decide.OrElse(strings.Join(shown, ", "), "none")
}

// endedUnsent returns when a test ended because it is not offered; zero if it did not end for that
// reason.
func endedUnsent(in *Input) time.Time {
	ready := decide.ReadyIn(in.Conditions)
	if ready.Reason != v1alpha1.ReasonTestTypeNotOffered {
		return time.Time{}
	}
	return ready.LastTransitionTime.Time
}
