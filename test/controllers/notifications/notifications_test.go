// SPDX-License-Identifier: Apache-2.0

package notifications_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// listening creates a world whose carrier sends notifications to a process in it.
func listening(
	ctx context.Context, signature v1alpha1.EventSignature,
) (w *world.World, process *world.Process, receiver *world.Receiver) {
	GinkgoHelper()
	w = world.New(ctx, fixture.Plane)
	Expect(w.Create(ctx, w.EventsSecret())).To(Succeed())
	w.Login(ctx, world.WithEvents(signature))
	process = w.Start(world.CrashPoint{})
	_, err := process.ReconcileAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
	receiver = process.StartReceiver()
	secret := ""
	if signature == v1alpha1.SignatureHMAC {
		secret = world.SharedSecret
	}
	w.Subscribe(ctx, receiver, fixture.EventsPath(w), secret)
	return w, process, receiver
}

// beginPlanChange creates a service and lets its plan change reach the carrier.
func beginPlanChange(ctx context.Context, w *world.World, process *world.Process) int64 {
	GinkgoHelper()
	line := w.Line()
	Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
	fixture.DriveUntilAccepted(ctx, w, process)
	return line
}

// soon is longer than the minimum time between two polls, and ends before the first poll is due.
const soon = 3 * time.Second

// planChangedEvent is the carrier's notification of a completed plan change.
func planChangedEvent(line int64) string {
	return fmt.Sprintf(`{"eventType":"ServicePlanChanged","serviceId":%d}`, line)
}

// planChangePolls counts the polls of a service's plan change.
func planChangePolls(w *world.World, line int64) int { return gets(w, simulator.OpPlanChange, line) }

// gets counts the GETs of an operation for a service.
func gets(w *world.World, operation simulator.Operation, line int64) int {
	count := 0
	for _, call := range w.Carrier.Calls() {
		if call.Operation == operation && call.Method == http.MethodGet && call.ServiceID == line {
			count++
		}
	}
	return count
}

