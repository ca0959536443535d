// SPDX-License-Identifier: Apache-2.0

// Package decidetest holds what the tests of several kinds share.
package decidetest

import (
	"encoding/json"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// AssertWorded fails unless a condition has a reason and a message.
func AssertWorded(t *testing.T, reason, message string) {
	t.Helper()
	if reason == "" || message == "" {
		t.Fatalf("a condition without words: %q, %q", reason, message)
	}
}

// Encoded returns a value as JSON.
func Encoded(f *testing.F, value any) []byte {
	f.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		f.Fatal(err)
	}
	return text
}

// NewerLedger is the input of an object whose ledger a newer version of the operator has written.
func NewerLedger(subject decide.Subject) decide.LedgerInput {
	ledger := &v1alpha1.RequestLedger{}
	ledger.Spec.Schema = v1alpha1.LedgerSchema + 1
	account := &v1alpha1.CarrierAccount{Spec: v1alpha1.CarrierAccountSpec{BaseURL: "https://a"}}
	return decide.LedgerInput{Lost: true, Input: decide.Input{
		Subject: subject, Ledger: ledger, Now: Start(), Account: decide.Account{Object: account},
	}}
}

// AssertUnreadable fails unless a ledger is reported as unreadable and nothing is treated as lost.
func AssertUnreadable(t *testing.T, judged decide.LedgerVerdict) {
	t.Helper()
	if judged.Verdict == nil || judged.Verdict.Reason != v1alpha1.ReasonLedgerUnreadable || judged.Lost != nil {
		t.Errorf("%+v", judged)
	}
}

// ReasonOf returns the reason of a verdict; "" for none.
func ReasonOf(verdict *decide.Verdict) string {
	if verdict == nil {
		return ""
	}
	return verdict.Reason
}

// ResolveAll returns a resolution of everything that became unknown before this time after the
// start.
func ResolveAll(after time.Duration, word string) string {
	return "all@" + Start().Add(after).Format(time.RFC3339Nano) + "=" + word
}

// Login returns the login of the account in [Input].
func Login() v1alpha1.CarrierLogin {
	return v1alpha1.CarrierLogin{BaseURL: "https://carrier.example", ClientName: "reseller"}
}

// Start is when the scenarios of the tests begin.
func Start() time.Time { return time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC) }

// Input returns the input of a decision about an object whose account is logged in. The current
// time is a minute after the start, and this process first saw the object an hour before the start.
func Input(subject decide.Subject) decide.Input {
	return decide.Input{
		Subject: subject,
		Account: decide.Account{Object: &v1alpha1.CarrierAccount{
			ObjectMeta: metav1.ObjectMeta{Name: "default", Namespace: "shop", Generation: 1},
			Spec: v1alpha1.CarrierAccountSpec{
				BaseURL: "https://carrier.example", APIVersion: 8, Auth: v1alpha1.Auth{ClientName: "reseller"},
				Approval: v1alpha1.ApprovalAutomatic, UnknownValues: v1alpha1.UnknownRequest,
			},
			Status: v1alpha1.CarrierAccountStatus{
				Conditions: []metav1.Condition{
					{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, ObservedGeneration: 1},
				},
				Login: new(Login()),
			},
		}},
		Memory: decide.Memory{
			Observed: decide.Observed{Sender: "me", FirstSeen: Start().Add(-time.Hour)},
			Attempts: map[string]decide.Attempt{"a-1": {FirstSeen: Start(), LastPoll: Start()}},
		},
		Now:    Start().Add(time.Minute),
		Submit: true,
	}
}

// Fee is a fee of the carrier, in Australian dollars.
func Fee(oneTime, monthly carrier.Number) *carrier.Fee {
	return &carrier.Fee{
		OneTimeCharge:          &carrier.Money{Amount: oneTime, Currency: "AUD"},
		MonthlyRecurringCharge: &carrier.Money{Amount: monthly, Currency: "AUD"},
	}
}

// StepName returns the kind of a step and what it is about.
func StepName(step decide.Step) string { //nolint:cyclop // one case for each step
	switch step := step.(type) {
	case decide.Rest:
		return "Rest"
	case decide.StartReading:
		return "StartReading " + string(step.Topic)
	case decide.ContinueReading:
		return "ContinueReading " + string(step.Topic)
	case decide.Submit:
		return "Submit"
	case decide.SubmitQuery:
		return "SubmitQuery"
	case decide.Probe:
		return "Probe"
	case decide.ReadContact:
		return "ReadContact " + step.Source.Secret
	case decide.Poll:
		return "Poll"
	case decide.RecordResponse:
		return "Record"
	case decide.Resolve:
		return "Resolve " + string(step.Phase)
	}
	return "?"
}
