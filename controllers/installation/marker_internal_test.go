// SPDX-License-Identifier: Apache-2.0

package installation

import (
	"slices"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/cache"
)

// There is a ledger for each service, and only the clusters are read from them.
func TestTheClustersOfTheLedgersAreFoundWithoutCopies(t *testing.T) {
	t.Parallel()
	held := cache.Fleet(20, time.Date(2026, time.November, 24, 12, 0, 0, 0, time.UTC))
	for _, one := range held.Lists["*v1alpha1.RequestLedgerList"] {
		if ledger, ok := one.(*v1alpha1.RequestLedger); ok {
			ledger.Spec.Cluster = "here"
		}
	}
	found, err := (&Marker{Client: held}).clusters(t.Context())
	if err != nil || !slices.Equal(found, []string{"here"}) {
		t.Errorf("the clusters are %v, %v", found, err)
	}
}
