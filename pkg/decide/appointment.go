// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// AppointmentInput is all that a decision about one appointment-request rests on.
type AppointmentInput struct {
	Input

	Appointment *v1alpha1.AppointmentRequest // the subject
	Order       *v1alpha1.ServiceOrder       // the order that orderRef names; nil when there is none
}

// Appointment judges an appointment-request. Its one request is in turn the question for
// slots and the cancel of what that question made: the carrier makes a new
// appointment-request for each question, so the old one is cancelled first. What is to be
// cancelled stands in status.appointmentRequestID, until the carrier has confirmed it.
func Appointment(in AppointmentInput) Decision {
	decision := firstStep([]func() *Decision{
		func() *Decision { return answeredRequest(&in.Input) },
		func() *Decision { return resolvedByPerson(&in.Input) },
		func() *Decision { return slotsOffered(&in) }, // what has been read stays true, whatever the account is up to
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

// TakeAppointment brings what the status says of the appointment-request in line with the
// request on record.
func TakeAppointment(status *v1alpha1.AppointmentRequestStatus) {
	request := status.Request
	switch {
	case request == nil:
	case request.Operation == v1alpha1.OperationAppointmentSlots:
		takeAsked(status, request)
	case request.Phase == v1alpha1.PhaseSucceeded || request.Phase == v1alpha1.PhaseAbandoned:
		forgetAppointment(status) // cancelled, or left as it is by a person's word
	}
}

// takeAsked: the id of an appointment-request is that of its Location. One whose Location
// leads nowhere "is asked anew after 60 s": there is no other by then that we know of.
func takeAsked(status *v1alpha1.AppointmentRequestStatus, request *v1alpha1.Request) {
	if request.Phase == v1alpha1.PhaseNotProcessed || request.Phase == v1alpha1.PhaseNotAccepted {
		forgetAppointment(status)
		return
	}
	handle, err := carrier.ParseLocation(carrier.AppointmentSlots, int(request.APIVersion), request.Location)
	if err != nil {
		return // the carrier has not taken it
	}
	if id, whole := carrier.Number(handle.ID).Int(); whole {
		status.AppointmentRequestID, status.DateFrom = v1alpha1.CarrierIDOf(id), v1alpha1.Date(request.Target.Date)
	}
}

// forgetAppointment forgets the slots too: they can no longer become a booking.
func forgetAppointment(status *v1alpha1.AppointmentRequestStatus) {
	status.AppointmentRequestID, status.DateFrom = "", ""
	status.Slots, status.SlotCount, status.Recommended, status.Since = nil, 0, nil, metav1.Time{}
}

// ShowAppointment works the recommendation out anew: it follows the preferences, which
// cost no call.
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

// AppointmentBody is a request as it is sent.
func AppointmentBody(request v1alpha1.Request, appointmentRequestID, orderID v1alpha1.CarrierID) []byte {
	if request.Operation == v1alpha1.OperationAppointmentCancel {
		return carrier.AppointmentCancelRequest{AppointmentRequestID: appointmentRequestID.Number()}.Body()
	}
	return carrier.AppointmentSlotsRequest{DateFrom: request.Target.Date, OrderID: orderID.Number()}.Body()
}

// OrderNumber is the carrier's number of the order; "" while it is not known.
func OrderNumber(a *v1alpha1.AppointmentRequest, order *v1alpha1.ServiceOrder) v1alpha1.CarrierID {
	if a.Spec.OrderID == "" && order != nil {
		return order.Status.OrderID
	}
	return a.Spec.OrderID
}

// slotsOffered answers while the slots that are wanted are on record. No slot that suits is no
// failure: what was asked has been answered.
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

// ofAnotherOrder: the ServiceOrder of that name may be another than the one asked about.
func ofAnotherOrder(in *AppointmentInput) bool {
	asked := in.Subject.RequestOf(v1alpha1.OperationAppointmentSlots)
	return asked != nil && OrderNumber(in.Appointment, in.Order) != "" && asked.BodyHash != desiredSlots(in).bodyHash()
}

// wantsRefresh says whether the reconcile annotation holds a value not acted on yet.
func wantsRefresh(in *AppointmentInput) bool {
	asked := control(in.Subject, v1alpha1.AnnotationReconcile)
	return asked != "" && asked != in.Subject.Controls().Reconcile
}

// orderKnown answers while it is not known what to ask about.
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

// dateToCome refuses a day in the past "judged in the account's time zone, before anything
// is sent".
func dateToCome(in *AppointmentInput) *Decision {
	from := string(in.Appointment.Spec.DateFrom)
	if from >= today(&in.Input) {
		return nil
	}
	return &Decision{Step: Rest{}, Verdict: dateInPast(&in.Input, "dateFrom", from)}
}

// slotsRefused holds back what the carrier refused. To ask for slots anew is to try again.
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

// orderField is the field that says about which order slots are asked for.
func orderField(in *AppointmentInput) string {
	if in.Appointment.Spec.OrderRef != nil {
		return "spec.orderRef"
	}
	return "spec.orderID"
}

// cancelFirst gives up the appointment-request on record, which is not the wanted one.
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
	if submit, sends := decision.Step.(Submit); sends { // slots that are asked for once more begin with it
		decision.Step = usingUpRetry(&in.Input, submit, in.Subject.RequestOf(v1alpha1.OperationAppointmentSlots))
	}
	return decision
}

// madeElsewhere: the request on record pins the carrier at which the appointment-request
// was made. At another the same number is somebody else's.
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

// askForSlots asks when a technician could come. It leaves an appointment-request behind,
// which is why --submit=false ("send nothing") keeps it back unlike the other queries, and
// why the finalizer goes on before it where it is to be cancelled in the end.
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

// appointmentEvidence has no way to read an appointment-request: slots are asked for anew,
// and a cancel, of class Converge, is repeated.
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
			"%s, and %s, whose answer was lost, is not sent again; to resolve it by hand: %s",
			why, open.Operation, resolveHint(a.Input, open)))
	})
}

// proof: nothing that this process reads resolves it.
func (appointmentEvidence) proof(*v1alpha1.Request) *Decision { return nil }
