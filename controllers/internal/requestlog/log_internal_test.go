// SPDX-License-Identifier: Apache-2.0

package requestlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

var now = metav1.NewTime(time.Date(2026, time.March, 2, 9, 0, 0, 0, time.FixedZone("AEDT", 11*60*60)))

func newLog() *Log {
	return New(nil, func() time.Time { return now.Time }, func(ledger *v1alpha1.RequestLedger) bool {
		return ledger.Spec.Holder.Namespace != "elsewhere"
	})
}

// waiting returns the lines that wait, and empties the queue.
func (l *Log) waiting() (lines []string) {
	for len(l.lines) > 0 {
		lines = append(lines, string(<-l.lines))
	}
	return lines
}

type phaseList []v1alpha1.RequestPhase

// phases returns the phases of the lines that wait, and empties the queue.
func phases(t *testing.T, log *Log) (phases phaseList) {
	t.Helper()
	for _, text := range log.waiting() {
		expectValid(t, text)
		var line Line
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		phases = append(phases, line.Phase)
	}
	return phases
}

func ofService(open []v1alpha1.Request, last ...v1alpha1.Request) *v1alpha1.RequestLedger {
	ledger := &v1alpha1.RequestLedger{ObjectMeta: metav1.ObjectMeta{Name: "service-1234567-6b1f"}}
	ledger.Spec.Service = &v1alpha1.LedgerService{ID: "1234567"}
	ledger.Spec.Holder = v1alpha1.LedgerHolder{Namespace: "sites", Name: "site-014", UID: "u1"}
	ledger.Spec.Open, ledger.Spec.Last = open, last
	return ledger
}

func attempt(phase v1alpha1.RequestPhase) v1alpha1.Request {
	return v1alpha1.Request{
		Operation: v1alpha1.OperationPlanChange, AttemptID: "8a4f", UID: "u1", Phase: phase, SubmittedAt: now,
	}
}

func ended(phase v1alpha1.RequestPhase, ago time.Duration) v1alpha1.Request {
	request := attempt(phase)
	request.FinishedAt = metav1.NewTime(now.Add(-ago))
	return request
}

func TestEachChangeOfALedgerWritesWhatIsNew(t *testing.T) {
	t.Parallel()
	polled, resolved := attempt(v1alpha1.PhaseInProgress), ended(v1alpha1.PhaseAbandoned, 0)
	polled.Location = "/api/connect/services/plan-changes/requests/7"
	polledAgain := polled
	polledAgain.Warning = "at risk"
	late := attempt(v1alpha1.PhaseLateAcceptance)
	elsewhere := ofService([]v1alpha1.Request{polled})
	elsewhere.Spec.Holder.Namespace = "elsewhere"
	resolved.ResolvedBy = &v1alpha1.Resolution{Word: "8a4f=Abandoned", By: "kim", At: now}
	steps := []struct {
		what   string
		ledger *v1alpha1.RequestLedger
		phases phaseList
	}{
		{"the intent", ofService([]v1alpha1.Request{attempt(v1alpha1.PhaseSubmitting)}), phaseList{"Submitting"}},
		{"its acceptance", ofService([]v1alpha1.Request{polled}), phaseList{"InProgress"}},
		{"a poll", ofService([]v1alpha1.Request{polledAgain}), nil},
		{"its end", ofService(nil, ended(v1alpha1.PhaseSucceeded, 0)), phaseList{"Succeeded"}},
		{"no change", ofService(nil, ended(v1alpha1.PhaseSucceeded, 0)), nil},
		{"a late acceptance", ofService([]v1alpha1.Request{late}), phaseList{"LateAcceptance"}},
		{"its resolution", ofService(nil, resolved), phaseList{"Abandoned"}},
		{"a ledger that another manager manages", elsewhere, nil},
	}
	log, before := newLog(), ofService(nil)
	log.OnAdd(before, false)
	for _, step := range steps {
		log.OnUpdate(before, step.ledger)
		if got := phases(t, log); !slices.Equal(got, step.phases) {
			t.Errorf("%s: the lines are about %v, not %v", step.what, got, step.phases)
		}
		before = step.ledger
	}
	log.OnDelete(before)
	if got := phases(t, log); got != nil {
		t.Errorf("its deletion: the lines are about %v", got)
	}
}

