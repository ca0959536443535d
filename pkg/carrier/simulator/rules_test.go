package simulator_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

const (
	planChange  = "/api/connect/services/plan-changes/request"
	planOptions = "/api/connect/services/plan-changes/options/request"
	health      = "/api/connect/services/health/request"
)

func body(format string, values ...any) string { return fmt.Sprintf(format, values...) }

func about(service int64) string { return body(`{"serviceId":%d}`, service) }

// header replaces one header of a call.
func header(name, value string) map[string]string { return map[string]string{name: value} }

// TestCommonRulesRefuse breaks each of the common rules once.
func TestCommonRulesRefuse(t *testing.T) {
	const (
		version = "api.version.invalid"
		media   = "media.type.not.supported"
	)
	get := func(w *world, path string) answer { return w.get(path) }
	post := func(replaced map[string]string) func(*world, string) answer {
		return func(w *world, path string) answer { return w.send(http.MethodPost, path, about(fttp), replaced) }
	}
	huge := func(w *world, path string) answer { return w.post(path, strings.Repeat(" ", 1<<20)+about(fttp)) }
	cases := map[string]struct {
		call   func(*world, string) answer
		path   string
		status int
		code   string
		broken simulator.Rule
	}{
		"unknown path":    {get, "/api/connect/none", 404, "resource.not.found", simulator.RulePath},
		"wrong method":    {get, health, 405, "method.not.allowed", simulator.RuleMethod},
		"no token":        {post(header("Authorization", "")), health, 401, "unauthorized", simulator.RuleHeader},
		"made-up token":   {post(header("Authorization", "Bearer x")), health, 401, "unauthorized", ""},
		"the odd 404":     {post(header("Authorization", "Bearer x")), planOptions, 404, "resource.not.found", ""},
		"no version":      {post(header("X-API-VERSION", "")), health, 400, version, simulator.RuleHeader},
		"too old":         {post(header("X-API-VERSION", "4")), health, 400, version, simulator.RuleVersion},
		"too new":         {post(header("X-API-VERSION", "9")), health, 400, version, simulator.RuleVersion},
		"no number":       {post(header("X-API-VERSION", "v8")), health, 400, version, simulator.RuleVersion},
		"no type":         {post(header("Content-Type", "")), health, 415, media, simulator.RuleHeader},
		"another type":    {post(header("Content-Type", "text/plain")), health, 415, media, ""},
		"another charset": {post(header("Content-Type", "application/json;charset=latin1")), health, 415, media, ""},
		"compressed":      {post(header("Content-Encoding", "gzip")), health, 415, media, ""},
		"too large":       {huge, health, 413, "request.too.large", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := start(t)
			c.call(w, c.path).refusedWith(c.status, c.code)
			if c.broken == "" {
				w.broke()
			} else {
				w.broke(c.broken)
			}
		})
	}
}

// TestBodiesThatCannotBeRead sends bodies that are not the JSON of the specification.
func TestBodiesThatCannotBeRead(t *testing.T) {
	bodies := map[string]string{
		"empty": "", "null": "null", "an array": "[]", "cut": `{"serviceId":1`, "a comma too many": `{"serviceId":1,}`,
		"something behind": `{"serviceId":1} {}`, "a field twice": `{"serviceId":1,"serviceId":2}`,
		"invalid UTF-8": "{\"serviceId\":1,\"a\":\"\xff\"}", "nested": strings.Repeat("[", 20000),
		"nested inside": `{"serviceId":` + strings.Repeat("[", 20000) + `}`,
		"a text":        `{"serviceId":"1000001"}`, "a fraction": `{"serviceId":1.5}`,
		"too large": `{"serviceId":9223372036854775808}`, "an exponent": `{"serviceId":1e400}`,
	}
	w := start(t)
	for name, content := range bodies {
		t.Run(name, func(*testing.T) {
			w.post(health, content).refusedWith(http.StatusBadRequest, "malformed.json.request")
		})
	}
	if got := w.sim.Submissions(simulator.OpHealth, 0); got != (simulator.Count{Seen: len(bodies)}) {
		t.Errorf("counted %+v", got)
	}
}

