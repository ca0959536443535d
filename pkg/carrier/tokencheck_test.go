package carrier

import (
	"net/http"
	"testing"
)

// Only the carrier's own response shows that it accepts the token: its error body, or the resource. A
// page with the same status comes from a server in front of the carrier.
func TestOnlyTheCarriersOwnResponseShowsThatItAcceptsAToken(t *testing.T) {
	t.Parallel()
	const notFound = `{"httpStatusCode":404,"type":"business.rule","code":"resource.not.found","message":"",` +
		`"apiSubErrors":[]}`
	const unprocessable = `{"httpStatusCode":422,"type":"business.rule","code":"validation","apiSubErrors":[]}`
	const forbidden = `{"httpStatusCode":403,"type":"client.access","code":"access"}`
	for name, row := range map[string]struct {
		response http.HandlerFunc
		want     Class
		refused  bool
	}{
		"404 of the carrier":              {respond(404, notFound), "", false},
		"422 of the carrier":              {respond(422, unprocessable), "", false},
		"the request itself":              {respond(200, `{"id":1,"serviceId":7,"status":"COMPLETED"}`), "", false},
		"the request, in progress":        {respond(202, ""), "", false},
		"the same, with a body":           {respond(202, `{"id":1}`), "", false},
		"a 202 with a page":               {respond(202, "<html>"), Unreadable, false},
		"a 404 with a page":               {respond(404, "<html>"), Unreadable, false},
		"a 404 without a body":            {respond(404, ""), Unreadable, false},
		"a 404 of a gateway":              {respond(404, `{"message":"no Route matched"}`), Unreadable, false},
		"a 404 with another status in it": {respond(404, unprocessable), Unreadable, false},
		"a 422 with a page":               {respond(422, "<html>"), Unreadable, false},
		"a 200 with a page":               {respond(200, "<html>"), Unreadable, false},
		"a 200 with another resource":     {respond(200, `{"id":2}`), Unreadable, false},
		"a 200 about something else":      {respond(200, `{"status":"maintenance"}`), Unreadable, false},
		"an endless 200":                  {respond(200, string(make([]byte, 2<<20))), Unreadable, false},
		"401 of the carrier":              {respond(401, ""), Unauthorized, true},
		"403 of the carrier":              {respond(403, forbidden), Unauthorized, true},
		"a 403 with a page":               {respond(403, "<html>"), Unreadable, false},
		"400":                             {respond(400, ""), Invalid, false},
		"429":                             {respond(429, ""), Throttled, false},
		"500":                             {respond(500, ""), ServerFault, false},
		"204":                             {respond(204, ""), Unreadable, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked string
			carrier := serve(t, func(w http.ResponseWriter, r *http.Request) {
				asked = r.Method + " " + r.URL.Path
				row.response(w, r)
			})
			tokens := &staticTokens{}
			client := testClient(t, carrier.URL, func(c *Config) { c.Tokens = tokens })
			err := client.CheckToken(t.Context())
			if ClassOf(err) != row.want {
				t.Errorf("%v, want class %q", err, row.want)
			}
			if row.refused != (tokens.invalidations() == 1) {
				t.Errorf("%d tokens were invalidated", tokens.invalidations())
			}
			if want := "GET /api/connect/services/reclaims/requests/1"; asked != want {
				t.Errorf("it asked %s, want %s", asked, want)
			}
		})
	}
}

func TestATokenCheckWithoutAResponseShowsNothing(t *testing.T) {
	t.Parallel()
	carrier := serve(t, respond(200, ""))
	carrier.Close()
	if err := testClient(t, carrier.URL).CheckToken(t.Context()); ClassOf(err) != Unreachable {
		t.Errorf("%v", err)
	}
}