// The newest attempts of an operation are in two lists of a ledger, and older ones in one.
func TestAnAttemptInTwoListsOfALedgerIsOneLine(t *testing.T) {
	t.Parallel()
	ledger := ofService(nil, ended(v1alpha1.PhaseSucceeded, 0))
	ledger.Spec.Ended = []v1alpha1.EndedAttempt{
		{AttemptID: "8a4f", Operation: v1alpha1.OperationPlanChange, Outcome: v1alpha1.PhaseSucceeded},
		{AttemptID: "8a4e", Operation: v1alpha1.OperationPlanChange, Outcome: v1alpha1.PhaseRejected},
	}
	log := newLog()
	log.OnAdd(ledger, false)
	if got, want := phases(t, log), (phaseList{"Succeeded", "Rejected"}); !slices.Equal(got, want) {
		t.Errorf("the lines are about %v, not %v", got, want)
	}
}

// The manager before may have ended between a record and its line.
func TestANewLeaderRepeatsWhatIsOpenOrHasJustEnded(t *testing.T) {
	t.Parallel()
	log := newLog()
	log.OnAdd(ofService(nil, ended(v1alpha1.PhaseSucceeded, time.Hour+time.Second)), true)
	log.OnAdd(ofService(nil, ended(v1alpha1.PhaseFailed, time.Hour)), true)
	old := attempt(v1alpha1.PhaseOutcomeUnknown)
	old.SubmittedAt = metav1.NewTime(now.AddDate(0, -1, 0))
	log.OnAdd(ofService([]v1alpha1.Request{old}), true)
	if got, want := phases(t, log), (phaseList{"Failed", "OutcomeUnknown"}); !slices.Equal(got, want) {
		t.Errorf("the lines are about %v, not %v", got, want)
	}
}

var errClosed = errors.New("the pipe is closed")

// output is an output that fails as often as it says, and then takes lines.
type output struct {
	failures int
	taken    chan string
}

func (o *output) Write(line []byte) (int, error) {
	if o.failures > 0 {
		o.failures--
		return 0, errClosed
	}
	o.taken <- string(line)
	return len(line), nil
}

func TestALineThatCannotBeWrittenIsCounted(t *testing.T) {
	t.Parallel()
	lost, out := 0, &output{failures: 2, taken: make(chan string, 1)}
	log := newLog()
	log.out, log.Lost = out, func() { lost++ }
	for i := range 3 {
		request := attempt(v1alpha1.PhaseSubmitting)
		request.AttemptID = fmt.Sprint(i)
		log.OnAdd(ofService([]v1alpha1.Request{request}), false)
	}
	go log.write(t.Context())
	if line := <-out.taken; !strings.Contains(line, `"attempt":"2"`) || lost != 2 {
		t.Errorf("%d lines are lost, and this one is written: %s", lost, line)
	}
}

func TestNothingWaitsForAnOutputThatTakesNoLine(t *testing.T) {
	t.Parallel()
	lost, log := 0, newLog()
	log.Lost = func() { lost++ }
	for range mostWaiting + 3 {
		log.OnAdd(ofService([]v1alpha1.Request{attempt(v1alpha1.PhaseSubmitting)}), false)
	}
	if len(log.lines) != mostWaiting || lost != 3 {
		t.Errorf("%d lines wait and %d are lost", len(log.lines), lost)
	}
}

