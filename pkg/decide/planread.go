// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// unknownPlan returns a decision while the plan is needed but unknown.
func unknownPlan(in *ServiceInput) *Decision {
	if !needsPlan(in) || knownPlan(in) != nil {
		return nil
	}
	if err := healthSupported(in); err != nil {
		return stuck(v1alpha1.ReasonUnsupportedByAPIVersion, fmt.Sprintf(
			"the carrier's plan cannot be read: %v; raise the account's apiVersion, or list Plan in trustDeclared", err))
	}
	return awaitReading(in, TopicHealth, "the carrier's plan", v1alpha1.ReasonPlanUnknown)
}

// awaitReading waits for a reading that the comparison needs.
func awaitReading(in *ServiceInput, topic Topic, what, unread string) *Decision {
	token := control(in.Subject, v1alpha1.AnnotationReconcile)
	step, at := readingStep(&in.Input, topic, token, unlessEmpty(in, topic))
	verdict := readingVerdict(in, in.Memory.Readings.Of(topic), what, unread)
	return &Decision{Step: step, LookAt: at, Verdict: verdict}
}

// unlessEmpty asks at once, unless the last answer did not contain the value: that is "a failed
// reading, growing pauses" (R20).
func unlessEmpty(in *ServiceInput, topic Topic) func() (bool, time.Time) {
	reading := in.Memory.Readings.Of(topic)
	if reading.Empty == 0 {
		return atOnce
	}
	return func() (bool, time.Time) {
		at := reading.AskedAt.Add(Backoff(reading.Empty))
		return !in.Now.Before(at), at
	}
}

// readingVerdict explains why a value is not known yet. The reason unread is for a carrier that
// answers but gives no reading.
func readingVerdict(in *ServiceInput, reading *Reading, what, unread string) Verdict {
	if reading.Empty > 0 && reading.State != ReadingFailed {
		return Verdict{Working, unread, "the carrier has answered and does not name " + what + "; it is asked again"}
	}
	if reading.State != ReadingFailed && reading.Failures < failuresShown {
		return Verdict{Working, v1alpha1.ReasonProgressing, what + " is being read"}
	}
	switch carrier.ClassOf(reading.Err) {
	case carrier.NotFoundOrForbidden:
		return unseenService(in)
	case carrier.Unreachable, carrier.ServerFault, carrier.Throttled, carrier.Unauthorized:
		return Verdict{
			Working, v1alpha1.ReasonCarrierUnavailable,
			what + " cannot be read: " + errorText(reading.Err) + "; it is asked again",
		}
	case carrier.Refused, carrier.Invalid, carrier.Unreadable:
	}
	return Verdict{Working, unread, what + " could not be read: " + errorText(reading.Err) + "; it is asked again"}
}

// needsPlan reports whether the carrier's plan is needed: a plan is declared, or an SLA, which is
// sent together with the current plan.
func needsPlan(in *ServiceInput) bool {
	return in.Service.Spec.Plan != nil || in.Service.Spec.RestorationSLA != ""
}

func healthSupported(in *ServiceInput) error { return supported(&in.Input, carrier.Health) }
