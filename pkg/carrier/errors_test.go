package carrier

import (
	"errors"
	"fmt"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// reported is the timestamp of the golden errors. The carrier's support desk asks for it.
const reported = "2021-05-21T00:37:28.143Z"

func TestReadError(t *testing.T) {
	got := readError(golden(t, "error-422.json"), nil)
	want := &Error{
		Type: TypeBusinessRule, Code: CodeValidation, Message: "Validation error", Timestamp: reported,
		SubErrors: []SubError{{
			Code: SubPlanChangeInError, Message: "The plan change failed", Object: "ServicePlanChangeRequest",
			Field: "status", RejectedValue: "IN_ERROR",
		}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Error{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadErrorAcceptsOtherForms(t *testing.T) {
	for name, test := range map[string]struct {
		body string
		want Error
	}{
		"a page":              {"<html><body>502</body></html>", Error{}},
		"nothing":             {"", Error{}},
		"an array":            {"[]", Error{}},
		"a number":            {"7", Error{}},
		"no sub-errors":       {`{"code":"resource.not.found","apiSubErrors":null}`, Error{Code: CodeResourceNotFound}},
		"a code as a number":  {`{"code":7,"message":null}`, Error{Code: "7"}},
		"a lone sub-error":    {`{"apiSubErrors":{"code":"c"}}`, Error{SubErrors: []SubError{{Code: "c"}}}},
		"the form detail":     {`{"apiSubErrors":[{"detail":"d"}]}`, Error{SubErrors: []SubError{{Message: "d"}}}},
		"a number as a value": {`{"apiSubErrors":[{"rejectedValue":7}]}`, Error{SubErrors: []SubError{{RejectedValue: "7"}}}},
		"an invisible character in a value": {
			`{"apiSubErrors":[{"rejectedValue":"Home\u200b50/20"}]}`,
			Error{SubErrors: []SubError{{RejectedValue: `Home\u200b50/20`}}},
		},
		"an invisible character in a token": {
			`{"apiSubErrors":[{"rejectedValue":"eyJhbGci\u200bOiJSUzI1"}]}`,
			Error{SubErrors: []SubError{{RejectedValue: redacted}}},
		},
		"control characters": {`{"message":"a\u001b[31mb\r\nc\u202ed"}`, Error{Message: "a [31mb  cd"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(&test.want, readError([]byte(test.body), nil), cmp.AllowUnexported(Error{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrorText(t *testing.T) {
	const target = "POST /api/connect/services/plan-changes/request"
	for want, err := range map[string]*Error{
		"PlanChange " + target + ": 422 constraints.plan.change.plan.name.invalid (planName): no such plan": {
			Operation: PlanChange, Target: target, HTTPStatus: 422, Code: CodeValidation, Message: "no such plan",
			SubErrors: []SubError{{Code: SubPlanNameInvalid, Field: "planName"}},
		},
		target + ": 502 remote.call.error: Bad Gateway": {
			Target: target, HTTPStatus: 502, Code: CodeRemoteCallError, Message: "Bad Gateway",
		},
		"PlanChange " + target + ": cannot connect": {Operation: PlanChange, Target: target, Message: "cannot connect"},
		"PlanChange: 422 a b c d e …": {
			Operation: PlanChange, HTTPStatus: 422,
			SubErrors: []SubError{{Code: "a"}, {Code: "b"}, {Code: "c"}, {Code: "d"}, {Code: "e"}, {Code: "f"}},
		},
	} {
		if got := err.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestClassOf(t *testing.T) {
	for _, test := range []struct {
		err  error
		want Class
	}{
		{nil, ""},
		{&Error{Class: Refused}, Refused},
		{fmt.Errorf("outer: %w", &Error{Class: ServerFault}), ServerFault},
		{&TokenError{Reason: TokenClockSkew}, Unauthorized},
		{errors.New("anything else"), Unreachable},
	} {
		if got := ClassOf(test.err); got != test.want {
			t.Errorf("ClassOf(%v) = %q, want %q", test.err, got, test.want)
		}
	}
}

func FuzzErrorBody(f *testing.F) {
	f.Add(golden(f, "error-422.json"))
	for _, seed := range []string{
		`{"apiSubErrors":[{"rejectedValue":{}}]}`, `{"message":"\u202e"}`, `<html>`, `{"code":[1]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		failure := readError(body, scrubber{canaryToken})
		texts := make([]string, 0, 4+5*maxSubErrors)
		texts = append(texts, string(failure.Type), string(failure.Code), failure.Message, failure.Error())
		for _, sub := range failure.SubErrors {
			texts = append(texts, string(sub.Code), sub.Message, sub.Object, sub.Field, sub.RejectedValue)
		}
		if len(failure.SubErrors) > maxSubErrors {
			t.Fatalf("%d sub-errors", len(failure.SubErrors))
		}
		for _, text := range texts {
			checkDisplayable(t, text)
		}
	})
}

// checkDisplayable checks what must be true of every text from the carrier that is displayed.
func checkDisplayable(t *testing.T, text string) {
	t.Helper()
	if len(text) > 8*maxMessage || !utf8.ValidString(text) {
		t.Fatalf("%d bytes, valid %t", len(text), utf8.ValidString(text))
	}
	for _, r := range text {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			t.Fatalf("%q holds %U", text, r)
		}
	}
}
