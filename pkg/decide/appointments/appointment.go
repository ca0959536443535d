// SPDX-License-Identifier: Apache-2.0

// Package appointments decides about an AppointmentRequest: which slots a technician has for an
// order, and which of them is recommended.
package appointments

import (
	"cmp"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Decide decides about an appointment-request. Its single request is either the query for slots or
// the cancellation of the appointment-request that a query created. The carrier creates a new
// appointment-request for each query, so the old one is cancelled first.
// status.appointmentRequestID holds the id of the old one until the carrier has confirmed the
// cancellation.
func Decide(in Input) decide.Decision {
	decision := *decide.First(&in, slotRules())
	decision.WithControls(&in.Input)
	return decision
}

// slotRules lists the rules of an appointment-request, in their order. The last one always decides.
func slotRules() []decide.Rule[*Input] {
	common := decide.Common[*Input]
	return []decide.Rule[*Input]{
		common(decide.ResponseIsUnrecorded), // a response held in memory is recorded before anything else
		common(decide.ResolvedByPerson),     // a person's resolution ends an unknown outcome
		slotsOffered,                        // slots that were read stay valid, whatever the state of the account
		common(decide.AccountIsNotReady),    // no call is possible without a login
		common(decide.SentElsewhere),        // a request in progress stays with the login that sent it
		requestIsOpen,                       // a request at the carrier is tracked until it ends
		orderGone,                           // slots for an order that is gone are of no use
		orderIsUnknown,                      // the order has a number, and belongs to this account
		dateHasPassed,                       // the day is not in the past
		queryWasRefused,                     // a query that the carrier has refused waits for a correction or a retry
		cancelFirst,                         // the appointment-request of the query before is cancelled
		querySlots,                          // the slots are queried, if what applies to every kind allows it
	}
}

func requestIsOpen(in *Input) *decide.Decision {
	return decide.UntilEnded(&in.Input, decide.OpenRequest(&in.Input), evidenceOf(in))
}

// UpdateFromRequest updates the appointment-request in the status from the recorded request.
func UpdateFromRequest(status *v1alpha1.AppointmentRequestStatus) {
	request := status.Request
	switch {
	case request == nil:
	case request.Operation == v1alpha1.OperationAppointmentSlots:
		updateFromQuery(status, request)
	case request.Phase == v1alpha1.PhaseSucceeded || request.Phase == v1alpha1.PhaseAbandoned:
		forget(status) // cancelled, or abandoned by a person
	}
}

// updateFromQuery takes the id of the appointment-request from the Location. A query that was not
// accepted, or whose response was lost, is sent again after a minute, and no appointment-request is
// known until then.
func updateFromQuery(status *v1alpha1.AppointmentRequestStatus, request *v1alpha1.Request) {
	if request.Phase == v1alpha1.PhaseNotProcessed || request.Phase == v1alpha1.PhaseNotAccepted {
		forget(status)
		return
	}
	handle, err := decide.HandleOf(request)
	if err != nil {
		return // the carrier has not accepted it
	}
	if id, whole := carrier.Number(handle.ID).Int(); whole {
		status.AppointmentRequestID, status.DateFrom = v1alpha1.CarrierIDOf(id), v1alpha1.Date(request.Target.Date)
	}
}

// Dropped describes an appointment-request that the status no longer has, because the carrier does
// not recognize the Location of its query any more; "" if there is none. Nobody knows whether it
// still exists.
func Dropped(before v1alpha1.CarrierID, status *v1alpha1.AppointmentRequestStatus) string {
	if before == "" || status.AppointmentRequestID != "" || status.Request == nil ||
		status.Request.Operation != v1alpha1.OperationAppointmentSlots {
		return ""
	}
	return fmt.Sprintf("appointment-request %s may still exist at the carrier: %s; if necessary, ask the carrier to "+
		"cancel it", before, decide.ErrorMessage(status.Request.Error))
}

// forget clears the appointment-request in the status, and its slots, which can no longer be
// booked.
func forget(status *v1alpha1.AppointmentRequestStatus) {
	status.AppointmentRequestID, status.OrderID, status.DateFrom = "", "", ""
	status.Slots, status.SlotCount, status.Recommended, status.Since = nil, 0, nil, metav1.Time{}
}

// Show recomputes the recommendation, which depends on the preferences and needs no call to the
// carrier.
func Show(a *v1alpha1.AppointmentRequest, order *v1alpha1.ServiceOrder) {
	a.Status.Recommended = choiceOf(a, order)
}

func choiceOf(a *v1alpha1.AppointmentRequest, order *v1alpha1.ServiceOrder) *v1alpha1.RecommendedSlot {
	technology := ""
	if order != nil {
		technology = order.Status.TechnologyType
	}
	return Recommend(a.Status.Slots, a.Spec.Preferences, technology)
}

// Body returns the body of a request as it is sent.
func Body(request v1alpha1.Request, appointmentRequestID, orderID v1alpha1.CarrierID) []byte {
	if request.Operation == v1alpha1.OperationAppointmentCancel {
		return carrier.AppointmentCancelRequest{AppointmentRequestID: appointmentRequestID.Number()}.Body()
	}
	return carrier.AppointmentSlotsRequest{DateFrom: request.Target.Date, OrderID: orderID.Number()}.Body()
}

// slotsOffered returns a decision while the requested slots are recorded. It is not a failure if no
// slot is suitable, because the query itself succeeded.
func slotsOffered(in *Input) *decide.Decision {
	if !slotsAreCurrent(in) {
		return nil
	}
	if decide.AccountIsNotReady(&in.Input) == nil {
		if elsewhere := madeElsewhere(in); elsewhere != nil {
			return elsewhere
		}
	}
	if in.Appointment.Status.Cancelled != nil {
		return decide.RestStuck(v1alpha1.ReasonCancelled, cancelledByCarrier(in))
	}
	if gone := orderGone(in); gone != nil {
		return gone
	}
	return decide.RestSettled(v1alpha1.ReasonCompleted, slotsMessage(in.Appointment, choiceOf(in.Appointment, in.Order)))
}

// slotsAreCurrent reports whether the slots in the status are those that the spec asks for.
func slotsAreCurrent(in *Input) bool {
	status := &in.Appointment.Status
	known := decide.OpenRequest(&in.Input) == nil && status.AppointmentRequestID != "" && !status.Since.IsZero()
	return known && status.DateFrom == in.Appointment.Spec.DateFrom && !wantsRefresh(in) && !ofAnotherOrder(in)
}

// ofAnotherOrder reports whether the slots are not for the present order: they are for a different
// one, such as an earlier ServiceOrder of the same name, or the carrier no longer has the order.
func ofAnotherOrder(in *Input) bool {
	if in.Order != nil && whyNotPlaced(in.Order) != "" {
		return true
	}
	number := OrderNumber(in.Appointment, in.Order)
	asked := in.Subject.Record().RequestOf(v1alpha1.OperationAppointmentSlots)
	if asked == nil { // the newest request is a cancel request that did not succeed
		return number != "" && number != in.Appointment.Status.OrderID
	}
	return number != "" && asked.BodyHash != decide.BodyHash(desiredSlots(in).Body)
}

func wantsRefresh(in *Input) bool {
	asked := decide.Control(in.Subject, v1alpha1.AnnotationReconcile)
	return asked != "" && asked != in.Subject.Record().Controls().Reconcile
}

// orderIsUnknown returns a decision while the order number is unknown, or if the order belongs to
// another account.
func orderIsUnknown(in *Input) *decide.Decision {
	ref, order := in.Appointment.Spec.OrderRef, in.Order
	switch {
	case ref == nil:
		return nil
	case order == nil:
		return decide.RestWorking(v1alpha1.ReasonOrderNotReady, fmt.Sprintf(
			"ServiceOrder %s does not exist in this namespace: create it; the slots are then queried", ref.Name))
	case order.Spec.AccountRef != in.Appointment.Spec.AccountRef:
		return decide.RestStuck(v1alpha1.ReasonConflict, fmt.Sprintf(
			"ServiceOrder %s belongs to CarrierAccount %s, but this object belongs to %s: slots are queried with the "+
				"account that placed the order; create another AppointmentRequest with that accountRef",
			ref.Name, order.Spec.AccountRef.Name, in.Appointment.Spec.AccountRef.Name))
	case whyNotPlaced(order) != "":
		return decide.RestWorking(v1alpha1.ReasonOrderNotReady, whyNotPlaced(order))
	}
	return nil
}

// orderGone returns a decision if the order of the slots is gone: its ServiceOrder was deleted,
// or the carrier has rejected it. The appointment-request at the carrier stays: it is cancelled
// when this object is deleted, or when a person requests other slots.
func orderGone(in *Input) *decide.Decision {
	ref, order, status := in.Appointment.Spec.OrderRef, in.Order, &in.Appointment.Status
	which := "its order"
	if status.OrderID != "" {
		which = "order " + string(status.OrderID)
	}
	switch {
	case ref == nil:
		return nil
	case order != nil && order.Status.Rejection != nil:
		return decide.RestStuck(v1alpha1.ReasonOrderGone, fmt.Sprintf(
			"the carrier has rejected the order of ServiceOrder %s: its condition says what to do%s", ref.Name, leftBehind(in)))
	case order == nil && status.AppointmentRequestID != "":
		return decide.RestStuck(v1alpha1.ReasonOrderGone, fmt.Sprintf(
			"ServiceOrder %s no longer exists, so nothing here shows what became of %s: if it is still to be carried out, "+
				"create the ServiceOrder again%s", ref.Name, which, leftBehind(in)))
	}
	return nil
}

// leftBehind describes what remains at the carrier of an order that is gone, and how to cancel
// it; "" if nothing remains.
func leftBehind(in *Input) string {
	id := in.Appointment.Status.AppointmentRequestID
	switch {
	case id == "":
		return ""
	case CancelsOnDelete(in.Appointment):
		return fmt.Sprintf(
			". Appointment-request %s is still open at the carrier: delete this AppointmentRequest to cancel it", id)
	}
	return fmt.Sprintf(". Appointment-request %s is still open at the carrier, and deletionPolicy is Keep", id)
}

// whyNotPlaced returns why there is no order at the carrier for which a technician could come; "" if
// there is one.
func whyNotPlaced(order *v1alpha1.ServiceOrder) string {
	switch {
	case order.Status.Rejection != nil:
		return fmt.Sprintf("the carrier has rejected the order of ServiceOrder %s: its condition says what to do", order.Name)
	case order.Status.OrderID == "":
		return fmt.Sprintf("ServiceOrder %s has no order number yet: the slots are queried when the carrier has accepted "+
			"the order", order.Name)
	}
	return ""
}

// dateHasPassed rejects a day that is in the past in the account's time zone: no slot can be on it.
func dateHasPassed(in *Input) *decide.Decision {
	from := string(in.Appointment.Spec.DateFrom)
	if from >= decide.Today(&in.Input) {
		return nil
	}
	return decide.RestOn(decide.DateInPast(&in.Input, "dateFrom", from))
}

// queryWasRefused holds back a query that the carrier rejected, unless the reconcile annotation
// requests the slots again.
func queryWasRefused(in *Input) *decide.Decision {
	if wantsRefresh(in) {
		return nil
	}
	refused := in.Subject.Record().RequestOf(v1alpha1.OperationAppointmentSlots)
	held := decide.HeldBack(&in.Input, refused)
	if held != nil && held.Verdict.Reason == v1alpha1.ReasonNotFoundOrForbidden {
		field := "spec.orderID"
		if in.Appointment.Spec.OrderRef != nil {
			field = "spec.orderRef"
		}
		held.Verdict.Message = fmt.Sprintf("order %s is not known to this account, or has no appointments: check %s and "+
			"the account's permissions; the query is retried automatically%s",
			OrderNumber(in.Appointment, in.Order), field, decide.WhyRetryIgnored(&in.Input, refused))
	}
	return held
}

// cancelFirst cancels the recorded appointment-request, which is no longer the needed one.
func cancelFirst(in *Input) *decide.Decision {
	if in.Appointment.Status.AppointmentRequestID == "" {
		return nil
	}
	record := in.Subject.Record()
	failed := decide.HeldBack(&in.Input, record.RequestOf(v1alpha1.OperationAppointmentCancel))
	if held := cmp.Or(madeElsewhere(in), failed); held != nil {
		return held
	}
	want := decide.DesiredChange{Operation: v1alpha1.OperationAppointmentCancel}
	decision := decide.SendTask(&in.Input, decide.Task{Operation: want.Operation, Body: appointmentBody(in, want)})
	// The cancellation is the first step of a retry of the query.
	if submit, sends := decision.Step.(decide.Submit); sends {
		decision.Step = decide.UsingUpRetry(&in.Input, submit, record.RequestOf(v1alpha1.OperationAppointmentSlots))
	}
	return decision
}

// madeElsewhere reports a conflict if another login than that of the account created the
// appointment-request. At another carrier, the same number identifies a different one.
func madeElsewhere(in *Input) *decide.Decision {
	request := in.Appointment.Status.Request
	if request == nil || request.Login == in.Account.Memory() {
		return nil
	}
	return decide.RestStuck(v1alpha1.ReasonConflict, fmt.Sprintf(
		"appointment-request %s was created with %s, but CarrierAccount %s now has %s, with which it can be neither "+
			"booked nor cancelled: create the CarrierAccount again with the former login, or create another "+
			"AppointmentRequest",
		in.Appointment.Status.AppointmentRequestID, request.Login, in.Subject.AccountName(), in.Account.Memory()))
}

// querySlots queries when a technician is available. The query creates an appointment-request at
// the carrier. Therefore --submit=false ("send nothing") holds it back, unlike other queries, and
// the finalizer is added first if the appointment-request is to be cancelled on deletion.
func querySlots(in *Input) *decide.Decision {
	want := desiredSlots(in)
	if held := in.Withheld().Rest(fmt.Sprintf(
		"%s is not sent, because it would create an appointment-request", want.Operation)); held != nil {
		return held
	}
	decision := decide.SendTask(&in.Input, decide.Task{Operation: want.Operation, Target: want.Target, Body: want.Body})
	if query, ok := decision.Step.(decide.SubmitQuery); ok {
		query.FinalizerFirst = CancelsOnDelete(in.Appointment)
		query.Reconcile = decide.Control(in.Subject, v1alpha1.AnnotationReconcile)
		decision.Step = query
	}
	return decision
}

func desiredSlots(in *Input) decide.DesiredChange {
	want := decide.DesiredChange{Operation: v1alpha1.OperationAppointmentSlots}
	want.Target.Date = string(in.Appointment.Spec.DateFrom)
	want.Body = appointmentBody(in, want)
	return want
}

func appointmentBody(in *Input, want decide.DesiredChange) []byte {
	request := v1alpha1.Request{Operation: want.Operation, Target: want.Target}
	return Body(request, in.Appointment.Status.AppointmentRequestID, OrderNumber(in.Appointment, in.Order))
}

// evidence determines the outcome of a request. An appointment-request cannot be read, so a query
// for slots is sent again, and a cancellation, of class Converge, is repeated. It is still needed
// (R33) if another day is declared by then: nobody knows whether the old slots can be booked.
type evidence struct{ decide.TaskEvidence }

func evidenceOf(in *Input) evidence { return evidence{decide.TaskEvidence{Input: &in.Input}} }

func (a evidence) Verify(open *v1alpha1.Request) *decide.Decision {
	if open.Operation == v1alpha1.OperationAppointmentSlots {
		return decide.ResolveBy(decide.WriterRule, open, v1alpha1.PhaseNotProcessed, decide.WhyUnknown(open))
	}
	return decide.Converge(a.Input, open, func() *decide.Decision {
		return a.Withheld().Rest(fmt.Sprintf("%s, whose response was lost, is not sent again; to resolve it by hand: %s",
			open.Operation, decide.ResolveHint(a.Input, open)))
	})
}
