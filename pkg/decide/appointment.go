// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// AppointmentInput is the complete input of a decision about one appointment-request.
type AppointmentInput struct {
	Input

	Appointment *v1alpha1.AppointmentRequest // the subject
	Order       *v1alpha1.ServiceOrder       // the order that orderRef names; nil if there is none
}

// Appointment decides about an appointment-request. Its single request is either the query for
// slots or the cancellation of what that query created. The carrier creates a new
// appointment-request for each query, so the old one is cancelled first.
// status.appointmentRequestID holds the one to be cancelled until the carrier has confirmed the
// cancellation.
func Appointment(in AppointmentInput) Decision {
	decision := firstStep([]func() *Decision{
		func() *Decision { return answeredRequest(&in.Input) },
		func() *Decision { return resolvedByPerson(&in.Input) },
		func() *Decision { return slotsOffered(&in) }, // slots already read stay valid, whatever the state of the account
		func() *Decision { return accountReady(&in.Input) },
		func() *Decision { return sentElsewhere(&in.Input) },
		func() *Decision { return untilEnded(&in.Input, openOf(&in.Input), appointmentEvidence{&in.Input}) },
		func() *Decision { return orderKnown(&in) },
		func() *Decision { return dateToCome(&in) },
		func() *Decision { return slotsRefused(&in) },
		func() *Decision { return cancelFirst(&in) },
		func() *Decision { return askForSlots(&in) },
	})
	decision.withControls(&in.Input)
	return decision
}

// TakeAppointment updates the appointment-request in the status from the recorded request.
func TakeAppointment(status *v1alpha1.AppointmentRequestStatus) {
	request := status.Request
	switch {
	case request == nil:
	case request.Operation == v1alpha1.OperationAppointmentSlots:
		takeAsked(status, request)
	case request.Phase == v1alpha1.PhaseSucceeded || request.Phase == v1alpha1.PhaseAbandoned:
		forgetAppointment(status) // cancelled, or abandoned by a person
	}
}

// takeAsked takes the id of the appointment-request from the Location. A Location that cannot be
// found "is asked anew after 60 s": by then we know of no other appointment-request.
func takeAsked(status *v1alpha1.AppointmentRequestStatus, request *v1alpha1.Request) {
	if request.Phase == v1alpha1.PhaseNotProcessed || request.Phase == v1alpha1.PhaseNotAccepted {
		forgetAppointment(status)
		return
	}
	handle, err := carrier.ParseLocation(carrier.AppointmentSlots, int(request.APIVersion), request.Location)
	if err != nil {
		return // the carrier has not accepted it
	}
	if id, whole := carrier.Number(handle.ID).Int(); whole {
		status.AppointmentRequestID, status.DateFrom = v1alpha1.CarrierIDOf(id), v1alpha1.Date(request.Target.Date)
	}
}

// forgetAppointment also forgets the slots: they can no longer be booked.
func forgetAppointment(status *v1alpha1.AppointmentRequestStatus) {
	status.AppointmentRequestID, status.DateFrom = "", ""
	status.Slots, status.SlotCount, status.Recommended, status.Since = nil, 0, nil, metav1.Time{}
}

// ShowAppointment recomputes the recommendation: it depends on the preferences and needs no call.
func ShowAppointment(a *v1alpha1.AppointmentRequest, order *v1alpha1.ServiceOrder) {
	a.Status.Recommended = choiceOf(a, order)
}

func choiceOf(a *v1alpha1.AppointmentRequest, order *v1alpha1.ServiceOrder) *v1alpha1.RecommendedSlot {
	return Recommend(a.Status.Slots, a.Spec.Preferences, technologyOf(order))
}

func technologyOf(order *v1alpha1.ServiceOrder) string {
	if order == nil {
		return ""
	}
	return order.Status.TechnologyType
}

// AppointmentBody returns the body of a request as it is sent.
func AppointmentBody(request v1alpha1.Request, appointmentRequestID, orderID v1alpha1.CarrierID) []byte {
	if request.Operation == v1alpha1.OperationAppointmentCancel {
		return carrier.AppointmentCancelRequest{AppointmentRequestID: appointmentRequestID.Number()}.Body()
	}
	return carrier.AppointmentSlotsRequest{DateFrom: request.Target.Date, OrderID: orderID.Number()}.Body()
}

