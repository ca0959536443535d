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

// scriptedRun is a run with events that no fault plan has: at an effect, while a response is late,
// or in what the cache shows of a kind.
type scriptedRun struct {
	*run

	faultAt         func(Effect) FaultKind // what happens at an effect; nil: nothing
	whileDelayed    func()                 // what the others do while the first late response is on its way
	staleVersions   map[string]int64       // the version that the cache shows of a Go type
	cacheReadCounts map[string]int         // how often a Go type was read from the cache
}

func (s *scriptedRun) begin(op Op, what string) (Effect, FaultKind) {
	effect, kind := s.run.begin(op, what)
	if s.faultAt != nil && kind == noFault {
		kind = s.faultAt(effect)
	}
	return effect, kind
}

func (s *scriptedRun) delayResponse(p *port, op Op) {
	if s.whileDelayed == nil {
		s.run.delayResponse(p, op)
		return
	}
	later := s.whileDelayed
	s.whileDelayed = nil
	later()
}

func (s *scriptedRun) cached(p *port, into runtime.Object) client.Reader {
	s.cacheReadCounts[fmt.Sprintf("%T", into)]++
	if version, held := s.staleVersions[fmt.Sprintf("%T", into)]; held {
		return s.store.AsOf(version)
	}
	return s.run.cached(p, into)
}

// runScript runs a test with the first scenario of an operation and the given number of managers.
func runScript(t *testing.T, operation v1alpha1.Operation, managers int, test func(*testing.T, *scriptedRun)) {
	t.Helper()
	at := slices.IndexFunc(Scenarios(), func(scenario *Scenario) bool { return scenario.Operation == operation })
	runScriptOf(t, Scenarios()[at], managers, test)
}

// runScriptOf runs a test with a scenario and the given number of managers.
func runScriptOf(t *testing.T, scenario *Scenario, managers int, test func(*testing.T, *scriptedRun)) {
	t.Helper()
	scheme := setUp(t)
	synctest.Test(t, func(t *testing.T) {
		s := &scriptedRun{
			run:           newRun(t.Context(), scheme, Plan{Scenario: scenario, Managers: managers}),
			staleVersions: map[string]int64{}, cacheReadCounts: map[string]int{},
		}
		for _, manager := range s.managers {
			manager.env = s
		}
		test(t, s)
		sleep(responseDelay) // a login may still wait for its response
	})
}

// atFirst returns a function for faultAt that calls do at the first effect with this prefix. What
// do returns happens to the effect.
func atFirst(what string, do func() FaultKind) func(Effect) FaultKind { return atNth(1, what, do) }

// atNth returns a function for faultAt that calls do at the nth effect, from 1, with this prefix.
func atNth(number int, what string, do func() FaultKind) func(Effect) FaultKind {
	reached := 0
	return func(effect Effect) FaultKind {
		if !strings.HasPrefix(effect.What, what) {
			return noFault
		}
		reached++
		if reached != number {
			return noFault
		}
		return do()
	}
}

func delayed() FaultKind { return Late }

// runFor runs the passes of one manager that are due within some time.
func (s *scriptedRun) runFor(t *testing.T, manager *process, within time.Duration) {
	t.Helper()
	until := now().Add(within)
	defer func() {
		if s.panicked != "" {
			t.Fatal(s.panicked)
		}
	}()
	for at := manager.next(); !manager.dead && !at.IsZero() && !at.After(until); at = manager.next() {
		sleep(at.Sub(now()))
		manager.pass(t.Context())
	}
	sleep(until.Sub(now()))
}

// runUntilEnded runs passes of the first manager until an attempt has ended.
func (s *scriptedRun) runUntilEnded(t *testing.T, operation v1alpha1.Operation) {
	t.Helper()
	for range maxPasses {
		if request := s.subject().Record().RequestOf(operation); request != nil && request.Phase.Ended() {
			return
		}
		sleep(s.managers[0].next().Sub(now()))
		s.managers[0].pass(t.Context())
	}
	t.Fatalf("%s does not end", operation)
}

// setResolution resolves the open request as a person would.
func (s *scriptedRun) setResolution(t *testing.T, resolution string) {
	t.Helper()
	open := s.subject().Record().OpenRequests()[0]
	s.edit(t.Context(), func(subject Subject) {
		annotate(subject, v1alpha1.AnnotationResolve, open.AttemptID+"="+resolution)
	})
	s.notifyManagers()
}

// resolveWhileDelayed delays the result of an effect of the first manager. The other manager runs
// until the outcome of the request is unknown, a person resolves it, and the other manager runs
// again.
func (s *scriptedRun) resolveWhileDelayed(
	t *testing.T, what string, before time.Duration, resolution string, after time.Duration,
) {
	t.Helper()
	s.faultAt = atFirst(what, delayed)
	s.whileDelayed = func() {
		s.runFor(t, s.managers[1], before)
		s.setResolution(t, resolution)
		s.runFor(t, s.managers[1], after)
	}
	s.runFor(t, s.managers[0], time.Minute)
	s.drive(t.Context())
}

// posted counts the POSTs of an operation.
func (s *scriptedRun) posted(operation v1alpha1.Operation) int {
	return len(slices.DeleteFunc(slices.Clone(s.sent), func(one *post) bool { return one.operation != operation }))
}

// editAccount edits the account.
func (s *scriptedRun) editAccount(t *testing.T, edit func(*v1alpha1.CarrierAccountSpec)) {
	t.Helper()
	account := s.account(t.Context())
	edit(&account.Spec)
	must(s.store.Client().Update(t.Context(), account))
}
