// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// There is nothing to do if the reading is the declared plan, or the name that health has for it
// (R7).
func TestR7APlanThatTheCarrierAlreadyHasIsNotSent(t *testing.T) {
	t.Parallel()
	held := func(value, asHealth string, source v1alpha1.ValueSource) *v1alpha1.KnownValue {
		since := metav1.NewTime(decidetest.Start())
		return &v1alpha1.KnownValue{Value: value, AsHealth: asHealth, Source: source, Since: since}
	}
	const ours, theirs = v1alpha1.SourceChangeResult, v1alpha1.SourceHealth
	for name, test := range map[string]struct {
		held, baseline *v1alpha1.KnownValue
		reading        string
		want           v1alpha1.KnownValue
	}{
		"changed at the carrier": {held("Slow", "Slow", theirs), nil, "Fast", *held("Fast", "Fast", theirs)},
		"changed at the carrier after our change": {
			held("Slow", "", ours), held("Slow", "", ours), "Fast", *held("Fast", "Fast", theirs),
		},
		"changed back to what we had sent": {
			held("Slow", "Slow", theirs), held("Fast", "FAST 100", ours), "FAST 100", *held("Fast", "FAST 100", ours),
		},
		"spelled differently after our change": {
			held("Slow", "", ours), held("Slow", "", ours), "SLOW 50", *held("Slow", "SLOW 50", ours),
		},
		"changed to a third plan": {
			held("Slow", "Slow", theirs), held("Fast", "FAST 100", ours), "Third", *held("Third", "Slow", theirs),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view := settled(read(test.reading, time.Second), func(in *services.Input) {
				in.Service.Status.Carrier.Plan = test.held
				in.Ledger = &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{Baseline: test.baseline}}
			})
			services.UpdateState(&view)
			got := *view.Service.Status.Carrier.Plan
			got.Since = test.want.Since
			if got != test.want {
				t.Errorf("the plan is %+v, not %+v", got, test.want)
			}
			wanted := test.want.Value != "Fast"
			if decision := services.Decide(view); (decision.Pending != nil) != wanted {
				t.Errorf("%s, and pending is %+v", decidetest.StepName(decision.Step), decision.Pending)
			}
		})
	}
}

func TestTheDriftedConditionSaysWhatTheDriftPolicyDoes(t *testing.T) {
	t.Parallel()
	for policy, want := range map[v1alpha1.DriftPolicy]string{
		v1alpha1.DriftReport:  "nothing is sent. To keep the carrier's value",
		v1alpha1.DriftCorrect: "it is changed back at most once in 24 hours, subject to approval, suspend",
	} {
		decision := services.Decide(settled(drifted, func(in *services.Input) { in.Service.Spec.DriftPolicy = policy }))
		said := ""
		for _, aspect := range decision.Aspects {
			if aspect.Type == v1alpha1.ConditionDrifted {
				said = aspect.Message
			}
		}
		if !strings.Contains(said, want) {
			t.Errorf("%s: %s", policy, said)
		}
	}
}
