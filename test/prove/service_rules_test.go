// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// The scenarios with a service use a conversion: the API cannot report its current value, so only
// the recorded state shows that it was made.
const converting = v1alpha1.OperationAggregationConversion

// expectConversions expects the number of conversions that the carrier has accepted, and the
// object's reason.
func (s *scripted) expectConversions(t *testing.T, taken int, reason string) {
	t.Helper()
	if said, _, _ := stateOf(s.subject()); s.accepted(converting) != taken || said != reason {
		t.Fatalf("%d conversions were taken, not %d, and the object is %s, not %s",
			s.accepted(converting), taken, said, reason)
	}
}

// olderLedger restores the ledger from before the end of the first attempt, or from before any
// attempt.
func (s *scripted) olderLedger(t *testing.T, edit func(*v1alpha1.RequestLedgerSpec)) {
	t.Helper()
	older := s.theLedger(t)
	s.loseLedger(t)
	older.ResourceVersion, older.UID = "", ""
	older.Spec.Revision, older.Spec.Last, older.Spec.Ended, older.Spec.Known = 1, nil, nil, v1alpha1.KnownToLedger{}
	edit(&older.Spec)
	must(s.store.Client().Create(t.Context(), older))
}

// Between the last read of the object and the POST, another object takes the service over.
func TestR2AServiceThatAnotherObjectHasTakenOverIsNotChanged(t *testing.T) {
	t.Parallel()
	script(t, converting, 2, func(t *testing.T, s *scripted) {
		t.Helper()
		s.at = once("read service-", func() Kind {
			s.replaceObject(t)
			s.managers[1].pass(t.Context())
			return nothing
		})
		s.managers[0].pass(t.Context())
		s.drive(t.Context())
		if posted := s.posted(converting); posted != 1 {
			t.Errorf("%d conversions were sent", posted)
		}
		s.expectConversions(t, 1, v1alpha1.ReasonInSync)
	})
}

// M6 to M9 of the review: no loss of the object, its status or its ledger makes a request be sent
// again.
func TestR5R6AServiceWhoseLedgerIsLostSendsNothing(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(*testing.T, *scripted){
		"gone, as the status shows": func(t *testing.T, s *scripted) { t.Helper(); s.loseLedger(t); s.restart() },
		"gone, as the process knows": func(t *testing.T, s *scripted) {
			t.Helper()
			s.loseLedger(t)
			s.replaceObject(t)
		},
		"older than the status": func(t *testing.T, s *scripted) {
			t.Helper()
			s.olderLedger(t, func(*v1alpha1.RequestLedgerSpec) {})
			s.restart()
		},
		"older than the status, and as new": func(t *testing.T, s *scripted) {
			t.Helper()
			s.olderLedger(t, func(spec *v1alpha1.RequestLedgerSpec) {
				spec.Revision = s.service(t).Status.Ledger.Revision
			})
			s.restart()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script(t, converting, 1, func(t *testing.T, s *scripted) {
				t.Helper()
				s.drive(t.Context())
				happens(t, s)
				s.alert()
				s.drive(t.Context())
				s.expectConversions(t, 1, v1alpha1.ReasonLedgerLost)
				s.says(t, "Succeeded")
				s.drive(t.Context())
				s.expectConversions(t, 1, v1alpha1.ReasonInSync)
			})
		})
	}
}

func TestR25AServiceIsChangedOnceWhateverBecomesOfItsObject(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(*testing.T, *scripted){
		"deleted and applied again": func(t *testing.T, s *scripted) { t.Helper(); s.replaceObject(t) },
		"status emptied":            func(t *testing.T, s *scripted) { t.Helper(); s.restore(t.Context()) },
		"status older": func(t *testing.T, s *scripted) {
			t.Helper()
			service := s.service(t)
			service.Status.Requests, service.Status.History = nil, nil
			service.Status.Ledger.Revision = 1
			service.Status.Carrier.AggregationMethod = nil
			must(s.store.Client().Status().Update(t.Context(), service))
		},
		"status forged": func(t *testing.T, s *scripted) {
			t.Helper()
			service := s.service(t)
			service.Status.Carrier.AggregationMethod = &v1alpha1.KnownValue{Value: "L2TP", Source: v1alpha1.SourceDeclared}
			must(s.store.Client().Status().Update(t.Context(), service))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script(t, converting, 1, func(t *testing.T, s *scripted) {
				t.Helper()
				s.drive(t.Context())
				before := s.subject().RequestOf(converting).AttemptID
				happens(t, s)
				s.restart()
				s.drive(t.Context())
				s.expectConversions(t, 1, v1alpha1.ReasonInSync)
				if shown := s.subject().RequestOf(converting); shown == nil || shown.AttemptID != before {
					t.Errorf("the status shows %+v, and not attempt %s", shown, before)
				}
			})
		})
	}
}

