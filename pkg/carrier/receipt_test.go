package carrier

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

func TestSubmitReceipts(t *testing.T) {
	const (
		slots  = "/api/connect/orders/appointment-requests/requests/"
		orders = "/api/connect/orders/"
	)
	at := func(locations ...string) http.HandlerFunc { return located(201, locations...) }
	order := func(body string, header ...string) http.HandlerFunc { return respond(201, body, header...) }
	for name, test := range map[string]struct {
		op     Operation
		answer http.HandlerFunc
		want   Delivery
		id     string // of the handle, or of the candidate
	}{
		"201 with a Location":                 {PlanChange, at(requests + "5"), Accepted, "5"},
		"201 with another host's Location":    {PlanChange, at("https://evil.example" + requests + "5"), Accepted, "5"},
		"201 with the same Location twice":    {PlanChange, at(requests+"5", requests+"5"), Accepted, "5"},
		"201 with two Locations (11)":         {PlanChange, at(requests+"5", requests+"6"), Ambiguous, ""},
		"201 without a Location":              {PlanChange, respond(201, ""), Ambiguous, ""},
		"201 with another operation's path":   {PlanChange, at(slots + "5"), Ambiguous, ""},
		"200 with a Location":                 {PlanChange, respond(200, "", "Location", requests+"5"), Ambiguous, "5"},
		"202 with a Location":                 {PlanChange, respond(202, "", "Location", requests+"5"), Ambiguous, "5"},
		"204 where 201 is right":              {PlanChange, respond(204, "", "Location", requests+"5"), Ambiguous, "5"},
		"an order with a Location":            {OrderCreate, order(`{"id":8}`, "Location", orders+"8"), Accepted, "8"},
		"an order without a Location":         {OrderCreate, order(`{"id":9007199254740993}`), Accepted, "9007199254740993"},
		"an order with a bad Location":        {OrderCreate, order(`{"id":"8"}`, "Location", "/elsewhere/8"), Accepted, "8"},
		"an order with equal ids":             {OrderCreate, order(`{"id":8}`, "Location", orders+"08"), Accepted, "08"},
		"an order with different ids":         {OrderCreate, order(`{"id":9}`, "Location", orders+"8"), Ambiguous, "8"},
		"an order with a page and a Location": {OrderCreate, order(`<html>`, "Location", orders+"8"), Accepted, "8"},
		"an order without any id":             {OrderCreate, order(`{"status":"OPEN"}`), Ambiguous, ""},
		"an order with a page":                {OrderCreate, order(`<html>`), Ambiguous, ""},
		"an order with two ids (28)":          {OrderCreate, order(`{"id":8,"id":9}`), Ambiguous, ""},
		"an order with an id that is a float": {OrderCreate, order(`{"id":8.5}`), Ambiguous, ""},
		"a reschedule":                        {CancellationReschedule, respond(204, ""), Accepted, "1234567"},
		"an abort with a bad Location":        {CancellationAbort, respond(204, "", "Location", "//x"), Accepted, "1234567"},
		"an abort with 201":                   {CancellationAbort, respond(201, ""), Ambiguous, ""},
		"an appointment cancel":               {AppointmentCancel, respond(204, ""), Accepted, ""},
		"an appointment cancel with 200":      {AppointmentCancel, respond(200, ""), Ambiguous, ""},
		"422 with a Location": {
			PlanChange, respond(422, refusal(422), "Location", requests+"5"), Ambiguous, "5",
		},
		"429 with a Location":                {PlanChange, respond(429, "", "Location", requests+"5"), Ambiguous, "5"},
		"an order's 202 with a Location":     {OrderCreate, respond(202, "", "Location", orders+"8"), Ambiguous, "8"},
		"a reschedule's 202 with a Location": {CancellationReschedule, respond(202, "", "Location", "/x"), Ambiguous, ""},
		"422":                                {PlanChange, respond(422, refusal(422)), Rejected, ""},
		"404":                                {PlanChange, respond(404, refusal(404)), Rejected, ""},
		"400 in the carrier's form":          {PlanChange, respond(400, refusal(400)), Rejected, ""},
		"405 in the carrier's form":          {PlanChange, respond(405, refusal(405)), Rejected, ""},
		"403 in the carrier's form":          {PlanChange, respond(403, refusal(403)), Ambiguous, ""},
		"413 in the carrier's form":          {PlanChange, respond(413, refusal(413)), Ambiguous, ""},
		"422 of an appointment cancel":       {AppointmentCancel, respond(422, refusal(422)), Ambiguous, ""},
		"403 with a refusal of 422":          {PlanChange, respond(403, refusal(422)), Ambiguous, ""},
		"422 with a page":                    {PlanChange, respond(422, "<html>"), Ambiguous, ""},
		"404 with a page":                    {OrderCreate, respond(404, "<html>"), Ambiguous, ""},
		"400 with a page":                    {OrderCreate, respond(400, "<html>"), Ambiguous, ""},
		"403 with a page":                    {DiagnosticTest, respond(403, "<html>"), Ambiguous, ""},
		"405 with a page":                    {OrderCreate, respond(405, "<html>"), Ambiguous, ""},
		"406 with a page":                    {OrderCreate, respond(406, "<html>"), Ambiguous, ""},
		"413 with a page":                    {OrderCreate, respond(413, "<html>"), Ambiguous, ""},
		"415 with a page":                    {OrderCreate, respond(415, "<html>"), Ambiguous, ""},
		"502 with a page":                    {PlanChange, respond(502, "<html>"), Ambiguous, ""},
		"500 with a Location":                {PlanChange, respond(500, "", "Location", requests+"5"), Ambiguous, "5"},
		"429":                                {PlanChange, respond(429, ""), NotProcessed, ""},
		"an endless body after a Location":   {PlanChange, endless("Location", requests+"5"), Accepted, "5"},
		"an endless body":                    {PlanChange, endless(), Ambiguous, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int64
			carrier := serve(t, func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				test.answer(w, r)
			})
			got := testClient(t, carrier.URL).Submit(t.Context(), test.op, 8, planChange.Body())
			id := got.Handle.ID + got.Candidate.ID // at most one of them is set
			if got.Delivery != test.want || id != test.id || calls.Load() != 1 {
				t.Errorf("%s %q after %d calls (%v), want %s %q after 1",
					got.Delivery, id, calls.Load(), got.Err, test.want, test.id)
			}
			if (got.Delivery == Accepted) != got.Candidate.IsZero() && test.id != "" {
				t.Errorf("%s with the candidate %+v", got.Delivery, got.Candidate)
			}
			if (got.Err == nil) != (got.Delivery == Accepted) {
				t.Errorf("%s with error %v", got.Delivery, got.Err)
			}
		})
	}
}

