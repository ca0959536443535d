package carrier

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCancellationRead(t *testing.T) {
	body := string(golden(t, "service-cancellation.json"))
	const id = 1234567
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   Class
	}{
		"200":                {respond(200, body), ""},
		"202":                {respond(202, body), ""},
		"200 without the id": {respond(200, `{"status":null,"cancelled":false}`), ""},
		"200 of nulls":       {respond(200, `{"serviceId":1234567,"status":null,"cancelled":null}`), Unreadable},
		"200 with nothing":   {respond(200, `{}`), Unreadable},
		"another service's":  {respond(200, `{"serviceId":7,"cancelled":false}`), Unreadable},
		"202 without a body": {respond(202, ""), ServerFault},
		"202 of nulls":       {respond(202, `{"serviceId":1234567,"status":null,"cancelled":null}`), ServerFault},
		"a page":             {respond(200, "<html>"), Unreadable},
		"an endless body":    {respond(200, string(make([]byte, 2<<20))), Unreadable},
		"400":                {respond(400, ""), Invalid},
		"401":                {respond(401, ""), Unauthorized},
		"404 proves nothing": {respond(404, ""), NotFoundOrForbidden},
		"422":                {respond(422, ""), Refused},
		"500":                {respond(500, ""), ServerFault},
	} {
		t.Run(name, func(t *testing.T) {
			var path string
			carrier := serve(t, func(w http.ResponseWriter, r *http.Request) {
				path = r.Method + " " + r.URL.Path
				test.answer(w, r)
			})
			tokens := &staticTokens{}
			client := testClient(t, carrier.URL, func(c *Config) { c.Tokens = tokens })
			got, err := client.Cancellation(t.Context(), id)
			if refused := ClassOf(err) == Unauthorized; refused != (tokens.invalidations() == 1) {
				t.Errorf("%v invalidated %d tokens", err, tokens.invalidations())
			}
			if ClassOf(err) != test.want || err == nil && got.ServiceID != id {
				t.Errorf("Cancellation = %+v, %v; want class %q", got, err, test.want)
			}
			if want := "GET /api/connect/services/service-cancellations/requests/1234567"; path != want {
				t.Errorf("requested %s, want %s", path, want)
			}
		})
	}
}

// A 202 shows the cancellation, too, but while it is being changed.
func TestCancellationIsInProgress(t *testing.T) {
	body := string(golden(t, "service-cancellation.json"))
	for status, want := range map[int]bool{200: false, 202: true} {
		got, err := testClient(t, serve(t, respond(status, body)).URL).Cancellation(t.Context(), 1234567)
		if err != nil || got.InProgress != want {
			t.Errorf("%d: in progress: %t, %v", status, got.InProgress, err)
		}
	}
}

func TestTestTypesRead(t *testing.T) {
	const offered = `{"testTypes":["port-reset","line-state"]}`
	many := `{"testTypes":["a"` + strings.Repeat(`,"a"`, 500) + `]}`
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   int
		class  Class
	}{
		"200":                {respond(200, offered), 2, ""},
		"200 with 501 types": {respond(200, many), maxTestTypes, ""},
		"200 without types":  {respond(200, `{"testTypes":[]}`), 0, Unreadable},
		"202":                {respond(202, offered), 0, Unreadable},
		"a page":             {respond(200, "<html>"), 0, Unreadable},
		"400":                {respond(400, ""), 0, Invalid},
		"401":                {respond(401, ""), 0, Unauthorized},
		"403":                {respond(403, ""), 0, NotFoundOrForbidden},
		"404":                {respond(404, ""), 0, NotFoundOrForbidden},
		"405":                {respond(405, ""), 0, Invalid},
		"500":                {respond(500, ""), 0, ServerFault},
	} {
		t.Run(name, func(t *testing.T) {
			var path string
			carrier := serve(t, func(w http.ResponseWriter, r *http.Request) {
				path = r.Method + " " + r.URL.Path
				test.answer(w, r)
			})
			got, err := testClient(t, carrier.URL).TestTypes(t.Context(), 1234567)
			if ClassOf(err) != test.class || len(got) != test.want {
				t.Errorf("TestTypes = %q, %v; want %d types, class %q", got, err, test.want, test.class)
			}
			if want := "GET /api/connect/services/1234567/diagnostic-tests/options"; path != want {
				t.Errorf("requested %s, want %s", path, want)
			}
		})
	}
	if _, err := testClient(t, "http://127.0.0.1:1").TestTypes(t.Context(), 0); ClassOf(err) != Invalid {
		t.Errorf("TestTypes of service 0: %v", err)
	}
}

