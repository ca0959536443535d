// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// WithControls adds to a decision which control annotations it handles, and which have no effect.
func (d *Decision) WithControls(in *Input) {
	d.Handled = resolveHandled(in, *d)
	d.Unused = described(in, d)
	for _, unused := range []string{unusedControl(in, d), unusedResolution(in, d)} {
		if unused == "" {
			continue
		}
		d.Unused = append(d.Unused, unused)
		if !strings.Contains(d.Verdict.Message, unused) { // a message may repeat a recorded one that has it already
			d.Verdict.Message += "; " + unused
		}
	}
}

// Overruled returns the decision for a verdict that was reached without the rules of the kind.
func Overruled(subject Subject, verdict Verdict) Decision {
	decision := Decision{Step: Rest{}, Verdict: verdict, Handled: *subject.Record().Controls()}
	if decision.Handled.IgnoredResolve != Control(subject, v1alpha1.AnnotationResolve) {
		decision.Handled.IgnoredResolve = "" // the annotation was removed or replaced
	}
	return decision
}

// described returns the parts of a decision's messages that describe a control annotation without
// effect.
func described(in *Input, d *Decision) []string {
	texts := []string{otherApproval(in), otherTrust(in)}
	for _, last := range newestRequests(in) {
		if RetryDue(in, last).IsZero() { // otherwise it has an effect later
			texts = append(texts, WhyRetryIgnored(in, last))
		}
	}
	for _, open := range in.Subject.Record().OpenRequests() {
		texts = append(texts, notResolvedByAll(in, open))
	}
	var found []string
	for _, text := range texts {
		if text = strings.Trim(text, " ()"); text != "" && d.says(text) && !slices.Contains(found, text) {
			found = append(found, text)
		}
	}
	return found
}

func (d *Decision) says(text string) bool {
	return strings.Contains(d.Verdict.Message, text) || slices.ContainsFunc(d.Aspects, func(aspect Aspect) bool {
		return strings.Contains(aspect.Message, text)
	})
}

// unusedControl describes the first control annotation that has no effect; "" if there is none.
// Only an object that is Ready is checked. Before that, an annotation may still be used, and a
// message that waits for a person explains which annotation to set.
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
		{v1alpha1.AnnotationTrust, decision.Handled.Trust, "trusts nothing: no unknown value awaits a decision", waits},
		{v1alpha1.AnnotationRetry, decision.Handled.Retry, "retries nothing: no request has failed", hasFailed(in)},
	} {
		given := Control(in.Subject, one.annotation)
		if given != "" && given != one.handled && !one.needed && !isRecorded(in, given) {
			return fmt.Sprintf("the annotation %s is %q, but %s", one.annotation, given, one.why)
		}
	}
	return ""
}

// unusedResolution describes a resolve annotation that resolves nothing; "" if there is none, or if
// the message describes it already.
func unusedResolution(in *Input, decision *Decision) string {
	ignored := decision.Handled.IgnoredResolve
	if void := in.Installation.Policies.voidResolution(ignored); ignored != "" && void != "" {
		return void
	}
	if ignored == "" || slices.ContainsFunc(in.Subject.Record().OpenRequests(), func(open *v1alpha1.Request) bool {
		said := notResolvedByAll(in, open)
		return said != "" && decision.says(said)
	}) {
		return ""
	}
	return fmt.Sprintf("the annotation %s is %q, but resolves nothing: %s",
		v1alpha1.AnnotationResolve, ignored, whyResolvesNothing(in, ignored))
}

// isRecorded reports whether a recorded request was approved or retried by an annotation with this
// value. A status that was emptied no longer shows that the annotation was handled.
func isRecorded(in *Input, given string) bool {
	return slices.ContainsFunc(newestRequests(in), func(last *v1alpha1.Request) bool {
		return last.ApprovedHash == given || last.Retry == given
	})
}

func hasFailed(in *Input) bool {
	return slices.ContainsFunc(newestRequests(in), mayBeRetried)
}

// resolveHandled sets whether the resolve annotation counts as handled with this decision, or as
// ignored. A reconcile annotation that the decision has handled is kept. The intent of a request
// handles the annotations that the request uses up.
func resolveHandled(in *Input, decision Decision) v1alpha1.Handled {
	handled := *in.Subject.Record().Controls()
	handled.Reconcile = cmp.Or(decision.Handled.Reconcile, handled.Reconcile)
	step, resolves := decision.Step.(Resolve)
	handled.IgnoredResolve = ""
	switch {
	case resolves && ResolutionNames(in, step.AttemptID):
		handled.Resolve = ResolveAnnotation(in)
	case !resolvesNothing(in):
	case hasResolved(in):
		handled.Resolve = ResolveAnnotation(in)
	default:
		handled.IgnoredResolve = ResolveAnnotation(in)
	}
	return handled
}
