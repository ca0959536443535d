// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"maps"
	"reflect"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/watch"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/store"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// member is an object of the fleet, whether it currently exists or not.
type member struct {
	number        int
	kind          string
	key           client.ObjectKey
	account       *member
	empty         func() Subject
	object        func() client.Object // what a user applies
	edits         []func(Subject)      // other edits, the first of which the carrier can carry out
	dependents    []*member            // the members that are reconciled when it changes
	testedService int64                // the service that a diagnostic test is about
	subject       *requestSubject

	recreate bool // a user creates it again once it is gone
	idle     bool // the newest pass over it did nothing

	removed        bool // a user has deleted it
	readAtInterval bool // its state is read at intervals
	notFound       bool // the carrier responds to its reads with 404, and is called every ten minutes
	callFailed     bool // a call about it failed, so that some of its state may be unknown
	timesHelped    int  // how often a person has helped at the end
	idling         idleEffects
}

// String returns the name of a member.
func (m *member) String() string {
	if m == nil {
		return "none"
	}
	return nameOf(m.kind, m.key.Name)
}

// requestSubject is what requests are about: a service of the carrier, an order or a site. Several
// objects may share one.
type requestSubject struct {
	serviceID int64     // the service's number; 0: it is not a service
	trusted   bool      // somebody may have trusted a value that the carrier does not have
	planSets  int       // how often the carrier has changed the plan by itself
	planSetAt time.Time // when it has last done so
	endSetAt  time.Time // when it has last changed the cancellation by itself
}

// fleet is the set of all objects, including the accounts.
type fleet struct {
	members    []*member
	byKey      map[string]*member
	simulation *simulation
}

// The two accounts of a fleet: one sends changes immediately, the other needs approval or has a
// limit.
const limitedAccount = "careful"

func newFleet(l *simulation) *fleet {
	f := &fleet{byKey: map[string]*member{}, simulation: l}
	must(l.world.Create(l.ctx, l.world.Secret()))
	free := f.addAccount(world.AccountName, func(*v1alpha1.CarrierAccount) {})
	careful := f.addAccount(limitedAccount, func(account *v1alpha1.CarrierAccount) {
		account.Spec.Approval, account.Spec.UnknownValues = v1alpha1.ApprovalOnCost, v1alpha1.UnknownAsk
		account.Spec.ChargeLimit = &v1alpha1.ChargeLimit{PerHour: chargesPerHour}
	})
	for i := range services {
		f.addService(i, []*member{free, free, free, careful}[l.random.IntN(4)])
	}
	f.addCompeting()
	f.addOrders(free, careful)
	f.addAppointments(free)
	f.addOneShots(free)
	return f
}

// The number of objects: fifty in all.
const (
	services       = 20
	competing      = 2
	orders         = 8
	appointments   = 6
	oneShots       = 14
	chargesPerHour = 4 // chargeable requests in an hour
)

func nameOf(kind, name string) string { return kind + "/" + name }

func kindOf(object any) string { return reflect.TypeOf(object).Elem().Name() }

// memberOf returns the member of an object or of its ledger; nil for the ledger of a login.
func (f *fleet) memberOf(object client.Object) *member {
	if ledger, is := object.(*v1alpha1.RequestLedger); is {
		if ledger.Spec.Account != nil {
			return nil
		}
		kind := kindOrder
		if ledger.Spec.Service != nil {
			kind = kindService
		}
		return f.byKey[nameOf(kind, ledger.Spec.Holder.Name)]
	}
	return f.byKey[nameOf(kindOf(object), object.GetName())]
}

func (f *fleet) add(one *member) *member {
	one.number, one.key = len(f.members), f.simulation.keyOf(one.key.Name)
	f.members = append(f.members, one)
	f.byKey[nameOf(one.kind, one.key.Name)] = one
	if one.account != nil {
		one.account.dependents = append(one.account.dependents, one)
	}
	if one.subject == nil {
		one.subject = &requestSubject{}
	}
	return one
}

