// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// M6a of the review: two objects of one service are deleted at the same moment, while a request is
// in progress.
func TestR24WhatTwoObjectsThatLeaveTogetherHaveSentIsNotSentAgain(t *testing.T) {
	t.Parallel()
	script(t, converting, 2, func(t *testing.T, s *scripted) {
		t.Helper()
		s.managers[0].pass(t.Context())
		twin := s.service(t).DeepCopy()
		twin.ObjectMeta.Name, twin.UID, twin.ResourceVersion = "twin", "", ""
		twin.Status = v1alpha1.BroadbandServiceStatus{}
		must(s.world.Create(t.Context(), twin))
		looks := func() {
			other := s.managers[1]
			_, err := other.alive(t.Context(), reconcilerOf(other.reconcilers, kindService), keyIn(s.run, "twin"))
			must(err)
		}
		looks()
		s.remove(t.Context())
		must(s.store.Client().Delete(t.Context(), twin))
		looks()
		s.alert()
		s.managers[0].pass(t.Context())
		if ledger := s.theLedger(t); ledger == nil || len(ledger.Spec.Open) != 1 {
			t.Fatalf("what is in progress is not on record: %+v", ledger)
		}
		s.restart()
		s.create(t.Context())
		s.alert()
		s.drive(t.Context())
		if posted := s.posted(converting); posted != 1 {
			t.Errorf("%d conversions were sent", posted)
		}
		s.expectConversions(t, 1, v1alpha1.ReasonInSync)
	})
}

// M6b of the review: a manager whose cache still shows the deleted object does not reopen an
// attempt that has ended since.
func TestR24AManagerThatSeesTheDeletedObjectBringsNothingBack(t *testing.T) {
	t.Parallel()
	script(t, changing, 2, func(t *testing.T, s *scripted) {
		t.Helper()
		s.managers[0].pass(t.Context())
		s.untilOpen(t)
		version := s.store.Version()
		s.replaceObject(t)
		s.drive(t.Context())
		first := s.posted(changing)
		s.declares(t, world.PlanCheap)
		before, plan := s.posted(changing), s.theLedger(t).Spec.Sequence
		s.stale["*v1alpha1.BroadbandService"], s.stale["*v1alpha1.RequestLedger"] = version, version
		s.alert()
		s.managers[1].pass(t.Context())
		clear(s.stale)
		s.restart()
		s.alert()
		s.drive(t.Context())
		if after := s.posted(changing); first != 1 || before != 2 || after != before {
			t.Errorf("%d, then %d, and in the end %d plan changes were sent", first, before, after)
		}
		if begun := s.theLedger(t).Spec.Sequence; begun != plan || len(s.theLedger(t).Spec.Open) > 0 {
			t.Errorf("%d attempts were begun, and there were %d: %+v", begun, plan, s.theLedger(t).Spec.Open)
		}
	})
}

// untilOpen runs passes of the first manager until an attempt is in progress.
func (s *scripted) untilOpen(t *testing.T) {
	t.Helper()
	for range mostPasses {
		if len(s.subject().OpenRequests()) > 0 {
			return
		}
		sleep(s.managers[0].next().Sub(now()))
		s.managers[0].pass(t.Context())
	}
	t.Fatal("nothing is sent")
}
