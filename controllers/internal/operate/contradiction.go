// SPDX-License-Identifier: Apache-2.0

package operate

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

const eventContradicted = "OutcomeContradicted"

// contradicted emits a Warning Event for a fact that is dropped because it contradicts the recorded
// phase. A late acceptance is reported by [Protocol.recordLate] instead.
func (p *Protocol) contradicted(subject Subject, request *v1alpha1.Request, fact Fact) {
	accepted := fact.By == decide.WriterSender && fact.To == v1alpha1.PhaseSucceeded
	if accepted || !decide.Contradicts(request.Phase, fact.To) {
		return
	}
	p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventContradicted, string(request.Operation),
		"%s attempt %s is recorded as %s, reported by the %s; the %s now reports %s: the record is kept. "+
			"Ask the carrier; if the record is wrong, correct it with %s",
		request.Operation, request.AttemptID, request.Phase, request.EndedBy, fact.By, fact.To, v1alpha1.AnnotationResolve)
}