// refusal is a standard error body for a status.
func refusal(status int) string {
	return fmt.Sprintf(`{"httpStatusCode":%d,"type":"business.rule","code":"validation","message":"No",`+
		`"apiSubErrors":[],"timestamp":"2026-07-01T00:00:00.000Z"}`, status)
}

// located returns a handler that responds with Locations and nothing else.
func located(status int, locations ...string) http.HandlerFunc {
	header := make([]string, 0, 2*len(locations))
	for _, location := range locations {
		header = append(header, "Location", location)
	}
	return respond(status, "", header...)
}

// endless returns a handler that responds with 201 and a body of 8 MiB.
func endless(header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		respond(201, strings.Repeat("x", 8<<20), header...)(w, r)
	}
}

// The message says what came, and that it is not the carrier's, because a person who reads only the
// status, such as 404, would take the request for refused.
func TestAnUnprovenResponseSaysWhatCame(t *testing.T) {
	page := func(status int, header ...string) http.HandlerFunc {
		return respond(status, "<html>", append(header, "Content-Type", "text/html; charset=utf-8")...)
	}
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		class  Class
		want   []string
	}{
		"a page": {page(404), Unreadable, []string{"404: the response (Not Found, text/html", "is not the carrier's"}},
		"a page with a Location": {
			page(502, "Location", requests+"5;jsessionid=1?"), ServerFault, []string{"Bad Gateway", "is not the carrier's"},
		},
		"a Location that is none": {
			page(403, "Location", "/login"), Unreadable, []string{"is not the carrier's", `"/login"`},
		},
		"another status of success": {
			respond(202, "", "Location", requests+"5"), Unreadable, []string{"Accepted", "accepted request, which is 201"},
		},
		"no Location": {respond(201, ""), Unreadable, []string{"which request was accepted: the response has no Location"}},
		"the carrier's fault": {
			respond(500, refusal(500)), ServerFault, []string{"does not show whether the request was accepted: No"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			carrier := serve(t, test.answer)
			receipt := testClient(t, carrier.URL).Submit(t.Context(), PlanChange, 8, planChange.Body())
			if receipt.Delivery != Ambiguous || receipt.Err.Class != test.class {
				t.Errorf("%s, class %s, want Ambiguous, %s", receipt.Delivery, receipt.Err.Class, test.class)
			}
			for _, want := range test.want {
				if !strings.Contains(receipt.Err.Error(), want) {
					t.Errorf("%q does not contain %q", receipt.Err, want)
				}
			}
		})
	}
}

