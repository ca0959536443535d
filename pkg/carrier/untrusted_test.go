package carrier

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/identifier"
)

// The responses of a carrier are untrusted. The numbers are those of docs/security-cases.md.

// TestEndlessBodyStopsAtOneMebibyte (21): a chunked body that never ends is read up to the bound,
// and the connection is closed.
func TestEndlessBodyStopsAtOneMebibyte(t *testing.T) {
	for status, want := range map[int]Class{200: Unreadable, 202: "", 422: Unreadable, 502: ServerFault} {
		sent := make(chan int64, 1)
		carrier := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			n, err := io.Copy(w, spaces{})
			ignore(err)
			sent <- n
		})
		outcome, err := testClient(t, carrier.URL).Poll(t.Context(), handle)
		if ClassOf(err) != want || len(outcome.Body) > maxBodyBytes {
			t.Errorf("%d: %s with %d bytes, %v", status, outcome.State, len(outcome.Body), err)
		}
		if got := <-sent; got > 64<<20 { // the server notices that the client stopped reading
			t.Errorf("%d: the server could send %d bytes", status, got)
		}
	}
}

// spaces is an endless reader of spaces.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestGzipBombIsNotUnpacked (22): we do not ask for compression. What is sent compressed anyway is
// unpacked up to the limit of a body.
func TestGzipBombIsNotUnpacked(t *testing.T) {
	var bomb bytes.Buffer
	packer := gzip.NewWriter(&bomb)
	either(io.Copy(packer, io.LimitReader(spaces{}, 64<<20)))
	ignore(packer.Close())
	var encodings string
	carrier := serve(t, func(w http.ResponseWriter, r *http.Request) {
		encodings += r.Header.Get("Accept-Encoding")
		respond(http.StatusOK, bomb.String(), "Content-Encoding", "gzip", "Content-Type", "application/json")(w, r)
	})
	client := testClient(t, carrier.URL)
	if outcome, err := client.Poll(t.Context(), handle); outcome.State != "" || ClassOf(err) != Unreadable {
		t.Errorf("%s, %v; want Unreadable", outcome.State, err)
	}
	if _, err := client.Cancellation(t.Context(), 7); ClassOf(err) != Unreadable {
		t.Errorf("%v, want Unreadable", err)
	}
	if receipt := client.Submit(t.Context(), Health, 8, healthBody); receipt.Delivery != Ambiguous {
		t.Errorf("%s, want Ambiguous", receipt.Delivery)
	}
	if encodings != "" {
		t.Errorf("Accept-Encoding was %q", encodings)
	}
}

// TestTooManyValuesAreRefused: a megabyte of commas is not turned into hundreds of megabytes of
// structs.
func TestTooManyValuesAreRefused(t *testing.T) {
	many := strings.Repeat("0,", 500_000) + "0"
	for _, key := range []string{"plans", "infrastructures", "content", "healthCategories", "additionalFees"} {
		mustBeUnreadable(t, `{"`+key+`":[`+many+`]}`)
	}
	mustBeUnreadable(t, "["+many+"]")
	if got := readError([]byte(`{"code":"c","apiSubErrors":[`+many+`]}`), nil); got.Code != "" || got.SubErrors != nil {
		t.Errorf("an error with %d sub-errors was read", len(got.SubErrors))
	}
}

// TestNestedJSON (23): deeply nested JSON does not make the stack grow, wherever a document is
// read.
func TestNestedJSON(t *testing.T) {
	const depth = 100_000
	w, err := identifier.NewWord("abc")
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{
		nested(depth),
		strings.Repeat(`{"plan":`, depth) + "1" + strings.Repeat("}", depth),
		`{"apiSubErrors":` + nested(depth) + "}",
		strings.Repeat("[", depth),
		strings.Repeat(`{"sourceType":["wholesale",`, depth),
	} {
		mustBeUnreadable(t, body)
		if got := readError([]byte(body), nil); got.Message != "" || got.SubErrors != nil {
			t.Errorf("an error was read: %v", got)
		}
		if got := w.FromWire(w.ToWire([]byte(body))); string(got) != body {
			t.Error("the identifier word changed the document")
		}
		if _, ok := ReadEvent([]byte(body)); ok {
			t.Error("an event was read")
		}
	}
}

// mustBeUnreadable expects every decoder to refuse a body.
func mustBeUnreadable(t *testing.T, body string) {
	t.Helper()
	for name, decodeGolden := range goldens() {
		if _, err := decodeGolden([]byte(body)); ClassOf(err) != Unreadable {
			t.Errorf("%s, %.40s: %v, want Unreadable", name, body, err)
		}
	}
}

