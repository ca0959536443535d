package carrier

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// AddressError reports an address to which no token may go.
type AddressError struct {
	Address  string // without user, query and fragment
	Defect   string
	Insecure bool // it would do if insecure carriers were allowed
}

// Error names the address and its defect.
func (e *AddressError) Error() string { return fmt.Sprintf("address %q: %s", e.Address, e.Defect) }

// The schemes, and the ports that they mean when none is written.
const (
	schemeSecure = "https"
	schemePlain  = "http"
	portSecure   = "443"
	portPlain    = "80"
)

// protocolPart is the end of every token endpoint; what stands before it is the address of the
// realm (spec §5).
const protocolPart = "/protocol/openid-connect/token"

// ValidBaseURL returns nil for an address of the carrier that can be used: an https origin, that is
// a scheme, a host and perhaps a port. Plain http needs allowInsecure. Anything else is an
// [AddressError].
func ValidBaseURL(address string, allowInsecure bool) error {
	_, err := parseOrigin(address, allowInsecure)
	return err
}

// ValidTokenURL returns nil for a token endpoint that can be used: an https address whose path ends
// in /protocol/openid-connect/token, because the audience of the signed JWT is what stands before
// it (spec §5). Plain http needs allowInsecure. Anything else is an [AddressError].
func ValidTokenURL(address string, allowInsecure bool) error {
	_, err := audienceOf(address, allowInsecure)
	return err
}

// audienceOf derives the realm address from the token endpoint. It cannot be set apart from it, so
// a token endpoint in strange hands never sees an assertion that the real one would take.
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

func parseOrigin(address string, allowInsecure bool) (*url.URL, error) {
	u, err := parseAddress(address, allowInsecure)
	if err != nil {
		return nil, err
	}
	if strings.Trim(u.Path, "/") != "" {
		return nil, addressDefect(u, "it has a path, but only an origin (https://host) is taken")
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}

func parseAddress(address string, allowInsecure bool) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, &AddressError{Defect: "it is not an address of the form https://host"} // it may hold a password
	}
	switch {
	case u.User != nil:
		return nil, addressDefect(u, "it holds a user name or password")
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
		insecure := addressDefect(u, "http would show the access token to everyone on the way: https is needed")
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

func addressDefect(u *url.URL, text string) *AddressError {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return &AddressError{Address: excerpt(shown.String()), Defect: text}
}

// HostOf returns the host of an address, with its port where one is written; empty when it is no
// address.
func HostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// HostListed tells whether the host of an address stands in a list such as "host1,host2:8443". A
// host without a port stands for the port that the address's scheme means.
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

// sameOrigin tells whether a request would go where the token may go.
func sameOrigin(origin, u *url.URL) bool {
	return u.Scheme == origin.Scheme && u.User == nil && withPort(u) == withPort(origin)
}

// withPort returns host and port, the scheme's own port where none is written.
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
