// SPDX-License-Identifier: Apache-2.0

package judge_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
)

// tested is the ledger of the diagnostic tests of a service, which has no holder.
func tested(outcomes map[string]v1alpha1.RequestPhase) *v1alpha1.RequestLedger {
	ledger := &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{
		Login: v1alpha1.CarrierLogin{ClientName: "shop"}, Diagnostics: &v1alpha1.LedgerService{ID: "4000001"},
	}}
	for uid, outcome := range outcomes {
		ledger.Spec.Ended = append(ledger.Spec.Ended, v1alpha1.EndedAttempt{
			AttemptID: uid, UID: uid, Operation: v1alpha1.OperationDiagnosticTest, Outcome: outcome,
			SubmittedAt: metav1.NewTime(reported),
		})
	}
	return ledger
}

var reported = time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)

// reportOf is a report of a namespace about one ledger.
func reportOf(namespace string, ledger *v1alpha1.RequestLedger) *judge.Report {
	report := &judge.Report{
		Since: metav1.NewTime(reported.Add(-time.Hour)), Until: metav1.NewTime(reported.Add(time.Hour)),
		Namespace: namespace,
		Tests: map[string]types.NamespacedName{
			"here": {Namespace: "sites", Name: "site-1"}, "elsewhere": {Namespace: "lab", Name: "site-2"},
		},
	}
	report.Take(ledger)
	report.Finish()
	return report
}

// The tests of a service share a ledger, and may be in several namespaces.
func TestAReportHasTheTestsOfItsNamespace(t *testing.T) {
	t.Parallel()
	ledger := tested(map[string]v1alpha1.RequestPhase{
		"here": v1alpha1.PhaseSucceeded, "elsewhere": v1alpha1.PhaseSucceeded, "deleted": v1alpha1.PhaseSucceeded,
	})
	for namespace, number := range map[string]int{"sites": 1, "lab": 1, "other": 0, "": 3} {
		report := reportOf(namespace, ledger)
		if len(report.Entries) != number {
			t.Errorf("namespace %q: %+v", namespace, report.Entries)
		}
		for _, entry := range report.Entries {
			if namespace != "" && entry.Namespace != namespace {
				t.Errorf("namespace %q: %+v", namespace, entry)
			}
		}
	}
}

// An abandoned request may have been carried out, and may cost something.
func TestAReportDoesNotCallAnAbandonedRequestFailed(t *testing.T) {
	t.Parallel()
	report := reportOf("", tested(map[string]v1alpha1.RequestPhase{
		"a": v1alpha1.PhaseSucceeded, "b": v1alpha1.PhaseFailed, "c": v1alpha1.PhaseRejected, "d": v1alpha1.PhaseAbandoned,
	}))
	want := []judge.Group{{
		Login: v1alpha1.CarrierLogin{ClientName: "shop"}, Operation: v1alpha1.OperationDiagnosticTest,
		Succeeded: 1, Failed: 2, Abandoned: 1,
	}}
	if diff := cmp.Diff(want, report.Groups); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
