package carrier

import (
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"
)

// requests is the path before the ID of a plan change.
const requests = "/api/connect/services/plan-changes/requests/"

func TestParseLocationReturnsTheID(t *testing.T) {
	for name, location := range map[string]string{ //nolint:gosec // the password in one of them is nobody's
		"an absolute path":                    requests + "77",
		"an absolute URL":                     "https://api.carrier.example" + requests + "77",
		"another host (security case 1)":      "https://evil.example" + requests + "77",
		"a network path (2)":                  "//evil.example" + requests + "77",
		"a downgrade to http (3)":             "http://api.carrier.example" + requests + "77",
		"a user and a password (4)":           "https://user:pw@evil.example" + requests + "77",
		"a query (9)":                         requests + "77?x=y&z=/../",
		"a fragment (9)":                      requests + "77#frag",
		"a scheme and host in capitals":       "HTTPS://API.CARRIER.EXAMPLE" + requests + "77",
		"a slash at the end":                  requests + "77/",
		"a metadata address (12)":             "http://169.254.169.254" + requests + "77",
		"an IPv4 address inside an IPv6 (12)": "http://[::ffff:169.254.169.254]" + requests + "77",
		"a decimal address (12)":              "http://2852039166" + requests + "77",
		"the prefix of a gateway":             "/gateway/v2" + requests + "77",
		"a gateway's own address":             "https://gateway.example/connect" + requests + "77",
		"a relative path":                     "requests/77",
		"a relative path with a query":        "requests/77?x=/../",
		"a path without its first slash":      requests[1:] + "77",
		"a relative path upwards":             "../plan-changes/requests/77",
		"a relative path from here":           "./requests/77",
		"dot segments in the path":            requests + "../requests/77",
		"dot segments in a prefix (5)":        "/a/.." + requests + "77",
		"dots above the root (5)":             "/../.." + requests + "77",
		"a dot in a prefix (5)":               "/." + requests + "77",
		"a gateway that hides the root":       "/services/plan-changes/requests/77",
		"a gateway with another root":         "https://gateway.example/v2/services/plan-changes/requests/77",
		"a root in a longer word":             "/prefix" + requests[1:] + "77",
		"a session in a parameter":            requests + "77;jsessionid=0A1B2C",
		"a parameter, a slash and a query":    requests + "77;v=1/?x=y",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseLocation(PlanChange, 8, location)
			want := Handle{Operation: PlanChange, Version: 8, ID: "77"}
			if err != nil || got != want {
				t.Errorf("ParseLocation(%q) = %+v, %v; want %+v", location, got, err, want)
			}
			if at := got.Path(); at != requests+"77" {
				t.Errorf("Path() = %q", at)
			}
		})
	}
}

func TestParseLocationRefuses(t *testing.T) {
	for name, location := range map[string]string{
		"nothing":                        "",
		"only a query":                   "?id=77",
		"dot segments elsewhere (5)":     requests + "77/../../orders/2",
		"a semicolon without an id":      requests + ";77",
		"an escaped semicolon":           requests + "77%3bx",
		"a dot segment at the end (5)":   requests + "..",
		"an escaped dot segment (6)":     requests + "%2e%2e",
		"an escaped slash (6)":           requests + "77%2f8",
		"a double escape (6)":            requests + "%252e",
		"another operation's path (7)":   "/api/connect/services/reclaims/requests/77",
		"the options path (7)":           "/api/connect/services/plan-changes/options/requests/77",
		"the path of the POST":           "/api/connect/services/plan-changes/request",
		"no id":                          requests,
		"a plus sign (8)":                requests + "+1",
		"a minus sign (8)":               requests + "-1",
		"an exponent (8)":                requests + "1e3",
		"a hexadecimal id (8)":           requests + "0x1",
		"2^63 (8)":                       requests + "9223372036854775808",
		"twenty digits (8)":              requests + "00000000000000000001",
		"full-width digits (8)":          requests + "１２",
		"a line break (10)":              requests + "77\r\nX-Evil: 1",
		"a NUL (10)":                     requests + "77\x00",
		"100 kB (10)":                    requests + strings.Repeat("7", 100<<10),
		"a file":                         "file://" + requests + "77",
		"a scheme without a host":        "javascript:alert(1)",
		"a backslash":                    "/api/connect/services\\plan-changes/requests/77",
		"a path in capitals":             strings.ToUpper(requests) + "77",
		"two slashes before the id":      requests + "/77",
		"an address in the query's host": "https://evil.example?" + requests + "77",
	} {
		t.Run(name, func(t *testing.T) { mustRefuse(t, location) })
	}
}

