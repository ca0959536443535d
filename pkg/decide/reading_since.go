// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// ChangedAt returns when a request of ours last changed the topic.
func ChangedAt(in *Input, topic Topic) time.Time {
	return lastEnd(in, func(done *v1alpha1.Request) bool { return changes(done, topic) })
}

// ModifiedAt returns when the newest modification of ours ended.
func ModifiedAt(in *Input) time.Time {
	return lastEnd(in, func(done *v1alpha1.Request) bool { return !done.Operation.AltersCancellation() })
}

// AlteredAt returns when our newest reschedule or abort ended.
func AlteredAt(in *Input) time.Time {
	return lastEnd(in, func(done *v1alpha1.Request) bool { return done.Operation.AltersCancellation() })
}

// lastEnd returns when the newest of the ended requests selected by counts ended. A status has
// whole seconds, so the end of that second is returned. A request that never reached the carrier
// is ignored.
func lastEnd(in *Input, counts func(*v1alpha1.Request) bool) time.Time {
	var at time.Time
	for contract := range carrier.Contracts() {
		done := ReachedOf(in, v1alpha1.Operation(contract.Operation))
		if done != nil && !done.FinishedAt.IsZero() && counts(done) {
			at = Later(at, in.Past(done.FinishedAt).Add(StatusPrecision))
		}
	}
	return at
}

// changes reports whether a request has changed the topic. A request that stands for a lost ledger
// may have changed anything.
func changes(request *v1alpha1.Request, topic Topic) bool {
	if StandsForLostLedger(request) {
		return true
	}
	if request.Phase != v1alpha1.PhaseSucceeded {
		return false
	}
	switch topic {
	case TopicHealth:
		return request.Operation == v1alpha1.OperationPlanChange
	case TopicService:
		return !request.Operation.AltersCancellation()
	case TopicCancellation:
		return TouchesCancellation(request.Operation)
	case TopicDisruptions, TopicOptions, TopicTestTypes, TopicOrder:
	}
	return false
}

// TouchesCancellation reports whether an operation changes the cancellation of a service.
func TouchesCancellation(operation v1alpha1.Operation) bool {
	return operation == v1alpha1.OperationReclaim || operation.AltersCancellation()
}

// AgeOf returns the time since a reading was requested, by the clock that shows the longer time: the
// monotonic clock stops while the machine is suspended, and the wall clock can be set by people.
func AgeOf(in *Input, reading *Reading) time.Duration {
	return max(in.Elapsed-reading.Elapsed, in.Now.Round(0).Sub(reading.RequestedAt.Round(0)))
}

// ReconcileRequested reports whether the reconcile annotation asks for a reading that has not been
// requested for this annotation yet.
func ReconcileRequested(in *Input, reading *Reading) bool {
	token := Control(in.Subject, v1alpha1.AnnotationReconcile)
	return token != "" && token != in.Subject.Record().Controls().Reconcile && token != reading.Token
}
