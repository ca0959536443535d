package carrier

import (
	"slices"
	"testing"
)

// TestClassifyEveryCell walks every status, written or not, with a usable handle or not, for both
// success statuses.
func TestClassifyEveryCell(t *testing.T) {
	for status := range 1000 {
		for _, o := range []Observation{
			{Status: status, Success: 201},
			{Status: status, Success: 204},
			{Status: status, Success: 201, Written: true},
			{Status: status, Success: 204, Written: true},
			{Status: status, Success: 201, Written: true, Handle: true},
			{Status: status, Success: 204, Written: true, Handle: true},
			{Status: status, Success: 201, Handle: true},
			{Status: status, Success: 204, Handle: true},
		} {
			if got, want := Classify(o), wantDelivery(o); got != want {
				t.Errorf("Classify(%+v) = %s, want %s", o, got, want)
			}
		}
	}
}

// wantDelivery is the table of the submission protocol, step 6, transcribed independently.
func wantDelivery(o Observation) Delivery {
	is := func(statuses ...int) bool { return slices.Contains(statuses, o.Status) }
	switch {
	case is(0) && !o.Written:
		return NotSent
	case is(401, 425, 429):
		return NotProcessed
	case is(400, 403, 404, 405, 406, 413, 414, 415, 422):
		return Rejected
	case is(o.Success) && o.Handle:
		return Accepted
	}
	return Ambiguous
}

func TestClassOfStatusEveryStatus(t *testing.T) {
	want := map[int]Class{
		400: Invalid, 401: Unauthorized, 403: NotFoundOrForbidden, 404: NotFoundOrForbidden, 405: Invalid,
		406: Invalid, 413: Invalid, 414: Invalid, 415: Invalid, 422: Refused, 425: Throttled, 429: Throttled,
	}
	for status := 100; status <= 999; status++ {
		expected, special := want[status]
		switch {
		case special:
		case status >= 500 && status <= 599:
			expected = ServerFault
		default:
			expected = Unreadable
		}
		if got := classOfStatus(status); got != expected {
			t.Errorf("classOfStatus(%d) = %s, want %s", status, got, expected)
		}
	}
}
