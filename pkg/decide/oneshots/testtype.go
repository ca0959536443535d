// SPDX-License-Identifier: Apache-2.0

package oneshots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// recordNotOffered records that a test has ended because the carrier does not offer it for the
// service. A test that reached the carrier, or may have, does not end this way. From then on the
// record decides, whatever happens to the account, because the spec is immutable.
func recordNotOffered(in *Input) {
	reading := &in.Memory.Readings.TestTypes
	if in.Test.Status.NotOffered != nil || !readsTestTypes(in) ||
		!reading.Answered() || slices.Contains(reading.TestTypes, in.Test.Spec.TestType) {
		return
	}
	ended := &v1alpha1.NotOffered{
		FinishedAt: v1alpha1.WholeSeconds(in.Now), Count: int32(min(len(reading.TestTypes), math.MaxInt32)),
	}
	const most, longest = 10, 64
	for _, testType := range reading.TestTypes[:min(len(reading.TestTypes), most)] {
		ended.Offered = append(ended.Offered, decide.Bounded(testType, longest))
	}
	in.Test.Status.NotOffered = ended
}

// endedUnsent returns the record that a diagnostic test ended because it is not offered; nil if
// there is none. It does not count while an attempt is open: an attempt that a person has
// resolved as not accepted may be accepted late.
func endedUnsent(in *Input) *v1alpha1.NotOffered {
	if in.Test == nil || decide.OpenRequest(&in.Input) != nil {
		return nil
	}
	return in.Test.Status.NotOffered
}

func testIsNotOffered(in *Input) *decide.Decision {
	ended := endedUnsent(in)
	if ended == nil {
		return nil
	}
	shown := slices.Clone(ended.Offered)
	if more := int(ended.Count) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return decide.RestStuck(v1alpha1.ReasonTestTypeNotOffered, fmt.Sprintf(
		"the carrier does not offer the test %q for this service: it offers %s. Nothing was sent; create another object",
		in.Test.Spec.TestType, cmp.Or(strings.Join(shown, ", "), "none")))
}

// readsTestTypes reports whether the operator reads which tests the carrier offers for the
// service. A test that reached the carrier, or may have, is retried without this reading.
func readsTestTypes(in *Input) bool {
	if in.Test == nil || in.Account.Object == nil || !in.Account.Object.Extends(v1alpha1.ExtensionTestTypes) {
		return false
	}
	last := in.Test.Status.Request
	return last == nil || decide.IsAutoRetried(last.Phase)
}

// testTypesAreUnread waits until the carrier has reported which tests it offers. If the carrier
// does not report this, the test is sent and the carrier decides. While the reading succeeds,
// nothing is written.
func testTypesAreUnread(in *Input) *decide.Decision {
	reading := &in.Memory.Readings.TestTypes
	if !readsTestTypes(in) || reading.Ended() || reading.Failures >= decide.FailuresShown {
		return nil
	}
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
