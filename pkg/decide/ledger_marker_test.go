// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

func TestR5WhatAPersonHasToAcknowledge(t *testing.T) {
	t.Parallel()
	const here, elsewhere = "uid-of-here", "uid-of-elsewhere"
	of := func(waits v1alpha1.MarkerWait, clusters ...string) *v1alpha1.LedgerMarker {
		return &v1alpha1.LedgerMarker{Clusters: clusters, Waits: waits}
	}
	whole := decide.Found{Objects: true, Restored: true, Clusters: []string{here}}
	for name, test := range map[string]struct {
		marker *v1alpha1.LedgerMarker
		found  decide.Found
		want   v1alpha1.MarkerWait
	}{
		"an empty cluster":       {nil, decide.Found{}, ""},
		"objects, and no marker": {nil, decide.Found{Objects: true}, v1alpha1.MarkerNewInstallation},
		"statuses that name ledgers": {
			nil, decide.Found{Objects: true, Restored: true}, v1alpha1.MarkerRecovery,
		},
		"ledgers, and no marker":      {nil, decide.Found{Clusters: []string{here}}, v1alpha1.MarkerRecovery},
		"a normal start":              {of("", here), whole, ""},
		"a marker of another cluster": {of("", elsewhere), decide.Found{}, v1alpha1.MarkerRecovery},
		"a ledger of another cluster": {
			of("", here), decide.Found{Clusters: []string{elsewhere}}, v1alpha1.MarkerRecovery,
		},
		"an acknowledged ledger of another cluster": {
			of("", elsewhere, here), decide.Found{Clusters: []string{elsewhere}}, "",
		},
		"a restart before the acknowledgement": {
			of(v1alpha1.MarkerNewInstallation, here), whole,
			v1alpha1.MarkerNewInstallation,
		},
		"a marker that waits, and was moved": {
			of(v1alpha1.MarkerNewInstallation, elsewhere), decide.Found{}, v1alpha1.MarkerRecovery,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := decide.RequiredAcknowledgement(test.marker, here, test.found); got != test.want {
				t.Errorf("it is %q, not %q", got, test.want)
			}
		})
	}
}
