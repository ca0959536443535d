// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/audit"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

var now = time.Date(2026, time.March, 2, 9, 0, 0, 0, time.FixedZone("AEDT", 11*60*60))

// schema reads the documented schema.
func schema(t *testing.T) *spec.Schema {
	t.Helper()
	text, err := os.ReadFile("../../../docs/audit.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema := &spec.Schema{}
	if err := json.Unmarshal(text, schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

// written returns the line about a request.
func written(t *testing.T, object client.Object, request *v1alpha1.Request) string {
	t.Helper()
	account := &v1alpha1.CarrierAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	var out bytes.Buffer
	if err := audit.NewLog(&out).Write(audit.Of(object, account, request, now)); err != nil {
		t.Fatal(err)
	}
	if strings.Count(out.String(), "\n") != 1 || !strings.HasSuffix(out.String(), "\n") {
		t.Fatalf("%q is not one line", out.String())
	}
	return out.String()
}

// whole is a request with every field that a line shows, and texts that no line may show.
func whole(operation v1alpha1.Operation, phase v1alpha1.RequestPhase) *v1alpha1.Request {
	at := metav1.NewTime(now)
	return &v1alpha1.Request{
		Operation: operation, AttemptID: "8a4f2c00-0000-4000-8000-000000000001", Phase: phase, SubmittedAt: at,
		FinishedAt: at, EndedBy: v1alpha1.EndedByPerson, ApprovedHash: "p1", ApprovedBy: "jo", Retry: "8a4f", RetriedBy: "jo",
		ResolvedBy: &v1alpha1.Resolution{Word: "8a4f=Succeeded", By: "kim", At: at}, Location: "/api/connect/requests/12",
		Plan: []v1alpha1.Change{{
			Operation: operation, Field: "plan.name", From: "Home 50/20", To: "Home\n100/20",
			OneTime: money("1.50"), MonthlyBefore: money("45.00"), MonthlyAfter: money("58.00"),
		}},
		Error: &v1alpha1.RequestError{
			HTTPStatus: 422, Code: "plan.name.invalid", Message: "canary", RejectedValue: "canary", Field: "canary",
		},
		ErrorDetail: "canary", Warning: "canary",
	}
}

func money(amount string) *v1alpha1.Money { return &v1alpha1.Money{Amount: amount, Currency: "AUD"} }

func TestEveryLineMatchesTheSchema(t *testing.T) {
	t.Parallel()
	service := &v1alpha1.BroadbandService{
		ObjectMeta: metav1.ObjectMeta{Namespace: "sites", Name: "site-014", UID: "u1"},
		Spec:       v1alpha1.BroadbandServiceSpec{ServiceID: "1234567"},
	}
	phases := enumOf(t, "phase")
	var operations []string
	for contract := range carrier.Contracts() {
		operations = append(operations, string(contract.Operation))
		for _, phase := range phases {
			operation := v1alpha1.Operation(contract.Operation)
			bare := &v1alpha1.Request{AttemptID: "8a4f", Operation: operation, Phase: v1alpha1.RequestPhase(phase)}
			expectValid(t, written(t, service, bare))
			expectValid(t, written(t, service, whole(operation, bare.Phase)))
		}
	}
	if listed := enumOf(t, "operation"); !slices.Equal(listed, slices.Sorted(slices.Values(operations))) {
		t.Errorf("the schema lists the operations %q, and there are %q", listed, operations)
	}
}

// expectValid expects a line that matches the schema and has no text of the carrier.
func expectValid(t *testing.T, line string) {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(line), &value); err != nil {
		t.Fatal(err)
	}
	if err := validate.AgainstSchema(schema(t), value, strfmt.Default); err != nil {
		t.Errorf("%s: %v", line, err)
	}
	if strings.Contains(line, "canary") {
		t.Errorf("a text of the carrier is in %s", line)
	}
}

// enumOf returns the values that the schema allows for a field, sorted.
func enumOf(t *testing.T, field string) []string {
	t.Helper()
	allowed := schema(t).Properties[field].Enum
	values := make([]string, 0, len(allowed))
	for _, value := range allowed {
		values = append(values, fmt.Sprint(value))
	}
	slices.Sort(values)
	return values
}

func TestALineSaysWhoWhatAndHowMuch(t *testing.T) {
	t.Parallel()
	order := &v1alpha1.ServiceOrder{
		ObjectMeta: metav1.ObjectMeta{Namespace: "sites", Name: "site-015", UID: "u2"},
		Spec:       v1alpha1.ServiceOrderSpec{CustomerReference: "SITE-015"},
	}
	const want = `{"schema":"wholesale.broadband/audit/v1","time":"2026-03-01T22:00:00Z",` +
		`"attempt":"8a4f2c00-0000-4000-8000-000000000001","phase":"Succeeded","operation":"OrderCreate",` +
		`"object":{"kind":"ServiceOrder","namespace":"sites","name":"site-015","uid":"u2"},` +
		`"about":"the order with reference SITE-015","account":"default","login":{"baseURL":"","clientName":""},` +
		`"sentAt":"2026-03-01T22:00:00Z","endedAt":"2026-03-01T22:00:00Z","endedBy":"Person",` +
		`"changes":[{"field":"plan.name","from":"Home 50/20","to":"Home\n100/20"}],` +
		`"price":{"currency":"AUD","oneTimeCents":150,"monthlyBeforeCents":4500,"monthlyAfterCents":5800},` +
		`"approved":{"value":"p1","by":"jo"},"retried":{"value":"8a4f","by":"jo"},` +
		`"resolved":{"value":"8a4f=Succeeded","by":"kim"},"location":"/api/connect/requests/12",` +
		`"refusal":{"httpStatus":422,"code":"plan.name.invalid"}}` + "\n"
	if line := written(t, order, whole(v1alpha1.OperationOrderCreate, v1alpha1.PhaseSucceeded)); line != want {
		t.Errorf("the line is\n%s, not\n%s", line, want)
	}
}

func TestTheExampleOfTheDocumentationMatchesTheSchema(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/audit.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```json\n")
	example, _, _ := strings.Cut(rest, "```")
	expectValid(t, example)
}

func TestALineThatCannotBeWrittenIsAnError(t *testing.T) {
	t.Parallel()
	line := audit.Of(&v1alpha1.HealthCheck{}, nil, &v1alpha1.Request{AttemptID: "8a4f"}, now)
	err := audit.NewLog(full{}).Write(line)
	if !errors.Is(err, errFull) || !strings.Contains(err.Error(), "8a4f") {
		t.Errorf("the error is %v", err)
	}
}

var errFull = errors.New("the pipe is full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
