// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// The pause doubles (R12). The API server does not respond to the last read of the account, and an
// account that cannot be read keeps the gate closed.
func TestR12ClosedGateIsRetriedAfterASecondAndAtLeastOnceAMinute(t *testing.T) {
	t.Parallel()
	runScript(t, changing, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		var closed []time.Time
		s.faultAt = func(effect Effect) FaultKind {
			if effect.Op != Read || !strings.HasPrefix(effect.What, "read default") || len(closed) == 10 {
				return noFault
			}
			closed = append(closed, now())
			return Refused
		}
		s.runFor(t, s.managers[0], 10*time.Minute)
		pauses := make([]float64, len(closed)-1)
		for i := range pauses {
			pauses[i] = closed[i+1].Sub(closed[i]).Seconds()
		}
		if want := []float64{1, 2, 4, 8, 16, 32, 60, 60, 60}; !slices.Equal(pauses, want) {
			t.Errorf("the gate was tried again after %v s, want %v", pauses, want)
		}
		if posted := s.posted(changing); posted != 1 {
			t.Errorf("%d were sent once the gate was open", posted)
		}
	})
}

// A process that is known to be out of date writes no further intent (R12).
func TestR12WaitsUntilTheCacheShowsWhatTheGateRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		kind    string
		happens func(*testing.T, *scriptedRun)
		sent    int // once the cache shows it
	}{
		"the object is suspended": {"*v1alpha1.BroadbandService", suspendService, 0},
		"the account is closed": {"*v1alpha1.CarrierAccount", func(t *testing.T, s *scriptedRun) {
			t.Helper()
			s.editAccount(t, closeAccount)
		}, 0},
		"the account is another of its name": {"*v1alpha1.CarrierAccount", replaceAccount, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runScript(t, changing, 1, func(t *testing.T, s *scriptedRun) {
				t.Helper()
				s.faultAt = atFirst("create *v1alpha1.RequestLedger service-", func() FaultKind {
					s.staleVersions[test.kind] = s.store.Version()
					test.happens(t, s)
					return noFault
				})
				s.runFor(t, s.managers[0], time.Hour)
				if begun := s.onlyLedger(t).Spec.Sequence; begun != 1 || s.posted(changing) != 0 {
					t.Errorf("%d attempts were begun and %d sent while the cache stood still", begun, s.posted(changing))
				}
				delete(s.staleVersions, test.kind)
				s.managers[0].login = now() // the watch shows the account
				s.notifyManagers()
				s.drive(t.Context())
				if posted := s.posted(changing); posted != test.sent {
					t.Errorf("%d were sent once the cache had caught up, want %d", posted, test.sent)
				}
			})
		})
	}
}

// suspendService suspends the service as a user would.
func suspendService(t *testing.T, s *scriptedRun) {
	t.Helper()
	service := s.service(t)
	service.Spec.Suspend = true
	must(s.store.Client().Update(t.Context(), service))
}

// replaceAccount deletes the account, and creates it again as it was.
func replaceAccount(t *testing.T, s *scriptedRun) {
	t.Helper()
	var account v1alpha1.CarrierAccount
	must(s.store.Client().Get(t.Context(), keyIn(s.run, world.AccountName), &account))
	must(s.store.Client().Delete(t.Context(), &account))
	account.UID, account.ResourceVersion = "", ""
	must(s.store.Client().Create(t.Context(), &account))
}

// A person has resolved an attempt as NotAccepted, and corrects that once the next one has begun. The
// last check before the POST sees a resolution that the cache does not show, and refuses (R12).
func TestR12NothingIsSentWhileAResolutionIsNewerThanTheCache(t *testing.T) {
	t.Parallel()
	runScript(t, converting, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.faultAt = atFirst("POST "+submitPath(converting), func() FaultKind { return Unavailable })
		s.runFor(t, s.managers[0], time.Hour)
		lost := s.subject().Record().OpenRequests()[0].AttemptID
		s.setResolution(t, "NotAccepted")
		s.faultAt = func(Effect) FaultKind {
			if s.onlyLedger(t).Spec.Sequence == 2 && len(s.staleVersions) == 0 {
				s.staleVersions["*v1alpha1.BroadbandService"] = s.store.Version()
				s.edit(t.Context(), func(subject Subject) { annotate(subject, v1alpha1.AnnotationResolve, lost+"=Abandoned") })
			}
			return noFault
		}
		s.runFor(t, s.managers[0], time.Minute)
		if begun := s.onlyLedger(t).Spec.Sequence; begun < 2 || s.posted(converting) != 0 {
			t.Errorf("%d attempts were begun and %d sent while the cache stood still", begun, s.posted(converting))
		}
	})
}
