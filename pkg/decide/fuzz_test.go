// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// FuzzService judges random specs and statuses: no panic, always the same answer, no
// request beside one that has not ended, and no claim of success while there is work.
func FuzzService(f *testing.F) {
	for _, view := range []decide.View{
		settled(), settled(wanting), settled(with(v1alpha1.PhaseSubmitting, lost)), settled(with(v1alpha1.PhaseInProgress)),
		settled(wanting, with(v1alpha1.PhaseOutcomeUnknown)), settled(wanting, with(v1alpha1.PhaseRejected)),
	} {
		f.Add(encoded(f, view.Service.Spec), encoded(f, view.Service.Status), "a-1=NotAccepted", int64(60), true)
	}
	f.Fuzz(func(t *testing.T, spec, status []byte, resolve string, seconds int64, posted bool) {
		view := settled(annotated(v1alpha1.AnnotationResolve, resolve), at(time.Duration(seconds%1e6)*time.Second))
		view.Service.Spec, view.Service.Status = v1alpha1.BroadbandServiceSpec{}, v1alpha1.BroadbandServiceStatus{}
		if json.Unmarshal(spec, &view.Service.Spec) != nil || json.Unmarshal(status, &view.Service.Status) != nil {
			return
		}
		view.Memory.Attempts["a-1"] = decide.Attempt{Seen: start, LastLook: start, Posted: posted}
		decide.Absorb(&view)
		decision := decide.Service(view)
		if again := decide.Service(view); !cmp.Equal(decision, again) {
			t.Fatalf("two answers to one view:\n%s", cmp.Diff(decision, again))
		}
		check(t, view, decision)
	})
}

func check(t *testing.T, view decide.View, decision decide.Decision) {
	t.Helper()
	open := view.Service.OpenRequest()
	if submit, submits := decision.Step.(decide.Submit); submits && open != nil {
		repeated(t, *open, submit.Request)
	}
	if decision.Verdict.Standing == decide.Settled && open != nil {
		t.Fatalf("settled while a request is %s", open.Phase)
	}
	if decision.Verdict.Standing == "" {
		t.Fatalf("a verdict without a standing: %+v", decision.Verdict)
	}
	worded(t, decision.Verdict.Reason, decision.Verdict.Message)
	for _, facet := range decision.Facets {
		worded(t, facet.Reason, facet.Message)
	}
}

// repeated checks that a request beside one that has not ended is its declared repeat.
func repeated(t *testing.T, open, next v1alpha1.Request) {
	t.Helper()
	class := decide.ClassOf(open.Operation, open.Target)
	declared := next.Repeats == open.Repeats+1 && next.Repeats <= 2
	if class != carrier.ClassConverge || !declared || next.Target != open.Target {
		t.Fatalf("%s %+v beside %s %+v", next.Operation, next.Target, open.Operation, open.Target)
	}
}

func worded(t *testing.T, reason, message string) {
	t.Helper()
	if reason == "" || message == "" {
		t.Fatalf("a condition without words: %q, %q", reason, message)
	}
}

func encoded(f *testing.F, value any) []byte {
	f.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		f.Fatal(err)
	}
	return text
}
