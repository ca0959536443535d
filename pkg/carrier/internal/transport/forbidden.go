package transport

import (
	"net/netip"
	"slices"
)

// isForbidden returns true for addresses of this machine, of its local link, and of cloud metadata
// services, most of which are link-local, and for multicast and broadcast addresses. Private
// addresses are allowed, because a carrier may be reached over a private line.
func isForbidden(addr netip.Addr) bool {
	ip := addr.Unmap().WithZone("")
	if ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast() {
		return true
	}
	inNetwork := func(network netip.Prefix) bool { return network.Contains(ip) }
	return slices.ContainsFunc(forbiddenNetworks(), inNetwork) || ip.Is6() && embedsForbidden(ip)
}

// forbiddenNetworks returns the networks of metadata services that are not link-local, "this network"
// and the broadcast address.
func forbiddenNetworks() []netip.Prefix {
	return []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),
		netip.MustParsePrefix("255.255.255.255/32"),
		netip.MustParsePrefix("100.100.100.200/32"), // Alibaba Cloud
		netip.MustParsePrefix("192.0.0.192/32"),     // Oracle Cloud
		netip.MustParsePrefix("168.63.129.16/32"),   // Azure
		netip.MustParsePrefix("fd00:ec2::/32"),      // AWS: instances, and pod identity
		netip.MustParsePrefix("fd20:ce::/32"),       // Google Cloud
		netip.MustParsePrefix("fd00:c1::/32"),       // Oracle Cloud
	}
}

// embedsForbidden returns true for IPv6 addresses that lead to a forbidden IPv4 address through a
// translating gateway or a tunnel.
func embedsForbidden(ip netip.Addr) bool {
	bytes := ip.As16()
	return slices.ContainsFunc(embeddings(), func(e embedding) bool {
		return e.in.Contains(ip) && isForbidden(netip.AddrFrom4(e.ipv4(bytes)))
	})
}

// embedding states where the IPv6 addresses of a network contain an IPv4 address.
type embedding struct {
	in     netip.Prefix
	at     int  // offset of the IPv4 address's first byte
	hidden byte // each byte of the IPv4 address is XORed with this
}

func (e embedding) ipv4(bytes [16]byte) (address [4]byte) {
	for i := range address {
		address[i] = bytes[e.at+i] ^ e.hidden
	}
	return address
}

func embeddings() []embedding {
	const atEnd = 12
	return []embedding{
		{in: netip.MustParsePrefix("::/96"), at: atEnd},                   // IPv4-compatible (RFC 4291)
		{in: netip.MustParsePrefix("64:ff9b::/96"), at: atEnd},            // NAT64 (RFC 6052)
		{in: netip.MustParsePrefix("64:ff9b:1::/48"), at: atEnd},          // site-local NAT64 (RFC 8215)
		{in: netip.MustParsePrefix("2002::/16"), at: 2},                   // 6to4 (RFC 3056)
		{in: netip.MustParsePrefix("2001::/32"), at: 4},                   // Teredo (RFC 4380): the server
		{in: netip.MustParsePrefix("2001::/32"), at: atEnd, hidden: 0xff}, // Teredo: the client
	}
}
