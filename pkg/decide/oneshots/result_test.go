// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
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

// A test that has not ended at the carrier still occupies the service there.
func TestATestThatIsStillRunningIsNotCompleted(t *testing.T) {
	t.Parallel()
	for body, running := range map[string]bool{
		`{"result":{"is_active":true,"status":[{"name":"in-progress"},{"name":"pending"}]}}`:   true,
		`{"result":{"is_active":true,"status":[{"name":"completed"},{"name":"in-progress"}]}}`: false,
		`{"result":{"is_active":false,"status":[{"name":"in-progress"}]}}`:                     false,
		`{"result":{"is_active":true}}`:                                     false,
		`{"result":{"status":[{"name":"in-progress"},{"name":"pending"}]}}`: true,
		`{"result":{"status":[{"name":"accepted"}]}}`:                       true,
		`{"result":{"status":[{"name":"ended"}]}}`:                          false,
		`{"result":{"status":[{"name":"completed"}]}}`:                      false,
	} {
		for _, by := range []v1alpha1.EndedBy{"", v1alpha1.EndedByCarrier} {
			var status v1alpha1.DiagnosticTestStatus
			ours := func(v1alpha1.CarrierID) bool { return true }
			why := oneshots.RecordDiagnosticTest(&status, &v1alpha1.Request{EndedBy: by}, []byte(body), ours)
			want := running && by == ""
			if want != (why != nil) || want && why.Phase != v1alpha1.PhaseInProgress {
				t.Errorf("%s, ended by %q: %+v", body, by, why)
			}
		}
	}
}

// The status of a query's resource ends it, or keeps it open, as that of a change does.
func TestAResultThatSaysItIsNotDoneIsNotRecorded(t *testing.T) {
	t.Parallel()
	var health v1alpha1.HealthCheckStatus
	var quote v1alpha1.FibreBuildQuoteStatus
	var options v1alpha1.PlanOptionsQueryStatus
	//nolint:exhaustive // the other operations are no queries
	for operation, record := range map[v1alpha1.Operation]func(*v1alpha1.Request, []byte) *decide.Unfinished{
		v1alpha1.OperationHealth: func(request *v1alpha1.Request, body []byte) *decide.Unfinished {
			return oneshots.RecordHealth(&health, request, body)
		},
		v1alpha1.OperationFibreBuildCharge: func(request *v1alpha1.Request, body []byte) *decide.Unfinished {
			return oneshots.RecordFibreBuildQuote(&quote, request, body, "")
		},
		v1alpha1.OperationPlanOptions: func(request *v1alpha1.Request, body []byte) *decide.Unfinished {
			return oneshots.RecordPlanOptions(&options, request, body)
		},
	} {
		expectUnfinished(t, operation, record)
	}
	if health.Plan != "" || health.CurrentCondition != nil || quote.Name != "" || options.Plans != nil {
		t.Errorf("recorded are %+v, %+v and %+v", health, quote, options)
	}
}

func TestAHealthResultOfVersion5SaysThatItHasFailed(t *testing.T) {
	t.Parallel()
	request := &v1alpha1.Request{Operation: v1alpha1.OperationHealth, APIVersion: 5}
	body := []byte(`{"serviceStatus":"FAILED","errorDetail":"no reply"}`)
	why := oneshots.RecordHealth(&v1alpha1.HealthCheckStatus{}, request, body)
	if why == nil || !strings.Contains(decide.ErrorMessage(why.Error), "FAILED; no reply") {
		t.Errorf("%+v", why)
	}
}

// expectUnfinished records a result with each documented status that is not a success.
func expectUnfinished(
	t *testing.T, operation v1alpha1.Operation, record func(*v1alpha1.Request, []byte) *decide.Unfinished,
) {
	t.Helper()
	const rest = `"errorDetail":"no reply","plan":"Home","name":"x","plans":[{"plan":"x"}]`
	for status, want := range map[string]v1alpha1.RequestPhase{
		"FAILED": v1alpha1.PhaseFailed, "IN_ERROR": v1alpha1.PhaseFailed,
		"OPEN": v1alpha1.PhaseInProgress, "IN_PROGRESS": v1alpha1.PhaseInProgress,
	} {
		body := fmt.Appendf(nil, `{"status":%q,%s}`, status, rest)
		why := record(&v1alpha1.Request{Operation: operation, APIVersion: 8}, body)
		if why == nil || why.Phase != want {
			t.Errorf("%s that is %s: %+v, want %s", operation, status, why, want)
		}
	}
}

// An unreadable response ends nothing. The request stays open and shows why.
func TestUnreadablePlanOptionsAreNotRecorded(t *testing.T) {
	t.Parallel()
	var status v1alpha1.PlanOptionsQueryStatus
	why := oneshots.RecordPlanOptions(&status, &v1alpha1.Request{}, []byte("<html>"))
	if why == nil || why.Phase != v1alpha1.PhaseSubmitting || why.Error.Message == "" {
		t.Errorf("got %+v, want an attempt that is still %s", why, v1alpha1.PhaseSubmitting)
	}
	if len(status.Plans) > 0 || len(status.SLAs) > 0 {
		t.Errorf("plan options out of nothing: %+v", status)
	}
}
