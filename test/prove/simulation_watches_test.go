// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// isQueuedAfter reports whether an event of one object queues the other object of the service.
func (l *simulation) isQueuedAfter(event func(*simulation, *member)) bool {
	m, competitor := l.managers[0], l.fleet.byKey[nameOf(kindService, "competing-0")]
	m.deliverEvents()
	look := m.entryOf(competitor)
	look.due = time.Time{}
	for _, one := range l.fleet.members {
		if one != competitor && one.subject == competitor.subject {
			event(l, one)
		}
	}
	m.deliverEvents()
	return !look.due.IsZero()
}

func toggleSuspend(l *simulation, one *member) { l.toggleSuspend(one, l.subject(one)) }

func deleteObject(l *simulation, one *member) { l.remove(one, false) }

// writeStatus writes into the status of an object as a process would.
func writeStatus(l *simulation, one *member) {
	subject := l.subject(one)
	_, observed := subject.Describes()
	*observed++
	must(l.store.Client().Status().Update(l.ctx, subject))
}

// serviceLedger returns a ledger of the service of an object.
func serviceLedger(one *member, uid string) *v1alpha1.RequestLedger {
	ledger := &v1alpha1.RequestLedger{}
	ledger.Name, ledger.Spec.Service = "service", &v1alpha1.LedgerService{ID: v1alpha1.CarrierIDOf(one.subject.serviceID)}
	ledger.Spec.Revision, ledger.Spec.Holder = 1, v1alpha1.LedgerHolder{Name: one.key.Name, UID: uid}
	return ledger
}

// writeLedgerOfOther writes a ledger of the service as another process would.
func writeLedgerOfOther(l *simulation, one *member) {
	must(l.store.Client().Create(l.ctx, serviceLedger(one, "")))
}

// writeHolder writes, as this process would, that an object holds the ledger.
func writeHolder(l *simulation, one *member) { writeLedger(l, one, "u") }

// writeOwnLedger writes into the ledger as this process would.
func writeOwnLedger(l *simulation, one *member) { writeLedger(l, one, "") }

func writeLedger(l *simulation, one *member, uid string) {
	m := l.managers[0]
	m.passes = append(m.passes, m.entryOf(one))
	must(m.reconcilers.Orders.Ledgers.Write(l.ctx, serviceLedger(one, uid)))
}

// A write to a ledger wakes the holder and the objects in conflict (R32), and so does the deletion
// of an object. A status triggers no pass over another object, and must not do so in a simulation.
// In one, two leading managers kept overwriting each other's writes to two objects of a service,
// because only one of them knew a price (SIM_SEED=5069 at the time).
func TestR32StatusOfAnObjectQueuesNoOther(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		happens func(*simulation, *member)
		queued  bool
	}{
		"its status is written":                  {writeStatus, false},
		"it is suspended":                        {toggleSuspend, false},
		"it is gone":                             {deleteObject, true},
		"another process writes into its ledger": {writeLedgerOfOther, true},
		"this process writes into its ledger":    {writeOwnLedger, false},
		"this process writes that it holds it":   {writeHolder, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scheme := setUp(t)
			synctest.Test(t, func(t *testing.T) {
				if queued := newSimulation(t.Context(), scheme, 1, false).isQueuedAfter(row.happens); queued != row.queued {
					t.Errorf("the other object of the service is queued: %t", queued)
				}
			})
		})
	}
}
