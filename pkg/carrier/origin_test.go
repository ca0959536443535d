package carrier_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// A login that could be written in two ways would be two logins, and could order twice.
func TestAnOriginHasOneSpelling(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://api.carrier.example":       "https://api.carrier.example",
		"https://API.Carrier.example":       "https://api.carrier.example",
		"HTTPS://api.carrier.example":       "https://api.carrier.example",
		"https://api.carrier.example:443":   "https://api.carrier.example",
		"http://api.carrier.example:80":     "http://api.carrier.example",
		"https://api.carrier.example:80":    "https://api.carrier.example:80",
		"https://api.carrier.example:08443": "https://api.carrier.example:8443",
		"https://api.carrier.example.":      "https://api.carrier.example",
		"https://api.carrier.example/":      "https://api.carrier.example",
		"https://10.0.0.7:8443":             "https://10.0.0.7:8443",
		"https://[2001:DB8:0::1]:8443":      "https://[2001:db8::1]:8443",
		"https://10.0.0.07":                 "",
		"https://0x0a000007":                "",
		"https://167772167":                 "",
		"https://[::ffff:10.0.0.7]":         "",
		"https://api.carrier.example:65536": "",
		"https://api.carrier.example/v1":    "",
		"https://user@api.carrier.example":  "",
		"ftp://api.carrier.example":         "",
	} {
		if got := carrier.CanonicalOrigin(address); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
