package carrier_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

func TestHostsThatAccountsMayName(t *testing.T) {
	t.Parallel()
	const list = "api.carrier.example, ID.carrier.example:8443,secure.example:443,*.wholesale.example," +
		"*.lab.example:9443,10.0.0.7,[2001:DB8:0::1]:8443"
	hosts, err := carrier.ParseHosts(list)
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]bool{
		"https://api.carrier.example":                    true,
		"https://api.carrier.example:443/auth":           true,
		"https://API.Carrier.example":                    true,
		"http://api.carrier.example":                     true, // the default port of its scheme
		"https://id.carrier.example:8443":                true,
		"https://id.carrier.example:08443":               true,
		"https://secure.example":                         true,
		"https://api.wholesale.example":                  true,
		"https://a.b.wholesale.example/auth":             true,
		"https://x.lab.example:9443":                     true,
		"https://10.0.0.7":                               true,
		"https://[2001:db8::1]:8443":                     true,
		"https://api.carrier.example:8443":               false,
		"http://api.carrier.example:443":                 false,
		"http://secure.example":                          false,
		"https://id.carrier.example":                     false,
		"https://carrier.example":                        false,
		"https://x.api.carrier.example":                  false,
		"https://wholesale.example":                      false,
		"https://notwholesale.example":                   false,
		"https://api.wholesale.example:8443":             false,
		"https://api.wholesale.example.other.example":    false,
		"https://x.lab.example":                          false,
		"https://x.lab.example:443":                      false,
		"https://api.carrier.example@other.example":      false,
		"https://other.example/api.carrier.example":      false,
		"https://other.example?.wholesale.example":       false,
		"https://other.example#.wholesale.example":       false,
		"https://other.example\\.wholesale.example":      false,
		"https://167772167":                              false, // 10.0.0.7
		"https://[::ffff:10.0.0.7]":                      false,
		"https://[2001:db8::1]":                          false,
		"https://\u0430pi.carrier.example":               false, // a Cyrillic letter
		"https://.wholesale.example":                     false,
		"https://":                                       false,
		"https:api.carrier.example":                      false,
		"%":                                              false,
		"":                                               false,
		"https://api.carrier.example:443:443":            false,
		"https://api.carrier.example:99999":              false,
		"https://api.carrier.example%2eother.example":    false,
		"https://other.example%00.wholesale.example":     false,
		"https://other.example:443%23.wholesale.example": false,
	} {
		if got := hosts.Allow(address); got != want {
			t.Errorf("%q: allowed %t, want %t", address, got, want)
		}
	}
}

func TestWithoutAListEveryHostIsAllowed(t *testing.T) {
	t.Parallel()
	hosts, err := carrier.ParseHosts("")
	if err != nil || !hosts.Allow("https://other.example") || !(carrier.Hosts{}).Allow("https://other.example") {
		t.Errorf("a host is refused without a list: %v", err)
	}
}

func TestListsOfHostsThatAreRefused(t *testing.T) {
	t.Parallel()
	const (
		missing  = "a host between its commas is missing"
		address  = "it is an address: write only its host"
		wildcard = "write each host in full, or *.example.com"
		form     = "it is not a host, or a host and a port"
	)
	for list, want := range map[string]string{
		" ":                         missing,
		",":                         missing,
		"api.example,":              missing,
		"a.example,,b.example":      missing,
		"https://api.example":       `"https://api.example": ` + address,
		"a.example, b.example/auth": `"b.example/auth": ` + address,
		"user@api.example":          address,
		"*":                         wildcard,
		"api.*.example":             wildcard,
		"*.*.example":               wildcard,
		"*api.example":              wildcard,
		"*.":                        form,
		"*.10.0.0.7":                form,
		"*.[2001:db8::1]":           form,
		"*..example":                form,
		".example":                  form,
		"api.example.":              form,
		"api.example.:443":          form,
		"api.example:":              form,
		"api.example:0":             form,
		"api.example:65536":         form,
		"api.example:https":         form,
		"api.example:*":             wildcard,
		"api example":               form,
		"a.example b.example":       form,
		"api_1.example":             form,
		"2001:db8::1":               form,
		"10.0.0.0x7":                form,
		"10.0.0.07":                 form,
		"-api.example":              form,
		"\u0430pi.example":          form,
		"http:api.example":          form,
		"api.example;id.example":    form,
		`"api.example"`:             form,
	} {
		hosts, err := carrier.ParseHosts(list)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q (%v)", list, err, want, hosts)
		}
	}
}

// Whatever an account names, a list of one host leads nowhere else.
func FuzzHosts(f *testing.F) {
	for _, address := range []string{
		"https://api.carrier.example", "https://API.carrier.example.:0443/auth", "https://u@api.carrier.example:8443",
		"http://other.example#@api.carrier.example", "https:api.carrier.example", "https://[::1%25eth0]",
	} {
		f.Add(address)
	}
	hosts, err := carrier.ParseHosts("api.carrier.example")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if !hosts.Allow(address) {
			return
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
		if err != nil {
			return // it cannot be called
		}
		if host := strings.TrimSuffix(strings.ToLower(request.URL.Hostname()), "."); host != "api.carrier.example" {
			t.Errorf("%q leads to %q", address, host)
		}
	})
}
