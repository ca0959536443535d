// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"testing"
)

func TestAMutantIsTriedWithTheQuickTestsOfItsOwnPackageFirst(t *testing.T) {
	t.Parallel()
	for file, want := range map[string][]string{
		"pkg/decide/services/price.go": {"pkg/decide/services"},
		"controllers/setup.go":         {ofControllers},
		ofJudgment + "/bill.go":        {ofJudgment},
	} {
		first := of(drawn{site: site{file: file}}, rounds())[0]
		if !slices.Equal(first.packages, want) {
			t.Errorf("%s: %v is tried first", file, first.packages)
		}
	}
}

// The operator's tests do not contain the plugin.
func TestAMutantOfThePluginIsTriedWithItsCommands(t *testing.T) {
	t.Parallel()
	tried := of(drawn{site: site{file: ofJudgment + "/bill.go"}}, rounds())
	if last := tried[len(tried)-1]; len(tried) != 2 || !slices.Equal(last.packages, []string{ofCommands}) {
		t.Errorf("it is tried with %+v", tried)
	}
}
