// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// The tests with a service use an aggregation conversion: the API cannot report the current
// aggregation method, so only the recorded state shows that the conversion was made.
const converting = v1alpha1.OperationAggregationConversion

// expectConversions expects that the carrier has accepted the given number of conversions, and that
// the object has the given reason.
func (s *scriptedRun) expectConversions(t *testing.T, taken int, wantReason string) {
	t.Helper()
	if reason, _, _ := stateOf(s.subject()); s.accepted(converting) != taken || reason != wantReason {
		t.Fatalf("%d conversions were accepted, not %d, and the object is %s, not %s",
			s.accepted(converting), taken, reason, wantReason)
	}
}

// olderLedger restores the ledger from before the end of the first attempt, or from before any
// attempt.
func (s *scriptedRun) olderLedger(t *testing.T, edit func(*v1alpha1.RequestLedgerSpec)) {
	t.Helper()
	older := s.onlyLedger(t)
	s.loseLedger(t)
	older.ResourceVersion, older.UID = "", ""
	older.Spec.Revision, older.Spec.Last, older.Spec.Ended, older.Spec.Known = 1, nil, nil, v1alpha1.KnownToLedger{}
	edit(&older.Spec)
	must(s.store.Client().Create(t.Context(), older))
}

// Between the last read of the object and the POST, another object takes the service over.
func TestR2ServiceTakenOverByAnotherObjectIsNotChanged(t *testing.T) {
	t.Parallel()
	runScript(t, converting, 2, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.faultAt = atFirst("read service-", func() FaultKind {
			s.replaceObject(t)
			s.managers[1].pass(t.Context())
			return noFault
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
func TestR5R6ServiceWithALostLedgerSendsNothing(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*testing.T, *scriptedRun){
		"gone, as the status shows": func(t *testing.T, s *scriptedRun) { t.Helper(); s.loseLedger(t); s.restart() },
		"gone, as the process knows": func(t *testing.T, s *scriptedRun) {
			t.Helper()
			s.loseLedger(t)
			s.replaceObject(t)
		},
		"older than the status": func(t *testing.T, s *scriptedRun) {
			t.Helper()
			s.olderLedger(t, func(*v1alpha1.RequestLedgerSpec) {})
			s.restart()
		},
		"older than the status, and as new": func(t *testing.T, s *scriptedRun) {
			t.Helper()
			s.olderLedger(t, func(spec *v1alpha1.RequestLedgerSpec) {
				spec.Revision = s.service(t).Status.Ledger.Revision
			})
			s.restart()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runScript(t, converting, 1, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.drive(t.Context())
				change(t, s)
				s.notifyManagers()
				s.drive(t.Context())
				s.expectConversions(t, 1, v1alpha1.ReasonLedgerLost)
				s.setResolution(t, "Succeeded")
				s.drive(t.Context())
				s.expectConversions(t, 1, v1alpha1.ReasonInSync)
			})
		})
	}
}

func TestR25ServiceIsChangedOnceWhenItsObjectIsReplacedOrRestored(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*testing.T, *scriptedRun){
		"deleted and applied again": func(t *testing.T, s *scriptedRun) { t.Helper(); s.replaceObject(t) },
		"status emptied":            func(t *testing.T, s *scriptedRun) { t.Helper(); s.loseStatus(t.Context()) },
		"status older": func(t *testing.T, s *scriptedRun) {
			t.Helper()
			service := s.service(t)
			service.Status.Requests, service.Status.History = nil, nil
			service.Status.Ledger.Revision = 1
			service.Status.Carrier.AggregationMethod = nil
			must(s.store.Client().Status().Update(t.Context(), service))
		},
		"status forged": func(t *testing.T, s *scriptedRun) {
			t.Helper()
			service := s.service(t)
			service.Status.Carrier.AggregationMethod = &v1alpha1.KnownValue{Value: "L2TP", Source: v1alpha1.SourceDeclared}
			must(s.store.Client().Status().Update(t.Context(), service))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runScript(t, converting, 1, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.drive(t.Context())
				before := s.subject().Record().RequestOf(converting).AttemptID
				change(t, s)
				s.restart()
				s.drive(t.Context())
				s.expectConversions(t, 1, v1alpha1.ReasonInSync)
				if shown := s.subject().Record().RequestOf(converting); shown == nil || shown.AttemptID != before {
					t.Errorf("the status shows %+v, and not attempt %s", shown, before)
				}
			})
		})
	}
}