// TestServerTextIsSanitized (24): whatever an error body contains, it is shown as one line of
// printable characters.
func TestServerTextIsSanitized(t *testing.T) {
	evil := "a\x1b[31mred\x1b[0m \u202egpj.exe\u202c line\r\nbreak\u2028and\u0000nul\u200bzero\xff\xfe"
	encoded := string(encode(evil))
	raw := `"` + strings.ReplaceAll(strings.ReplaceAll(evil, "\r\n", `\r\n`), "\x00", `\u0000`) + `"`
	for _, text := range []string{encoded, strings.ReplaceAll(raw, "\x1b", `\u001b`)} {
		carrier := serve(t, respond(http.StatusUnprocessableEntity, errorOf(text)))
		receipt := testClient(t, carrier.URL).Submit(t.Context(), Health, 8, healthBody)
		if len(receipt.Err.SubErrors) != 1 || !strings.Contains(receipt.Err.Message, "red") {
			t.Fatalf("the body was not read: %v", receipt.Err)
		}
		checkDisplayable(t, receipt.Err.Error())
		checkDisplayable(t, fmt.Sprint(receipt.Err.SubErrors))
		for _, shown := range receipt.Err.SubErrors {
			checkDisplayable(t, string(shown.Code)+shown.Message+shown.Object+shown.Field+shown.RejectedValue)
		}
	}
}

// errorOf is a standard error body in which every text is the same.
func errorOf(quoted string) string {
	const template = `{"httpStatusCode":422,"type":X,"code":X,"message":X,` +
		`"apiSubErrors":[{"code":X,"message":X,"object":X,"field":X,"rejectedValue":X}]}`
	return strings.ReplaceAll(template, "X", quoted)
}

// TestOurTokenIsRedacted (25): the token is redacted even if a zero-width character splits it, if
// the text is cut in the middle of it, or if it takes the place of a code.
func TestOurTokenIsRedacted(t *testing.T) {
	half := len(canaryToken) / 2
	for name, text := range map[string]string{
		"as it is":       "refused " + canaryToken + ".",
		"as a header":    "Authorization: Bearer " + canaryToken,
		"without width":  canaryToken[:half] + "\u200b" + canaryToken[half:],
		"soft hyphen":    canaryToken[:half] + "\u00ad" + canaryToken[half:],
		"at the cut":     strings.Repeat("x", maxMessage-half) + canaryToken,
		"at another cut": strings.Repeat("x", 4*maxMessage-half) + canaryToken,
		"many times":     strings.Repeat(canaryToken+" ", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			carrier := serve(t, respond(http.StatusUnprocessableEntity, errorOf(string(encode(text)))))
			receipt := testClient(t, carrier.URL).Submit(t.Context(), Health, 8, healthBody)
			shown := fmt.Sprintf("%v %+v %v", receipt.Err, *receipt.Err, receipt.Err.LogValue())
			if strings.Contains(shown, canaryToken) || strings.Contains(shown, canaryToken[:half]) {
				t.Errorf("the token, or half of it, is shown: %s", shown)
			}
		})
	}
}

// TestEchoedRequestIsRedacted: net/http quotes a response that is not HTTP, and a server may
// return our own request.
func TestEchoedRequestIsRedacted(t *testing.T) {
	request := planChange
	request.ContactName, request.ContactEmail = "Canary Person", "canary@mail.example"
	for _, before := range []string{"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nBearer " + canaryToken + "\r\n\r\n"} {
		address := listen(t, func(conn net.Conn) {
			buffer := make([]byte, 64<<10)
			n, err := conn.Read(buffer)
			ignore(err)
			echo := strings.ReplaceAll(string(buffer[:n]), "Authorization:", "Authorization")
			echo = strings.Join(strings.Split(echo, "\r\n")[1:], " ") // one line, without a colon where one is needed
			printTo(conn, before+strings.ReplaceAll(echo, ":", "")+"\r\n\r\n")
		})
		receipt := testClient(t, "http://"+address).Submit(t.Context(), PlanChange, 8, request.Body())
		if receipt.Delivery != Ambiguous {
			t.Errorf("%s, want Ambiguous", receipt.Delivery)
		}
		if shown := receipt.Err.Error(); strings.Contains(shown, "anary") || len(shown) > 2*maxMessage {
			t.Errorf("a secret is shown: %s", shown)
		}
	}
}

// TestHeaderFloodIsUnreachable (31): a flood of headers, in one header or in many, makes a GET
// Unreachable and a POST Ambiguous.
func TestHeaderFloodIsUnreachable(t *testing.T) {
	for name, flood := range map[string]string{
		"one header":   "X: " + strings.Repeat("x", 1<<20) + "\r\n",
		"many headers": strings.Repeat("X: "+strings.Repeat("x", 100)+"\r\n", 10_000),
		"many names":   manyNames(10_000),
		"early hints":  "",
	} {
		t.Run(name, func(t *testing.T) {
			response := "HTTP/1.1 200 OK\r\n" + flood + "Content-Length: 2\r\n\r\n{}"
			if flood == "" {
				response = strings.Repeat("HTTP/1.1 103 Early Hints\r\nX: "+strings.Repeat("x", 1000)+"\r\n\r\n", 1000) + response
			}
			address := listen(t, func(conn net.Conn) {
				readRequest(conn)
				printTo(conn, response)
				readUntilGone(conn)
			})
			client := testClient(t, "http://"+address)
			if outcome, err := client.Poll(t.Context(), handle); outcome.State != "" || ClassOf(err) != Unreachable {
				t.Errorf("Poll: %s, %v; want Unreachable", outcome.State, err)
			}
			if receipt := client.Submit(t.Context(), OrderCreate, 8, healthBody); receipt.Delivery != Ambiguous {
				t.Errorf("Submit: %s, want Ambiguous", receipt.Delivery)
			}
		})
	}
}

