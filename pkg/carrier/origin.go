package carrier

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// hostForm is the form of a host name in lower case, without a dot at its end. A name whose last
// part is a number is another spelling of an IP address, or invalid.
var (
	hostForm   = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?([.][a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)
	numberForm = regexp.MustCompile(`(^|[.])(\d+|0x[0-9a-f]*)$`)
)

// CanonicalOrigin returns the canonical form of an origin: scheme and host in lower case, no
// default port, no leading zeros in the port, no dot at the end of the host, and an IP address
// in its shortest form. It returns "" for anything but an origin. An address is canonical if
// it is returned unchanged. Without a canonical form, two spellings of one login would be two
// logins.
func CanonicalOrigin(address string) string {
	u, err := url.Parse(address)
	if err != nil || !isOrigin(u) {
		return ""
	}
	host, port := canonicalHost(u), canonicalPort(u)
	if host == "" || port == "0" {
		return ""
	}
	if port != "" {
		host += ":" + port
	}
	return u.Scheme + "://" + host
}

// isOrigin reports whether an address has nothing but a scheme, a host and a port.
func isOrigin(u *url.URL) bool {
	rest := *u
	rest.Scheme, rest.Host, rest.Path = "", "", strings.TrimSuffix(u.Path, "/")
	return (u.Scheme == schemeSecure || u.Scheme == schemePlain) && rest == url.URL{}
}

// canonicalHost returns the host of an address in its canonical form, an IPv6 address in brackets; ""
// if it is not usable.
func canonicalHost(u *url.URL) string {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	ip, err := netip.ParseAddr(host)
	isBracketed := strings.HasPrefix(u.Host, "[")
	switch {
	case err != nil && !isBracketed && hostForm.MatchString(host) && !numberForm.MatchString(host):
		return host
	case err != nil, isBracketed != ip.Is6(), ip.Zone() != "", ip.Is4In6():
		return ""
	case isBracketed:
		return "[" + ip.String() + "]"
	}
	return ip.String()
}

// canonicalPort returns the port of an address without zeros at its beginning, "" for the default port
// of the scheme, "0" if it is not usable.
func canonicalPort(u *url.URL) string {
	const highest = 65535
	text := u.Port()
	if text == "" {
		return ""
	}
	number, err := strconv.Atoi(text)
	port := strconv.Itoa(number)
	switch {
	case err != nil || number > highest:
		return "0"
	case u.Scheme == schemeSecure && port == portSecure, u.Scheme == schemePlain && port == portPlain:
		return ""
	}
	return port
}
