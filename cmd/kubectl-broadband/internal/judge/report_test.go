// SPDX-License-Identifier: Apache-2.0

package judge_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
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
		Objects: judge.Objects{
			"here":      {NamespacedName: types.NamespacedName{Namespace: "sites", Name: "site-1"}},
			"elsewhere": {NamespacedName: types.NamespacedName{Namespace: "lab", Name: "site-2"}},
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

// charged is the ledger of a service that has ordered something for money.
func charged(name, monthly string) *v1alpha1.RequestLedger {
	return &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{
		Login: v1alpha1.CarrierLogin{ClientName: "shop"}, Service: &v1alpha1.LedgerService{ID: "4000001"},
		Holder: v1alpha1.LedgerHolder{Namespace: "sites", Name: name},
		Ended: []v1alpha1.EndedAttempt{{
			Operation: v1alpha1.OperationPlanChange, Outcome: v1alpha1.PhaseSucceeded, SubmittedAt: metav1.NewTime(reported),
			Changes: []v1alpha1.Change{{
				Operation: v1alpha1.OperationPlanChange, Field: "plan.name", To: "Home 100/20",
				OneTime:       &v1alpha1.Money{Amount: "0.00", Currency: "AUD"},
				MonthlyBefore: &v1alpha1.Money{Amount: "45.00", Currency: "AUD"},
				MonthlyAfter:  &v1alpha1.Money{Amount: monthly, Currency: "AUD"},
			}},
		}},
	}}
}

func TestAReportAddsUpByTheLabelThatTheObjectsHaveNow(t *testing.T) {
	t.Parallel()
	objects := judge.Objects{}
	for name, customer := range map[string]string{"one": "acme", "two": "acme", "three": "brown", "four": ""} {
		service := &v1alpha1.BroadbandService{ObjectMeta: metav1.ObjectMeta{Namespace: "sites", Name: name}}
		service.Spec.AccountRef.Name = "default"
		if customer != "" {
			service.Labels = map[string]string{"customer": customer}
		}
		objects.Add(service)
	}
	for name, tried := range map[string]struct {
		by, selector string
		want         map[string]int64 // the monthly rise by label
	}{
		"all by customer": {"customer", "", map[string]int64{
			"acme": 1500, "brown": 1000, judge.NoLabel: 1000, judge.Deleted: 1000,
		}},
		"one customer":               {"customer", "customer=acme", map[string]int64{"acme": 1500}},
		"a selector without a label": {"", "customer", map[string]int64{"": 2500}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := labeledReport(t, objects, tried.by, tried.selector)
			got := make(map[string]int64)
			for _, group := range report.Groups {
				got[group.Label] = group.Price.Rise()
			}
			if diff := cmp.Diff(tried.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// labeledReport is a report about the changes of four services and of a deleted one.
func labeledReport(t *testing.T, objects judge.Objects, by, text string) *judge.Report {
	t.Helper()
	selector, err := labels.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	report := &judge.Report{
		Since: metav1.NewTime(reported.Add(-time.Hour)), Until: metav1.NewTime(reported.Add(time.Hour)),
		By: by, Selector: selector, Objects: objects,
	}
	report.Take(charged("two", "50.00"))
	for _, name := range []string{"one", "three", "four", "deleted"} {
		report.Take(charged(name, "55.00"))
	}
	report.Finish()
	for _, entry := range report.Entries {
		if (entry.Account == "default") == (entry.Holder == "deleted") {
			t.Errorf("the account of %s is %q", entry.Holder, entry.Account)
		}
	}
	return report
}
