// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// A receipt may be in the status alone (R16): the message names only those that the ledger lacks.
func TestTheMessageAboutALostLedgerNamesTheReceiptsThatOnlyTheStatusHas(t *testing.T) {
	t.Parallel()
	const location = "/requests/7"
	attempt := func(location string) v1alpha1.Request {
		return v1alpha1.Request{
			Operation: v1alpha1.OperationPlanChange, AttemptID: "a-1", Phase: v1alpha1.PhaseInProgress, Location: location,
		}
	}
	for name, row := range map[string]struct {
		shown    string // the Location in the status
		recorded []string
		says     bool
	}{
		"recorded with it":    {location, []string{location}, false},
		"recorded without it": {location, []string{""}, true},
		"not recorded":        {location, nil, true},
		"no receipt":          {"", nil, false},
	} {
		service, ledger := &v1alpha1.BroadbandService{}, &v1alpha1.RequestLedger{}
		service.PutRequest(attempt(row.shown))
		for _, location := range row.recorded {
			ledger.Open(attempt(location))
		}
		text := lostText(&LedgerInput{Lost: true, Input: Input{Subject: service, Ledger: ledger}}, "service")
		if says := strings.Contains(text, "the carrier accepted PlanChange attempt a-1 as "); says != row.says {
			t.Errorf("%s: %s", name, text)
		}
	}
}
