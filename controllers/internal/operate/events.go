// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Event reasons defined by the operator.
const (
	eventAccepted      = "RequestAccepted"
	eventResponseLost  = "ResponseLost"
	eventNotSent       = "RequestNotSent"
	eventNotProcessed  = "RequestNotProcessed"
	eventUnknown       = "OutcomeUnknown"
	eventResolved      = "OutcomeResolved"
	eventRefused       = "RequestRejected"
	eventSucceeded     = "RequestSucceeded"
	eventAbandoned     = "RequestAbandoned"
	eventRescheduled   = "CancellationRescheduled"
	eventAborted       = "CancellationAborted"
	eventResultDiffers = v1alpha1.ReasonResultDiffers
	eventOddLocation   = "OddLocation"
	eventLate          = "LateAcceptance"
	eventUnrecorded    = "ResponseNotRecorded"

	eventStatusCut     = "StatusCut"
	eventStatusRefused = "StatusRefused"

	eventTimeAhead = "TimeInFuture"
)

// Event reasons that the specification names (spec §6).
const (
	eventPlanChanged       = "ServicePlanChanged"
	eventPlanRejected      = "ServicePlanChangeRejected"
	eventSLAChanged        = "ServiceRestorationSlaChanged"
	eventAggregated        = "ServiceAggregationModified"
	eventAggregationFailed = "ServiceAggregationModificationFailed"
	eventProfileChanged    = "ServiceDslStabilityProfileChanged"
	eventReclaimed         = "ServiceReclaimActivated"
)

const eventContradicted = "OutcomeContradicted"

// Recorder writes Kubernetes Events.
type Recorder interface {
	Eventf(regarding, related runtime.Object, eventtype, reason, action, note string, args ...any)
}

// longestNote is the maximum length of an Event's note in bytes. The API server rejects Events with
// longer notes.
const longestNote = 1024

// Concise is a Recorder that shortens notes to longestNote. The API server would refuse a longer
// note, and nobody would notice (R18).
type Concise struct{ Recorder }

// Eventf records an Event, with as much of its note as fits.
//
//nolint:revive // argument-limit: the parameters are those of Kubernetes' events.EventRecorder
func (c Concise) Eventf(regarding, related runtime.Object, eventtype, reason, action, note string, args ...any) {
	c.Recorder.Eventf(regarding, related, eventtype, reason, action, "%s", cut(fmt.Sprintf(note, args...), longestNote))
}

// cut shortens a text to a maximum number of bytes, and ends it with a whole character.
func cut(text string, limit int) string {
	const more = "…"
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit-len(more)], "") + more
}

func (p *Protocol) announce(subject Subject, request v1alpha1.Request, fact Fact) {
	reason, normal := eventOf(fact, request)
	if reason == "" {
		return
	}
	kind := corev1.EventTypeWarning
	if normal {
		kind = corev1.EventTypeNormal
	}
	p.Events.Eventf(subject, nil, kind, reason, string(request.Operation), "%s", decide.EventText(&request))
	if request.Warning != "" && request.Phase == v1alpha1.PhaseSucceeded {
		p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventResultDiffers, string(request.Operation),
			"%s", request.Warning)
	}
}

// eventOf returns the Event reason for a request that has changed, and whether the Event is of type
// Normal.
func eventOf(fact Fact, request v1alpha1.Request) (reason string, normal bool) {
	switch request.Phase {
	case v1alpha1.PhaseSucceeded:
		if decide.ResultDiffers(&request) {
			return eventResultDiffers, false
		}
		return succeeded(request), true
	case v1alpha1.PhaseFailed, v1alpha1.PhaseRejected:
		return endingOf(request.Operation).failed, false
	case v1alpha1.PhaseSubmitting:
		if decide.IsBusy(request.Error) { // its response was not lost: a request is in progress
			return "", false
		}
		return eventResponseLost, false
	case v1alpha1.PhaseInProgress, v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseNotSent,
		v1alpha1.PhaseNotProcessed, v1alpha1.PhaseNotAccepted, v1alpha1.PhaseAbandoned, v1alpha1.PhaseLateAcceptance,
		v1alpha1.PhaseRepeated:
	}
	return fact.Event, fact.Normal
}

// ended has the Event reasons for success and failure of an operation.
type ended struct {
	operation         v1alpha1.Operation
	succeeded, failed string
}

// endings lists the operations with Event reasons of their own. Most have one for success only; the
// specification names a failure reason for two.
func endings() []ended {
	return []ended{
		{v1alpha1.OperationPlanChange, eventPlanChanged, eventPlanRejected},
		{v1alpha1.OperationAggregationConversion, eventAggregated, eventAggregationFailed},
		{v1alpha1.OperationDSLStabilityProfileChange, eventProfileChanged, eventRefused},
		{v1alpha1.OperationReclaim, eventReclaimed, eventRefused},
		{v1alpha1.OperationCancellationReschedule, eventRescheduled, eventRefused},
		{v1alpha1.OperationCancellationAbort, eventAborted, eventRefused},
	}
}

func endingOf(operation v1alpha1.Operation) ended {
	for _, e := range endings() {
		if e.operation == operation {
			return e
		}
	}
	return ended{operation, eventSucceeded, eventRefused}
}

// succeeded returns the Event reason for a success. A plan change with the same plan is an SLA
// change.
func succeeded(request v1alpha1.Request) string {
	if request.Target.RestorationSLA != "" && request.Target.Plan == request.Before.Plan {
		return eventSLAChanged
	}
	return endingOf(request.Operation).succeeded
}

// warnOfContradiction emits a Warning Event for a fact that is dropped because it contradicts the
// recorded phase. A late acceptance is reported by [Protocol.recordLate] instead.
func (p *Protocol) warnOfContradiction(subject Subject, request *v1alpha1.Request, fact Fact) {
	accepted := fact.By == decide.WriterSender && fact.To == v1alpha1.PhaseSucceeded
	if accepted || !decide.Contradicts(request.Phase, fact.To) {
		return
	}
	correct := ""
	if decide.EndedByPerson(request) { // no other record can be corrected
		correct = "; if the record is wrong, correct it with " + v1alpha1.AnnotationResolve
	}
	p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventContradicted, string(request.Operation),
		"%s attempt %s is recorded as %s (%s), but now %s: the record is kept. Ask the carrier%s",
		request.Operation, request.AttemptID, request.Phase, recordedBy(request.EndedBy), reports(fact), correct)
}

// recordedBy says how the outcome of an attempt became known.
func recordedBy(by v1alpha1.EndedBy) string {
	switch by {
	case v1alpha1.EndedByCarrier:
		return "as the carrier reported"
	case v1alpha1.EndedByPerson:
		return "as a person resolved it"
	case v1alpha1.EndedBySender:
		return "as the process that sent it reported"
	case v1alpha1.EndedByProof:
	}
	return "as a later read showed"
}

// reports says who reports the phase of a fact.
func reports(fact Fact) string {
	switch fact.By {
	case decide.WriterSender:
		return "the process that sent it reports " + string(fact.To)
	case decide.WriterPoll:
		return "the carrier reports " + string(fact.To)
	case decide.WriterPerson:
		return "a person states " + string(fact.To)
	case decide.WriterRule:
	}
	return "a later read shows " + string(fact.To)
}
