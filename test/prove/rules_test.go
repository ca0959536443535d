// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// scripted is a run with events that no fault plan has: at an effect, while a response is late, or
// in what the cache shows of a kind.
type scripted struct {
	*run

	at    func(Effect) Kind // what happens at an effect; nil: nothing
	later func()            // what the others do while the first late response is on its way
	stale map[string]int64  // the version that the cache shows of a Go type
	read  map[string]int    // how often a Go type was read from the cache
}

func (s *scripted) begin(sort Sort, what string) (Effect, Kind) {
	effect, kind := s.run.begin(sort, what)
	if s.at != nil && kind == nothing {
		kind = s.at(effect)
	}
	return effect, kind
}

func (s *scripted) wait(p *port, sort Sort) {
	if s.later == nil {
		s.run.wait(p, sort)
		return
	}
	later := s.later
	s.later = nil
	later()
}

func (s *scripted) cached(p *port, into runtime.Object) client.Reader {
	s.read[fmt.Sprintf("%T", into)]++
	if version, held := s.stale[fmt.Sprintf("%T", into)]; held {
		return s.store.AsOf(version)
	}
	return s.run.cached(p, into)
}

// script runs a test with one scenario and some managers.
func script(t *testing.T, asks v1alpha1.Operation, managers int, scene func(*testing.T, *scripted)) {
	t.Helper()
	scheme := stage(t)
	at := slices.IndexFunc(Scenarios(), func(scenario *Scenario) bool { return scenario.Asks == asks })
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{
			run:   newRun(t.Context(), scheme, Plan{Scenario: Scenarios()[at], Managers: managers}),
			stale: map[string]int64{}, read: map[string]int{},
		}
		for _, manager := range s.managers {
			manager.scene = s
		}
		scene(t, s)
		sleep(lateness) // a login may still wait for its response
	})
}

// once does something at the first effect with this prefix, and returns what happens to the effect.
func once(what string, do func() Kind) func(Effect) Kind { return nth(1, what, do) }

// nth does something at the nth effect, from 1, with this prefix.
func nth(number int, what string, do func() Kind) func(Effect) Kind {
	met := 0
	return func(effect Effect) Kind {
		if !strings.HasPrefix(effect.What, what) {
			return nothing
		}
		met++
		if met != number {
			return nothing
		}
		return do()
	}
}

func late() Kind { return Late }

// passes runs the passes of one manager that are due within some time.
func (s *scripted) passes(t *testing.T, manager *process, within time.Duration) {
	t.Helper()
	until := now().Add(within)
	for at := manager.next(); !at.IsZero() && !at.After(until); at = manager.next() {
		sleep(at.Sub(now()))
		manager.pass(t.Context())
	}
	sleep(until.Sub(now()))
}

// untilEnded runs passes of the first manager until an attempt has ended.
func (s *scripted) untilEnded(t *testing.T, operation v1alpha1.Operation) {
	t.Helper()
	for range mostPasses {
		if request := s.subject().RequestOf(operation); request != nil && request.Phase.Ended() {
			return
		}
		sleep(s.managers[0].next().Sub(now()))
		s.managers[0].pass(t.Context())
	}
	t.Fatalf("%s does not end", operation)
}

// says resolves the open request as a person would.
func (s *scripted) says(t *testing.T, word string) {
	t.Helper()
	open := s.subject().OpenRequests()[0]
	s.edit(t.Context(), func(subject Subject) {
		annotate(subject, v1alpha1.AnnotationResolve, open.AttemptID+"="+word)
	})
	s.alert()
}

// saysMeanwhile delays the result of an effect of the first manager. The other manager runs until
// the outcome of the request is unknown, a person resolves it, and the other manager runs again.
func (s *scripted) saysMeanwhile(t *testing.T, what string, before time.Duration, word string, after time.Duration) {
	t.Helper()
	s.at = once(what, late)
	s.later = func() {
		s.passes(t, s.managers[1], before)
		s.says(t, word)
		s.passes(t, s.managers[1], after)
	}
	s.passes(t, s.managers[0], time.Minute)
	s.drive(t.Context())
}

// posted counts the POSTs of an operation.
func (s *scripted) posted(operation v1alpha1.Operation) int {
	return len(slices.DeleteFunc(slices.Clone(s.sent), func(one *sending) bool { return one.operation != operation }))
}

// editAccount edits the account.
func (s *scripted) editAccount(t *testing.T, edit func(*v1alpha1.CarrierAccountSpec)) {
	t.Helper()
	account := s.account(t.Context())
	edit(&account.Spec)
	must(s.store.Client().Update(t.Context(), account))
}

// closed makes an account not list the service, and require approval for everything.
func closed(account *v1alpha1.CarrierAccountSpec) {
	account.Approval, account.ServiceIDs = v1alpha1.ApprovalAlways, []v1alpha1.CarrierID{"1"}
}

func writesService(effect Effect) bool {
	return effect.Sort == Write && strings.Contains(effect.What, "BroadbandService")
}

