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

// The carrier writes a term as a number, or with words.
func TestTheMonthsOfATerm(t *testing.T) {
	t.Parallel()
	for term, want := range map[string]string{
		"12": "12", "12 months": "12", " 24 months ": "24", "months": "", "none": "", "": "",
	} {
		if got := decide.MonthsOf(term); got != want {
			t.Errorf("%q is %q months, want %q", term, got, want)
		}
	}
}

// Each text takes six bytes as JSON.
func TestAListHasAsManyItemsAsFit(t *testing.T) {
	t.Parallel()
	all := []string{"aaaa", "bbbb", "cccc"}
	for name, row := range map[string]struct {
		most, bytes int
		items       int
		truncated   bool
	}{
		"there is room for more":    {4, 100, 3, false},
		"they fit exactly":          {3, 18, 3, false},
		"one byte is missing":       {3, 17, 2, true},
		"fewer may be listed":       {2, 100, 2, true},
		"there is no room":          {3, 0, 0, true},
		"none may be listed at all": {0, 100, 0, true},
	} {
		left := row.bytes
		items, truncated := decide.Fitting(all, row.most, &left)
		if len(items) != row.items || truncated != row.truncated || left != row.bytes-6*len(items) {
			t.Errorf("%s: %q, truncated %t, %d bytes are left", name, items, truncated, left)
		}
	}
}
