package transport

import "testing"

// A host name that is completed from the search list of a pod leads to a Service of a namespace
// that is named like the carrier's top-level domain.
func TestHostNamesAreAbsolute(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"api.carrier.dev:443":  "api.carrier.dev.:443",
		"carrier.dev:8443":     "carrier.dev.:8443",
		"api.carrier.dev.:443": "api.carrier.dev.:443",
		"localhost:443":        "localhost:443",
		"192.0.2.1:443":        "192.0.2.1:443",
		"[2001:db8::1]:443":    "[2001:db8::1]:443",
		"[fe80::1%eth0]:443":   "[fe80::1%eth0]:443",
		"nonsense":             "nonsense",
	} {
		if got := absolute(address); got != want {
			t.Errorf("%s is dialed as %s, want %s", address, got, want)
		}
	}
}