func (f *fleet) addAccount(name string, edit func(*v1alpha1.CarrierAccount)) *member {
	return f.add(&member{
		kind: kindAccount, key: client.ObjectKey{Name: name},
		object: func() client.Object {
			return f.simulation.world.Account(forManyRuns, func(account *v1alpha1.CarrierAccount) {
				account.Name, account.Spec.ChargeLimit = name, nil
				if name != world.AccountName {
					account.Spec.BaseURL = "http://" + name + ".example" // another login, and the same simulator
				}
				account.Spec.Extensions = f.simulation.extensions()
				edit(account)
			})
		},
	})
}

// isUserChange reports whether a change of an object is a reason to reconcile it: something a user
// did.
func isUserChange(change store.Change) bool {
	before, after := change.Before, change.Now
	return before == nil || after == nil || before.GetUID() != after.GetUID() ||
		before.GetGeneration() != after.GetGeneration() || !maps.Equal(before.GetAnnotations(), after.GetAnnotations())
}

// becameLessSettled reports whether an object became less settled. This is the one status change
// that is a reason to reconcile the object, a while later.
func becameLessSettled(before, after client.Object) bool {
	return before != nil && after != nil && watch.LessSettled(before, after)
}

// aspect is one aspect of a service: the initial state of its line, and the edits of a user. The
// edits that the carrier can carry out come first.
type aspect struct {
	line  lineEdit
	edits []serviceEdit
}

func withPlan(plan string, term int32, sla string) serviceEdit {
	return func(s *v1alpha1.BroadbandService) {
		s.Spec.Plan, s.Spec.RestorationSLA = &v1alpha1.Plan{Name: plan, Term: term}, sla
	}
}

func withContact(s *v1alpha1.BroadbandService) {
	s.Spec.Plan = &v1alpha1.Plan{
		Name: world.PlanGiga, Term: 12, NTDOption: "4_PORT_RESIDENTIAL",
		Contact: &v1alpha1.Contact{Name: "Ada Lovelace", Phone: "0400000000", Email: "ada@example.com"},
	}
}

func withAggregation(method string) serviceEdit {
	return func(s *v1alpha1.BroadbandService) { s.Spec.AggregationMethod = method }
}

func withProfile(profile string) serviceEdit {
	return func(s *v1alpha1.BroadbandService) { s.Spec.DSLStabilityProfile = profile }
}

func withCancellationMode(mode v1alpha1.CancellationMode, date v1alpha1.Date) serviceEdit {
	return func(s *v1alpha1.BroadbandService) {
		s.Spec.Disconnection = ""
		s.Spec.Cancellation = &v1alpha1.Cancellation{Mode: mode, Date: date}
	}
}

func withReclaim(s *v1alpha1.BroadbandService) {
	s.Spec.Cancellation, s.Spec.Disconnection = nil, v1alpha1.DisconnectionReclaim
}

// aspects returns the aspects of services. Each service of a fleet gets the next one in turn.
func aspects() []aspect {
	const terms = 24
	return []aspect{
		{unchanged, []serviceEdit{
			withPlan(world.PlanFast, 12, ""), withPlan(world.PlanCheap, terms, ""), withPlan(world.PlanFails, 12, ""),
			withPlan("Home 1OO/20", 12, ""),
		}},
		{unchanged, []serviceEdit{
			withPlan(world.PlanFast, 12, world.SLAFast), withPlan(world.PlanSlow, 12, world.SLAStd), withContact,
		}},
		{unchanged, []serviceEdit{
			withAggregation("ETHERNET"), withAggregation("L2TP"), withPlan(world.PlanSetUp, terms, ""),
		}},
		{
			func(l *simulator.Service) { l.TechnologyType = "FTTN" },
			[]serviceEdit{withProfile("Stable"), withProfile("Standard"), withPlan(world.PlanNFAS, 12, "")},
		},
		{
			func(l *simulator.Service) {
				l.Cancellation = &simulator.Cancellation{Status: "COMPLETED", RequestDate: "2026-02-20"}
				l.ReclaimableUntil = "2026-04-20"
			},
			[]serviceEdit{withReclaim, withPlan(world.PlanCheap, 12, "")},
		},
		{withCancellation, []serviceEdit{
			withCancellationMode(v1alpha1.CancellationOnDate, newDate), withCancellationMode(v1alpha1.CancellationNever, ""),
		}},
		{withCancellation, []serviceEdit{
			withCancellationMode(v1alpha1.CancellationNever, ""),
			withCancellationMode(v1alpha1.CancellationOnDate, "2026-10-31"),
		}},
		{unchanged, []serviceEdit{
			withPlan(world.PlanSlow, 12, world.SLAStd), withPlan(world.PlanFast, terms, world.SLAFast),
		}},
		{unchanged, []serviceEdit{withPlan(world.PlanCheap, 12, ""), withPlan(world.PlanSlow, 12, "")}},
	}
}

