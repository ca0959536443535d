// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// A carrier's error is shown up to the limit of the CRD, and not a rune less.
func TestAnErrorIsBoundedForTheStatus(t *testing.T) {
	t.Parallel()
	long := func(runes int) string { return strings.Repeat("é", runes) }
	got := *decide.RequestErrorOf(&carrier.Error{
		HTTPStatus: 422, Type: carrier.ErrorType(long(129)), Timestamp: long(65), SubErrors: []carrier.SubError{
			{Code: carrier.SubErrorCode(long(201)), Field: long(201), RejectedValue: long(201), Message: "no"},
		},
	})
	if got.Message == "" {
		t.Error("it says nothing of what happened")
	}
	got.Message = ""
	if diff := cmp.Diff(v1alpha1.RequestError{
		HTTPStatus: 422, Type: long(128), Code: long(200), Field: long(200), RejectedValue: long(200), CarrierTime: long(64),
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Each sub-error is shown in the message with its field and the value, if it has them.
func TestAnErrorNamesTheFieldAndTheValueThatWereRejected(t *testing.T) {
	t.Parallel()
	for want, sub := range map[string]carrier.SubError{
		"no details were given": {Code: "x"},
		"too far":               {Code: "x", Message: "too far"},
		"too far (date)":        {Code: "x", Message: "too far", Field: "date"},
		`too far (date "2030-01-01")`: {
			Code: "x", Message: "too far", Field: "date", RejectedValue: "2030-01-01",
		},
	} {
		got := decide.RequestErrorOf(&carrier.Error{HTTPStatus: 422, SubErrors: []carrier.SubError{sub}})
		if got.Message != want {
			t.Errorf("%+v is shown as %q, want %q", sub, got.Message, want)
		}
	}
}

// Whether an abandoned request has succeeded is not known, and nothing in the spec is wrong.
func TestAnAbandonedRequestIsNotShownAsFailed(t *testing.T) {
	t.Parallel()
	service := &v1alpha1.BroadbandService{}
	in := decidetest.Input(service)
	abandoned := &v1alpha1.Request{
		Operation: v1alpha1.OperationPlanChange, AttemptID: "a-1", Phase: v1alpha1.PhaseAbandoned,
		Error: decide.Because("with the resolve annotation"),
	}
	const begins = "PlanChange attempt a-1 was abandoned (with the resolve annotation) and is not sent again " +
		"automatically; "
	for fix, got := range map[string]string{
		"change the spec, or, to retry":       decide.HeldBack(&in, abandoned).Verdict.Message,
		"create another object, or, to retry": decide.FailureMessage(&in, abandoned, "create another object"),
	} {
		if !strings.HasPrefix(got, begins+fix) {
			t.Errorf("it does not say %q: %s", fix, got)
		}
	}
}
