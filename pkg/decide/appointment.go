// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// AppointmentView is all that a decision about one appointment-request rests on.
type AppointmentView struct {
	View

	Appointment *v1alpha1.AppointmentRequest // the subject
	Order       *v1alpha1.ServiceOrder       // the order that orderRef names; nil when there is none
}

// Appointment judges an appointment-request. Its one request is in turn the question for
// slots and the cancel of what that question made: the carrier makes a new
// appointment-request for each question, so the old one is cancelled first. What is to be
// cancelled stands in status.appointmentRequestID, until the carrier has confirmed it.
func Appointment(v AppointmentView) Decision {
	decision := firstStep([]func() *Decision{
		func() *Decision { return answeredRequest(&v.View) },
		func() *Decision { return resolvedByPerson(&v.View) },
		func() *Decision { return slotsOffered(&v) }, // what has been read stays true, whatever the account is up to
		func() *Decision { return accountReady(&v.View) },
		func() *Decision { return sentElsewhere(&v.View) },
		func() *Decision { return untilEnded(&v.View, openOf(&v.View), appointmentWitness{&v.View}) },
		func() *Decision { return orderKnown(&v) },
		func() *Decision { return dateToCome(&v) },
		func() *Decision { return slotsRefused(&v) },
		func() *Decision { return cancelFirst(&v) },
		func() *Decision { return askForSlots(&v) },
	})
	decision.withControls(&v.View)
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
func slotsOffered(v *AppointmentView) *Decision {
	status := &v.Appointment.Status
	known := openOf(&v.View) == nil && status.AppointmentRequestID != "" && !status.Since.IsZero()
	if !known || status.DateFrom != v.Appointment.Spec.DateFrom || wantsRefresh(v) || ofAnotherOrder(v) {
		return nil
	}
	if status.Cancelled != nil {
		return stuck(v1alpha1.ReasonCancelled, cancelledByCarrier(v))
	}
	return &Decision{Step: Rest{}, Verdict: Verdict{
		Settled, v1alpha1.ReasonCompleted, slotsMessage(v.Appointment, choiceOf(v.Appointment, v.Order)),
	}}
}

func cancelledByCarrier(v *AppointmentView) string {
	notice := v.Appointment.Status.Cancelled
	return fmt.Sprintf("the carrier cancelled the appointment of order %s%s: %s. Ask for slots again by "+
		"kubectl -n %s annotate --overwrite %s %s '%s=<any new value>', or change dateFrom, and book another",
		OrderNumber(v.Appointment, v.Order), unsigned(notice), orElse(notice.Reason, "no reason is known"),
		v.Subject.GetNamespace(), v1alpha1.ShortName(v.Subject), v.Subject.GetName(), v1alpha1.AnnotationReconcile)
}

// ofAnotherOrder: the ServiceOrder of that name may be another than the one asked about.
func ofAnotherOrder(v *AppointmentView) bool {
	asked := v.Subject.RequestOf(v1alpha1.OperationAppointmentSlots)
	return asked != nil && OrderNumber(v.Appointment, v.Order) != "" && asked.BodyHash != slotsWish(v).bodyHash()
}

// wantsRefresh says whether the reconcile annotation holds a value not acted on yet.
func wantsRefresh(v *AppointmentView) bool {
	asked := control(v.Subject, v1alpha1.AnnotationReconcile)
	return asked != "" && asked != v.Subject.Controls().Reconcile
}

// orderKnown answers while it is not known what to ask about.
func orderKnown(v *AppointmentView) *Decision {
	ref, order := v.Appointment.Spec.OrderRef, v.Order
	switch {
	case ref == nil:
		return nil
	case order == nil:
		return working(v1alpha1.ReasonOrderNotReady, fmt.Sprintf(
			"ServiceOrder %s does not exist in this namespace: create it, and the slots are asked for", ref.Name))
	case order.Spec.AccountRef != v.Appointment.Spec.AccountRef:
		return stuck(v1alpha1.ReasonConflict, fmt.Sprintf(
			"ServiceOrder %s belongs to CarrierAccount %s and this object to %s: an order's slots are asked for "+
				"by the account that placed it; create another AppointmentRequest with that accountRef",
			ref.Name, order.Spec.AccountRef.Name, v.Appointment.Spec.AccountRef.Name))
	case order.Status.OrderID == "":
		return working(v1alpha1.ReasonOrderNotReady, fmt.Sprintf(
			"ServiceOrder %s has no order number yet: once the carrier has taken it, the slots are asked for", ref.Name))
	}
	return nil
}

// dateToCome refuses a day in the past "judged in the account's time zone, before anything
// is sent".
func dateToCome(v *AppointmentView) *Decision {
	from := string(v.Appointment.Spec.DateFrom)
	if from >= today(&v.View) {
		return nil
	}
	return &Decision{Step: Rest{}, Verdict: dateInPast(&v.View, "dateFrom", from)}
}

// slotsRefused holds back what the carrier refused. To ask for slots anew is to try again.
func slotsRefused(v *AppointmentView) *Decision {
	if wantsRefresh(v) {
		return nil
	}
	refused := v.Subject.RequestOf(v1alpha1.OperationAppointmentSlots)
	held := heldBack(&v.View, refused)
	if held != nil && held.Verdict.Reason == v1alpha1.ReasonNotFoundOrForbidden {
		held.Verdict.Message = fmt.Sprintf("order %s is not known to this account, or has no appointments: check %s and "+
			"the account's permissions; it is tried again by itself%s",
			OrderNumber(v.Appointment, v.Order), orderField(v), retryFlaw(&v.View, refused))
	}
	return held
}

// orderField is the field that says about which order slots are asked for.
func orderField(v *AppointmentView) string {
	if v.Appointment.Spec.OrderRef != nil {
		return "spec.orderRef"
	}
	return "spec.orderID"
}

// cancelFirst gives up the appointment-request on record, which is not the wanted one.
func cancelFirst(v *AppointmentView) *Decision {
	if v.Appointment.Status.AppointmentRequestID == "" {
		return nil
	}
	if held := madeElsewhere(v); held != nil {
		return held
	}
	if held := heldBack(&v.View, v.Subject.RequestOf(v1alpha1.OperationAppointmentCancel)); held != nil {
		return held
	}
	w := wish{operation: v1alpha1.OperationAppointmentCancel}
	decision := sendTask(&v.View, Task{Operation: w.operation, Body: appointmentBody(v, w)})
	if submit, sends := decision.Step.(Submit); sends { // slots that are asked for once more begin with it
		decision.Step = usingUpRetry(&v.View, submit, v.Subject.RequestOf(v1alpha1.OperationAppointmentSlots))
	}
	return decision
}

// madeElsewhere: the request on record pins the carrier at which the appointment-request
// was made. At another the same number is somebody else's.
func madeElsewhere(v *AppointmentView) *Decision {
	request, account := v.Appointment.Status.Request, v.Account.Object
	if request == nil || request.BaseURL == account.Spec.BaseURL && request.Identity == account.IdentityName() {
		return nil
	}
	return stuck(v1alpha1.ReasonConflict, fmt.Sprintf(
		"appointment-request %s was made at %s as %s, and the account is now %s as %s: it cannot be cancelled there; "+
			"restore the account, or create another AppointmentRequest",
		v.Appointment.Status.AppointmentRequestID, request.BaseURL, request.Identity,
		account.Spec.BaseURL, account.IdentityName()))
}

// askForSlots asks when a technician could come. It leaves an appointment-request behind,
// which is why --submit=false ("send nothing") keeps it back unlike the other queries, and
// why the finalizer goes on before it where it is to be cancelled in the end.
func askForSlots(v *AppointmentView) *Decision {
	w := slotsWish(v)
	if why := v.withheld(); why != "" {
		return waiting(v1alpha1.ReasonPlanned, fmt.Sprintf(
			"%s, and %s is not sent: it makes an appointment-request", why, w.operation))
	}
	decision := sendTask(&v.View, Task{Operation: w.operation, Target: w.target, Body: w.body})
	if question, ok := decision.Step.(Pose); ok {
		question.Hold = CancelsOnDelete(v.Appointment)
		question.Reconcile = control(v.Subject, v1alpha1.AnnotationReconcile)
		decision.Step = question
	}
	return decision
}

func slotsWish(v *AppointmentView) wish {
	w := wish{operation: v1alpha1.OperationAppointmentSlots}
	w.target.Date = string(v.Appointment.Spec.DateFrom)
	w.body = appointmentBody(v, w)
	return w
}

func appointmentBody(v *AppointmentView, w wish) []byte {
	request := v1alpha1.Request{Operation: w.operation, Target: w.target}
	return AppointmentBody(request, v.Appointment.Status.AppointmentRequestID, OrderNumber(v.Appointment, v.Order))
}

// appointmentWitness has no way to read an appointment-request: slots are asked for anew,
// and a cancel, of class Converge, is repeated.
type appointmentWitness struct{ *View }

func (a appointmentWitness) verify(open *v1alpha1.Request) *Decision {
	if open.Operation == v1alpha1.OperationAppointmentSlots {
		return settle(open, v1alpha1.PhaseNotProcessed, whyUnknown(open))
	}
	return converge(a.View, open, func() *Decision {
		why := a.withheld()
		if why == "" {
			return nil
		}
		return waiting(v1alpha1.ReasonPlanned, fmt.Sprintf(
			"%s, and %s, whose answer was lost, is not sent again; to settle it by hand: %s",
			why, open.Operation, resolveHint(a.View, open)))
	})
}

// proof: nothing that this process reads settles it.
func (appointmentWitness) proof(*v1alpha1.Request) *Decision { return nil }
