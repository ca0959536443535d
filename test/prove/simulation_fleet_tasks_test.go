// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// addOrders adds ServiceOrders, and a service that results from the first one. The last order has
// the customerReference of the order before it.
func (f *fleet) addOrders(free, careful *member) {
	var last *member
	for i := range orders {
		last = f.addOrder(i, []*member{free, free, careful}[f.simulation.random.IntN(3)], last)
	}
	first := f.members[len(f.members)-orders]
	if f.simulation.followed {
		return // the order becomes a service whose number is not known here
	}
	f.simulation.world.Line(func(line *simulator.Service) { line.ID = orderedService })
	heir := &member{
		kind: kindService, key: client.ObjectKey{Name: "ordered"}, account: first.account,
		empty: func() Subject { return &v1alpha1.BroadbandService{} }, subject: &requestSubject{serviceID: orderedService},
	}
	heir.object = func() client.Object {
		return f.simulation.world.Service(heir.key.Name, 0, func(s *v1alpha1.BroadbandService) {
			s.Spec.AccountRef.Name, s.Spec.ServiceID = heir.account.key.Name, ""
			s.Spec.OrderRef = &v1alpha1.OrderReference{Name: first.key.Name}
			s.Spec.ManagementPolicy, s.Spec.DriftPolicy = v1alpha1.ManagementManage, v1alpha1.DriftReport
			if f.simulation.described {
				s.Spec.Observe.ServiceInterval = rarely
			}
		})
	}
	first.dependents = append(first.dependents, f.add(heir))
}

// orderedService is the service that results from the first order.
const orderedService = lineID + 1000

func (f *fleet) addOrder(i int, account, before *member) *member {
	reference := fmt.Sprintf("reference-%d", i)
	one := &member{
		kind: kindOrder, key: client.ObjectKey{Name: fmt.Sprintf("order-%d", i)}, account: account,
		empty: func() Subject { return &v1alpha1.ServiceOrder{} },
	}
	if i == orders-1 {
		reference, one.subject, one.account = fmt.Sprintf("reference-%d", i-1), before.subject, before.account
	}
	one.object = func() client.Object {
		return f.simulation.world.Order(one.key.Name, reference, func(o *v1alpha1.ServiceOrder) {
			o.Spec.AccountRef.Name = one.account.key.Name
		})
	}
	one.edits = []func(Subject){
		onOrder(func(o *v1alpha1.ServiceOrder) { o.Spec.PlanName = world.PlanFast }),
		onOrder(func(o *v1alpha1.ServiceOrder) { o.Spec.PlanName = world.PlanSlow }),
		onOrder(func(o *v1alpha1.ServiceOrder) { o.Spec.PlanName = "Home 1OO/20" }),
	}
	return f.add(one)
}

func onOrder(edit func(*v1alpha1.ServiceOrder)) func(Subject) {
	return func(subject Subject) {
		if o, is := subject.(*v1alpha1.ServiceOrder); is {
			edit(o)
		}
	}
}

// addAppointments adds AppointmentRequests, some for an order that has to be placed first.
func (f *fleet) addAppointments(account *member) {
	for i := range appointments {
		one := &member{
			kind: kindAppointment, key: client.ObjectKey{Name: fmt.Sprintf("appointment-%d", i)}, account: account,
			empty: func() Subject { return &v1alpha1.AppointmentRequest{} },
		}
		policies := []v1alpha1.DeletionPolicy{v1alpha1.DeletionKeep, v1alpha1.DeletionCancel, v1alpha1.DeletionCancel}
		policy := policies[f.simulation.random.IntN(len(policies))]
		one.object = func() client.Object {
			return f.simulation.world.Appointment(one.key.Name, func(a *v1alpha1.AppointmentRequest) {
				a.Spec.DeletionPolicy = policy
				if i == 0 {
					a.Spec.OrderID, a.Spec.OrderRef = "", &v1alpha1.OrderReference{Name: "order-0"}
				}
			})
		}
		for _, day := range []v1alpha1.Date{"2026-03-09", "2026-03-16", "2026-03-23"} {
			one.edits = append(one.edits, func(subject Subject) {
				if a, is := subject.(*v1alpha1.AppointmentRequest); is {
					a.Spec.DateFrom = day
				}
			})
		}
		f.add(one)
	}
	order := f.byKey[nameOf(kindOrder, "order-0")]
	order.dependents = append(order.dependents, f.members[len(f.members)-appointments])
}

// addOneShots adds objects of the one-shot kinds, in turn.
func (f *fleet) addOneShots(account *member) {
	w := f.simulation.world
	for i := range oneShots - 1 {
		name, id := fmt.Sprintf("shot-%02d", i), lineID+int64(f.simulation.random.IntN(services))
		one := &member{key: client.ObjectKey{Name: name}, account: account}
		switch i % 4 {
		case 0:
			one.testedService = id
			one.kind, one.empty = "DiagnosticTest", func() Subject { return &v1alpha1.DiagnosticTest{} }
			one.object = func() client.Object { return w.Test(name, id) }
		case 1:
			one.kind, one.empty = "FibreBuildQuote", func() Subject { return &v1alpha1.FibreBuildQuote{} }
			site := []string{world.QualifiedSite, world.QualifiedSite, "LOC000000000009"}[f.simulation.random.IntN(3)]
			one.object = func() client.Object { return w.Quote(name, site) }
		case 2:
			one.kind, one.empty = "PlanOptionsQuery", func() Subject { return &v1alpha1.PlanOptionsQuery{} }
			one.object = func() client.Object { return w.Query(name, id) }
		default:
			one.kind, one.empty = "HealthCheck", func() Subject { return &v1alpha1.HealthCheck{} }
			one.object = func() client.Object { return w.Check(name, id) }
		}
		f.add(one)
	}
}