// OrderNumber is the carrier's number of the order; "" while it is unknown.
func OrderNumber(a *v1alpha1.AppointmentRequest, order *v1alpha1.ServiceOrder) v1alpha1.CarrierID {
	if a.Spec.OrderID == "" && order != nil {
		return order.Status.OrderID
	}
	return a.Spec.OrderID
}

// slotsOffered returns a decision while the requested slots are recorded. It is not a failure if no
// slot is suitable: the query was answered.
func slotsOffered(in *AppointmentInput) *Decision {
	status := &in.Appointment.Status
	known := openOf(&in.Input) == nil && status.AppointmentRequestID != "" && !status.Since.IsZero()
	if !known || status.DateFrom != in.Appointment.Spec.DateFrom || wantsRefresh(in) || ofAnotherOrder(in) {
		return nil
	}
	if status.Cancelled != nil {
		return stuck(v1alpha1.ReasonCancelled, cancelledByCarrier(in))
	}
	return &Decision{Step: Rest{}, Verdict: Verdict{
		Settled, v1alpha1.ReasonCompleted, slotsMessage(in.Appointment, choiceOf(in.Appointment, in.Order)),
	}}
}

func cancelledByCarrier(in *AppointmentInput) string {
	notice := in.Appointment.Status.Cancelled
	return fmt.Sprintf("the carrier cancelled the appointment of order %s%s: %s. Ask for slots again by "+
		"kubectl -n %s annotate --overwrite %s %s '%s=<any new value>', or change dateFrom, and book another",
		OrderNumber(in.Appointment, in.Order), unsigned(notice), orElse(notice.Reason, "no reason is known"),
		in.Subject.GetNamespace(), v1alpha1.ShortName(in.Subject), in.Subject.GetName(), v1alpha1.AnnotationReconcile)
}

// ofAnotherOrder reports whether the ServiceOrder of that name is not the one the slots are for.
func ofAnotherOrder(in *AppointmentInput) bool {
	asked := in.Subject.RequestOf(v1alpha1.OperationAppointmentSlots)
	return asked != nil && OrderNumber(in.Appointment, in.Order) != "" && asked.BodyHash != desiredSlots(in).bodyHash()
}

// wantsRefresh reports whether the reconcile annotation has a value that was not handled yet.
func wantsRefresh(in *AppointmentInput) bool {
	asked := control(in.Subject, v1alpha1.AnnotationReconcile)
	return asked != "" && asked != in.Subject.Controls().Reconcile
}

// orderKnown returns a decision while the order number is unknown.
func orderKnown(in *AppointmentInput) *Decision {
	ref, order := in.Appointment.Spec.OrderRef, in.Order
	switch {
	case ref == nil:
		return nil
	case order == nil:
		return working(v1alpha1.ReasonOrderNotReady, fmt.Sprintf(
			"ServiceOrder %s does not exist in this namespace: create it, and the slots are asked for", ref.Name))
	case order.Spec.AccountRef != in.Appointment.Spec.AccountRef:
		return stuck(v1alpha1.ReasonConflict, fmt.Sprintf(
			"ServiceOrder %s belongs to CarrierAccount %s and this object to %s: an order's slots are asked for "+
				"by the account that placed it; create another AppointmentRequest with that accountRef",
			ref.Name, order.Spec.AccountRef.Name, in.Appointment.Spec.AccountRef.Name))
	case order.Status.OrderID == "":
		return working(v1alpha1.ReasonOrderNotReady, fmt.Sprintf(
			"ServiceOrder %s has no order number yet: once the carrier has taken it, the slots are asked for", ref.Name))
	}
	return nil
}

// dateToCome rejects a day in the past, "judged in the account's time zone, before anything is
// sent".
func dateToCome(in *AppointmentInput) *Decision {
	from := string(in.Appointment.Spec.DateFrom)
	if from >= today(&in.Input) {
		return nil
	}
	return &Decision{Step: Rest{}, Verdict: dateInPast(&in.Input, "dateFrom", from)}
}

// slotsRefused holds back a query that the carrier rejected. A new request for slots is a retry.
func slotsRefused(in *AppointmentInput) *Decision {
	if wantsRefresh(in) {
		return nil
	}
	refused := in.Subject.RequestOf(v1alpha1.OperationAppointmentSlots)
	held := heldBack(&in.Input, refused)
	if held != nil && held.Verdict.Reason == v1alpha1.ReasonNotFoundOrForbidden {
		held.Verdict.Message = fmt.Sprintf("order %s is not known to this account, or has no appointments: check %s and "+
			"the account's permissions; it is tried again by itself%s",
			OrderNumber(in.Appointment, in.Order), orderField(in), retryFlaw(&in.Input, refused))
	}
	return held
}

