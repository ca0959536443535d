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

func serviceBody(service int64) string { return body(`{"serviceId":%d}`, service) }

// header replaces one header of a call.
func header(name, value string) map[string]string { return map[string]string{name: value} }

// TestCommonRulesRefuse breaks each of the common rules once.
func TestCommonRulesRefuse(t *testing.T) {
	const (
		version = "api.version.invalid"
		media   = "media.type.not.supported"
	)
	get := func(h *harness, path string) response { return h.get(path) }
	post := func(replaced map[string]string) func(*harness, string) response {
		return func(h *harness, path string) response {
			return h.send(http.MethodPost, path, serviceBody(fttp), replaced)
		}
	}
	huge := func(h *harness, path string) response {
		return h.post(path, strings.Repeat(" ", 1<<20)+serviceBody(fttp))
	}
	cases := map[string]struct {
		call   func(*harness, string) response
		path   string
		status int
		code   string
		broken simulator.Rule
	}{
		"unknown path":       {get, "/api/connect/none", 404, "resource.not.found", simulator.RulePath},
		"wrong method":       {get, health, 405, "method.not.allowed", simulator.RuleMethod},
		"no token":           {post(header("Authorization", "")), health, 401, "unauthorized", simulator.RuleHeader},
		"made-up token":      {post(header("Authorization", "Bearer x")), health, 401, "unauthorized", ""},
		"404 instead of 401": {post(header("Authorization", "Bearer x")), planOptions, 404, "resource.not.found", ""},
		"no version":         {post(header("X-API-VERSION", "")), health, 400, version, simulator.RuleHeader},
		"too old":            {post(header("X-API-VERSION", "4")), health, 400, version, simulator.RuleVersion},
		"too new":            {post(header("X-API-VERSION", "9")), health, 400, version, simulator.RuleVersion},
		"no number":          {post(header("X-API-VERSION", "v8")), health, 400, version, simulator.RuleVersion},
		"no type":            {post(header("Content-Type", "")), health, 415, media, simulator.RuleHeader},
		"another type":       {post(header("Content-Type", "text/plain")), health, 415, media, ""},
		"another charset":    {post(header("Content-Type", "application/json;charset=latin1")), health, 415, media, ""},
		"compressed":         {post(header("Content-Encoding", "gzip")), health, 415, media, ""},
		"too large":          {huge, health, 413, "request.too.large", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := start(t)
			c.call(h, c.path).refusedWith(c.status, c.code)
			if c.broken == "" {
				h.expectViolations()
			} else {
				h.expectViolations(c.broken)
			}
		})
	}
}

// TestContentTypeOfReads: rule 1 requires a Content-Type on every request. A read without it is not
// refused, because a read has no body that could be misread.
func TestContentTypeOfReads(t *testing.T) {
	for contentType, broken := range map[string][]simulator.Rule{
		"": {simulator.RuleHeader}, "text/plain": {simulator.RuleHeader},
		"application/json": nil, "application/json;charset=UTF-8": nil,
	} {
		h := start(t)
		h.send(http.MethodGet, cancellation(fttp), "", header("Content-Type", contentType)).is(http.StatusOK)
		h.expectViolations(broken...)
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
	h := start(t)
	for name, content := range bodies {
		t.Run(name, func(*testing.T) {
			h.post(health, content).refusedWith(http.StatusBadRequest, "malformed.json.request")
		})
	}
	if got := h.sim.Submissions(simulator.OpHealth, 0); got != (simulator.Count{Seen: len(bodies)}) {
		t.Errorf("counted %+v", got)
	}
}

// TestRequiredFields omits fields and sets them to null.
func TestRequiredFields(t *testing.T) {
	h := start(t)
	notNull := "constraints.not.null "
	h.post(health, `{}`).refusedWith(422, "method.argument.not.valid", notNull+"serviceId")
	h.post(health, `{"serviceId":null}`).refusedWith(422, "method.argument.not.valid", notNull+"serviceId")
	h.post(planChange, `{}`).refusedWith(422, "method.argument.not.valid",
		notNull+"serviceId", notNull+"planName", notNull+"term")
}

// commonHeaders are the headers of spec §1 rule 5.
func commonHeaders() map[string]string {
	return map[string]string{
		"X-Content-Type-Options": "nosniff", "X-XSS-Protection": "1; mode=block", "Pragma": "no-cache",
		"Cache-Control": "no-cache, no-store, max-age=0, must-revalidate", "Expires": "0", "X-Frame-Options": "DENY",
	}
}

// TestEveryResponseHasTheHeadersOfRule5 checks spec §1 rule 5 on responses of each kind.
func TestEveryResponseHasTheHeadersOfRule5(t *testing.T) {
	h := start(t)
	for _, got := range []response{h.get("/nowhere"), h.post(health, serviceBody(fttp)), h.get(cancellation(fttp))} {
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
	h := start(t)
	headers := map[string]string{"Content-Type": "application/json;charset=UTF-8"}
	h.send(http.MethodPost, health, serviceBody(fttp), headers).created()
	h.expectViolations()
}

// TestIdempotencyKeysAreViolations checks that such a header is recorded and not refused.
func TestIdempotencyKeysAreViolations(t *testing.T) {
	h := start(t)
	h.send(http.MethodPost, health, serviceBody(fttp), map[string]string{"Idempotency-Key": "k"}).created()
	h.expectViolations(simulator.RuleIdempotencyKey)
}

// TestUnknownFieldsAreIgnoredAndRecorded sends a field of no table.
func TestUnknownFieldsAreIgnoredAndRecorded(t *testing.T) {
	h := start(t)
	h.post(health, body(`{"serviceId":%d,"hue":"red"}`, fttp)).created()
	h.expectViolations(simulator.RuleField)
}

// TestObjectsOfOtherClientsAreNotFound requests services and requests of another client.
func TestObjectsOfOtherClientsAreNotFound(t *testing.T) {
	h := start(t)
	for _, path := range []string{health, planOptions} {
		h.post(path, serviceBody(foreign)).refusedWith(404, "resource.not.found")
		h.post(path, serviceBody(999)).refusedWith(404, "resource.not.found")
	}
	mine := h.post(health, serviceBody(fttp)).created()
	options := h.post(planOptions, serviceBody(fttp)).created()
	h.token = h.login("other")
	h.get(mine).refusedWith(404, "resource.not.found")
	h.get(options).refusedWith(404, "resource.not.found")
	h.get(cancellation(fttp)).refusedWith(404, "resource.not.found")
}

// TestUnknownIDsAreNotFound requests IDs that are unknown, of another operation or not numbers.
func TestUnknownIDsAreNotFound(t *testing.T) {
	h := start(t)
	mine := h.post(health, serviceBody(fttp)).created()
	id := mine[strings.LastIndex(mine, "/")+1:]
	for _, path := range []string{
		"/api/connect/services/health/requests/1", "/api/connect/services/health/requests/abc",
		"/api/connect/services/plan-changes/requests/" + id, // the id of another operation
	} {
		h.get(path).refusedWith(404, "resource.not.found")
	}
	h.get("/api/connect/services/service-cancellations/requests/abc").
		refusedWith(400, "method.argument.type.mismatch")
}