// M3 of the review, for a service: the response arrives after a person has resolved the request as
// not accepted, and another attempt was sent because of that.
func TestR15ChangeAcceptedLateWaitsForAPerson(t *testing.T) {
	t.Parallel()
	for resolution, reason := range map[string]string{
		"Succeeded": v1alpha1.ReasonInSync, "Abandoned": v1alpha1.ReasonInSync, "Accepted:": v1alpha1.ReasonInSync,
	} {
		t.Run(resolution, func(t *testing.T) {
			t.Parallel()
			runScript(t, converting, 2, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.resolveWhileDelayed(t, "POST "+submitPath(converting), 40*time.Minute, "NotAccepted", time.Hour)
				s.expectConversions(t, 2, v1alpha1.ReasonLateAcceptance)
				first := s.sent[slices.IndexFunc(s.sent, func(one *post) bool { return one.operation == converting })]
				if !slices.ContainsFunc(s.world.Events.All(), func(event string) bool {
					return strings.Contains(event, "LateAcceptance") && strings.Contains(event, first.requestID)
				}) {
					t.Errorf("no Event names request %s: %q", first.requestID, s.world.Events.All())
				}
				if strings.HasPrefix(resolution, "Accepted:") {
					resolution += first.requestID
				}
				s.setResolution(t, resolution)
				s.drive(t.Context())
				s.expectConversions(t, 2, reason)
			})
		})
	}
}

// The response to a request whose object is gone is still recorded in the ledger.
func TestR16ResponseToADeletedServiceIsRecorded(t *testing.T) {
	t.Parallel()
	runScript(t, converting, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.faultAt = atFirst("POST /api/connect/services/aggregation-conversions", func() FaultKind {
			must(s.store.Client().Delete(t.Context(), s.subject()))
			return noFault
		})
		s.runFor(t, s.managers[0], time.Minute)
		if newest := s.onlyLedger(t).RequestOf(converting); newest.Phase != v1alpha1.PhaseInProgress {
			t.Errorf("the recorded request is %+v", newest)
		}
		s.create(t.Context())
		s.notifyManagers()
		s.drive(t.Context())
		s.expectConversions(t, 1, v1alpha1.ReasonInSync)
	})
}

// The ledger cannot be written for longer than a pass retries, and the object is deleted meanwhile,
// so no further pass will record the response.
func TestR16ResponseIsRecordedAfterALongOutage(t *testing.T) {
	t.Parallel()
	runScript(t, converting, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		sent := false
		s.faultAt = func(effect Effect) FaultKind {
			sent = sent || strings.HasPrefix(effect.What, "POST /api/connect/services/aggregation-conversions")
			if sent && strings.HasPrefix(effect.What, "update *v1alpha1.RequestLedger") {
				return Refused
			}
			return noFault
		}
		s.runFor(t, s.managers[0], time.Minute)
		must(s.store.Client().Delete(t.Context(), s.subject()))
		s.runFor(t, s.managers[0], 5*time.Minute)
		if newest := s.onlyLedger(t).RequestOf(converting); newest.Phase != v1alpha1.PhaseSubmitting {
			t.Fatalf("the recorded request is %+v", newest)
		}
		if !slices.ContainsFunc(s.world.Events.All(), func(event string) bool {
			return strings.Contains(event, "ResponseNotRecorded")
		}) {
			t.Errorf("there is no Event: %q", s.world.Events.All())
		}
		s.faultAt = nil
		must(s.managers[0].reconcilers.Unrecorded.Record(t.Context()))
		if newest := s.onlyLedger(t).RequestOf(converting); newest.Phase != v1alpha1.PhaseInProgress {
			t.Errorf("the recorded request is %+v", newest)
		}
	})
}

// A manager whose cache shows neither the current ledger nor the current object gets a conflict
// when it writes its intent, and sends nothing.
func TestR1IntentFromAStaleCacheGetsAConflict(t *testing.T) {
	t.Parallel()
	runScript(t, converting, 2, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		before := int64(0)
		s.faultAt = func(effect Effect) FaultKind {
			switch {
			case before == 0 && strings.HasPrefix(effect.What, "create *v1alpha1.RequestLedger service-"):
				before = s.store.Version()
			case len(s.staleVersions) == 0 && strings.HasPrefix(effect.What, "POST "+submitPath(converting)):
				s.staleVersions["*v1alpha1.RequestLedger"], s.staleVersions["*v1alpha1.BroadbandService"] = before, before
				s.managers[1].pass(t.Context())
			}
			return noFault
		}
		s.managers[0].pass(t.Context())
		if posted := s.posted(converting); posted != 1 {
			t.Errorf("%d conversions were sent", posted)
		}
		s.faultAt = nil
		clear(s.staleVersions)
		s.notifyManagers()
		s.drive(t.Context())
		s.expectConversions(t, 1, v1alpha1.ReasonInSync)
	})
}