// M3 of the review, for a service: the response arrives after a person has resolved the request as
// not accepted, and another attempt was sent because of that.
func TestR15AChangeThatIsAcceptedLateWaitsForAPerson(t *testing.T) {
	t.Parallel()
	for word, reason := range map[string]string{
		"Succeeded": v1alpha1.ReasonInSync, "Abandoned": v1alpha1.ReasonInSync, "Accepted:": v1alpha1.ReasonInSync,
	} {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			script(t, converting, 2, func(t *testing.T, s *scripted) {
				t.Helper()
				s.saysMeanwhile(t, "POST "+submitPath(converting), 40*time.Minute, "NotAccepted", time.Hour)
				s.expectConversions(t, 2, v1alpha1.ReasonLateAcceptance)
				first := s.sent[slices.IndexFunc(s.sent, func(one *sending) bool { return one.operation == converting })]
				if !slices.ContainsFunc(s.world.Events.All(), func(said string) bool {
					return strings.Contains(said, "LateAcceptance") && strings.Contains(said, first.requestID)
				}) {
					t.Errorf("nobody was told of request %s: %q", first.requestID, s.world.Events.All())
				}
				if strings.HasPrefix(word, "Accepted:") {
					word += first.requestID
				}
				s.says(t, word)
				s.drive(t.Context())
				s.expectConversions(t, 2, reason)
			})
		})
	}
}

// The response to a request whose object is gone is still recorded in the ledger.
func TestR16AChangeIsRecordedWhoseObjectIsGone(t *testing.T) {
	t.Parallel()
	script(t, converting, 1, func(t *testing.T, s *scripted) {
		t.Helper()
		s.at = once("POST /api/connect/services/aggregation-conversions", func() Kind {
			must(s.store.Client().Delete(t.Context(), s.subject()))
			return nothing
		})
		s.passes(t, s.managers[0], time.Minute)
		if newest := s.theLedger(t).RequestOf(converting); newest.Phase != v1alpha1.PhaseInProgress {
			t.Errorf("on record is %+v", newest)
		}
		s.create(t.Context())
		s.alert()
		s.drive(t.Context())
		s.expectConversions(t, 1, v1alpha1.ReasonInSync)
	})
}

// The ledger cannot be written for longer than a pass retries, and the object is deleted meanwhile:
// no further pass will record it.
func TestR16AnAnswerIsRecordedHoweverLongThatTakes(t *testing.T) {
	t.Parallel()
	script(t, converting, 1, func(t *testing.T, s *scripted) {
		t.Helper()
		sent := false
		s.at = func(effect Effect) Kind {
			sent = sent || strings.HasPrefix(effect.What, "POST /api/connect/services/aggregation-conversions")
			if sent && strings.HasPrefix(effect.What, "update *v1alpha1.RequestLedger") {
				return Refused
			}
			return nothing
		}
		s.passes(t, s.managers[0], time.Minute)
		must(s.store.Client().Delete(t.Context(), s.subject()))
		s.passes(t, s.managers[0], 5*time.Minute)
		if newest := s.theLedger(t).RequestOf(converting); newest.Phase != v1alpha1.PhaseSubmitting {
			t.Fatalf("on record is %+v", newest)
		}
		if !slices.ContainsFunc(s.world.Events.All(), func(said string) bool {
			return strings.Contains(said, "AnswerNotRecorded")
		}) {
			t.Errorf("nobody was told: %q", s.world.Events.All())
		}
		s.at = nil
		must(s.managers[0].reconcilers.Answers.Record(t.Context()))
		if newest := s.theLedger(t).RequestOf(converting); newest.Phase != v1alpha1.PhaseInProgress {
			t.Errorf("on record is %+v", newest)
		}
	})
}

// A manager whose cache shows neither the current ledger nor the current object gets a conflict
// when it writes its intent, and sends nothing.
func TestR1AnIntentByAStaleCacheMeetsAConflict(t *testing.T) {
	t.Parallel()
	script(t, converting, 2, func(t *testing.T, s *scripted) {
		t.Helper()
		before := int64(0)
		s.at = func(effect Effect) Kind {
			switch {
			case before == 0 && strings.HasPrefix(effect.What, "create *v1alpha1.RequestLedger"):
				before = s.store.Version()
			case len(s.stale) == 0 && strings.HasPrefix(effect.What, "POST /api/connect/services/aggregation-conversions"):
				s.stale["*v1alpha1.RequestLedger"], s.stale["*v1alpha1.BroadbandService"] = before, before
				s.managers[1].pass(t.Context())
			}
			return nothing
		}
		s.managers[0].pass(t.Context())
		if posted := s.posted(converting); posted != 1 {
			t.Errorf("%d conversions were sent", posted)
		}
		s.at = nil
		clear(s.stale)
		s.alert()
		s.drive(t.Context())
		s.expectConversions(t, 1, v1alpha1.ReasonInSync)
	})
}
