// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"maps"
	"reflect"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/store"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// member is an object of the fleet, whether it currently exists or not.
type member struct {
	number    int
	kind      string
	key       client.ObjectKey
	account   *member
	empty     func() Subject
	object    func() client.Object // what a user applies
	edits     []func(Subject)      // other edits, the first of which the carrier can carry out
	followers []*member            // the members that are reconciled when it changes
	tests     int64                // the service that a diagnostic test is about
	about     *matter

	again bool // a user creates it again once it is gone
	rests bool // the newest pass over it did nothing

	removed bool // a user has deleted it
	reads   bool // its state is read at intervals
	seeks   bool // the carrier answers its reads with 404, and is asked every ten minutes
	unread  bool // a call about it failed, so that some of its state may be unknown
	helped  int  // how often a person has helped at the end
}

// String returns the name of a member.
func (m *member) String() string {
	if m == nil {
		return "none"
	}
	return nameOf(m.kind, m.key.Name)
}

// matter is what requests are about: a service of the carrier, an order or a site. Several objects
// may share one.
type matter struct {
	line     int64 // the service's number; 0: it is not a service
	licenses int   // how often someone has allowed another request
}

// fleet is the set of all objects, including the accounts.
type fleet struct {
	members    []*member
	byKey      map[string]*member
	simulation *simulation
}

// The two accounts of a fleet: one sends changes at once, the other needs approval or has a limit.
const carefulAccount = "careful"

func newFleet(l *simulation) *fleet {
	f := &fleet{byKey: map[string]*member{}, simulation: l}
	must(l.world.Create(l.ctx, l.world.Secret()))
	free := f.account(world.AccountName, func(*v1alpha1.CarrierAccount) {})
	careful := f.account(carefulAccount, func(account *v1alpha1.CarrierAccount) {
		account.Spec.Approval, account.Spec.UnknownValues = v1alpha1.ApprovalOnCost, v1alpha1.UnknownAsk
		account.Spec.ChargeLimit = &v1alpha1.ChargeLimit{PerHour: limits}
	})
	for i := range services {
		f.service(i, []*member{free, free, free, careful}[l.dice.IntN(4)])
	}
	f.rivals()
	f.orders(free, careful)
	f.appointments(free)
	f.oneShots(free)
	return f
}

// The number of objects: fifty in all.
const (
	services     = 20
	rivals       = 2
	orders       = 8
	appointments = 6
	shots        = 14
	limits       = 4 // chargeable requests in an hour
)

func nameOf(kind, name string) string { return kind + "/" + name }

func kindOf(object any) string { return reflect.TypeOf(object).Elem().Name() }

// of returns the member of an object or of its ledger; nil for the ledger of an identity.
func (f *fleet) of(object client.Object) *member {
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
		one.account.followers = append(one.account.followers, one)
	}
	if one.about == nil {
		one.about = &matter{}
	}
	return one
}

func (f *fleet) account(name string, edit func(*v1alpha1.CarrierAccount)) *member {
	return f.add(&member{
		kind: kindAccount, key: client.ObjectKey{Name: name},
		object: func() client.Object {
			return f.simulation.world.Account(declared, func(account *v1alpha1.CarrierAccount) {
				account.Name, account.Spec.Identity, account.Spec.ChargeLimit = name, name, nil
				edit(account)
			})
		},
	})
}

// news reports whether a change of an object is a reason to reconcile it: something a user did.
func news(change store.Change) bool {
	before, after := change.Before, change.Now
	return before == nil || after == nil || before.GetUID() != after.GetUID() ||
		before.GetGeneration() != after.GetGeneration() || !maps.Equal(before.GetAnnotations(), after.GetAnnotations())
}

// doubted reports whether an object became less settled: the one status change that is a reason to
// reconcile it, a while later.
func doubted(before, after client.Object) bool {
	return before != nil && after != nil && controllers.LessSettled(before, after)
}

// aspect is one aspect of a service: the initial state of its line, and the edits of a user, those
// that the carrier can carry out first.
type aspect struct {
	line  lineEdit
	edits []serviceEdit
}

func planned(plan string, term int32, sla string) serviceEdit {
	return func(s *v1alpha1.BroadbandService) {
		s.Spec.Plan, s.Spec.RestorationSLA = &v1alpha1.Plan{Name: plan, Term: term}, sla
	}
}

func contacted(s *v1alpha1.BroadbandService) {
	s.Spec.Plan = &v1alpha1.Plan{
		Name: world.PlanGiga, Term: 12, NTDOption: "4_PORT_RESIDENTIAL",
		Contact: &v1alpha1.Contact{Name: "Ada Lovelace", Phone: "0400000000", Email: "ada@example.com"},
	}
}

func aggregated(method string) serviceEdit {
	return func(s *v1alpha1.BroadbandService) { s.Spec.AggregationMethod = method }
}

