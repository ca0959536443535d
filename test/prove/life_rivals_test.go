// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// wakes says whether something that happens to an object of a service has the other one looked at.
func (l *life) wakes(happens func(*life, *member)) bool {
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

func suspended(l *life, one *member) { l.suspends(one, l.subject(one)) }

func gone(l *life, one *member) { l.removes(one, false) }

// describes has a process write into the status of an object.
func describes(l *life, one *member) {
	subject := l.subject(one)
	_, observed := subject.Describes()
	*observed++
	must(l.store.Client().Status().Update(l.ctx, subject))
}

// serviceLedger is a ledger of the service of an object.
func serviceLedger(one *member, uid string) *v1alpha1.RequestLedger {
	ledger := &v1alpha1.RequestLedger{}
	ledger.Name, ledger.Spec.Service = "service", &v1alpha1.LedgerService{ID: v1alpha1.CarrierIDOf(one.about.line)}
	ledger.Spec.Revision, ledger.Spec.Holder = 1, v1alpha1.LedgerHolder{Name: one.key.Name, UID: uid}
	return ledger
}

// records has another process write into such a ledger.
func records(l *life, one *member) { must(l.store.Client().Create(l.ctx, serviceLedger(one, ""))) }

// manages has the process itself write that an object holds it.
func manages(l *life, one *member) { own(l, one, "u") }

// goesOn has the process itself write into it.
func goesOn(l *life, one *member) { own(l, one, "") }

func own(l *life, one *member, uid string) {
	m := l.managers[0]
	m.passes = append(m.passes, m.lookOf(one))
	must(m.reconcilers.Orders.Ledgers.Write(l.ctx, serviceLedger(one, uid)))
}

// "A watch on ledgers wakes the holder, conflicting objects" (R32), and so does that an object is
// gone. A status wakes nobody, nor does it in a life: where it did there, two managers that both led,
// one of which knew a price that the other did not, wrote against each other over two objects of a
// service without a pause (SIM_SEED=5069, as it was then).
func TestR32TheStatusOfAnObjectWakesNoOther(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		happens func(*life, *member)
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
				if woken := newLife(t.Context(), scheme, 1, false).wakes(row.happens); woken != row.wakes {
					t.Errorf("the other object of the service is looked at: %t", woken)
				}
			})
		})
	}
}
