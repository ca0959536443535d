// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// A ledger of a newer version is not written (R30), even if attempts are missing from it.
func TestR30ANewerLedgerIsNotUsedEvenIfEntriesWereLost(t *testing.T) {
	t.Parallel()
	decidetest.AssertUnreadable(t, services.JudgeLedger(decidetest.NewerLedger(&v1alpha1.BroadbandService{})))
}
