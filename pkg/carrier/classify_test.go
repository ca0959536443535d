package carrier

import (
	"slices"
	"testing"
)

// TestClassifyEveryCell walks every operation and status, written or not, with and without a usable
// handle, a Location and the carrier's own refusal.
func TestClassifyEveryCell(t *testing.T) {
	for contract := range Contracts() {
		for status := range 1000 {
			for bits := range 1 << 4 {
				o := Observation{
					Status: status, Written: bits&1 != 0, Handle: bits&2 != 0, Location: bits&4 != 0, Refusal: bits&8 != 0,
				}
				if got, want := Classify(contract, o), wantDelivery(contract, o); got != want {
					t.Errorf("Classify(%s, %+v) = %s, want %s", contract.Operation, o, got, want)
				}
			}
		}
	}
}

// wantDelivery is the table of the submission protocol, step 6, transcribed independently.
func wantDelivery(contract Contract, o Observation) Delivery {
	is := func(statuses ...int) bool { return slices.Contains(statuses, o.Status) }
	refused := is(404, 422, 400, 405, 415)
	if contract.Operation == AppointmentCancel {
		refused = is(404, 400, 405, 415)
	}
	switch {
	case is(0) && !o.Written:
		return NotSent
	case is(specification[contract.Operation].status) && o.Handle:
		return Accepted
	case is(0), o.Location:
		return Ambiguous
	case is(401, 425, 429):
		return NotProcessed
	case refused && o.Refusal:
		return Rejected
	}
	return Ambiguous
}

// A refusal is the carrier's own only if it has the standard error body, for this very status, and
// does not report a fault of a server.
func TestIsRefusal(t *testing.T) {
	body := func(status, kind, code string) string {
		return `{"httpStatusCode":` + status + `,"type":"` + kind + `","code":"` + code + `","message":"m"}`
	}
	for name, test := range map[string]struct {
		status int
		body   string
		want   bool
	}{
		"a rule":                        {422, body("422", "business.rule", "validation"), true},
		"a validation":                  {422, body("422", "client.validation", "method.argument.not.valid"), true},
		"no such id":                    {404, body("404", "business.rule", "resource.not.found"), true},
		"a status in a string":          {422, body(`"422"`, "business.rule", "validation"), true},
		"the published interface's 415": {415, body("415", "client.access", "media.type.not.supported"), true},
		"a body that cannot be read":    {400, body("400", "client.validation", "malformed.json.request"), true},
		"another form of sub-error": {
			422, `{"httpStatusCode":422,"type":"t","code":"validation","apiSubErrors":[{"code":"c","detail":"d"}]}`, true,
		},
		"a type that is not listed":     {422, body("422", "business.limit", "x"), true},
		"a fault of the carrier":        {422, body("422", "server.internal", "internal.error"), false},
		"a fault behind the carrier":    {404, body("404", "remote.call", "remote.call.error"), false},
		"another status in the body":    {403, body("422", "business.rule", "validation"), false},
		"no status in the body":         {422, `{"type":"business.rule","code":"validation"}`, false},
		"no type":                       {422, body("422", "", "validation"), false},
		"no code":                       {422, body("422", "business.rule", ""), false},
		"a gateway's JSON":              {404, `{"message":"no Route matched with those values"}`, false},
		"another gateway's JSON":        {404, `{"timestamp":"t","status":404,"error":"Not Found","path":"/"}`, false},
		"a problem document (RFC 9457)": {422, `{"type":"about:blank","title":"No","status":422,"code":"c"}`, false},
		"a list":                        {422, `[` + body("422", "business.rule", "validation") + `]`, false},
		"a page":                        {404, `<html>no</html>`, false},
		"half a body":                   {422, body("422", "business.rule", "validation")[:40], false},
		"nothing":                       {422, ``, false},
	} {
		if got := isRefusal(test.status, []byte(test.body)); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
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
