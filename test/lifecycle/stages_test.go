// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"fmt"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The orders of a test, by the stage at which they are deleted: the carrier has responded, its
// response was lost, or its response is on its way. Each name is also the customerReference.
const (
	accepted     = "accepted"
	lostResponse = "response-lost"
	held         = "in-progress"
)

// The other objects that are deleted.
const (
	site       = "site"
	technician = "technician"
)

// heldFor keeps plan changes in progress for longer than a test takes.
const heldFor = time.Hour

func holdChanges(seed *simulator.Seed) {
	seed.Delays[string(simulator.OpPlanChange)] = simulator.Duration(heldFor)
}

// withoutDelays makes the carrier complete everything immediately, so that the first poll of a
// request finds it done.
func withoutDelays(seed *simulator.Seed) { clear(seed.Delays); seed.Delays["default"] = 0 }

// stages are an account and an object at each stage of a request.
type stages struct {
	*world.World

	line    int64
	respond func()            // lets the carrier respond to the order that is in progress
	change  v1alpha1.InFlight // of the service, before everything was deleted
	order   int64             // the number of the accepted order
}

// manifests returns what the user applies, and applies again.
func (s *stages) manifests() []client.Object {
	return []client.Object{
		s.Account(world.PollEverySecond), s.Service(site, s.line),
		s.Order(accepted, accepted), s.Order(lostResponse, lostResponse), s.Order(held, held), s.appointment(),
	}
}

func (s *stages) appointment() *v1alpha1.AppointmentRequest {
	return s.Appointment(technician, func(a *v1alpha1.AppointmentRequest) {
		a.Spec.OrderID, a.Spec.OrderRef = "", &v1alpha1.OrderReference{Name: accepted}
		a.Spec.DateFrom = "2099-01-05"
	})
}

// reachStages brings worlds to all the stages, each with a running manager.
func reachStages(ctx SpecContext, worlds ...*world.World) []*stages {
	GinkgoHelper()
	reached := make([]*stages, 0, len(worlds))
	for _, w := range worlds {
		s := &stages{World: w, line: w.Line()}
		reached = append(reached, s)
		s.AwaitLogin(ctx, world.PollEverySecond)
		for _, manifest := range []client.Object{s.Service(site, s.line), s.Order(accepted, accepted), s.appointment()} {
			Expect(s.Create(ctx, manifest)).To(Succeed())
		}
	}
	for _, s := range reached {
		s.awaitAccepted(ctx)
		s.holdResponse(ctx)
		s.loseResponse(ctx)
	}
	return reached
}

// awaitAccepted waits until the carrier has responded to all calls so far.
func (s *stages) awaitAccepted(ctx SpecContext) {
	GinkgoHelper()
	s.order = s.awaitSubmitted(ctx, accepted)
	s.awaitSlots(ctx)
	eventually(ctx, func(g Gomega) {
		change := s.Read(ctx, site).Status.InFlight
		g.Expect(change).To(HaveValue(HaveField("Location", Not(BeEmpty()))))
		s.change = *change
	})
}

// holdResponse creates an order whose response is delayed.
func (s *stages) holdResponse(ctx SpecContext) {
	GinkgoHelper()
	s.respond = s.HoldResponse(held)
	Expect(s.Create(ctx, s.Order(held, held))).To(Succeed())
	eventually(ctx, func(g Gomega) { g.Expect(s.Ordered(held).Processed).To(Equal(1)) })
}

// loseResponse creates an order whose response is lost.
func (s *stages) loseResponse(ctx SpecContext) {
	GinkgoHelper()
	reset := simulator.Fault{Kind: simulator.FaultReset, Processed: true}
	Expect(s.Carrier.FailNext("POST OrderCreate", reset)).To(Succeed())
	Expect(s.Create(ctx, s.Order(lostResponse, lostResponse))).To(Succeed())
	s.awaitUnknown(ctx)
}

// awaitSubmitted waits until an order is Ready, and returns its number.
func (s *stages) awaitSubmitted(ctx SpecContext, name string) int64 {
	GinkgoHelper()
	var order *v1alpha1.ServiceOrder
	eventually(ctx, func(g Gomega) {
		order = s.ReadOrder(ctx, name)
		ready := world.Condition(order.Status.Conditions, v1alpha1.ConditionReady)
		g.Expect(ready.Reason).To(Equal(v1alpha1.ReasonSubmitted), ready.Message)
	})
	Expect(order.Status.OrderID.Number()).To(Equal(s.placed(name)))
	return order.Status.OrderID.Number()
}

