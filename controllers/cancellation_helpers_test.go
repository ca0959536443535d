// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The states of a cancellation that the specification names, and two that were observed.
const (
	stateRequested  = "REQUESTED"
	stateInError    = "IN_ERROR"
	stateCompleted  = "COMPLETED"
	stateAborted    = "ABORTED"
	stateHandedOver = "IN_PROGRESS"
	stateTurnedDown = "REJECTED"
)

// The dates of these scenarios. The world begins on 2026-03-02.
const (
	pendingDate = "2026-06-30" // of the cancellation at the carrier
	wantedDate  = "2026-08-31" // to which it is to be moved
	otherDate   = "2026-10-31" // to which another client moves it
)

// withCancellation gives a service of the simulated carrier a cancellation.
func withCancellation(state, date string) func(*simulator.Service) {
	return func(s *simulator.Service) { s.Cancellation = &simulator.Cancellation{Status: state, RequestDate: date} }
}

// endOn declares the date on which the service is to end.
func endOn(date string) edit {
	return func(s *v1alpha1.BroadbandService) {
		s.Spec.Cancellation = &v1alpha1.Cancellation{Mode: v1alpha1.CancellationOnDate, Date: v1alpha1.Date(date)}
	}
}

// withoutEnd declares that the service is not to end.
func withoutEnd(s *v1alpha1.BroadbandService) {
	s.Spec.Cancellation = &v1alpha1.Cancellation{Mode: v1alpha1.CancellationNever}
}

func reschedules(w *world.World, line int64) int {
	return w.Carrier.Submissions(simulator.OpCancellationReschedule, line).Seen
}

// alterations counts the POSTs that alter a service's cancellation.
func alterations(w *world.World, line int64) int {
	return reschedules(w, line) + w.Carrier.Submissions(simulator.OpCancellationAbort, line).Seen
}

// moveAtCarrier changes a cancellation without the operator, as the carrier's staff would.
func moveAtCarrier(w *world.World, line int64, state, date string) {
	GinkgoHelper()
	w.Clock.Advance(time.Minute) // it is another request, made at another time
	Expect(w.Carrier.SetCancellation(line, &simulator.Cancellation{Status: state, RequestDate: date})).To(Succeed())
}

// expectAtCarrier expects a cancellation in the state of the simulated carrier.
func expectAtCarrier(w *world.World, line int64, state, date string) {
	GinkgoHelper()
	sold, _ := w.Carrier.Service(line)
	Expect(sold.Cancellation).To(HaveValue(Equal(simulator.Cancellation{Status: state, RequestDate: date})))
}

// readAgain forces everything to be read again, whatever its interval.
func readAgain(ctx context.Context, w *world.World, process *world.Process) *v1alpha1.BroadbandService {
	GinkgoHelper()
	w.Annotate(ctx, site, v1alpha1.AnnotationReconcile, w.Clock.Now().String())
	return process.Drive(ctx, site)
}

// settledService creates a service and drives it until it is settled.
func settledService(
	ctx context.Context, line func(*simulator.Service), edits ...edit,
) (*world.World, *world.Process, int64) {
	GinkgoHelper()
	w, process := begin(ctx)
	id := w.Line(line)
	Expect(w.Create(ctx, w.Service(site, id, edits...))).To(Succeed())
	expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	return w, process, id
}

// cancellationAs is a cancellation at the simulated carrier.
func cancellationAs(state, date string) *simulator.Cancellation {
	return &simulator.Cancellation{Status: state, RequestDate: date}
}

// untilAltered reconciles a service until the carrier has received a reschedule or abort.
func untilAltered(ctx context.Context, w *world.World, process *world.Process, line int64) *v1alpha1.BroadbandService {
	GinkgoHelper()
	for range 50 {
		result, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		if alterations(w, line) > 0 {
			return w.Read(ctx, site)
		}
		w.Clock.Advance(result.RequeueAfter)
	}
	Fail("nothing was ever sent")
	return nil
}