func TestOrderRead(t *testing.T) {
	order := string(golden(t, "order-rejected.json"))
	const id = 9007199254740993
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		class  Class
	}{
		"200":                    {respond(200, order), ""},
		"200 without the number": {respond(200, `{"status":"OPEN"}`), Unreadable},
		"another order":          {respond(200, strings.Replace(order, fmt.Sprint(id), "7", 1)), Unreadable},
		"an id that is no id":    {respond(200, `{"id":"x"}`), Unreadable},
		"a list":                 {respond(200, "["+order+"]"), Unreadable},
		"202":                    {respond(202, order), Unreadable},
		"a page":                 {respond(200, "<html>"), Unreadable},
		"400":                    {respond(400, ""), Invalid},
		"401":                    {respond(401, ""), Unauthorized},
		"403":                    {respond(403, ""), NotFoundOrForbidden},
		"404":                    {respond(404, ""), NotFoundOrForbidden},
		"405":                    {respond(405, ""), Invalid},
		"429":                    {respond(429, ""), Throttled},
		"500":                    {respond(500, ""), ServerFault},
	} {
		t.Run(name, func(t *testing.T) {
			var path string
			carrier := serve(t, func(w http.ResponseWriter, r *http.Request) {
				path = r.Method + " " + r.URL.Path
				test.answer(w, r)
			})
			got, err := testClient(t, carrier.URL).Order(t.Context(), id)
			if ClassOf(err) != test.class || err == nil && (!got.Rejected() || got.Status != "REJECTED") {
				t.Errorf("Order = %+v, %v; want class %q", got, err, test.class)
			}
			if want := fmt.Sprintf("GET /api/connect/orders/%d", id); path != want {
				t.Errorf("requested %s, want %s", path, want)
			}
		})
	}
	if _, err := testClient(t, "http://127.0.0.1:1").Order(t.Context(), 0); ClassOf(err) != Invalid {
		t.Errorf("Order 0: %v", err)
	}
}

func TestDisruptionPageRead(t *testing.T) {
	var asked url.Values
	served := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Query()
		printTo(w, `{"content":[{"wholesaleDisruptionId":"d5"}],"number":2,"totalPages":3}`)
	})
	page, err := testClient(t, served.URL).DisruptionPage(t.Context(), DisruptionQuery{
		ServiceID: 7, Statuses: []DisruptionStatus{DisruptionActive, DisruptionScheduled}, Size: 3,
		Sort: "maintenanceStartAt,ASC",
	}, 2)
	if err != nil || len(page.Content) != 1 || page.Content[0].WholesaleDisruptionID != "d5" || !page.IsLast(2) {
		t.Errorf("%+v, %v", page, err)
	}
	want := url.Values{
		"page": {"2"}, "size": {"3"}, "sort": {"maintenanceStartAt,ASC"}, "status": {"ACTIVE", "SCHEDULED"},
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("query (-want +got):\n%s", diff)
	}
}

func TestDisruptionErrors(t *testing.T) {
	for status, want := range map[int]Class{400: Invalid, 401: Unauthorized, 404: NotFoundOrForbidden, 500: ServerFault} {
		client := testClient(t, serve(t, respond(status, "")).URL)
		if _, err := client.DisruptionPage(t.Context(), DisruptionQuery{ServiceID: 7}, 0); ClassOf(err) != want {
			t.Errorf("%d: %v of class %s, want %s", status, err, ClassOf(err), want)
		}
	}
}

// TestReadsWithoutAServiceIDAreNotSent: without a service id the path could be that of another
// resource.
func TestReadsWithoutAServiceIDAreNotSent(t *testing.T) {
	client := testClient(t, serve(t, func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("requested %s", r.URL)
	}).URL)
	for _, id := range []int64{0, -1, math.MinInt64} {
		if _, err := client.Cancellation(t.Context(), id); ClassOf(err) != Invalid {
			t.Errorf("Cancellation(%d) = %v", id, err)
		}
		if _, err := client.DisruptionPage(t.Context(), DisruptionQuery{ServiceID: id}, 0); ClassOf(err) != Invalid {
			t.Errorf("DisruptionPage of %d = %v", id, err)
		}
	}
	if _, err := client.DisruptionPage(t.Context(), DisruptionQuery{ServiceID: 7}, -1); ClassOf(err) != Invalid {
		t.Errorf("page -1 = %v", err)
	}
}