var _ = Describe("A notification of the carrier", func() {
	It("causes a poll now, whose result makes the service Ready", func(ctx SpecContext) {
		w, process, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		Expect(w.EventsPath(ctx)).To(Equal(fixture.EventsPath(w)))
		line := beginPlanChange(ctx, w, process)
		// The carrier takes 40 s, counted from a moment within the recorded second. The operator makes
		// its last regular poll before these 40 s have passed.
		ends := w.Read(ctx, site).OpenRequest().SubmittedAt.Add(40 * time.Second)
		result, err := process.Reconcile(ctx, site)
		for w.Clock.Now().Add(result.RequeueAfter).Before(ends) {
			w.Clock.Advance(result.RequeueAfter)
			result, err = process.Reconcile(ctx, site)
		}
		Expect(err).NotTo(HaveOccurred())
		// Half of the pause is longer than the minimum between two polls.
		w.Clock.Advance(max(ends.Add(time.Second).Sub(w.Clock.Now()), result.RequeueAfter/2))
		before := planChangePolls(w, line)

		Expect(w.Deliver(ctx, receiver)).To(Equal(1))
		_, err = process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())

		Expect(planChangePolls(w, line)).To(Equal(before+1), "the next look was not due yet")
		fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	})

	// Case 85: the request stays in progress while its GET is 202.
	It("makes nothing Ready by itself", func(ctx SpecContext) {
		w, process, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		line := beginPlanChange(ctx, w, process)
		w.Clock.Advance(soon)
		before := planChangePolls(w, line)

		Expect(w.Notify(ctx, receiver, fixture.EventsPath(w), world.SharedSecret, planChangedEvent(line))).
			To(Equal(http.StatusAccepted))
		_, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())

		Expect(planChangePolls(w, line)).To(Equal(before + 1))
		fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonProgressing)
	})

	DescribeTable("that the specification does not have is a time to look, too",
		func(ctx SpecContext, name string) {
			w, process, receiver := listening(ctx, v1alpha1.SignatureHMAC)
			line := beginPlanChange(ctx, w, process)
			w.Clock.Advance(soon)
			before, posts := planChangePolls(w, line), w.Posts(line)
			event := fmt.Sprintf(`{"eventType":%q,"serviceId":%d}`, name, line)
			Expect(w.Notify(ctx, receiver, fixture.EventsPath(w), world.SharedSecret, event)).To(Equal(http.StatusAccepted))
			_, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			Expect(planChangePolls(w, line)).To(Equal(before + 1))
			Expect(w.Posts(line)).To(Equal(posts))
			fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonProgressing)
		},
		EntryDescription("%s"),
		Entry(nil, "service.restoration-sla-change-rejected"),
		Entry(nil, "service.dsl-stability-profile-change-rejected"),
		Entry(nil, "service.reclaim-failed"),
		Entry(nil, "service.cancelled"),
		Entry(nil, "service.cancellation-rejected"),
		Entry(nil, "serviceHealth-accepted"),
		Entry(nil, "serviceHealth-completed"),
		Entry(nil, "serviceHealth-failed"),
	)

	// Case 86: notifications do not make polls faster.
	It("causes no poll faster than the minimum, even with a thousand others", func(ctx SpecContext) {
		w, process, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		line := beginPlanChange(ctx, w, process)
		before, begun := planChangePolls(w, line), w.Clock.Now()
		statuses := map[int]int{}
		for range 100 {
			for range 10 {
				statuses[w.Notify(ctx, receiver, fixture.EventsPath(w), world.SharedSecret, planChangedEvent(line))]++
			}
			_, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(100 * time.Millisecond)
		}
		passed := w.Clock.Now().Sub(begun)
		AddReportEntry("statuses, polls",
			fmt.Sprintf("%v, %d polls in %v", statuses, planChangePolls(w, line)-before, passed))
		Expect(statuses[http.StatusTooManyRequests]).To(BeNumerically(">", 0))
		Expect(planChangePolls(w, line) - before).To(BeNumerically("<=", int(passed/(2*time.Second))+1))
	})

	It("finds the service by its request, also with the event in a header", func(ctx SpecContext) {
		w, process, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		line := beginPlanChange(ctx, w, process)
		location := w.Read(ctx, site).Status.InFlight.Location
		number := location[strings.LastIndex(location, "/")+1:]
		w.Clock.Advance(soon)
		before := planChangePolls(w, line)
		body := `{"eventType":"service.plan-change-rejected","requestId":` + number + `}`
		Expect(w.Notify(ctx, receiver, fixture.EventsPath(w), world.SharedSecret, body)).To(Equal(http.StatusAccepted))
		_, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		Expect(planChangePolls(w, line)).To(Equal(before + 1))
	})

	// Case 84: a notification is for the objects of its account alone.
	It("of another account reconciles none of this account's objects", func(ctx SpecContext) {
		w, process, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		line := beginPlanChange(ctx, w, process)
		other, _, elsewhere := listening(ctx, v1alpha1.SignatureHMAC)
		w.Clock.Advance(soon)
		other.Clock.Advance(w.Clock.Now().Sub(other.Clock.Now()))
		before := planChangePolls(w, line)

		at, event := fixture.EventsPath(other), planChangedEvent(line)
		Expect(other.Notify(ctx, elsewhere, at, world.SharedSecret, event)).To(Equal(http.StatusAccepted))
		Expect(other.Notify(ctx, receiver, at, world.SharedSecret, event)).To(Equal(http.StatusNotFound))
		_, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		Expect(planChangePolls(w, line)).To(Equal(before))
	})

	It("about a cancellation causes a read now, at most once a minute", func(ctx SpecContext) {
		w, process, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		process.Drive(ctx, site)
		w.Clock.Advance(10 * time.Minute)
		reads := func() int { return gets(w, simulator.OpCancellationRead, line) }
		before := reads()
		body := fmt.Sprintf(`{"eventType":"service.cancelled","id":%d}`, line)
		for range 5 {
			Expect(w.Notify(ctx, receiver, fixture.EventsPath(w), world.SharedSecret, body)).To(Equal(http.StatusAccepted))
			_, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(5 * time.Second)
		}
		Expect(reads()).To(Equal(before + 1))
		result, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(BeNumerically("<=", time.Minute), "a later notification is handled then")
		w.Clock.Advance(time.Minute)
		_, err = process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		Expect(reads()).To(Equal(before + 2))
	})

	It("is dropped by a process that does not lead, if it is a hint", func(ctx SpecContext) {
		w, process, receiver := listening(ctx, v1alpha1.SignatureHMAC)
		line := beginPlanChange(ctx, w, process)
		process.StopLeading()
		w.Clock.Advance(soon)
		before := planChangePolls(w, line)
		Expect(w.Notify(ctx, receiver, fixture.EventsPath(w), world.SharedSecret, planChangedEvent(line))).
			To(Equal(http.StatusAccepted))
		_, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		Expect(planChangePolls(w, line)).To(Equal(before))
	})
})
