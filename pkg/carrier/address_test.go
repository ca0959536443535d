package carrier

import "testing"

func TestHostListed(t *testing.T) {
	const list = "api.carrier.example, ID.carrier.example:8443,[2001:db8::1],"
	for address, want := range map[string]bool{
		"https://api.carrier.example":              true,
		"https://api.carrier.example:443":          true,
		"https://API.Carrier.example":              true,
		"http://api.carrier.example":               true, // the default port of its scheme
		"https://id.carrier.example:8443/auth/x":   true,
		"https://[2001:db8::1]/auth":               true,
		"https://api.carrier.example:8443":         false,
		"https://id.carrier.example":               false,
		"https://carrier.example":                  false,
		"https://api.carrier.example.evil.example": false,
		"https://api.carrier.example@evil.example": false,
		"https://evil.example/api.carrier.example": false,
		"https://":      false,
		"%":             false,
		"":              false,
		"https:///auth": false,
	} {
		if got := HostListed(list, address); got != want {
			t.Errorf("%q: listed %t, want %t", address, got, want)
		}
	}
	if HostListed("", "https://api.carrier.example") || HostListed("*", "https://api.carrier.example") {
		t.Error("a list without hosts lists a host")
	}
}