// The account is the emergency brake. It must work even if a cache does not show the edit yet.
func TestR12AClosedAccountPaysNothing(t *testing.T) {
	t.Parallel()
	script(t, v1alpha1.OperationPlanChange, 1, func(t *testing.T, s *scripted) {
		t.Helper()
		s.at = once("update status *v1alpha1.BroadbandService", func() Kind {
			s.stale["*v1alpha1.CarrierAccount"] = s.store.Version()
			s.editAccount(t, closed)
			return nothing
		})
		s.passes(t, s.managers[0], time.Hour)
		if posted := s.posted(v1alpha1.OperationPlanChange); posted != 0 {
			t.Errorf("%d plan changes by an account that was closed", posted)
		}
		before := len(s.effects)
		s.passes(t, s.managers[0], time.Hour)
		if slices.ContainsFunc(s.effects[before:], writesService) {
			t.Error("something was written while the cache stood still")
		}
		delete(s.stale, "*v1alpha1.CarrierAccount")
		s.alert()
		s.drive(t.Context())
		if reason, _, _ := stateOf(s.subject()); s.posted(v1alpha1.OperationPlanChange) != 0 {
			t.Errorf("it was sent once the cache showed the closed account (%s)", reason)
		}
	})
}

// The monotonic clock of a machine that was suspended between the intent and the POST did not count
// that time. The wall clock did.
func TestR13ASuspendedMachineSendsNothing(t *testing.T) {
	t.Parallel()
	script(t, v1alpha1.OperationPlanChange, 1, func(t *testing.T, s *scripted) {
		t.Helper()
		s.at = once("create *v1alpha1.RequestLedger service-", func() Kind {
			sleep(time.Hour)
			s.managers[0].asleep += time.Hour
			return nothing
		})
		s.untilEnded(t, v1alpha1.OperationPlanChange)
		request := s.subject().RequestOf(v1alpha1.OperationPlanChange)
		if posted := s.posted(v1alpha1.OperationPlanChange); posted != 0 || request.Phase != v1alpha1.PhaseNotSent {
			t.Errorf("%d were sent, and it is %s", posted, request.Phase)
		}
		s.drive(t.Context())
		if posted := s.posted(v1alpha1.OperationPlanChange); posted != 1 {
			t.Errorf("%d were sent in the end", posted)
		}
	})
}

// A person who abandons an order may have placed it by telephone. A process that was suspended
// between the intent and the POST must not change that when it wakes up.
func TestR14WhatAPersonHasAbandonedStaysAbandoned(t *testing.T) {
	t.Parallel()
	for _, asks := range []v1alpha1.Operation{
		v1alpha1.OperationOrderCreate, v1alpha1.OperationAggregationConversion,
	} {
		intent := "create *v1alpha1.RequestLedger service-"
		if asks == ordering {
			intent = "create *v1alpha1.RequestLedger order-"
		}
		script(t, asks, 2, func(t *testing.T, s *scripted) {
			t.Helper()
			s.saysMeanwhile(t, intent, 8*time.Minute, "Abandoned", time.Minute)
			if posted := s.posted(asks); posted != 0 {
				t.Errorf("%s was sent %d times although a person has abandoned it", asks, posted)
			}
			if request := s.subject().RequestOf(asks); request == nil || request.Phase != v1alpha1.PhaseAbandoned ||
				request.EndedBy != v1alpha1.EndedByPerson {
				t.Errorf("it is %v", request)
			}
		})
	}
}

// The same for a repeat, M2 of the review: a refused repeat leaves the outcome of the attempt
// before it as unknown as it was, unless a person has ended it.
func TestR14ARepeatThatAPersonHasAbandonedStaysAbandoned(t *testing.T) {
	t.Parallel()
	const asks = v1alpha1.OperationDSLStabilityProfileChange
	script(t, asks, 2, func(t *testing.T, s *scripted) {
		t.Helper()
		asleep, other := s.managers[0], s.managers[1]
		s.at = loseAndRepeatLate()
		s.later = func() {
			s.passes(t, other, 8*time.Minute)
			s.says(t, "Abandoned")
			s.passes(t, other, time.Minute)
		}
		s.passes(t, asleep, time.Hour)
		s.drive(t.Context())
		if posted := s.posted(asks); posted != 1 || s.later != nil {
			t.Errorf("it was sent %d times, and nobody spoke: %t", posted, s.later != nil)
		}
		if request := s.subject().RequestOf(asks); request == nil || request.Phase != v1alpha1.PhaseAbandoned ||
			request.EndedBy != v1alpha1.EndedByPerson {
			t.Errorf("it is %v", request)
		}
	})
}

// loseAndRepeatLate loses the response to the first POST, and delays the intent of its repeat 15
// minutes later.
func loseAndRepeatLate() func(Effect) Kind {
	var lost, repeated time.Time
	return func(effect Effect) Kind {
		writes := strings.Contains(effect.What, "*v1alpha1.RequestLedger service-")
		switch {
		case effect.Sort == Post && lost.IsZero():
			lost = now()
			return Lost
		case writes && !lost.IsZero() && repeated.IsZero() && now().Sub(lost) >= 15*time.Minute:
			repeated = now()
			return Late
		}
		return nothing
	}
}
