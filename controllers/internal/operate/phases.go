// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// apply applies a fact to a request, and updates the status if the request changed. A fact whose
// phase the writer may not set is refused here: see [decide.MayBecome].
func (p *Protocol) apply(scope Scope, request *v1alpha1.Request, fact Fact) v1alpha1.Request {
	was, now := *request.DeepCopy(), v1alpha1.WholeSeconds(p.Now())
	if decide.MayBecome(request, fact.By, fact.To) {
		fact.Apply(scope.Subject, request)
	} else {
		p.warnOfContradiction(scope.Subject, request, fact)
	}
	if request.Phase != was.Phase {
		setFinished(request, was.Phase, fact.By, now)
		decide.UseUpEarlyRetry(scope.Subject, request)
	}
	failed := request.Phase == v1alpha1.PhaseRejected || request.Phase == v1alpha1.PhaseFailed
	if scope.Refused != nil && failed {
		scope.Refused(request)
	}
	changed := *request.DeepCopy()
	if !equality.Semantic.DeepEqual(was, changed) {
		scope.Subject.RequestChanged(changed, now)
	}
	return changed
}

// setFinished records who ended an attempt, and when it ended or its outcome became unknown. The
// time at which the outcome became unknown is replaced once the attempt ends, and that of an
// earlier end once a person ends the attempt in another way, because a retry is only for a failure
// that has ended before the retry was requested (R21).
func setFinished(request *v1alpha1.Request, was v1alpha1.RequestPhase, by decide.Writer, now metav1.Time) {
	unknown, ended := v1alpha1.PhaseOutcomeUnknown, request.Phase.Ended()
	if ended {
		request.EndedBy = by.EndedBy(request.Phase)
	}
	again := ended && (was == unknown || by == decide.WriterPerson)
	if again || request.FinishedAt.IsZero() && (ended || request.Phase == unknown) {
		request.FinishedAt = now
	}
}
