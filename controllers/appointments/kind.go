// SPDX-License-Identifier: Apache-2.0

package appointments

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/appointments"
)

// eventNotCancelled is the reason of the Event about an appointment-request that stays at the carrier.
const eventNotCancelled = "AppointmentNotCancelled"

// appointment is an object in one pass, with what was gathered for it.
type appointment struct {
	object *v1alpha1.AppointmentRequest // including the facts of this pass
	order  *v1alpha1.ServiceOrder       // the order that orderRef names, if it exists
}

func (a *appointment) kind() pass.Kind {
	return pass.Kind{Gather: a.gather, Judge: a.judge, Show: a.show, Body: a.body, Finish: a.finish}
}

func (a *appointment) gather(ctx context.Context, p *pass.Pass) error {
	a.updateFromRequest(p)
	if err := p.GatherAccount(ctx); err != nil {
		return err
	}
	if err := a.gatherOrder(ctx, p); err != nil {
		return err
	}
	if a.object.Status.AppointmentRequestID != "" && appointments.CancelsOnDelete(a.object) {
		return p.Protocol.AddFinalizer(ctx, a.object) // somebody may have removed it
	}
	return nil
}

func (a *appointment) gatherOrder(ctx context.Context, p *pass.Pass) (err error) {
	if ref := a.object.Spec.OrderRef; ref != nil {
		key := client.ObjectKey{Namespace: a.object.Namespace, Name: ref.Name}
		a.order, err = apiserver.Find(ctx, p, key, &v1alpha1.ServiceOrder{})
	}
	return err
}

// judge first takes over the state of the appointment-request from the recorded requests, because
// no decision may be based on an appointment-request that has just been cancelled.
func (a *appointment) judge(p *pass.Pass, input decide.Input) decide.Decision {
	a.updateFromRequest(p)
	if !a.object.DeletionTimestamp.IsZero() {
		return appointments.Cancel(a.judged(input))
	}
	return appointments.Decide(a.judged(input))
}

// updateFromRequest updates the appointment-request in the status. A Warning Event reports the
// number of an appointment-request dropped without being cancelled.
func (a *appointment) updateFromRequest(p *pass.Pass) {
	status := &a.object.Status
	before := status.AppointmentRequestID
	appointments.UpdateFromRequest(status)
	if left := appointments.Dropped(before, status); left != "" {
		p.Protocol.Events.Eventf(a.object, nil, corev1.EventTypeWarning, eventNotCancelled, "Poll", "%s", left)
	}
}

func (a *appointment) judged(input decide.Input) appointments.Input {
	return appointments.Input{Input: input, Appointment: a.object, Order: a.order}
}

func (a *appointment) show(*pass.Pass, decide.Decision) { appointments.Show(a.object, a.order) }

func (a *appointment) body(request v1alpha1.Request, _ v1alpha1.Contact) []byte {
	number := appointments.OrderNumber(a.object, a.order)
	return appointments.Body(request, a.object.Status.AppointmentRequestID, number)
}

// finish takes over the slots. An unreadable response still ends the request: another query would
// get the same response, and would create another appointment-request.
func (a *appointment) finish(p *pass.Pass, request *v1alpha1.Request, body []byte) {
	if request.Operation != v1alpha1.OperationAppointmentSlots {
		return // a cancellation has no result
	}
	appointments.UpdateFromRequest(&a.object.Status)
	if err := appointments.RecordSlots(&a.object.Status, body, p.Protocol.Now()); err != nil {
		request.Phase, request.Error = v1alpha1.PhaseFailed, decide.Unusable(err)
		return
	}
	a.object.Status.OrderID = ""
	if request.BodyHash == decide.BodyHash(a.body(*request, v1alpha1.Contact{})) { // it was sent for the present order
		a.object.Status.OrderID = appointments.OrderNumber(a.object, a.order)
	}
}

// finalize cancels the appointment-request of a deleted object. It releases the object once there
// is nothing to cancel, no way to cancel it, or no time left.
func (a *appointment) finalize(ctx context.Context, p *pass.Pass) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(a.object, v1alpha1.Finalizer) {
		return p.Release(ctx, "", "")
	}
	if err := p.Begin(ctx); err != nil {
		return p.Failed(ctx, err)
	}
	going, err := a.namespaceDeleting(ctx, p)
	if err != nil {
		return p.Failed(ctx, err)
	}
	if departure := appointments.Finalize(a.judged(p.Input()), going); departure.Remove {
		return p.Release(ctx, eventNotCancelled, departure.Warning)
	}
	result, err := p.Run(ctx)
	if err != nil {
		return result, err
	}
	if departure := appointments.Finalize(a.judged(p.Input()), going); departure.Remove {
		return p.Release(ctx, eventNotCancelled, departure.Warning)
	}
	return result, nil
}

// namespaceDeleting reports whether the namespace is being deleted. It bypasses the cache, because
// one read per deletion is no reason to watch all namespaces.
func (a *appointment) namespaceDeleting(ctx context.Context, p *pass.Pass) (bool, error) {
	var namespace corev1.Namespace
	err := p.Protocol.Live.Get(ctx, client.ObjectKey{Name: a.object.Namespace}, &namespace)
	if apiserver.IsGone(err, a.object.Namespace) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("read Namespace %s: %w", a.object.Namespace, err)
	}
	return !namespace.DeletionTimestamp.IsZero(), nil
}
