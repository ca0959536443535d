package carrier

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var handle = Handle{Operation: PlanChange, Version: 8, ID: "77"}

func TestPollOutcomes(t *testing.T) {
	const failure = `{"httpStatusCode":422,"type":"business.rule","code":"validation","message":"m","apiSubErrors":[` +
		`{"code":"constraints.service.plan.change.status.in.error","field":"status","rejectedValue":"IN_ERROR"}]}`
	for name, test := range map[string]struct {
		status int
		body   string
		want   OutcomeState
		class  Class
	}{
		"200 with a resource":               {200, `{"id":77}`, Done, ""},
		"200 with an array":                 {200, `[]`, Done, ""},
		"200 without a body (30)":           {200, "", "", Unreadable},
		"200 with space":                    {200, " \n", "", Unreadable},
		"200 with a page":                   {200, "<html>", "", Unreadable},
		"200 with half a document":          {200, `{"id":77`, "", Unreadable},
		"200 of 2 MiB (21)":                 {200, `"` + strings.Repeat("x", 2<<20) + `"`, "", Unreadable},
		"200 nested 100,000 deep (23)":      {200, nested(100_000), "", Unreadable},
		"202 without a body":                {202, "", Pending, ""},
		"202 with the resource":             {202, `{"status":"IN_ERROR"}`, Pending, ""},
		"202 with a page":                   {202, "<html>", Pending, ""},
		"422 with the standard body":        {422, failure, Failed, Refused},
		"422 with a page (29)":              {422, "<html>", "", Unreadable},
		"422 without a body":                {422, "", "", Unreadable},
		"422 of a fault at the carrier":     {422, `{"httpStatusCode":422,"type":"remote.call","code":"c"}`, Failed, Refused},
		"400":                               {400, "", "", Invalid},
		"401":                               {401, "", "", Unauthorized},
		"403":                               {403, "", "", NotFoundOrForbidden},
		"404 proves nothing":                {404, "", "", NotFoundOrForbidden},
		"429":                               {429, "", "", Throttled},
		"500":                               {500, "", "", ServerFault},
		"502":                               {502, "", "", ServerFault},
		"201":                               {201, `{"id":77}`, "", Unreadable},
		"204":                               {204, "", "", Unreadable},
		"302, not followed (14)":            {302, "", "", Unreadable},
		"409":                               {409, "", "", Unreadable},
		"an unknown status with a resource": {299, `{"id":77}`, "", Unreadable},
	} {
		t.Run(name, func(t *testing.T) {
			carrier := serve(t, respond(test.status, test.body, "Location", "/elsewhere"))
			outcome, err := testClient(t, carrier.URL).Poll(t.Context(), handle)
			if outcome.State != test.want || (err == nil) != (test.want != "") {
				t.Fatalf("Poll = %+v, %v; want %q", outcome, err, test.want)
			}
			if outcome.State == Failed {
				err = outcome.Err
			}
			if got := ClassOf(err); got != test.class {
				t.Errorf("%v of class %s, want %s", err, got, test.class)
			}
		})
	}
}

// TestPollRedirectIsNotFollowed (14): no poll of a request goes anywhere else, and no token does.
func TestPollRedirectIsNotFollowed(t *testing.T) {
	var elsewhere atomic.Int64
	other := serve(t, func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) })
	for _, status := range []int{300, 301, 302, 303, 307, 308} {
		client := testClient(t, serve(t, respond(status, "", "Location", other.URL+requests+"77")).URL)
		if outcome, err := client.Poll(t.Context(), handle); outcome.State != "" || ClassOf(err) != Unreadable {
			t.Errorf("%d: Poll = %+v, %v; want Unreadable", status, outcome, err)
		}
		if _, err := client.Cancellation(t.Context(), 7); ClassOf(err) != Unreadable {
			t.Errorf("%d: Cancellation: %v; want Unreadable", status, err)
		}
	}
	if got := elsewhere.Load(); got != 0 {
		t.Errorf("%d requests were sent to another host", got)
	}
}

// TestResponseThatIsCutOff: the carrier has not refused to answer, so the call is repeated soon.
func TestResponseThatIsCutOff(t *testing.T) {
	for status, body := range map[int]string{200: `{"id":77,"serviceId":7}`, 202: `{"id":77,"serviceId":7}`, 201: ""} {
		client := testClient(t, serve(t, respond(status, body, "Content-Length", "10000", "Location", requests+"77")).URL)
		_, poll := client.Poll(t.Context(), handle)
		_, read := client.Cancellation(t.Context(), 7)
		receipt := client.Submit(t.Context(), PlanChange, 8, planChange.Body())
		got := [3]string{string(ClassOf(poll)), string(ClassOf(read)), string(receipt.Delivery)}
		want := map[int][3]string{
			200: {"Unreachable", "Unreachable", "Ambiguous"}, 202: {"", "Unreachable", "Ambiguous"},
			201: {"Unreadable", "Unreadable", "Accepted"},
		}[status]
		if got != want {
			t.Errorf("a %d: poll, read and submission are %q, want %q (%v, %v)", status, got, want, poll, read)
		}
	}
}

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func TestPollFailureNamesTheRule(t *testing.T) {
	carrier := serve(t, respond(422, string(golden(t, "error-422.json"))))
	outcome, err := testClient(t, carrier.URL).Poll(t.Context(), handle)
	if err != nil || !outcome.Err.Has(SubPlanChangeInError) {
		t.Fatalf("Poll = %+v, %v", outcome, err)
	}
	want := "PlanChange GET " + requests + "77: 422 " + string(SubPlanChangeInError) + " (status): "
	if got := outcome.Err.Error(); !strings.HasPrefix(got, want) {
		t.Errorf("error %q does not begin with %q", got, want)
	}
}

