// SPDX-License-Identifier: Apache-2.0

package show_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/show"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

const (
	maria = "maria.rossi@reseller.example"
	tom   = "tom.baker@reseller.example"
)

// sent is a request of the example.
type sent struct {
	day     int
	number  int
	person  string
	outcome v1alpha1.RequestPhase
	code    string
	changes []v1alpha1.Change
}

// monthOfRequests are the requests of the example.
func monthOfRequests() []sent {
	faster := planChange("Home 100/20", "Home 250/25", 5800, 7500)
	slower := planChange("Home 250/25", "Home 50/20", 7500, 4500)
	mistyped := planChange("Home 50/20", "Home 250/25", 4500, 7500)
	return []sent{
		{2, 14, maria, v1alpha1.PhaseSucceeded, "", faster},
		{2, 15, maria, v1alpha1.PhaseSucceeded, "", faster},
		{5, 31, tom, v1alpha1.PhaseSucceeded, "", slower},
		{9, 7, maria, v1alpha1.PhaseSucceeded, "", sla("Premium", 2500)},
		{12, 16, tom, v1alpha1.PhaseSucceeded, "", faster},
		{12, 22, tom, v1alpha1.PhaseRejected, "constraints.plan.change.in.progress", mistyped},
		{17, 41, tom, v1alpha1.PhaseSucceeded, "", sla("Enhanced", 1000)},
		{23, 17, maria, v1alpha1.PhaseSucceeded, "", faster},
		{24, 18, maria, v1alpha1.PhaseAbandoned, "", faster},
	}
}

func planChange(from, to string, before, after int64) []v1alpha1.Change {
	return []v1alpha1.Change{{
		Operation: v1alpha1.OperationPlanChange, Field: decide.FieldPlan, From: from, To: to,
		OneTime: aud(0), MonthlyBefore: aud(before), MonthlyAfter: aud(after),
	}}
}

func sla(to string, monthly int64) []v1alpha1.Change {
	return []v1alpha1.Change{{
		Operation: v1alpha1.OperationPlanChange, Field: decide.FieldSLA, From: "Standard", To: to,
		OneTime: aud(4900), MonthlyBefore: aud(0), MonthlyAfter: aud(monthly),
	}}
}

func aud(cents int64) *v1alpha1.Money { return decide.MoneyOfCents(cents, "AUD") }

// ledger is the ledger of the service of a request.
func (s sent) ledger() *v1alpha1.RequestLedger {
	at := time.Date(2026, time.November, s.day, 9, s.number, 0, 0, time.UTC)
	return &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{
		Login:   v1alpha1.CarrierLogin{BaseURL: "https://api.carrier.example", ClientName: "reseller"},
		Service: &v1alpha1.LedgerService{ID: v1alpha1.CarrierIDOf(int64(1234500 + s.number))},
		Holder:  v1alpha1.LedgerHolder{Namespace: s.site().Namespace, Name: s.site().Name},
		Ended: []v1alpha1.EndedAttempt{{
			Operation: s.changes[0].Operation, Outcome: s.outcome, Code: s.code, SubmittedAt: metav1.NewTime(at),
			ApprovedBy: s.person, Changes: s.changes,
		}},
	}}
}

func (s sent) site() types.NamespacedName {
	return types.NamespacedName{Namespace: "sites", Name: fmt.Sprintf("site-%03d", s.number)}
}

// exampleReport is the report of a month.
func exampleReport() *judge.Report {
	report := &judge.Report{
		Since:   metav1.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC),
		Until:   metav1.Date(2026, time.November, 30, 23, 59, 0, 0, time.UTC),
		Objects: judge.Objects{},
	}
	for _, request := range monthOfRequests() {
		service := &v1alpha1.BroadbandService{Spec: v1alpha1.BroadbandServiceSpec{
			AccountRef: v1alpha1.AccountReference{Name: "default"},
		}}
		service.Namespace, service.Name = request.site().Namespace, request.site().Name
		report.Objects.Add(service)
		report.Take(request.ledger())
	}
	report.Finish()
	return report
}

// The example in the documentation is what the command writes. With GOLDEN set, the test writes it.
func TestTheExampleIsWhatTheReportLooksLike(t *testing.T) {
	t.Parallel()
	const file = "../../../../docs/report.html"
	page := show.ReportHTML(exampleReport())
	if os.Getenv("GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shown, err := os.ReadFile(file)
	if err != nil || string(shown) != page {
		t.Fatalf("docs/report.html is not what the command writes: update it with GOLDEN=1, and review it: %v", err)
	}
	const named = ">maria.<wbr>rossi@<wbr>reseller.<wbr>example<"
	for _, wanted := range []string{">9 requests from 2026-11-01 to 2026-11-30<", named, ">+17.00 AUD<"} {
		if !strings.Contains(page, wanted) {
			t.Errorf("the example has no %q", wanted)
		}
	}
}