// placed returns the number of the only order at the carrier that has the given customerReference.
func (s *stages) placed(reference string) int64 {
	GinkgoHelper()
	var numbers []int64
	for _, order := range s.Carrier.Orders() {
		if order.CustomerReference == reference {
			numbers = append(numbers, order.ID)
		}
	}
	Expect(numbers).To(HaveLen(1), reference)
	return numbers[0]
}

func (s *stages) awaitSlots(ctx SpecContext) {
	GinkgoHelper()
	eventually(ctx, func(g Gomega) {
		appointment := s.ReadAppointment(ctx, technician)
		g.Expect(appointment).NotTo(BeNil())
		ready := world.Condition(appointment.Status.Conditions, v1alpha1.ConditionReady)
		g.Expect(ready.Reason).To(Equal(v1alpha1.ReasonCompleted), ready.Message)
	})
}

// awaitUnknown waits until the order whose response was lost waits for a person.
func (s *stages) awaitUnknown(ctx SpecContext) {
	GinkgoHelper()
	eventually(ctx, func(g Gomega) {
		stalled := world.Condition(s.ReadOrder(ctx, lostResponse).Status.Conditions, v1alpha1.ConditionStalled)
		g.Expect(stalled.Status).To(Equal(metav1.ConditionTrue))
		g.Expect(stalled.Reason).To(Equal(v1alpha1.ReasonOutcomeUnknown), stalled.Message)
	})
}

// awaitDeletion waits until an order is gone: no finalizer holds it.
func (s *stages) awaitDeletion(ctx SpecContext, name string) {
	GinkgoHelper()
	key := client.ObjectKey{Namespace: s.Namespace, Name: name}
	eventually(ctx, func(g Gomega) {
		g.Expect(s.Get(ctx, key, &v1alpha1.ServiceOrder{})).To(Satisfy(apierrors.IsNotFound))
	})
}

// apply applies the same manifests again, like kubectl apply. The Secret may still exist.
func (s *stages) apply(ctx SpecContext) {
	GinkgoHelper()
	Expect(client.IgnoreAlreadyExists(s.Create(ctx, s.Secret()))).To(Succeed())
	for _, manifest := range s.manifests() {
		Expect(s.Create(ctx, manifest)).To(Succeed())
	}
}

// expectAdopted expects that earlier requests are found again and tracked to their end.
func (s *stages) expectAdopted(ctx SpecContext) {
	GinkgoHelper()
	Expect(s.awaitSubmitted(ctx, accepted)).To(Equal(s.order))
	s.awaitSubmitted(ctx, held)
	s.awaitSlots(ctx)

	s.awaitUnknown(ctx)
	attempt := s.ReadOrder(ctx, lostResponse).Status.Request.AttemptID
	resolution := attempt + "=Accepted:" + strconv.FormatInt(s.placed(lostResponse), 10)
	s.AnnotateOrder(ctx, lostResponse, v1alpha1.AnnotationResolve, resolution)
	s.awaitSubmitted(ctx, lostResponse)

	eventually(ctx, func(g Gomega) {
		service := s.Read(ctx, site)
		g.Expect(service.Status.InFlight).To(HaveValue(Equal(s.change)), world.Ready(service).Message)
	})
	s.Carrier.Advance(heldFor)
	eventually(ctx, func(g Gomega) {
		ready := world.Ready(s.Read(ctx, site))
		g.Expect(ready.Reason).To(Equal(v1alpha1.ReasonInSync), ready.Message)
	})
}

// expectSentOnce compares the carrier's journal with what was declared.
func (s *stages) expectSentOnce() {
	GinkgoHelper()
	once := simulator.Count{Seen: 1, Processed: 1}
	for _, reference := range []string{accepted, lostResponse, held} {
		Expect(s.Ordered(reference)).To(Equal(once), reference)
	}
	Expect(s.Carrier.Submissions(simulator.OpPlanChange, s.line)).To(Equal(once))
	Expect(s.Carrier.Submissions(simulator.OpOrderCreate, 0).Seen).To(Equal(3))
	AddReportEntry("POSTs", fmt.Sprintf("3 orders and 1 plan change, each once: %+v", once))
}