func TestPollUnreachable(t *testing.T) {
	address := listen(t, func(net.Conn) {})
	_, err := testClient(t, "http://"+address).Poll(t.Context(), handle)
	if ClassOf(err) != Unreachable {
		t.Errorf("Poll = %v of class %s, want Unreachable", err, ClassOf(err))
	}
}

func TestPollWithoutAToken(t *testing.T) {
	tokens := &staticTokens{err: &TokenError{Reason: TokenTooShort, Message: "short"}}
	client := testClient(t, "http://127.0.0.1:1", func(c *Config) { c.Tokens = tokens })
	_, err := client.Poll(t.Context(), handle)
	failure, ok := errors.AsType[*TokenError](err)
	if !ok || failure.Reason != TokenTooShort || ClassOf(err) != Unauthorized {
		t.Errorf("Poll = %v, want the TokenError inside", err)
	}
}

func TestPollRefusesHandlesWithoutAnOutcome(t *testing.T) {
	var calls atomic.Int64
	carrier := serve(t, func(http.ResponseWriter, *http.Request) { calls.Add(1) })
	client := testClient(t, carrier.URL)
	for _, h := range []Handle{{}, {OrderCreate, 8, "5"}, {AppointmentCancel, 8, "5"}, {PlanChange, 8, "../orders/5"}} {
		if _, err := client.Poll(t.Context(), h); ClassOf(err) != Invalid {
			t.Errorf("Poll(%+v) = %v, want Invalid", h, err)
		}
	}
	if calls.Load() != 0 {
		t.Error("something was sent")
	}
}

func TestPollRetryAfterAndToken(t *testing.T) {
	tokens := &staticTokens{}
	carrier := serve(t, respond(202, "", "Retry-After", "7"))
	outcome, err := testClient(t, carrier.URL).Poll(t.Context(), handle)
	if err != nil || outcome.RetryAfter != 7*time.Second {
		t.Errorf("Poll = %+v, %v; want Retry-After 7s", outcome, err)
	}
	refuses := serve(t, respond(401, ""))
	client := testClient(t, refuses.URL, func(c *Config) { c.Tokens = tokens })
	if _, err := client.Poll(t.Context(), handle); err == nil || tokens.invalidations() != 1 {
		t.Errorf("a 401 invalidated %d tokens (%v), want 1", tokens.invalidations(), err)
	}
}

func TestRetryAfter(t *testing.T) {
	now := newClock().Now()
	for value, want := range map[string]time.Duration{
		"": 0, "soon": 0, "1.5": 0, "0x10": 0, "1e3": 0,
		"5": 5 * time.Second, "+5": 5 * time.Second, "\t5": 5 * time.Second,
		"0": time.Second, "-1": time.Second, "1": time.Second,
		"3600": time.Hour, "3601": time.Hour, "1000000000": time.Hour, strings.Repeat("9", 100): time.Hour,
		"-" + strings.Repeat("9", 100):                    time.Second,
		now.Add(90 * time.Second).Format(http.TimeFormat): 90 * time.Second,
		now.Add(-time.Hour).Format(http.TimeFormat):       time.Second,
		now.Add(48 * time.Hour).Format(http.TimeFormat):   time.Hour,
	} {
		if got := parseRetryAfter(value, now); got != want {
			t.Errorf("parseRetryAfter(%q) = %s, want %s", value, got, want)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"5", "-1", "1e9", "Sat, 14 Mar 2026 09:26:53 GMT", "99999999999999999999", ""} {
		f.Add(seed)
	}
	now := newClock().Now()
	f.Fuzz(func(t *testing.T, value string) {
		if got := parseRetryAfter(value, now); got != 0 && (got < minRetryAfter || got > maxRetryAfter) {
			t.Fatalf("parseRetryAfter(%q) = %s", value, got)
		}
	})
}

func TestPollErrorsNeverShowTheToken(t *testing.T) {
	carrier := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		printTo(w, `{"message":"upstream refused `+r.Header.Get("Authorization")+`"}`)
	})
	_, err := testClient(t, carrier.URL).Poll(t.Context(), handle)
	if err == nil || strings.Contains(err.Error(), canaryToken) || !strings.Contains(err.Error(), redacted) {
		t.Errorf("error %v", err)
	}
}
