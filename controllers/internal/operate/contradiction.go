// SPDX-License-Identifier: Apache-2.0

package operate

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

const eventContradicted = "OutcomeContradicted"

// contradicted reports a fact that is refused because the record says otherwise. Of what was accepted
// late [Protocol.recordLate] speaks.
func (p *Protocol) contradicted(subject Subject, request *v1alpha1.Request, fact Fact) {
	accepted := fact.By == decide.WriterSender && fact.To == v1alpha1.PhaseSucceeded
	if accepted || !decide.Contradicts(request.Phase, fact.To) {
		return
	}
	p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventContradicted, string(request.Operation),
		"%s attempt %s is %s on record, as the %s said, and the %s says now that it is %s: the record stays as it is. "+
			"Ask the carrier; if the record is wrong, correct it with %s",
		request.Operation, request.AttemptID, request.Phase, request.EndedBy, fact.By, fact.To, v1alpha1.AnnotationResolve)
}