// addService adds a service with the next aspect, and sometimes with a second one.
func (f *fleet) addService(i int, account *member) {
	l := f.simulation
	all := aspects()
	chosen := []aspect{all[i%len(all)]}
	if l.random.IntN(3) == 0 {
		chosen = append(chosen, all[l.random.IntN(4)])
	}
	id := lineID + int64(i)
	l.world.Line(func(line *simulator.Service) {
		line.ID = id
		chosen[0].line(line)
	})
	one := &member{kind: kindService, key: client.ObjectKey{Name: fmt.Sprintf("line-%02d", i)}, account: account}
	one.subject = &requestSubject{serviceID: id}
	interval := l.drawInterval()
	one.readAtInterval = interval != rarely
	f.setObject(one, chosen, interval)
	f.add(one)
}

// rarely is an interval that is longer than most simulations.
const rarely = "9000h"

// drawInterval draws the interval at which a service's state is read. It is usually so long that
// the state is never read, so that settled objects stay idle.
func (l *simulation) drawInterval() v1alpha1.Duration {
	if l.random.IntN(8) == 0 {
		return "6h"
	}
	return rarely
}

// setObject sets the service that a user applies, and the later edits to it.
func (f *fleet) setObject(one *member, chosen []aspect, interval v1alpha1.Duration) {
	one.empty = func() Subject { return &v1alpha1.BroadbandService{} }
	drift := []v1alpha1.DriftPolicy{v1alpha1.DriftReport, v1alpha1.DriftCorrect}[f.simulation.random.IntN(2)]
	one.object = func() client.Object {
		return f.simulation.world.Service(one.key.Name, one.subject.serviceID, func(s *v1alpha1.BroadbandService) {
			s.Spec.AccountRef.Name = one.account.key.Name
			s.Spec.ManagementPolicy, s.Spec.DriftPolicy, s.Spec.Plan = v1alpha1.ManagementManage, drift, nil
			s.Spec.Observe = v1alpha1.Observe{HealthInterval: interval, CancellationInterval: interval}
			if f.simulation.described {
				s.Spec.Observe.ServiceInterval = interval
			}
			for _, aspect := range chosen {
				aspect.edits[0](s)
			}
		})
	}
	for _, aspect := range chosen {
		for _, edit := range aspect.edits {
			one.edits = append(one.edits, onService(edit))
		}
	}
	for _, policy := range []v1alpha1.ManagementPolicy{
		v1alpha1.ManagementManage, v1alpha1.ManagementPlan, v1alpha1.ManagementManage, v1alpha1.ManagementObserve,
	} {
		one.edits = append(one.edits, onService(func(s *v1alpha1.BroadbandService) { s.Spec.ManagementPolicy = policy }))
	}
}

func onService(edit serviceEdit) func(Subject) {
	return func(subject Subject) {
		if s, is := subject.(*v1alpha1.BroadbandService); is {
			edit(s)
		}
	}
}

// addCompeting adds objects that compete for a service that has an object already.
func (f *fleet) addCompeting() {
	for i := range competing {
		first := f.members[2+f.simulation.random.IntN(services)]
		one := &member{
			kind: kindService, key: client.ObjectKey{Name: fmt.Sprintf("competing-%d", i)},
			account: first.account, subject: first.subject,
		}
		f.setObject(one, []aspect{aspects()[0]}, rarely)
		f.add(one)
	}
}
