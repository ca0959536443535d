package carrier

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
)

// Hosts are the only hosts that accounts may name. The zero value allows every host.
type Hosts struct{ listed []listedHost }

// listedHost is one host, or all subdomains of one.
type listedHost struct {
	name       string // in its canonical form
	port       string // "": the default port of the address's scheme
	subdomains bool   // of name, at any depth, and not name itself
}

// wildcard begins an entry that stands for the subdomains of a host.
const wildcard = "*."

var (
	errHostMissing  = errors.New("a host between its commas is missing; to allow every host, omit the flag")
	errHostAddress  = errors.New("it is an address: write only its host, and its port if it has one, without https://")
	errHostWildcard = errors.New("write each host in full, or *.example.com for all subdomains of example.com")
	errHostForm     = errors.New("it is not a host, or a host and a port, such as api.example.com, " +
		"*.example.com, api.example.com:8443, 10.0.0.7 or [2001:db8::1]:8443")
)

// ParseHosts reads a comma-separated list such as "api.example.com,*.example.net:8443". An entry with
// *. stands for the subdomains of a host, at any depth. An entry without a port means the default
// port of an address's scheme. An empty list allows every host.
func ParseHosts(list string) (Hosts, error) {
	if list == "" {
		return Hosts{}, nil
	}
	var hosts Hosts
	for text := range strings.SplitSeq(list, ",") {
		text = strings.TrimSpace(text)
		host, err := parseListed(text)
		if errors.Is(err, errHostMissing) {
			return Hosts{}, err
		}
		if err != nil {
			return Hosts{}, fmt.Errorf("%q: %w", text, err)
		}
		hosts.listed = append(hosts.listed, host)
	}
	return hosts, nil
}

func parseListed(text string) (listedHost, error) {
	name, subdomains := strings.CutPrefix(text, wildcard)
	switch {
	case text == "":
		return listedHost{}, errHostMissing
	case strings.ContainsAny(text, "/@?#"):
		return listedHost{}, errHostAddress
	case strings.Contains(name, "*"):
		return listedHost{}, errHostWildcard
	}
	host, usable := hostAndPort(name)
	isIP := strings.HasPrefix(host.name, "[") || net.ParseIP(host.name) != nil
	if !usable || subdomains && isIP {
		return listedHost{}, errHostForm
	}
	host.subdomains = subdomains
	return host, nil
}

// hostAndPort reads a host that may have a port, and reports whether both are usable.
func hostAndPort(text string) (host listedHost, usable bool) {
	u, err := url.Parse(schemeSecure + "://" + text)
	if err != nil || strings.HasSuffix(u.Hostname(), ".") || strings.HasSuffix(text, ":") {
		return listedHost{}, false
	}
	host.name = canonicalHost(u)
	if u.Port() != "" {
		host.port = dialedPort(u)
	}
	return host, host.name != "" && host.port != "0"
}

// Allow reports whether accounts may name the host of an address.
func (h Hosts) Allow(address string) bool {
	if len(h.listed) == 0 {
		return true
	}
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(h.listed, func(host listedHost) bool { return host.isOf(u) })
}

// isOf reports whether an address has this host, or one of its subdomains, and this port.
func (h listedHost) isOf(u *url.URL) bool {
	name := canonicalHost(u)
	isNamed := name == h.name
	if h.subdomains {
		isNamed = strings.HasSuffix(name, "."+h.name)
	}
	if h.port == "" {
		return isNamed && canonicalPort(u) == ""
	}
	return isNamed && dialedPort(u) == h.port
}

// dialedPort returns the port of an address in its canonical form, even if it is the default one.
func dialedPort(u *url.URL) string {
	port := portSecure
	if u.Scheme == schemePlain {
		port = portPlain
	}
	return cmp.Or(canonicalPort(u), port)
}