// whole is an attempt with every field that a line shows, and with texts that no line may show.
func whole(operation v1alpha1.Operation, phase v1alpha1.RequestPhase) v1alpha1.Request {
	return v1alpha1.Request{
		Operation: operation, AttemptID: "8a4f", UID: "u1", Phase: phase, SubmittedAt: now, FinishedAt: now,
		EndedBy: v1alpha1.EndedByPerson, ApprovedHash: "p1", ApprovedBy: "jo", Retry: "8a4e", RetriedBy: "jo",
		ResolvedBy: &v1alpha1.Resolution{Word: "8a4f=Succeeded", By: "kim", At: now}, Location: "/api/connect/requests/12",
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

func TestALineSaysWhoWhatAndHowMuch(t *testing.T) {
	t.Parallel()
	ledger := ofService(nil, whole(v1alpha1.OperationOrderCreate, v1alpha1.PhaseSucceeded))
	ledger.Spec.Service, ledger.Spec.Order = nil, &v1alpha1.LedgerOrder{CustomerReference: "SITE-015"}
	const want = `{"schema":"wholesale.broadband/request/v1","time":"2026-03-01T22:00:00Z","attempt":"8a4f",` +
		`"phase":"Succeeded","operation":"OrderCreate","order":"SITE-015",` +
		`"object":{"kind":"ServiceOrder","namespace":"sites","name":"site-014","uid":"u1"},` +
		`"login":{"baseURL":"","clientName":""},"ledger":"service-1234567-6b1f",` +
		`"submittedAt":"2026-03-01T22:00:00Z","finishedAt":"2026-03-01T22:00:00Z","endedBy":"Person",` +
		`"changes":[{"field":"plan.name","from":"Home 50/20","to":"Home\n100/20"}],` +
		`"price":{"currency":"AUD","oneTimeCents":150,"monthlyBeforeCents":4500,"monthlyAfterCents":5800},` +
		`"approved":{"value":"p1","by":"jo"},"retried":{"value":"8a4e","by":"jo"},` +
		`"resolved":{"value":"8a4f=Succeeded","by":"kim"},"location":"/api/connect/requests/12",` +
		`"code":"plan.name.invalid"}` + "\n"
	log := newLog()
	log.OnAdd(ledger, false)
	if got := log.waiting(); !slices.Equal(got, []string{want}) {
		t.Errorf("the lines are\n%q, not\n%s", got, want)
	}
}

func TestEveryLineMatchesTheSchema(t *testing.T) {
	t.Parallel()
	log, recorded := newLog(), []string{}
	for contract := range carrier.Contracts() {
		operation := v1alpha1.Operation(contract.Operation)
		if !slices.Contains(enumOf(t, "operation"), string(operation)) {
			if contract.Repeat.Costly() || contract.Repeat == carrier.ClassVerify {
				t.Errorf("the schema does not list %s, which a ledger records", operation)
			}
			continue
		}
		recorded = append(recorded, string(operation))
		for _, phase := range enumOf(t, "phase") {
			bare := v1alpha1.Request{AttemptID: "8a4f", Operation: operation, Phase: v1alpha1.RequestPhase(phase)}
			log.OnAdd(ofService([]v1alpha1.Request{bare, whole(operation, bare.Phase)}), false)
		}
	}
	for _, line := range log.waiting() {
		expectValid(t, line)
	}
	slices.Sort(recorded)
	if !slices.Equal(recorded, enumOf(t, "operation")) {
		t.Errorf("the schema lists %q, and there are %q", enumOf(t, "operation"), recorded)
	}
}

func TestTheExampleOfTheDocumentationMatchesTheSchema(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/requestlog.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```json\n")
	example, _, _ := strings.Cut(rest, "```")
	var line bytes.Buffer
	if err := json.Compact(&line, []byte(example)); err != nil {
		t.Fatal(err)
	}
	expectValid(t, line.String()+"\n")
}

// documented is the documented schema.
var documented = sync.OnceValues(func() (*spec.Schema, error) {
	text, err := os.ReadFile("../../../docs/requestlog.schema.json")
	if err != nil {
		return nil, err
	}
	schema := &spec.Schema{}
	return schema, json.Unmarshal(text, schema)
})

func schema(t *testing.T) *spec.Schema {
	t.Helper()
	schema, err := documented()
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// expectValid expects one line that matches the schema and has no text of the carrier but its code.
func expectValid(t *testing.T, line string) {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(line), &value); err != nil {
		t.Fatal(err)
	}
	if err := validate.AgainstSchema(schema(t), value, strfmt.Default); err != nil {
		t.Errorf("%s: %v", line, err)
	}
	if strings.Contains(line, "canary") || strings.Index(line, "\n") != len(line)-1 {
		t.Errorf("%q is not one line without a text of the carrier", line)
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
