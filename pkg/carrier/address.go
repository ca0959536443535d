package carrier

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// AddressError reports an address to which no token may be sent.
type AddressError struct {
	Address  string // without user, query and fragment
	Defect   string
	Insecure bool // allowed if insecure carriers are allowed
}

// Error names the address and its defect.
func (e *AddressError) Error() string { return fmt.Sprintf("address %q: %s", e.Address, e.Defect) }

// The schemes and their default ports.
const (
	schemeSecure = "https"
	schemePlain  = "http"
	portSecure   = "443"
	portPlain    = "80"
)

// protocolPart is the end of every token endpoint. The part before it is the address of the realm
// (spec §5).
const protocolPart = "/protocol/openid-connect/token"

// audienceOf derives the audience of assertions, the realm address (spec §5), from the token
// endpoint. A malicious token endpoint therefore never receives an assertion that the real one
// would accept. A caller that sets another audience must know that the key's owner trusts the
// token endpoint's host.
func audienceOf(address string, allowInsecure bool) (string, error) {
	u, err := parseAddress(address, allowInsecure)
	if err != nil {
		return "", err
	}
	realm, ok := strings.CutSuffix(address, protocolPart)
	switch {
	case !ok || strings.Trim(u.Path, "/") == strings.Trim(protocolPart, "/"):
		return "", addressDefect(u, "its path does not end in a realm and "+protocolPart)
	case strings.Contains(u.EscapedPath(), "%"), strings.Contains(u.Path, "/.."), strings.Contains(u.Path, "/./"):
		return "", addressDefect(u, "its path has escapes or dot segments")
	}
	return realm, nil
}

// parseOrigin parses the carrier's address: a scheme, a host and an optional port.
func parseOrigin(address string, allowInsecure bool) (*url.URL, error) {
	u, err := parseAddress(address, allowInsecure)
	if err != nil {
		return nil, err
	}
	if strings.Trim(u.Path, "/") != "" {
		return nil, addressDefect(u, "it has a path, but only an origin (https://host) is allowed")
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}

func parseAddress(address string, allowInsecure bool) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, &AddressError{Defect: "it is not an address of the form https://host"} // it may contain a password
	}
	switch {
	case u.User != nil:
		return nil, addressDefect(u, "it contains a user name or password")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, addressDefect(u, "it has a query or a fragment")
	}
	if err := checkScheme(u, allowInsecure); err != nil {
		return nil, err
	}
	return u, checkHost(u)
}

func checkScheme(u *url.URL, allowInsecure bool) error {
	switch {
	case u.Scheme == schemeSecure, u.Scheme == schemePlain && allowInsecure:
		return nil
	case u.Scheme == schemePlain:
		insecure := addressDefect(u, "http would expose the access token to anyone on the network path: https is required")
		insecure.Insecure = true
		return insecure
	}
	return addressDefect(u, "its scheme is not https")
}

func checkHost(u *url.URL) error {
	host := u.Hostname()
	switch {
	case host == "" || strings.HasSuffix(host, ".") || u.Port() == "0":
		return addressDefect(u, "its host or port is not usable")
	case strings.IndexFunc(host, func(r rune) bool { return r <= ' ' || r >= 0x7f }) >= 0:
		return addressDefect(u, "its host is not plain ASCII: write it in its xn-- form")
	}
	return nil
}

// forbiddenAddress returns the error for a forbidden address that a host name resolved to.
func forbiddenAddress(address string) error {
	return &AddressError{
		Address: excerpt(address), Insecure: true,
		Defect: "the host's address is loopback, link-local, of a metadata service or not a host address",
	}
}

func addressDefect(u *url.URL, text string) *AddressError {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return &AddressError{Address: excerpt(shown.String()), Defect: text}
}

// HostOf returns the host of an address, with its port if it has one. It is empty for an invalid
// address.
func HostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// HostListed reports whether the host of an address is in a list such as "host1,host2:8443". A host
// without a port means the default port of the address's scheme.
func HostListed(list, address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return false
	}
	for entry := range strings.SplitSeq(list, ",") {
		if withPort(&url.URL{Scheme: u.Scheme, Host: strings.TrimSpace(entry)}) == withPort(u) {
			return true
		}
	}
	return false
}

// sameOrigin reports whether a request goes to the origin that may receive the token.
func sameOrigin(origin, u *url.URL) bool {
	return u.Scheme == origin.Scheme && u.User == nil && withPort(u) == withPort(origin)
}

// withPort returns host and port, with the scheme's default port if there is none.
func withPort(u *url.URL) string {
	port := u.Port()
	switch {
	case port != "":
	case strings.EqualFold(u.Scheme, schemeSecure):
		port = portSecure
	case strings.EqualFold(u.Scheme, schemePlain):
		port = portPlain
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}
