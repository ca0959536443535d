// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// withControls adds which control annotations a decision acts on, and which ask for nothing.
func (d *Decision) withControls(in *Input) {
	d.Handled = resolveHandled(in, *d)
	if unused := unusedControl(in, d); unused != "" {
		d.Unused = unused
		d.Verdict.Message += "; " + unused
	} else if resolutionIsVoid(in) {
		d.Unused = fmt.Sprintf("the annotation %s is %q, and resolves nothing: it names no attempt that can be settled so",
			v1alpha1.AnnotationResolve, resolveAnnotation(in))
	}
}

// unusedControl says of the first control annotation that asks for nothing that it does; "" for none.
// Only an object that is Ready is judged: on the way there an annotation may still be used, and
// where a person is needed the message says what for.
func unusedControl(in *Input, decision *Decision) string {
	if _, resting := decision.Step.(Rest); !resting || decision.Verdict.State != Settled {
		return ""
	}
	waits := decision.Pending != nil
	for _, one := range []struct {
		annotation, handled, why string
		needed                   bool
	}{
		{v1alpha1.AnnotationApprove, decision.Handled.Approve, "approves nothing: no change waits for approval", waits},
		{v1alpha1.AnnotationTrust, decision.Handled.Trust, "has nothing believed: no unknown value is shown", waits},
		{v1alpha1.AnnotationRetry, decision.Handled.Retry, "has nothing sent again: no request has failed", hasFailed(in)},
	} {
		given := control(in.Subject, one.annotation)
		if given != "" && given != one.handled && !one.needed && !isRecorded(in, given) {
			return fmt.Sprintf("the annotation %s is %q, and %s", one.annotation, given, one.why)
		}
	}
	return ""
}

// isRecorded says whether a request on record was approved or retried by an annotation of this value:
// a status that was emptied no longer says that it was acted on.
func isRecorded(in *Input, given string) bool {
	return anyRequest(in, func(last *v1alpha1.Request) bool { return last.ApprovedHash == given || last.Retry == given })
}

// hasFailed says whether the retry annotation can have a request of the object sent again.
func hasFailed(in *Input) bool {
	return anyRequest(in, func(last *v1alpha1.Request) bool { return endedInFailure(last) || reclaimed(last) })
}

func anyRequest(in *Input, holds func(*v1alpha1.Request) bool) bool {
	return slices.ContainsFunc(carrier.Contracts(), func(contract carrier.Contract) bool {
		last := in.Subject.RequestOf(v1alpha1.Operation(contract.Operation))
		return last != nil && holds(last)
	})
}
