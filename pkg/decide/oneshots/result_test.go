// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
)

func TestTheResultOfADiagnosticTestIsSummarized(t *testing.T) {
	t.Parallel()
	found := func(body string) string {
		var status v1alpha1.DiagnosticTestStatus
		ours := func(v1alpha1.CarrierID) bool { return true }
		if why := oneshots.RecordDiagnosticTest(&status, &v1alpha1.Request{}, []byte(body), ours); why != nil {
			t.Fatalf("%+v", why)
		}
		return oneshots.SummarizeTest(&status)
	}
	for body, words := range map[string]string{
		`{"result":{"status":[{"name":"completed","reason":"port is up"}],"result":{"port":"up"}}}`: "completed " +
			`(port is up), result {"port":"up"}`,
		`{"result":{"status":[{"name":"completed"}],"result":{"end":"x","result":"Passed"}}}`: "completed, result Passed",
		`{"result":{"id":"1","status":[{"name":"completed"}]}}`:                               "completed",
		`{"result":{"id":"1"}}`: "",
	} {
		if said := found(body); said != words {
			t.Errorf("%s says %q, not %q", body, said, words)
		}
	}
}

// An unreadable response ends nothing. The request stays open and shows why.
func TestUnreadablePlanOptionsAreNotRecorded(t *testing.T) {
	t.Parallel()
	var status v1alpha1.PlanOptionsQueryStatus
	why := oneshots.RecordPlanOptions(&status, []byte("<html>"))
	if why == nil || why.Phase != v1alpha1.PhaseSubmitting || why.Error.Message == "" {
		t.Errorf("got %+v, want an attempt that is still %s", why, v1alpha1.PhaseSubmitting)
	}
	if len(status.Plans) > 0 || len(status.SLAs) > 0 {
		t.Errorf("plan options out of nothing: %+v", status)
	}
}