func stabilized(profile string) serviceEdit {
	return func(s *v1alpha1.BroadbandService) { s.Spec.DSLStabilityProfile = profile }
}

func ends(mode v1alpha1.CancellationMode, date v1alpha1.Date) serviceEdit {
	return func(s *v1alpha1.BroadbandService) {
		s.Spec.Disconnection = ""
		s.Spec.Cancellation = &v1alpha1.Cancellation{Mode: mode, Date: date}
	}
}

func reclaimed(s *v1alpha1.BroadbandService) {
	s.Spec.Cancellation, s.Spec.Disconnection = nil, v1alpha1.DisconnectionReclaim
}

// aspects returns the aspects that the services of a fleet have in turn.
func aspects() []aspect {
	const terms = 24
	return []aspect{
		{plain, []serviceEdit{
			planned(world.PlanFast, 12, ""), planned(world.PlanCheap, terms, ""), planned(world.PlanFails, 12, ""),
			planned("Home 1OO/20", 12, ""),
		}},
		{plain, []serviceEdit{
			planned(world.PlanFast, 12, world.SLAFast), planned(world.PlanSlow, 12, world.SLAStd), contacted,
		}},
		{plain, []serviceEdit{aggregated("ETHERNET"), aggregated("L2TP"), planned(world.PlanSetUp, terms, "")}},
		{
			func(l *simulator.Service) { l.TechnologyType = "FTTN" },
			[]serviceEdit{stabilized("Stable"), stabilized("Standard"), planned(world.PlanNFAS, 12, "")},
		},
		{
			func(l *simulator.Service) {
				l.Cancellation = &simulator.Cancellation{Status: "COMPLETED", RequestDate: "2026-02-20"}
				l.ReclaimableUntil = "2026-04-20"
			},
			[]serviceEdit{reclaimed, planned(world.PlanCheap, 12, "")},
		},
		{ending, []serviceEdit{ends(v1alpha1.CancellationOnDate, wanted), ends(v1alpha1.CancellationNever, "")}},
		{ending, []serviceEdit{ends(v1alpha1.CancellationNever, ""), ends(v1alpha1.CancellationOnDate, "2026-10-31")}},
		{plain, []serviceEdit{planned(world.PlanSlow, 12, world.SLAStd), planned(world.PlanFast, terms, world.SLAFast)}},
	}
}

// service adds a service with the next aspect, sometimes with two.
func (f *fleet) service(i int, account *member) {
	l := f.simulation
	all := aspects()
	chosen := []aspect{all[i%len(all)]}
	if l.dice.IntN(3) == 0 {
		chosen = append(chosen, all[l.dice.IntN(4)])
	}
	id := lineID + int64(i)
	l.world.Line(func(line *simulator.Service) {
		line.ID = id
		chosen[0].line(line)
	})
	one := &member{kind: kindService, key: client.ObjectKey{Name: fmt.Sprintf("line-%02d", i)}, account: account}
	one.about = &matter{line: id}
	interval := l.often()
	one.reads = interval != rarely
	f.wishFor(one, chosen, interval)
	f.add(one)
}

// rarely is an interval that is longer than most simulations.
const rarely = "9000h"

// often returns how often a service's state is read: mostly never, so that settled objects stay
// idle.
func (l *simulation) often() v1alpha1.Duration {
	if l.dice.IntN(8) == 0 {
		return "6h"
	}
	return rarely
}

// wishFor sets what a user applies as a service, and the later edits.
func (f *fleet) wishFor(one *member, chosen []aspect, interval v1alpha1.Duration) {
	one.empty = func() Subject { return &v1alpha1.BroadbandService{} }
	drift := []v1alpha1.DriftPolicy{v1alpha1.DriftReport, v1alpha1.DriftCorrect}[f.simulation.dice.IntN(2)]
	one.object = func() client.Object {
		return f.simulation.world.Service(one.key.Name, one.about.line, func(s *v1alpha1.BroadbandService) {
			s.Spec.AccountRef.Name = one.account.key.Name
			s.Spec.ManagementPolicy, s.Spec.DriftPolicy, s.Spec.Plan = v1alpha1.ManagementManage, drift, nil
			s.Spec.Observe = v1alpha1.Observe{HealthInterval: interval, CancellationInterval: interval}
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

// rivals adds objects that compete for a service that has an object already.
func (f *fleet) rivals() {
	for i := range rivals {
		first := f.members[2+f.simulation.dice.IntN(services)]
		one := &member{
			kind: kindService, key: client.ObjectKey{Name: fmt.Sprintf("rival-%d", i)},
			account: first.account, about: first.about,
		}
		f.wishFor(one, []aspect{aspects()[0]}, rarely)
		f.add(one)
	}
}