// orderField returns the field that identifies the order.
func orderField(in *AppointmentInput) string {
	if in.Appointment.Spec.OrderRef != nil {
		return "spec.orderRef"
	}
	return "spec.orderID"
}

// cancelFirst cancels the recorded appointment-request, which is not the one that is needed now.
func cancelFirst(in *AppointmentInput) *Decision {
	if in.Appointment.Status.AppointmentRequestID == "" {
		return nil
	}
	if held := madeElsewhere(in); held != nil {
		return held
	}
	if held := heldBack(&in.Input, in.Subject.RequestOf(v1alpha1.OperationAppointmentCancel)); held != nil {
		return held
	}
	want := desiredChange{operation: v1alpha1.OperationAppointmentCancel}
	decision := sendTask(&in.Input, Task{Operation: want.operation, Body: appointmentBody(in, want)})
	if submit, sends := decision.Step.(Submit); sends { // the cancellation is the first step of a retry of the query
		decision.Step = usingUpRetry(&in.Input, submit, in.Subject.RequestOf(v1alpha1.OperationAppointmentSlots))
	}
	return decision
}

// madeElsewhere reports a conflict if the account has changed. The recorded request pins the
// carrier at which the appointment-request was created. At another carrier the same number is
// somebody else's.
func madeElsewhere(in *AppointmentInput) *Decision {
	request, account := in.Appointment.Status.Request, in.Account.Object
	if request == nil || request.BaseURL == account.Spec.BaseURL && request.Identity == account.IdentityName() {
		return nil
	}
	return stuck(v1alpha1.ReasonConflict, fmt.Sprintf(
		"appointment-request %s was made at %s as %s, and the account is now %s as %s: it cannot be cancelled there; "+
			"restore the account, or create another AppointmentRequest",
		in.Appointment.Status.AppointmentRequestID, request.BaseURL, request.Identity,
		account.Spec.BaseURL, account.IdentityName()))
}

// askForSlots queries when a technician is available. The query leaves an appointment-request
// behind. Therefore --submit=false ("send nothing") holds it back, unlike other queries, and the
// finalizer is added first if the appointment-request is to be cancelled on deletion.
func askForSlots(in *AppointmentInput) *Decision {
	want := desiredSlots(in)
	if why := in.withheld(); why != "" {
		return waiting(v1alpha1.ReasonPlanned, fmt.Sprintf(
			"%s, and %s is not sent: it makes an appointment-request", why, want.operation))
	}
	decision := sendTask(&in.Input, Task{Operation: want.operation, Target: want.target, Body: want.body})
	if question, ok := decision.Step.(SubmitQuery); ok {
		question.Hold = CancelsOnDelete(in.Appointment)
		question.Reconcile = control(in.Subject, v1alpha1.AnnotationReconcile)
		decision.Step = question
	}
	return decision
}

func desiredSlots(in *AppointmentInput) desiredChange {
	want := desiredChange{operation: v1alpha1.OperationAppointmentSlots}
	want.target.Date = string(in.Appointment.Spec.DateFrom)
	want.body = appointmentBody(in, want)
	return want
}

func appointmentBody(in *AppointmentInput, want desiredChange) []byte {
	request := v1alpha1.Request{Operation: want.operation, Target: want.target}
	return AppointmentBody(request, in.Appointment.Status.AppointmentRequestID, OrderNumber(in.Appointment, in.Order))
}

// appointmentEvidence cannot read an appointment-request: a query for slots is sent anew, and a
// cancellation, of class Converge, is repeated.
type appointmentEvidence struct{ *Input }

func (a appointmentEvidence) verify(open *v1alpha1.Request) *Decision {
	if open.Operation == v1alpha1.OperationAppointmentSlots {
		return resolveTo(open, v1alpha1.PhaseNotProcessed, whyUnknown(open))
	}
	return converge(a.Input, open, func() *Decision {
		why := a.withheld()
		if why == "" {
			return nil
		}
		return waiting(v1alpha1.ReasonPlanned, fmt.Sprintf(
			"%s, and %s, whose response was lost, is not sent again; to resolve it by hand: %s",
			why, open.Operation, resolveHint(a.Input, open)))
	})
}

// proof returns nil: nothing that this process reads resolves the outcome.
func (appointmentEvidence) proof(*v1alpha1.Request) *Decision { return nil }
