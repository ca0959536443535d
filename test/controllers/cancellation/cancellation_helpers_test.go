// SPDX-License-Identifier: Apache-2.0

package cancellation_test

import (
	"context"
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The states of a cancellation that the specification names, and two that were observed.
const (
	stateInError    = "IN_ERROR"
	stateAborted    = "ABORTED"
	stateHandedOver = "IN_PROGRESS"
	stateTurnedDown = "REJECTED"
)

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
		if fixture.Alterations(w, line) > 0 {
			return w.Read(ctx, site)
		}
		w.Clock.Advance(result.RequeueAfter)
	}
	Fail("nothing was ever sent")
	return nil
}

func noCancellation(*simulator.Service) {}

// unalterable makes the carrier report that a cancellation can no longer be altered.
func unalterable(state string) func(*simulator.Simulator, int64) {
	return func(sim *simulator.Simulator, line int64) {
		body := fmt.Sprintf(`{"serviceId":%d,"cancelled":false,"status":%q,"requestDate":%q,`+
			`"requestedOn":"2026-03-01T00:00:00Z","canRequestCancellation":false,`+
			`"canAbortCancellation":false,"canRescheduleCancellation":false}`, line, state, fixture.PendingDate)
		fault := simulator.Fault{Kind: simulator.FaultBody, Status: 200, Body: body, Times: 10}
		Expect(sim.FailNext("CancellationRead", fault)).To(Succeed())
	}
}
