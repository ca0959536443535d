// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

func TestNamesAreListedAsInASentence(t *testing.T) {
	t.Parallel()
	for want, names := range map[string][]string{
		"plan": {"plan"}, "plan and term": {"plan", "term"}, "plan, term and SLA": {"plan", "term", "SLA"},
	} {
		if got := decide.ListOf(names, "and"); got != want {
			t.Errorf("%q are listed as %q", names, got)
		}
	}
}

// A YAML block scalar ends in a line break, and a copied value may contain a space of no width. Such a
// value counts everywhere, or nowhere.
func TestAnAnnotationCountsWithoutWhatNobodySees(t *testing.T) {
	t.Parallel()
	object := &v1alpha1.BroadbandService{}
	object.Annotations = map[string]string{
		v1alpha1.AnnotationRetry: "a-1\n", v1alpha1.AnnotationResolve: "\u200ba-1=NotAccepted\n",
	}
	if !decide.IsResolved(object, "a-1") {
		t.Error("the resolution is not seen")
	}
	failed := v1alpha1.Request{AttemptID: "a-1", Phase: v1alpha1.PhaseFailed}
	decide.UseUpEarlyRetry(object, &failed)
	if failed.Retry != "a-1" {
		t.Errorf("the retry that was set before the failure is not used up: %q", failed.Retry)
	}
}
