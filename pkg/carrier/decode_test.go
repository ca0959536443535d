package carrier

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/jsondoc"
	"github.com/broadband-operator/broadband-operator/test/jsondoctest"
)

// FuzzDecode runs every decoder on every body. A body that a decoder refuses is Unreadable. A body
// that it accepts has the same result when it is decoded again with space around it or with an
// additional unknown field. The decoders agree on the ID.
func FuzzDecode(f *testing.F) {
	for name := range goldens() {
		f.Add(golden(f, name))
	}
	own := []string{`{"id":1,"id":2}`, `{"fees":{"tc4":[1]}}`, `{"plan":"x"}`, `{"a":[}`}
	for _, body := range slices.Concat(own, jsondoctest.Unusual()) {
		f.Add([]byte(body))
	}
	names := slices.Sorted(goldenNames())
	f.Fuzz(func(t *testing.T, body []byte) {
		summary, summaryErr := DecodeSummary(Health, body)
		for _, name := range names {
			checkDecoder(t, name, body)
		}
		result, err := DecodePlanChange(body) // it has the same ids
		if (err == nil) != (summaryErr == nil) || result.ID != summary.ID {
			t.Fatalf("two decoders disagree about the id: %d (%v) and %d (%v)", summary.ID, summaryErr, result.ID, err)
		}
		if err == nil {
			checkSummaryIDs(t, body, summary)
		}
	})
}

// goldenNames are the names of the documents, each of which identifies its decoder.
func goldenNames() func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range goldens() {
			if !yield(name) {
				return
			}
		}
	}
}

// checkDecoder checks what must be true of every decoder and every body.
func checkDecoder(t *testing.T, name string, body []byte) {
	t.Helper()
	decodeGolden := goldens()[name]
	got, err := decodeGolden(body)
	if err != nil {
		if ClassOf(err) != Unreadable {
			t.Fatalf("%s: %v is not Unreadable", name, err)
		}
		return
	}
	trimmed := bytes.TrimSpace(body)
	extended := slices.Concat([]byte(" \n"), trimmed, []byte("\t"))
	if trimmed[0] == '{' && len(trimmed) > 2 {
		extended = slices.Concat([]byte(`{"fieldThatNobodyKnows":[{"a":1}],`), bytes.TrimSpace(trimmed[1:]))
	}
	again, err := decodeGolden(extended)
	if bytes.HasSuffix(extended, []byte(",}")) { // it was an empty object with space in it
		return
	}
	if diff := cmp.Diff(got, again, equalSecrets()); diff != "" || err != nil {
		t.Fatalf("%s: %q and %q differ (%v):\n%s", name, body, extended, err, diff)
	}
}

// equalSecrets compares secrets by value, and raw JSON as text: cmp would print neither.
func equalSecrets() cmp.Option {
	return cmp.Options{
		cmp.Comparer(func(a, b Secret) bool { return a.Reveal() == b.Reveal() }),
		cmp.Comparer(func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }),
	}
}

// checkSummaryIDs expects the IDs to be, digit by digit, those that package json finds.
func checkSummaryIDs(t *testing.T, body []byte, summary RequestSummary) {
	t.Helper()
	var plain map[string]json.RawMessage
	if err := json.Unmarshal(body, &plain); err != nil {
		t.Fatalf("%q was accepted, but is not an object: %v", body, err)
	}
	for key, id := range map[string]int64{"id": summary.ID, "serviceId": summary.ServiceID} {
		want, ok := wholeNumber(jsondoc.Value(plain[key]))
		if (ok || id != 0) && want != id {
			t.Fatalf("%q: %s is %d, want %s", body, key, id, plain[key])
		}
	}
}

// TestResourcesWithoutAnID: the specification lists no id for these resources, so whatever is under
// that key does not make a response unreadable.
func TestResourcesWithoutAnID(t *testing.T) {
	body := []byte(`{"id":"8f14e45f","id":7,"serviceId":1234567,"status":"REQUESTED"}`)
	_, options := DecodePlanOptions(body)
	_, quote := DecodeFibreBuildCharge(body)
	test, err := DecodeDiagnosticTest(body)
	if options != nil || quote != nil || err != nil || test.ServiceID != 1234567 {
		t.Errorf("plan options %v, quote %v, diagnostic test of service %d %v", options, quote, test.ServiceID, err)
	}
	want := RequestSummary{ServiceID: 1234567, Status: "REQUESTED"}
	for _, op := range []Operation{CancellationReschedule, CancellationAbort} {
		if got, err := DecodeSummary(op, body); got != want || err != nil {
			t.Errorf("%s: %+v, %v; want %+v", op, got, err, want)
		}
	}
	if _, err := DecodeCancellation([]byte(`{"serviceId":"abc"}`)); ClassOf(err) != Unreadable {
		t.Errorf("a cancellation of a service without a number: %v", err)
	}
}
