// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"cmp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// RequestOf returns the newest request of an operation, or nil. The pointer points into the status.
func (s *BroadbandService) RequestOf(operation Operation) *Request {
	return first(s.Status.Requests, func(request *Request) bool { return request.Operation == operation })
}

// PutRequest replaces the newest request of its operation. Requests are sorted by operation, so
// that the same requests give the same status.
func (s *BroadbandService) PutRequest(request Request) {
	at, ok := slices.BinarySearchFunc(s.Status.Requests, request.Operation, func(one Request, of Operation) int {
		return strings.Compare(string(one.Operation), string(of))
	})
	if ok {
		s.Status.Requests[at] = request
		return
	}
	s.Status.Requests = slices.Insert(s.Status.Requests, at, request)
}

// OpenRequests returns the requests that have not ended. The carrier may have received any of them.
func (s *BroadbandService) OpenRequests() []*Request {
	var open []*Request
	for i := range s.Status.Requests {
		if !s.Status.Requests[i].Phase.Ended() {
			open = append(open, &s.Status.Requests[i])
		}
	}
	return open
}

// OpenRequest returns the modification that has not ended, or nil. No other modification of the
// service is sent while it is open.
func (s *BroadbandService) OpenRequest() *Request {
	return s.firstOpen(func(o Operation) bool { return !o.AltersCancellation() })
}

// OpenCancellation returns the reschedule or abort that has not ended, or nil. It is sent alongside
// a modification and never waits for one.
func (s *BroadbandService) OpenCancellation() *Request {
	return s.firstOpen(Operation.AltersCancellation)
}

// firstOpen returns the first open request, but prefers one that does not wait for a person.
func (s *BroadbandService) firstOpen(is func(Operation) bool) *Request {
	var first *Request
	for _, open := range s.OpenRequests() {
		if is(open.Operation) && (first == nil || first.waitsForPerson() && !open.waitsForPerson()) {
			first = open
		}
	}
	return first
}

func (r *Request) waitsForPerson() bool {
	return r.Phase == PhaseOutcomeUnknown || r.Phase == PhaseLateAcceptance
}

func (r *Request) code() string {
	if r.Error == nil {
		return ""
	}
	return r.Error.Code
}

// AltersCancellation reports whether an operation reschedules or aborts a cancellation.
func (o Operation) AltersCancellation() bool {
	return o == OperationCancellationReschedule || o == OperationCancellationAbort
}

// ServiceNumber is the carrier's number, declared or taken from the order; "" while it is unknown.
func (s *BroadbandService) ServiceNumber() CarrierID {
	return cmp.Or(s.Spec.ServiceID, s.Status.ServiceID)
}

// LastKnown returns what is known of the service at the carrier, perhaps nothing.
func (s *BroadbandService) LastKnown() CarrierState {
	if s.Status.Carrier == nil {
		return CarrierState{}
	}
	return *s.Status.Carrier
}

// OnlyObserves reports whether the service is only read and nothing is changed.
func (s *BroadbandService) OnlyObserves() bool { return s.Spec.ManagementPolicy == ManagementObserve }

// ValueOrEmpty returns the value, or "" if it is not known.
func (k *KnownValue) ValueOrEmpty() string {
	if k == nil {
		return ""
	}
	return k.Value
}

// Ended reports whether an attempt in this phase is finished. A phase that this version does not
// know counts as not ended, and is ignored.
func (p RequestPhase) Ended() bool {
	switch p {
	case PhaseSucceeded, PhaseFailed, PhaseNotSent, PhaseNotProcessed, PhaseRejected, PhaseNotAccepted, PhaseAbandoned,
		PhaseRepeated:
		return true
	case PhaseSubmitting, PhaseInProgress, PhaseOutcomeUnknown, PhaseLateAcceptance:
		return false
	}
	return false
}

// RequestChanged updates the request in flight and the newest error after a request has changed.
func (s *BroadbandService) RequestChanged(request Request, now metav1.Time) {
	s.ShowInFlight()
	s.Status.LastError = lastError(s.Status.LastError, request, now)
}

// ShowLedger shows the requests of a ledger in the status; nil means that there are none.
func (s *BroadbandService) ShowLedger(ledger *RequestLedger) {
	s.Status.Requests = nil
	if ledger != nil {
		for _, request := range slices.Concat(ledger.Spec.Open, ledger.Spec.Last) {
			s.PutRequest(*ledger.RequestOf(request.Operation).DeepCopy())
		}
	}
	s.ShowInFlight()
}

// Changes returns the changes of the plan that this request makes.
func (r *Request) Changes() []Change { return ChangesBy(r.Plan, r.Operation) }

// ChangesBy returns the changes of a plan that an operation makes.
func ChangesBy(plan []Change, operation Operation) []Change {
	return slices.DeleteFunc(slices.Clone(plan), func(change Change) bool { return change.Operation != operation })
}

// ShowInFlight sets the request that the columns show. An abort or reschedule of the cancellation
// does not hide a change, which is what the columns are read for.
func (s *BroadbandService) ShowInFlight() {
	s.Status.InFlight = nil
	for _, open := range []*Request{s.OpenCancellation(), s.OpenRequest()} {
		if open != nil && open.Phase != PhaseOutcomeUnknown {
			s.Status.InFlight = &InFlight{Operation: open.Operation, Location: open.Location}
		}
	}
}

// lastError returns the newest error, kept until its operation proceeds. The time is that at which
// the same attempt first met it.
func lastError(held *LastError, request Request, now metav1.Time) *LastError {
	if request.Error == nil {
		if held != nil && held.Operation != request.Operation {
			return held
		}
		return nil
	}
	same := held != nil && held.Operation == request.Operation &&
		held.HTTPStatus == request.Error.HTTPStatus && held.Code == request.Error.Code
	if same && !held.At.Before(&request.SubmittedAt) {
		return held
	}
	return &LastError{Operation: request.Operation, RequestError: *request.Error, At: now}
}

// SetterAnnotation returns the annotation that names who has set another; "" if there is none.
func SetterAnnotation(annotation string) string {
	return map[string]string{
		AnnotationApprove: AnnotationApprovedBy,
		AnnotationResolve: AnnotationResolvedBy,
		AnnotationRetry:   AnnotationRetriedBy,
	}[annotation]
}
