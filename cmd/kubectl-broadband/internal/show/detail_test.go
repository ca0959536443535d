// SPDX-License-Identifier: Apache-2.0

package show_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/show"
)

// No command helps with a wrong service number of a HealthCheck, but there is something to do.
func TestNothingToDoIsShownOnlyIfNobodyIsNeeded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		needs []judge.Need
		title string
	}{
		{nil, "Next: nothing to do"},
		{[]judge.Need{{Action: judge.Look}}, "Next: the message says what to do"},
	} {
		sections := show.Detail(&judge.Detail{Needs: test.needs}, time.Time{})
		if title := sections[len(sections)-1].Title; title != test.title {
			t.Errorf("%+v: %q", test.needs, title)
		}
	}
}

func TestAChangeNamesTheNTDThatIsBoughtWithIt(t *testing.T) {
	t.Parallel()
	for want, bought := range map[string]*v1alpha1.NTDOptionCharge{
		"Fast":                     nil,
		"Fast + NTD option 4_PORT": {Option: "4_PORT"},
		"Fast + additional NTD":    {},
	} {
		if got := show.To(v1alpha1.Change{To: "Fast", NTDOption: bought}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