// TestRequiredFields omits fields and sets them to null.
func TestRequiredFields(t *testing.T) {
	w := start(t)
	notNull := "constraints.not.null "
	w.post(health, `{}`).refusedWith(422, "method.argument.not.valid", notNull+"serviceId")
	w.post(health, `{"serviceId":null}`).refusedWith(422, "method.argument.not.valid", notNull+"serviceId")
	w.post(planChange, `{}`).refusedWith(422, "method.argument.not.valid",
		notNull+"serviceId", notNull+"planName", notNull+"term")
}

// commonHeaders are those of spec §1 rule 5.
func commonHeaders() map[string]string {
	return map[string]string{
		"X-Content-Type-Options": "nosniff", "X-XSS-Protection": "1; mode=block", "Pragma": "no-cache",
		"Cache-Control": "no-cache, no-store, max-age=0, must-revalidate", "Expires": "0", "X-Frame-Options": "DENY",
	}
}

// TestEveryReplyHasTheHeadersOfRule5 checks spec §1 rule 5 on replies of each kind.
func TestEveryReplyHasTheHeadersOfRule5(t *testing.T) {
	w := start(t)
	for _, got := range []answer{w.get("/nowhere"), w.post(health, about(fttp)), w.get(cancellation(fttp))} {
		for name, value := range commonHeaders() {
			if got.header.Get(name) != value {
				t.Errorf("%d: %s is %q, want %q", got.status, name, got.header.Get(name), value)
			}
		}
		if got.body != "" && got.header.Get("Content-Type") != "application/json" {
			t.Errorf("Content-Type %q", got.header.Get("Content-Type"))
		}
	}
}

// TestCharsetParameterIsAccepted sends the Content-Type that real clients send.
func TestCharsetParameterIsAccepted(t *testing.T) {
	w := start(t)
	headers := map[string]string{"Content-Type": "application/json;charset=UTF-8"}
	w.send(http.MethodPost, health, about(fttp), headers).created()
	w.broke()
}

// TestHeadersThatLetTransportsResend checks that such a header is noted and not refused.
func TestHeadersThatLetTransportsResend(t *testing.T) {
	w := start(t)
	w.send(http.MethodPost, health, about(fttp), map[string]string{"Idempotency-Key": "k"}).created()
	w.broke(simulator.RuleIdempotencyKey)
}

// TestFieldsOutsideTheTableAreIgnoredAndNoted sends a field of no table.
func TestFieldsOutsideTheTableAreIgnoredAndNoted(t *testing.T) {
	w := start(t)
	w.post(health, body(`{"serviceId":%d,"hue":"red"}`, fttp)).created()
	w.broke(simulator.RuleField)
}

// TestWhatIsNotTheClientsDoesNotExist requests services and requests of another client.
func TestWhatIsNotTheClientsDoesNotExist(t *testing.T) {
	w := start(t)
	for _, path := range []string{health, planOptions} {
		w.post(path, about(foreign)).refusedWith(404, "resource.not.found")
		w.post(path, about(999)).refusedWith(404, "resource.not.found")
	}
	mine := w.post(health, about(fttp)).created()
	options := w.post(planOptions, about(fttp)).created()
	w.token = w.login("other")
	w.get(mine).refusedWith(404, "resource.not.found")
	w.get(options).refusedWith(404, "resource.not.found")
	w.get(cancellation(fttp)).refusedWith(404, "resource.not.found")
}

// TestIdsThatDoNotExist requests IDs that are unknown, of another operation or not numbers.
func TestIdsThatDoNotExist(t *testing.T) {
	w := start(t)
	mine := w.post(health, about(fttp)).created()
	id := mine[strings.LastIndex(mine, "/")+1:]
	for _, path := range []string{
		"/api/connect/services/health/requests/1", "/api/connect/services/health/requests/abc",
		"/api/connect/services/plan-changes/requests/" + id, // the id of another operation
	} {
		w.get(path).refusedWith(404, "resource.not.found")
	}
	w.get("/api/connect/services/service-cancellations/requests/abc").
		refusedWith(400, "method.argument.type.mismatch")
}

func cancellation(service int64) string {
	return fmt.Sprintf("/api/connect/services/service-cancellations/requests/%d", service)
}