// The id of an order is said to be from the body only if it is, and a Location that is of no use is
// shown.
func TestAnOrdersNoteShowsTheLocation(t *testing.T) {
	for name, test := range map[string]struct {
		body, location, want, not string
	}{
		"no id anywhere":    {`{"status":"OPEN"}`, "/elsewhere/9001", `"/elsewhere/9001"`, "from the body"},
		"an id in the body": {`{"id":9001}`, "/elsewhere/9001", "the id is from the body", "nothing"},
		"no Location":       {`{"id":9001}`, "", "the response has no Location; the id is from the body", "nothing"},
		"two numbers":       {`{"id":9002}`, "/api/connect/orders/9001", "order 9001, the body order 9002", "from the body"},
	} {
		t.Run(name, func(t *testing.T) {
			header := []string{}
			if test.location != "" {
				header = append(header, "Location", test.location)
			}
			carrier := serve(t, respond(201, test.body, header...))
			receipt := testClient(t, carrier.URL).Submit(t.Context(), OrderCreate, 8, planChange.Body())
			if !strings.Contains(receipt.Note, test.want) || strings.Contains(receipt.Note, test.not) {
				t.Errorf("note %q, want %q and not %q", receipt.Note, test.want, test.not)
			}
		})
	}
}

// A server that names a pause with a response that proves nothing is left alone by the whole login.
func TestARetryAfterWithoutProofPausesTheLogin(t *testing.T) {
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   bool
	}{
		"503":                 {respond(503, "<html>", "Retry-After", "40"), true},
		"a page with 404":     {respond(404, "<html>", "Retry-After", "40"), true},
		"202":                 {respond(202, "", "Retry-After", "40"), true},
		"503 without a pause": {respond(503, "<html>"), false},
		"a refusal":           {respond(422, refusal(422), "Retry-After", "40"), false},
		"accepted":            {respond(201, "", "Retry-After", "40", "Location", requests+"5"), false},
	} {
		t.Run(name, func(t *testing.T) {
			carrier := serve(t, test.answer)
			client := testClient(t, carrier.URL)
			client.Submit(t.Context(), PlanChange, 8, planChange.Body())
			if wait := client.Take(CallPoll, "other"); (wait > 0) != test.want {
				t.Errorf("the next call waits for %s, want a wait: %t", wait, test.want)
			}
		})
	}
}

// A 503 to a poll asks for the same pause.
func TestARetryAfterOfAPollPausesTheLogin(t *testing.T) {
	carrier := serve(t, respond(503, "<html>", "Retry-After", "40"))
	client := testClient(t, carrier.URL)
	if _, err := client.Poll(t.Context(), Handle{PlanChange, 8, "5"}); err == nil {
		t.Fatal("no error")
	}
	if wait := client.Take(CallSubmit, "other"); wait <= 0 {
		t.Error("the next call does not wait")
	}
}
