// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/internal/decidetest"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// "A newer schema is not written, and stalls what it is about" (R30). The same holds for attempts
// that such a ledger has lost.
func TestR30ANewerLedgerIsNotUsedEvenIfEntriesWereLost(t *testing.T) {
	t.Parallel()
	decidetest.AssertUnreadable(t, services.JudgeLedger(decidetest.NewerLedger(&v1alpha1.BroadbandService{})))
}
