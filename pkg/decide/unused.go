// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// WithControls adds which control annotations a decision handles, and which have no effect.
func (d *Decision) WithControls(in *Input) {
	d.Handled = resolveHandled(in, *d)
	if unused := unusedControl(in, d); unused != "" {
		d.Unused = unused
		d.Verdict.Message += "; " + unused
	} else if resolutionIsVoid(in) {
		d.Unused = fmt.Sprintf("the annotation %s is %q, but resolves nothing: it names no attempt that can be resolved",
			v1alpha1.AnnotationResolve, ResolveAnnotation(in))
	}
}

// unusedControl describes the first control annotation that has no effect; "" if there is none.
// Only an object that is Ready is checked: before that an annotation may still be used, and where a
// person is needed the message explains which one.
func unusedControl(in *Input, decision *Decision) string {
	if _, resting := decision.Step.(Rest); !resting || decision.Verdict.State != Settled {
		return ""
	}
	waits := decision.Pending != nil
	for _, one := range []struct {
		annotation, handled, why string
		needed                   bool
	}{
		{v1alpha1.AnnotationApprove, decision.Handled.Approve, "approves nothing: no change is waiting for approval", waits},
		{v1alpha1.AnnotationTrust, decision.Handled.Trust, "trusts nothing: no unknown value is shown", waits},
		{v1alpha1.AnnotationRetry, decision.Handled.Retry, "retries nothing: no request has failed", hasFailed(in)},
	} {
		given := Control(in.Subject, one.annotation)
		if given != "" && given != one.handled && !one.needed && !isRecorded(in, given) {
			return fmt.Sprintf("the annotation %s is %q, but %s", one.annotation, given, one.why)
		}
	}
	return ""
}

// isRecorded reports whether a recorded request was approved or retried by an annotation with this
// value. A status that was emptied no longer shows that it was handled.
func isRecorded(in *Input, given string) bool {
	return anyRequest(in, func(last *v1alpha1.Request) bool { return last.ApprovedHash == given || last.Retry == given })
}

// hasFailed reports whether the retry annotation could apply to a request of the object.
func hasFailed(in *Input) bool {
	return anyRequest(in, func(last *v1alpha1.Request) bool { return EndedInFailure(last) || reclaimed(last) })
}

func anyRequest(in *Input, holds func(*v1alpha1.Request) bool) bool {
	return slices.ContainsFunc(carrier.Contracts(), func(contract carrier.Contract) bool {
		last := in.Subject.RequestOf(v1alpha1.Operation(contract.Operation))
		return last != nil && holds(last)
	})
}
