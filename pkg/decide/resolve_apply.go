// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// ResolvedByPerson returns a decision in three cases: the resolve annotation names an open attempt
// that a person may resolve; it resolves all unknown outcomes; or it changes an earlier resolution.
func ResolvedByPerson(in *Input) *Decision {
	for _, open := range in.Subject.Record().OpenRequests() {
		if ResolutionNames(in, open.AttemptID) && resolvable(in, open) || resolvesAll(in, open) {
			return resolveAs(open, ResolveAnnotation(in))
		}
	}
	if ended := newlyResolved(in); ended != nil {
		return resolveAs(ended, ResolveAnnotation(in))
	}
	return nil
}

// resolveAs applies a person's resolution to an attempt; nil if the resolution is void.
func resolveAs(open *v1alpha1.Request, annotation string) *Decision {
	resolved, _ := ParseResolution(annotation)
	if WhyImpossible(open, annotation) != "" {
		return nil // the void resolution is ignored, and the request keeps its known state
	}
	switch resolved.Outcome {
	case resolvedAccepted:
		return accepted(open, resolved.requestID)
	case ResolvedSucceeded:
		return ResolveSucceeded(WriterPerson, open, v1alpha1.SourceDeclared)
	case resolvedAbandoned:
		return ResolveBy(WriterPerson, open, v1alpha1.PhaseAbandoned, Because(abandonedText(open.Operation)))
	}
	return ResolveBy(WriterPerson, open, v1alpha1.PhaseNotAccepted, Because("resolved as not accepted by the carrier"))
}

// abandonedText explains what follows from abandoning a request. An abandoned order uses up its
// customerReference, because the order may exist.
func abandonedText(operation v1alpha1.Operation) string {
	if operation == v1alpha1.OperationOrderCreate {
		return "with the resolve annotation, which is final: the customerReference cannot be used again"
	}
	return "with the resolve annotation"
}

func accepted(open *v1alpha1.Request, requestID string) *Decision {
	location, phase := handleNamed(open, requestID).Path(), v1alpha1.PhaseInProgress
	if contract, _ := carrier.ContractOf(carrier.Operation(open.Operation)); !contract.Polled {
		phase = v1alpha1.PhaseSucceeded // it cannot be polled, so it ends once it is accepted
	}
	return &Decision{
		Step: Resolve{
			AttemptID: open.AttemptID, By: WriterPerson, From: open.Phase, Phase: phase, Location: location,
		},
		Verdict: progressing(open),
	}
}

// IsResolved reports whether the resolve annotation names this attempt.
func IsResolved(object metav1.Object, attemptID string) bool {
	resolved, ok := ParseResolution(Control(object, v1alpha1.AnnotationResolve))
	return ok && resolved.AttemptID == attemptID
}

// resolvesNothing reports whether the annotation is not used up but can never apply. Either its
// form or its request id is invalid, or it names an attempt that is not open and may not be
// resolved again. Attempt ids are random and never reused, so an annotation that was ignored once
// stays ignored.
func resolvesNothing(in *Input) bool {
	value := ResolveAnnotation(in)
	if value == "" || value == in.Subject.Record().Controls().Resolve {
		return false
	}
	resolved, ok := ParseResolution(value)
	for _, open := range in.Subject.Record().OpenRequests() {
		if ok && open.AttemptID == resolved.AttemptID && !isUsedUp(in, value) {
			return WhyImpossible(open, value) != ""
		}
		if resolvesAll(in, open) {
			return false
		}
	}
	ended := newlyResolved(in)
	return ended == nil || WhyImpossible(ended, value) != ""
}

// hasResolved reports whether the annotation has resolved an attempt of the object. The status
// alone does not show this: it may have been emptied, and it shows a resolution of all attempts
// as handled only after the last of them is resolved.
func hasResolved(in *Input) bool {
	value := ResolveAnnotation(in)
	isBy := func(resolution *v1alpha1.Resolution) bool { return resolution != nil && resolution.Word == value }
	if slices.ContainsFunc(newestRequests(in), func(one *v1alpha1.Request) bool { return isBy(one.ResolvedBy) }) {
		return true
	}
	return in.Ledger != nil && slices.ContainsFunc(in.Ledger.Spec.Ended, func(ended v1alpha1.EndedAttempt) bool {
		return ended.UID == string(in.Subject.GetUID()) && isBy(ended.ResolvedBy)
	})
}

// newlyResolved returns an attempt that an earlier resolution has ended and a new resolution
// changes; nil if there is none. The attempt must be the newest of its lane, and the lane must
// have no open attempt. Otherwise something was sent because of the earlier resolution (R14).
func newlyResolved(in *Input) *v1alpha1.Request {
	for _, request := range newestRequests(in) {
		// Another manager may have recorded the resolution without showing it in the status yet.
		recorded := request.ResolvedBy != nil && request.ResolvedBy.Word == ResolveAnnotation(in)
		if EndedByPerson(request) && !recorded && ResolutionNames(in, request.AttemptID) && isLast(in.Ledger, request) {
			return request
		}
	}
	return nil
}

// isLast reports whether an attempt is its lane's newest and the lane has no open attempt. The
// ledger may be nil.
func isLast(ledger *v1alpha1.RequestLedger, attempt *v1alpha1.Request) bool {
	if ledger == nil {
		return false
	}
	beside := func(operation v1alpha1.Operation) bool {
		return operation.AltersCancellation() == attempt.Operation.AltersCancellation()
	}
	if slices.ContainsFunc(ledger.Spec.Open, func(open v1alpha1.Request) bool { return beside(open.Operation) }) {
		return false
	}
	at := slices.IndexFunc(ledger.Spec.Ended, func(one v1alpha1.EndedAttempt) bool { return beside(one.Operation) })
	return at >= 0 && ledger.Spec.Ended[at].AttemptID == attempt.AttemptID
}