func manyNames(n int) string {
	var headers strings.Builder
	for i := range n {
		fmt.Fprintf(&headers, "X-%d: %d\r\n", i, i)
	}
	return headers.String()
}

// TestUnusualStatuses (36): each status is classified, for a POST and for a GET, and only a GET
// with status 200 is a success.
func TestUnusualStatuses(t *testing.T) {
	for _, status := range []string{
		"000", "100", "101", "199", "200", "203", "205", "206", "226", "299", "300", "306", "399", "402", "418", "451",
		"499", "500", "599", "600", "999", "1000", "20", "-1", "2OO", "٢٠٠", "", " ",
	} {
		t.Run(status, func(t *testing.T) {
			address := listen(t, func(conn net.Conn) {
				readRequest(conn)
				printTo(conn, "HTTP/1.1 "+status+" What\r\nLocation: "+requests+"5\r\nContent-Length: 2\r\n\r\n{}")
			})
			client := testClient(t, "http://"+address)
			receipt := client.Submit(t.Context(), PlanChange, 8, planChange.Body())
			if receipt.Delivery != Ambiguous || receipt.Err == nil || receipt.Err.Class == "" {
				t.Errorf("Submit: %s, %v; want Ambiguous", receipt.Delivery, receipt.Err)
			}
			outcome, err := client.Poll(t.Context(), handle)
			if done := outcome.State == Done; done != (status == "200") || err != nil && ClassOf(err) == "" {
				t.Errorf("Poll: %s, %v", outcome.State, err)
			}
		})
	}
}

// TestRetryAfterOnTheWire (33): a header delays calls by an hour at most, and by a second at least.
func TestRetryAfterOnTheWire(t *testing.T) {
	now := newClock().Now()
	for value, want := range map[string]time.Duration{
		"-1": time.Second, "0": time.Second, "1000000000": time.Hour, strings.Repeat("9", 1000): time.Hour, "soon": 0,
		now.Add(-time.Hour).Format(http.TimeFormat):      time.Second,
		now.AddDate(1000, 0, 0).Format(http.TimeFormat):  time.Hour,
		now.Add(time.Minute).Format(http.TimeFormat):     time.Minute,
		"Sat, 14 Mar 2026 99:99:99 GMT":                  0,
		now.AddDate(-2000, 0, 0).Format(http.TimeFormat): time.Second,
	} {
		client := testClient(t, serve(t, respond(http.StatusTooManyRequests, "", "Retry-After", value)).URL)
		receipt := client.Submit(t.Context(), Health, 8, healthBody)
		if receipt.Delivery != NotProcessed || receipt.RetryAfter != want {
			t.Errorf("Retry-After %.40s: %s, wait %s; want %s", value, receipt.Delivery, receipt.RetryAfter, want)
		}
		if wait := client.Take(CallSubmit, "a"); wait < time.Second || wait > maxRatePause {
			t.Errorf("Retry-After %.40s pauses the client for %s", value, wait)
		}
	}
}

// TestResponseAboutAnotherServiceIsNoSuccess (26): Poll returns a 200 unchanged, because the handle
// does not contain the service. The IDs that its caller compares are decoded exactly, or decoding
// the body fails.
func TestResponseAboutAnotherServiceIsNoSuccess(t *testing.T) {
	for body, same := range map[string]bool{
		`{"id":77,"serviceId":1234567}`:                    true,
		`{"id":"77","serviceId":"1234567"}`:                true,
		`{"id":77,"serviceId":7654321}`:                    false,
		`{"id":78,"serviceId":1234567}`:                    false,
		`{"id":77,"serviceId":1234567.0}`:                  false,
		`{"id":77,"serviceId":1.234567e6}`:                 false,
		`{"id":77,"serviceId":1234567,"serviceId":7}`:      false,
		`{"id":77,"serviceId":7,"service\u0049d":1234567}`: false,
		`{"id":77,"serviceId":1e400}`:                      false,
		`{"id":77,"serviceId":[1234567]}`:                  false,
		`{"id":77,"serviceId":-1234567}`:                   false,
		`{"id":77,"serviceId":9223372036855410375}`:        false, // 2^63 and 634567
	} {
		client := testClient(t, serve(t, respond(http.StatusOK, body)).URL)
		outcome, err := client.Poll(t.Context(), handle)
		if err != nil || outcome.State != Done {
			t.Fatalf("%s: %s, %v", body, outcome.State, err)
		}
		summary, err := DecodeSummary(PlanChange, outcome.Body)
		if got := err == nil && summary.ID == 77 && summary.ServiceID == 1234567; got != same {
			t.Errorf("%s: ours %t, want %t (%v)", body, got, same, err)
		}
		if _, full := DecodePlanChange(outcome.Body); (full == nil) != (err == nil) {
			t.Errorf("%s: the decoders disagree: %v and %v", body, full, err)
		}
	}
}