// TestParseLocationRefusesOtherPrefixes: only whole segments without escapes may come before the path,
// and nothing after it.
func TestParseLocationRefusesOtherPrefixes(t *testing.T) {
	for name, location := range map[string]string{ //nolint:gosec // paths, no credentials
		"a scheme before a path":    "https:requests/77",
		"a relative path upwards":   "../requests/77",
		"a relative path elsewhere": "reclaims/requests/77",
		"another path upwards":      "../reclaims/requests/77",
		"only an id":                "77",
		"a hidden root, elsewhere":  "/services/reclaims/requests/77",
		"half of a hidden root":     "/connect/plan-changes/requests/77",
		"an escape in a prefix (6)": "/a%2fb" + requests + "77",
		"a path after the path":     requests + "77/details",
	} {
		t.Run(name, func(t *testing.T) { mustRefuse(t, location) })
	}
}

func mustRefuse(t *testing.T, location string) {
	t.Helper()
	got, err := ParseLocation(PlanChange, 8, location)
	if _, ok := errors.AsType[*LocationError](err); !ok || !got.IsZero() {
		t.Fatalf("ParseLocation(%q) = %+v, %v; want a LocationError", location, got, err)
	}
	if len(err.Error()) > 512 || strings.ContainsAny(err.Error(), "\r\n\x00") {
		t.Errorf("the error shows too much: %q", err)
	}
}

func TestParseLocationKeepsTheIDAsWritten(t *testing.T) {
	for _, id := range []string{"01", "0", "9223372036854775807", "9007199254740993"} {
		got, err := ParseLocation(PlanChange, 8, requests+id)
		if err != nil || got.ID != id {
			t.Errorf("ParseLocation of id %q = %+v, %v", id, got, err)
		}
	}
}

// The number in a body has lost the zeros that the carrier may have written in the Location.
func TestAHandleHasTheNumberOfItsID(t *testing.T) {
	for id, numbers := range map[string]map[int64]bool{
		"42": {42: true, 4: false, 2: false, 0: false}, "0042": {42: true, 4200: false},
		"0": {0: false}, "": {0: false}, "a42": {42: false, 0: false},
	} {
		for number, want := range numbers {
			if got := (Handle{PlanChange, 8, id}).HasID(number); got != want {
				t.Errorf("handle %q has the id %d: %t, want %t", id, number, got, want)
			}
		}
	}
}

func TestParseLocationAcceptsOpaqueIDs(t *testing.T) {
	const options = "/api/connect/services/plan-changes/options/requests/"
	for id, want := range map[string]bool{
		"6f1d2c3b-0000-4000-8000-aB_9":   true,
		strings.Repeat("a", maxOpaqueID): true,
		"a.b~c=d:e@f==":                  true,
		"...":                            true,
		strings.Repeat("a", 129):         false,
		"a!b$c&d'e(f)g*h+i,j":            true,
		"a%20b%3D%c3%a9":                 true,
		"a%2fb":                          false,
		"a%5Cb":                          false,
		"%2e%2E":                         false,
		"a%252f":                         false,
		"a%3bb":                          false,
		"a%00b":                          false,
		"a%7f":                           false,
		"a%2":                            false,
		"a%":                             false,
		"a%zz":                           false,
		"a%+1":                           false,
		"a/b":                            false,
		"a[b]":                           false,
		"a\"b":                           false,
		"a|b":                            false,
		"a b":                            false,
		"":                               false,
		".":                              false,
		"..":                             false,
		"a;b":                            true, // its parameter is dropped
		";b":                             false,
		"é":                              false,
	} {
		if _, err := ParseLocation(PlanOptions, 8, options+id); (err == nil) != want {
			t.Errorf("ParseLocation of opaque id %q: %v, want success %t", id, err, want)
		}
	}
}

func TestHealthVersionFiveHasItsOwnPath(t *testing.T) {
	old, err := ParseLocation(Health, 5, "/api/connect/services/health/request/9")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := old.Path(), "/api/connect/services/health/request/9"; got != want {
		t.Errorf("at version 5: %q, want %q", got, want)
	}
	if got, want := (Handle{Health, 6, "9"}).Path(), "/api/connect/services/health/requests/9"; got != want {
		t.Errorf("at version 6: %q, want %q", got, want)
	}
}

// TestRelativeLocations: a relative Location is resolved against the path of the POST.
func TestRelativeLocations(t *testing.T) {
	for location, want := range map[string]Handle{
		"request/9":     {Health, 5, "9"},
		"requests/9":    {Health, 8, "9"},
		"requests/a:b":  {PlanOptions, 8, "a:b"},
		"77":            {OrderCreate, 8, "77"},
		"orders/77":     {},
		"requests/12.5": {},
	} {
		got := Handle{}
		for c := range Contracts() {
			version := max(want.Version, c.MinVersion)
			if h, err := ParseLocation(c.Operation, version, location); err == nil && h == want {
				got = h
			}
		}
		if got != want {
			t.Errorf("%q: %+v, want %+v", location, got, want)
		}
	}
}

