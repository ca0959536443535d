// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/appointments"
)

// appointmentPass is one pass over one appointment-request.
type appointmentPass struct {
	*pass

	appointment *v1alpha1.AppointmentRequest // including the facts of this pass
	order       *v1alpha1.ServiceOrder       // the order that orderRef names, if it exists
}

// gather collects the inputs that do not change within a pass.
func (p *appointmentPass) gather(ctx context.Context) error {
	p.updateFromRequest()
	if err := p.gatherAccount(ctx); err != nil {
		return err
	}
	if err := p.gatherOrder(ctx); err != nil {
		return err
	}
	if p.appointment.Status.AppointmentRequestID != "" && appointments.CancelsOnDelete(p.appointment) {
		return p.Protocol.AddFinalizer(ctx, p.appointment) // somebody may have removed it
	}
	return nil
}

func (p *appointmentPass) gatherOrder(ctx context.Context) error {
	ref := p.appointment.Spec.OrderRef
	if ref == nil {
		return nil
	}
	order := &v1alpha1.ServiceOrder{}
	err := p.Get(ctx, client.ObjectKey{Namespace: p.appointment.Namespace, Name: ref.Name}, order)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("read ServiceOrder %s: %w", ref.Name, err)
	}
	p.order = order
	return nil
}

// judge first takes over the state of the appointment-request from the recorded requests, because
// no decision may be based on an appointment-request that has just been cancelled.
func (p *appointmentPass) judge(input decide.Input) decide.Decision {
	p.updateFromRequest()
	if !p.appointment.DeletionTimestamp.IsZero() {
		return appointments.Cancel(p.judged(input))
	}
	return appointments.Decide(p.judged(input))
}

// updateFromRequest updates the appointment-request in the status. A Warning Event has the number of
// one that is dropped without having been cancelled.
func (p *appointmentPass) updateFromRequest() {
	status := &p.appointment.Status
	before := status.AppointmentRequestID
	appointments.UpdateFromRequest(status)
	if left := appointments.Dropped(before, status); left != "" {
		p.Protocol.Events.Eventf(p.appointment, nil, corev1.EventTypeWarning, eventNotCancelled, "Poll", "%s", left)
	}
}

func (p *appointmentPass) judged(input decide.Input) appointments.Input {
	return appointments.Input{Input: input, Appointment: p.appointment, Order: p.order}
}

func (p *appointmentPass) show(decide.Decision) { appointments.Show(p.appointment, p.order) }

// performRead does nothing: this kind has no steps of its own.
func (*appointmentPass) performRead(context.Context, decide.Step) (time.Duration, error) {
	return 0, nil
}

func (p *appointmentPass) body(request v1alpha1.Request, _ v1alpha1.Contact) []byte {
	number := appointments.OrderNumber(p.appointment, p.order)
	return appointments.Body(request, p.appointment.Status.AppointmentRequestID, number)
}

// finish takes over the slots. An unreadable response still ends the request: another query would
// get the same response, and would create another appointment-request.
func (p *appointmentPass) finish(request *v1alpha1.Request, body []byte) {
	if request.Operation != v1alpha1.OperationAppointmentSlots {
		return // a cancellation has no result
	}
	appointments.UpdateFromRequest(&p.appointment.Status)
	if err := appointments.RecordSlots(&p.appointment.Status, body, p.Protocol.Now()); err != nil {
		request.Phase, request.Error = v1alpha1.PhaseFailed, decide.Unusable(err)
		return
	}
	p.appointment.Status.OrderID = ""
	if request.BodyHash == decide.BodyHash(p.body(*request, v1alpha1.Contact{})) { // it was sent for the present order
		p.appointment.Status.OrderID = appointments.OrderNumber(p.appointment, p.order)
	}
}

// reached does nothing: the effect of a settled request is derived from its phase.
func (*appointmentPass) reached(*v1alpha1.Request, v1alpha1.ValueSource, time.Time) {}

func (*appointmentPass) takenBack(*v1alpha1.Request, time.Time) {}

// refused does nothing: a refusal does not change what is known.
func (*appointmentPass) refused(*v1alpha1.Request) {}

// finalize cancels the appointment-request of a deleted object. It releases the object once there
// is nothing to cancel, no way to cancel it, or no time left.
func (p *appointmentPass) finalize(ctx context.Context) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(p.appointment, v1alpha1.Finalizer) {
		p.Protocol.Memory.Forget(p.appointment.UID)
		return ctrl.Result{}, nil
	}
	if err := p.begin(ctx); err != nil {
		return p.failed(ctx, err)
	}
	going, err := p.namespaceDeleting(ctx)
	if err != nil {
		return p.failed(ctx, err)
	}
	if departure := appointments.Finalize(p.judged(p.input()), going); departure.Remove {
		return p.release(ctx, departure)
	}
	result, err := p.run(ctx)
	if err != nil {
		return result, err
	}
	if departure := appointments.Finalize(p.judged(p.input()), going); departure.Remove {
		return p.release(ctx, departure)
	}
	return result, nil
}

// release removes the finalizer, and warns about what is left at the carrier.
func (p *appointmentPass) release(ctx context.Context, departure appointments.Finalization) (ctrl.Result, error) {
	if departure.Warning != "" {
		p.Protocol.Events.Eventf(p.appointment, nil, corev1.EventTypeWarning, eventNotCancelled, "Delete",
			"%s", departure.Warning)
	}
	if err := p.Protocol.RemoveFinalizer(ctx, p.appointment); err != nil {
		return p.failed(ctx, err)
	}
	p.Protocol.Memory.Forget(p.appointment.UID)
	return ctrl.Result{}, nil
}

// namespaceDeleting reports whether the namespace is being deleted. It bypasses the cache, because
// one read per deletion is no reason to watch all namespaces.
func (p *appointmentPass) namespaceDeleting(ctx context.Context) (bool, error) {
	var namespace corev1.Namespace
	err := p.Protocol.Live.Get(ctx, client.ObjectKey{Name: p.appointment.Namespace}, &namespace)
	if operate.IsGone(err, p.appointment.Namespace) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("read Namespace %s: %w", p.appointment.Namespace, err)
	}
	return !namespace.DeletionTimestamp.IsZero(), nil
}
