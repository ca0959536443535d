// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// FuzzSchedule decodes a fault plan from bytes: the scenario, the number of managers, and then what
// happens at which effect. The invariants must hold for any plan.
func FuzzSchedule(f *testing.F) {
	scheme := setUp(f)
	for scenario := range Scenarios() {
		f.Add([]byte{byte(scenario), 0, 9, 3, 12, 5})
		f.Add([]byte{byte(scenario), 1, 5, 2, 16, 19, 20, 24})
	}
	f.Fuzz(func(t *testing.T, schedule []byte) {
		plan, is := planOf(schedule)
		if !is {
			return
		}
		if broken := runPlan(t, scheme, plan, &Tally{}).Violations; len(broken) > 0 {
			t.Errorf("%s: %s", plan, broken)
		}
	})
}

// maxFaults is the largest number of faults in a fuzzed scenario.
const maxFaults = 3

// planOf decodes the plan of a schedule: two bytes for the scenario, and two for each fault.
func planOf(schedule []byte) (Plan, bool) {
	if len(schedule) < 2 || len(schedule) > 2+2*maxFaults {
		return Plan{}, false
	}
	scenarios, happen := Scenarios(), allFaultKinds()
	plan := Plan{Scenario: scenarios[int(schedule[0])%len(scenarios)], Managers: 1 + int(schedule[1])%2}
	for at := range slices.Chunk(schedule[2:], 2) {
		if len(at) == 2 {
			plan.Faults = append(plan.Faults, Fault{At: 1 + int(at[0])%64, Kind: happen[int(at[1])%len(happen)]})
		}
	}
	return plan, true
}

// allFaultKinds returns all that can happen at some effect.
func allFaultKinds() []FaultKind {
	kinds := actions(&Scenario{Edit: func(Subject) {}}, 2)
	for op := range CacheRead {
		kinds = append(kinds, faults(op)...)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// FuzzPass runs a new process on an object of any kind with any spec, status and annotations. It
// must not panic, send without an intent, or write more than a few times. Another pass must change
// nothing.
func FuzzPass(f *testing.F) {
	scheme := setUp(f)
	for number, scenario := range Scenarios() {
		spec := marshal(f, field(scenario.Object(world.Offline(nil, now)), "Spec"))
		f.Add(uint8(number), spec, []byte("{}"), "", uint8(withFinalizer))
		for _, phase := range phases() {
			request := v1alpha1.Request{
				Operation: scenario.Operation, AttemptID: "p9-9", Sender: "p9-1", Phase: phase, APIVersion: 8, Generation: 1,
				Login: world.Offline(nil, now).Account().Login(), SubmittedAt: metav1.NewTime(beginning),
			}
			status := marshal(f, reflect.ValueOf(map[string]any{"request": request, "requests": []any{request}}))
			f.Add(uint8(number), spec, status, "p9-9=NotAccepted", uint8(0))
			f.Add(uint8(number), spec, status, "", uint8(withFinalizer|deleting))
		}
	}
	f.Fuzz(func(t *testing.T, number uint8, spec, status []byte, resolution string, flags uint8) {
		scenarios := Scenarios()
		scenario := scenarios[int(number)%len(scenarios)]
		synctest.Test(t, func(t *testing.T) {
			r := newRun(t.Context(), scheme, Plan{Scenario: scenario, Managers: 1})
			if r.setState(spec, status, resolution, flags) {
				r.passThrice(t)
			}
			sleep(responseDelay)
		})
	})
}

// The flags of a fuzzed object.
const (
	withFinalizer = 1 << iota // it has the finalizer
	deleting                  // it is being deleted
)

func phases() []v1alpha1.RequestPhase {
	return append(nextPhases(v1alpha1.PhaseSubmitting), v1alpha1.PhaseSubmitting, v1alpha1.PhaseFailed)
}

func marshal(f *testing.F, part reflect.Value) []byte {
	f.Helper()
	text, err := json.Marshal(part.Interface())
	if err != nil {
		f.Fatal(err)
	}
	return text
}

func field(object client.Object, part string) reflect.Value {
	return reflect.ValueOf(object).Elem().FieldByName(part)
}

// setState puts the object in a state that the operator has never seen. It reports whether the
// bytes could be decoded.
func (r *run) setState(spec, status []byte, resolution string, flags uint8) bool {
	subject := r.subject()
	if json.Unmarshal(spec, field(subject, "Spec").Addr().Interface()) != nil {
		return false
	}
	annotate(subject, v1alpha1.AnnotationResolve, resolution)
	if flags&withFinalizer != 0 {
		controllerutil.AddFinalizer(subject, v1alpha1.Finalizer)
	}
	must(r.store.Client().Update(r.ctx, subject))
	if json.Unmarshal(status, field(subject, "Status").Addr().Interface()) != nil {
		return false
	}
	must(r.store.Client().Status().Update(r.ctx, subject))
	if flags&deleting != 0 {
		must(client.IgnoreNotFound(r.store.Client().Delete(r.ctx, subject)))
	}
	return true
}

// maxWrites is more than any request needs.
const maxWrites = 12

// passThrice runs three passes of a process and checks the invariants of each. The second pass
// does what a missing finalizer has delayed.
func (r *run) passThrice(t *testing.T) {
	t.Helper()
	r.passNow(t)
	r.passNow(t)
	before, next := r.changes(), r.managers[0].next()
	r.passNow(t)
	if more := r.changes() - before; more > 0 && next.Sub(now()) > time.Second {
		t.Errorf("a pass that was not due wrote and sent %d times: %v", more, r.effects)
	}
	for _, broken := range []string{
		r.panicked, writeAhead(r.recorder), onePerAttempt(r.recorder), deletionSafe(r.recorder),
	} {
		if broken != "" {
			t.Error(broken)
		}
	}
}

// passNow runs one pass of the process.
func (r *run) passNow(t *testing.T) {
	t.Helper()
	before, manager := r.changes(), r.managers[0]
	if manager.due = now(); !manager.dead {
		manager.pass(r.ctx)
	}
	if changes := r.changes() - before; changes > maxWrites {
		t.Errorf("one pass wrote and sent %d times: %v", changes, r.effects)
	}
}