// TestOpaqueIDIsPolledAsWritten: no character of an id is escaped on the way to the carrier.
func TestOpaqueIDIsPolledAsWritten(t *testing.T) {
	const location = "/api/connect/services/plan-changes/options/requests/a.b~c=d:e@f_-==!$&'(*)+,%20%3D"
	var called string
	server := serve(t, func(rw http.ResponseWriter, r *http.Request) {
		called = r.RequestURI
		respond(200, `{"plans":[]}`)(rw, r)
	})
	options, err := ParseLocation(PlanOptions, 8, "https://gateway.example/v2"+location)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := testClient(t, server.URL).Poll(t.Context(), options); err != nil || called != location {
		t.Errorf("called %q, %v; want %q", called, err, location)
	}
}

func TestHandlePathRoundTrip(t *testing.T) {
	for c := range Contracts() {
		if c.ID == IDNone {
			continue
		}
		for version := c.MinVersion; version <= c.MaxVersion; version++ {
			want := Handle{Operation: c.Operation, Version: version, ID: "1234567890123456789"}
			got, err := ParseLocation(c.Operation, version, want.Path())
			if err != nil || got != want {
				t.Errorf("%s: %+v, %v", want.Path(), got, err)
			}
		}
	}
}

func TestHandleWithoutAPath(t *testing.T) {
	for _, h := range []Handle{{}, {PlanChange, 8, ""}, {PlanChange, 8, "../x"}, {AppointmentCancel, 8, "1"}} {
		if at := h.Path(); at != "" {
			t.Errorf("%+v has the path %q", h, at)
		}
	}
}

func TestForeignHost(t *testing.T) {
	const base = "https://api.carrier.example"
	for location, want := range map[string]string{
		requests + "7":                                     "",
		base + requests + "7":                              "",
		base + ":443" + requests + "7":                     "",
		"HTTPS://API.carrier.EXAMPLE" + requests + "7":     "",
		"https://evil.example" + requests + "7":            "evil.example",
		"//evil.example:8443" + requests + "7":             "evil.example:8443",
		"https://user:secret@evil.example" + requests:      "evil.example",
		base + ":8443" + requests + "7":                    "api.carrier.example:8443",
		"http://api.carrier.example" + requests + "7":      "api.carrier.example",
		"https://api.carrier.example.evil" + requests:      "api.carrier.example.evil",
		"https://api.carrier.example@evil.test" + requests: "evil.test",
	} {
		if got := foreignHost(base, location); got != want {
			t.Errorf("foreignHost(%q) = %q, want %q", location, got, want)
		}
	}
}

func FuzzParseLocation(f *testing.F) {
	for _, seed := range []string{
		requests + "77", "https://evil.example" + requests + "1", "requests/77", "/gateway" + requests + "1",
		"/api/connect/services/plan-changes/options/requests/a.b~c=d:e@f", "requests/..",
		requests + "%2e", "//h" + requests + "2?q", "http://", "",
		"../plan-changes/requests/7", "/a/../services/health/requests/9",
		"/services/plan-changes/options/requests/a%20b!(c);d=e", requests + "77;a=b/..",
	} {
		f.Add(seed, 8)
	}
	f.Fuzz(func(t *testing.T, location string, version int) {
		for c := range Contracts() {
			got, err := ParseLocation(c.Operation, version, location)
			if (err == nil) == got.IsZero() {
				t.Fatalf("%s: handle %+v with error %v", c.Operation, got, err)
			}
			if err == nil {
				checkHandle(t, got)
			}
		}
	})
}

// checkHandle checks what must be true of every handle from a Location.
func checkHandle(t *testing.T, h Handle) {
	t.Helper()
	if again, err := ParseLocation(h.Operation, h.Version, h.Path()); err != nil || again != h {
		t.Fatalf("%+v differs from the handle of its own path: %+v, %v", h, again, err)
	}
	decoded, err := url.PathUnescape(h.Path())
	sameShape := path.Clean(decoded) == decoded && strings.Count(decoded, "/") == strings.Count(h.Path(), "/")
	unsafe := strings.ContainsAny(h.Path(), "?#;\\ \r\n") || strings.ContainsAny(decoded, "\\\r\n\x00;")
	if err != nil || unsafe || !sameShape {
		t.Fatalf("%+v: unsafe path %q", h, h.Path())
	}
}
