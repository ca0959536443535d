// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// wakes reports whether an event of one object of a service queues the other one.
func (l *simulation) wakes(happens func(*simulation, *member)) bool {
	m, rival := l.managers[0], l.fleet.byKey[nameOf(kindService, "rival-0")]
	m.hear()
	look := m.lookOf(rival)
	look.due = time.Time{}
	for _, one := range l.fleet.members {
		if one != rival && one.about == rival.about {
			happens(l, one)
		}
	}
	m.hear()
	return !look.due.IsZero()
}

func suspended(l *simulation, one *member) { l.suspends(one, l.subject(one)) }

func gone(l *simulation, one *member) { l.removes(one, false) }

// describes writes into the status of an object as a process would.
func describes(l *simulation, one *member) {
	subject := l.subject(one)
	_, observed := subject.Describes()
	*observed++
	must(l.store.Client().Status().Update(l.ctx, subject))
}

// serviceLedger returns a ledger of the service of an object.
func serviceLedger(one *member, uid string) *v1alpha1.RequestLedger {
	ledger := &v1alpha1.RequestLedger{}
	ledger.Name, ledger.Spec.Service = "service", &v1alpha1.LedgerService{ID: v1alpha1.CarrierIDOf(one.about.line)}
	ledger.Spec.Revision, ledger.Spec.Holder = 1, v1alpha1.LedgerHolder{Name: one.key.Name, UID: uid}
	return ledger
}

// records writes such a ledger as another process would.
func records(l *simulation, one *member) {
	must(l.store.Client().Create(l.ctx, serviceLedger(one, "")))
}

// manages writes, as this process would, that an object holds the ledger.
func manages(l *simulation, one *member) { own(l, one, "u") }

// goesOn writes into the ledger as this process would.
func goesOn(l *simulation, one *member) { own(l, one, "") }

func own(l *simulation, one *member, uid string) {
	m := l.managers[0]
	m.passes = append(m.passes, m.lookOf(one))
	must(m.reconcilers.Orders.Ledgers.Write(l.ctx, serviceLedger(one, uid)))
}

// "A watch on ledgers wakes the holder, conflicting objects" (R32), and so does the deletion of an
// object. A status wakes no other object, and must not do so in a simulation: there, two leading
// managers, one of which did not know a price, overwrote each other endlessly over two objects of a
// service (SIM_SEED=5069 at the time).
func TestR32TheStatusOfAnObjectWakesNoOther(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		happens func(*simulation, *member)
		wakes   bool
	}{
		"its status is written":                  {describes, false},
		"it is suspended":                        {suspended, false},
		"it is gone":                             {gone, true},
		"another process writes into its ledger": {records, true},
		"this process writes into its ledger":    {goesOn, false},
		"this process writes that it holds it":   {manages, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scheme := stage(t)
			synctest.Test(t, func(t *testing.T) {
				if woken := newSimulation(t.Context(), scheme, 1, false).wakes(row.happens); woken != row.wakes {
					t.Errorf("the other object of the service is looked at: %t", woken)
				}
			})
		})
	}
}
