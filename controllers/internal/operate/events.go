// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
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

// Concise is a Recorder that shortens notes to what an Event may have. The API server would refuse
// a longer one, and nobody would notice (R18).
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
